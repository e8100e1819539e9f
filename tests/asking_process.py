"""A process of its own that asks on one session: ten tasks at once, over a store behind a server.

It says on stdout what became of each turn: `kept x:…`, or `lost x:…` where it was told session_conflict. Each task asks
as a process of its own would. With a key all its calls are made under that key, and `answered x:…` is what each got.
"""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from played_turns import FIRED, MOVED, NOW, WHERE, given, quoting
from store_bridge import PASSWORD, USER
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import ScriptedClient
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.errors import SessionConflict
from voice.core.settings.values import StoreSettings
from voice.ports.llm import LlmReply, LlmRequest
from voice.services.turn.ask import Ask, AskRequest
from voice.services.turn.keep import TurnUnderway

TASKS = 10
APART = "apart"


class Meeting(ScriptedClient):
    """A model that answers once so many have asked, and the other process is there, too."""

    def __init__(self, tasks: int) -> None:
        super().__init__(quoting(MOVED, FIRED))
        self._missing = tasks
        self._all_here = asyncio.Event()

    async def complete(self, request: LlmRequest) -> LlmReply:
        self._missing -= 1
        if self._missing == 0:
            print("here", flush=True)  # noqa: T201 - what the test reads
            await asyncio.to_thread(sys.stdin.readline)
            self._all_here.set()
        await self._all_here.wait()
        return await super().complete(request)


async def ask_at_once(home: Path, url: str, session_id: str, name: str, how: str) -> None:
    """Ask ten questions at once, or one ten times under a key: what `how` says where it says no other."""
    store = StoreSettings(url=url, user=USER, password=PASSWORD)
    key = None if how == APART else how
    llm = Meeting(TASKS if how == APART else 1)
    parts = Parts(clock=FixedClock(NOW), embedder=HashedEmbedder(128), llm=llm)
    async with open_services(given(store=store), home / "home", parts) as services:
        lines = [services.makers.ask() if how != APART else _apart(services) for _ in range(TASKS)]
        questions = [f"Where is the kiln of number {int(name) + n}?" for n in range(TASKS)]
        requests = [
            AskRequest(question=WHERE if key else each, session_id=session_id, idempotency_key=key)
            for each in questions
        ]
        asked = [_asked(ask, request) for ask, request in zip(lines, requests, strict=True)]
        for said in await asyncio.gather(*asked):
            print(said, flush=True)  # noqa: T201 - the same


def _apart(services: Services) -> Ask:
    """Return what asks in nobody's line, and keeps as one process does."""
    ask = services.makers.ask()
    return replace(ask, underway=TurnUnderway(saving=ask.underway.saving))


async def _asked(ask: Ask, request: AskRequest) -> str:
    try:
        turn = await ask(request)
    except SessionConflict as told:
        return f"lost {told.exchange_id}"
    return f"{'answered' if request.idempotency_key else 'kept'} {turn.exchange.id}"


if __name__ == "__main__":
    place, address, session, name_of_it, way = sys.argv[1:]
    asyncio.run(ask_at_once(Path(place), address, session, name_of_it, way))

"""A process of its own that asks on one session: ten tasks at once, each as a process would, over a served store.

It says on stdout what became of each turn: `kept x:…`, or `lost x:…` where it was told session_conflict. With a key all
its calls are made under that key, and `answered x:…` is what each got.
"""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from played_turns import FIRED, MOVED, NOW, given, quoting
from store_bridge import PASSWORD, USER
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import ScriptedClient
from voice.adapters.system.clock import FixedClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.errors import SessionConflict
from voice.core.settings.values import StoreSettings
from voice.ports.llm import LlmReply, LlmRequest
from voice.services.ask import AskRequest
from voice.services.keeping import Underway

TASKS = 10


class Meeting(ScriptedClient):
    """A model that answers once every task has asked, and the other process is there, too."""

    def __init__(self, tasks: int) -> None:
        super().__init__(quoting(MOVED, FIRED))
        self._missing = tasks
        self._all_here = asyncio.Event()

    async def complete(self, request: LlmRequest) -> LlmReply:
        self._missing -= 1
        if not self._missing:
            print("here", flush=True)  # noqa: T201 - what the test reads
            await asyncio.to_thread(sys.stdin.readline)
            self._all_here.set()
        await self._all_here.wait()
        return await super().complete(request)


async def ask_at_once(home: Path, url: str, session_id: str, name: str, key: str | None) -> None:
    """Ask ten questions at once, or one ten times."""
    store = StoreSettings(url=url, user=USER, password=PASSWORD)
    parts = Parts(clock=FixedClock(NOW), embedder=HashedEmbedder(128), llm=Meeting(1 if key else TASKS))
    async with open_services(given(store=store), home / "home", parts) as services:
        asked = [
            _asked(
                services,
                session_id,
                "Where is the kiln?" if key else f"Where is the kiln of number {int(name) + n}?",
                key,
            )
            for n in range(TASKS)
        ]
        for said in await asyncio.gather(*asked):
            print(said, flush=True)  # noqa: T201 - the same


async def _asked(services: Services, session_id: str, question: str, key: str | None) -> str:
    asking = services.make_ask()
    if key is None:  # as a process of its own would: in line behind nobody
        asking = replace(asking, underway=Underway(saving=asking.underway.saving))
    try:
        turn = await asking(AskRequest(question=question, session_id=session_id, idempotency_key=key))
    except SessionConflict as told:
        return f"lost {told.exchange_id}"
    return f"{'answered' if key else 'kept'} {turn.exchange.id}"


if __name__ == "__main__":
    place, address, session, name_of_it = sys.argv[1:5]
    asyncio.run(ask_at_once(Path(place), address, session, name_of_it, sys.argv[5] if len(sys.argv) > 5 else None))

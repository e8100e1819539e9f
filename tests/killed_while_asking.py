"""A process of its own that asks and is gone while its provider is asked: `HOME CAP`, CAP on a day in US dollars.

It writes a byte to HOME/calls for each call that it makes; where no call is made, it ends by itself with 0.
"""

import asyncio
import os
import sys
from decimal import Decimal
from pathlib import Path

from played_turns import ON_DISK, PAID, ask, given, memory
from voice.adapters.llm.scripted import ScriptedClient
from voice.adapters.system.clock_and_ids import SystemClock, SystemIds
from voice.core.settings.providers import LlmSettings
from voice.ports.llm import LlmReply, LlmRequest

KILLED = 9


class Fatal(ScriptedClient):
    """A model whose being asked is the end of the process."""

    def __init__(self, calls: Path) -> None:
        super().__init__("", profile=PAID)
        self._calls = calls

    async def complete(self, request: LlmRequest) -> LlmReply:
        with self._calls.open("a") as file:
            file.write("x")
        os._exit(KILLED)


async def ask_and_die(home: Path, cap: str) -> None:
    """Ask one question in a new session."""
    settings = given(store=ON_DISK, llm=LlmSettings(max_day_cost=Decimal(cap)))
    async with memory(home, Fatal(home / "calls"), settings=settings, ids=SystemIds(SystemClock())) as services:
        await ask(services, new_topic="kiln")


if __name__ == "__main__":
    asyncio.run(ask_and_die(Path(sys.argv[1]), sys.argv[2]))

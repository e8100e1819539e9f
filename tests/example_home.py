"""The example memory on disk: brought in once, for reading its sentences takes ten seconds, and copied from there."""

import asyncio
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

from voice.adapters.files.packaged_data import EXAMPLE_NOW, EXAMPLE_ZONE, example_memory
from voice.adapters.system.clock_and_ids import MovedClock
from voice.bootstrap import Parts
from voice.core.interchange.origin import Entrance
from voice.core.settings.parse import parse_settings
from voice.entrypoints.library import Voice
from voice.services.imports.request import ImportRequest

_CHOSEN = {"gate.enabled": True, "llm.provider": "extractive", "time.timezone": EXAMPLE_ZONE}


@asynccontextmanager
async def example(home: Path) -> AsyncGenerator[Voice]:
    """Open the memory in `home`, which holds the example; the clock stands where the example's questions are asked."""
    settings = parse_settings({**_CHOSEN, "store.home": str(home)}, {}, {}).settings
    async with Voice.open(settings, home, parts=Parts(clock=MovedClock(EXAMPLE_NOW))) as memory:
        if not await memory.services.store.changes(0, 1):
            request = ImportRequest(path=str(example_memory()), entrance=Entrance.CLI, zone=ZoneInfo(EXAMPLE_ZONE))
            await memory.services.transfer.import_memory(request)
        yield memory


def make(home: Path) -> Path:
    """Make a memory in `home` that holds the example and is open nowhere, and return where it is."""

    async def bring_in() -> None:
        async with example(home):
            pass

    asyncio.run(bring_in())
    return home


def copied(made: Path, home: Path) -> Path:
    """Copy what was made to where `chromium.site` looks for it, and return `home`."""
    shutil.copytree(made, home / "memory")
    return home

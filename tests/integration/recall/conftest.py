"""A memory to recall from, with time in the test's hands."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from played_turns import NOW, given, memory
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Services
from voice.core.settings.values import SessionSettings


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
async def services(tmp_path: Path, clock: FixedClock) -> AsyncGenerator[Services]:
    settings = given(session=SessionSettings(window_limit=2, window_keep=1))
    async with memory(tmp_path, settings=settings, clock=clock) as opened:
        yield opened

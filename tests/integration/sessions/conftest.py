"""Two memories between which conversations travel."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from played_turns import memory
from voice.bootstrap import Services


@pytest.fixture
async def here(tmp_path: Path) -> AsyncGenerator[Services]:
    async with memory(tmp_path / "one") as services:
        yield services


@pytest.fixture
async def there(tmp_path: Path) -> AsyncGenerator[Services]:
    async with memory(tmp_path / "two") as services:
        yield services

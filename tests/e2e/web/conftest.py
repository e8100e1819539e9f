"""What the pages in a browser are opened on."""

import asyncio
from pathlib import Path

import pytest

from desk_memory import prepare
from example_home import copied, make


@pytest.fixture(scope="session")
def example_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory that holds the example, to be copied."""
    return make(tmp_path_factory.mktemp("example") / "memory")


@pytest.fixture(scope="session")
def desk_made(example_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with what waits in it, turns that cost, and hostile rows, to be copied."""
    home = copied(example_made, tmp_path_factory.mktemp("desk"))
    asyncio.run(prepare(home / "memory"))
    return home / "memory"

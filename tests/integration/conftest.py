"""The suites of what rests on one writer being first run a second time over a server.

What a test opens in memory is then a new database of a server, and what it opens in its home is one database for as
long as the test lasts.
"""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from played_turns import ON_DISK, SOMEWHERE_ELSE, MoodyEmbedder, memory
from served_stores import IN_MEMORY, OVER_WS, served
from voice.bootstrap import Services
from voice.core.settings.values import StoreSettings

SUITES = {"test_session_deletion", "test_turn_asked_once", "test_turn_races_and_metrics"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test of these suites where it says, and over a server."""
    if metafunc.definition.path.stem in SUITES:
        metafunc.fixturenames.append("elsewhere")
        metafunc.parametrize("elsewhere", [IN_MEMORY, OVER_WS], indirect=True)


@pytest.fixture
def elsewhere(request: pytest.FixtureRequest) -> Generator[None]:
    """Where the test's memories are."""
    if request.param == IN_MEMORY:
        yield
        return
    kept: dict[Path, StoreSettings] = {}

    def place(asked: StoreSettings, home: Path) -> StoreSettings:
        if asked != ON_DISK:
            return served(OVER_WS)
        if home not in kept:
            kept[home] = served(OVER_WS)
        return kept[home]

    SOMEWHERE_ELSE.append(place)
    yield
    SOMEWHERE_ELSE.clear()


@pytest.fixture
def moody() -> MoodyEmbedder:
    """The encoder of `services`."""
    return MoodyEmbedder()


@pytest.fixture
async def services(tmp_path: Path, moody: MoodyEmbedder) -> AsyncGenerator[Services]:
    """Yield a memory in which nothing was said yet."""
    async with memory(tmp_path, embedder=moody) as opened:
        yield opened

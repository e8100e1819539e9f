"""What several suites of stores begin with."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from served_stores import IN_MEMORY, SERVED, open_connection, open_stores
from store_bridge import Bridge, bridge
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.sharing import directory_identity


@pytest.fixture
async def empty(tmp_path: Path) -> AsyncGenerator[SurrealStores]:
    """An empty store."""
    async with await open_stores(IN_MEMORY, tmp_path) as opened:
        yield opened


@pytest.fixture(params=[IN_MEMORY, *SERVED])
async def connection(request: pytest.FixtureRequest) -> AsyncGenerator[Connection]:
    """A database without a schema, in memory and of each server."""
    opened = await open_connection(str(request.param))
    yield opened
    await opened.aclose()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with bridge(f"surrealkv://{tmp_path / 'served'}") as running:
        yield running


@pytest.fixture(params=["by handle", "by path"])
def opened(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """How a store's directory is known again."""
    if request.param == "by path":
        monkeypatch.setattr(directory_identity, "_HANDLES", tmp_path / "no" / "such")
    elif not directory_identity._HANDLES.is_dir():
        pytest.skip("this system has no names for handles")
    return str(request.param)

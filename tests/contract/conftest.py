"""Every store contract runs on the twin, on the engine in memory and on the engine on disk."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from store_values import Driven, Stores
from voice.adapters.memory import transient_stores
from voice.adapters.surreal import open_store

KINDS = ("twin", "in memory", "on disk")


async def open_kind(kind: str, home: Path) -> Stores:
    """Open a fresh store of that kind."""
    if kind == "twin":
        return transient_stores()
    return await open_store("mem://" if kind == "in memory" else "surrealkv://a store/memory", home=home)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Which store the contract is held against."""
    return str(request.param)


@pytest.fixture
async def stores(kind: str, tmp_path: Path) -> AsyncGenerator[Stores]:
    """A fresh, empty store."""
    opened = await open_kind(kind, tmp_path)
    yield opened
    await opened.aclose()


@pytest.fixture
async def second(kind: str, tmp_path: Path) -> AsyncGenerator[Stores]:
    """Another fresh, empty store of the same kind."""
    opened = await open_kind(kind, tmp_path / "second")
    yield opened
    await opened.aclose()


@pytest.fixture
def driven(kind: str, tmp_path: Path) -> Generator[Driven]:
    """A fresh, empty store and what runs its calls to their end."""
    with asyncio.Runner() as runner:
        stores = runner.run(open_kind(kind, tmp_path))
        yield Driven(stores, runner)
        runner.run(stores.aclose())

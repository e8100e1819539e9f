"""A store's contract runs on the engine on disk, as a guest of another holder, and over two servers.

The engine in memory is what most other tests of services run on. An index's contract runs in memory and on disk, a
client's of language models against a provider that is made up.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from change_feed import DIM, MODEL, ChangeFeed, Opened
from fakes.fake_provider import FakeProvider
from llm_clients import Clients
from served_stores import IN_MEMORY, SERVED, open_stores
from store_values import Driven, Stores
from voice.adapters.index.index import FoldedIndex
from voice.adapters.surreal.opening import open_store

KINDS = ("on disk", "through a holder", *SERVED)


async def open_kind(kind: str, home: Path, closing: AsyncExitStack) -> Stores:
    """Open a fresh store of that kind, which `closing` closes."""
    if kind in SERVED:
        return await closing.enter_async_context(await open_stores(kind, home))
    url = "surrealkv://a store/memory"
    holder = await closing.enter_async_context(await open_store(url, home=home))
    if kind == "on disk":
        return holder
    return await closing.enter_async_context(await open_store(url, home=home))


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Which store the contract is held against."""
    return str(request.param)


@pytest.fixture
async def stores(kind: str, tmp_path: Path) -> AsyncGenerator[Stores]:
    """A fresh, empty store."""
    async with AsyncExitStack() as closing:
        yield await open_kind(kind, tmp_path, closing)


@pytest.fixture
async def second(kind: str, tmp_path: Path) -> AsyncGenerator[Stores]:
    """Another fresh, empty store of the same kind."""
    async with AsyncExitStack() as closing:
        yield await open_kind(kind, tmp_path / "second", closing)


@pytest.fixture
def driven(kind: str, tmp_path: Path) -> Generator[Driven]:
    """A fresh, empty store and what runs its calls to their end."""
    with asyncio.Runner() as runner:
        closing = AsyncExitStack()
        yield Driven(runner.run(open_kind(kind, tmp_path, closing)), runner)
        runner.run(closing.aclose())


@pytest.fixture(params=[IN_MEMORY, "on disk"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """How to open an index over a store; opening twice finds what the first one left."""
    directory = tmp_path / "index" if request.param == "on disk" else None
    return lambda feed: FoldedIndex(feed, directory, model=MODEL, dim=DIM)


@pytest.fixture
def feed() -> ChangeFeed:
    """A store for an index to follow, empty."""
    return ChangeFeed()


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    """A provider on this machine."""
    with FakeProvider() as fake:
        yield fake


@pytest.fixture
async def clients() -> AsyncIterator[Clients]:
    """Makes clients, and closes them."""
    clients = Clients()
    yield clients
    for client in clients.made:
        await client.aclose()

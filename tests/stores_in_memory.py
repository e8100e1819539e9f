"""Stores of the engine in memory, each of which ends with the test that opened it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.opening import open_store

_opened: list[SurrealStores] = []


async def store_in_memory() -> SurrealStores:
    """Open a fresh, empty store."""
    stores = await open_store("mem://", home=Path())
    _opened.append(stores)
    return stores


@pytest.fixture(autouse=True)
def _ended_stores() -> Iterator[None]:
    """Close what a test opened."""
    yield
    while _opened:
        asyncio.run(_opened.pop().aclose())

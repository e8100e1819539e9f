"""Writing into a store, and waiting for what is seen of it on the disk."""

import asyncio
from collections.abc import Callable

from store_values import thought
from voice.adapters.surreal.database import SurrealStores
from voice.ports.stores import WriteBatch


async def write(stores: SurrealStores, key: str) -> int:
    """Keep one thought under that key, and return its number."""
    return await stores.memory.write(WriteBatch(rows=(thought(key),)))


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until it is so, and no longer than twenty seconds."""
    async with asyncio.timeout(20):
        while not is_so():  # noqa: ASYNC110 - nobody tells of a file that goes
            await asyncio.sleep(0.01)

"""How much may be held in memory at the same time.

Law: who asks for room waits until there is; one that asks for more than there ever is gets it alone.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Room:
    """A number of bytes, shared; used inside one event loop."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._used = 0
        self._freed = asyncio.Condition()

    @asynccontextmanager
    async def taken(self, length: int) -> AsyncGenerator[None]:
        """Wait until there is room for `length` bytes, and have it for the time of the block."""
        async with self._freed:
            await self._freed.wait_for(lambda: self._used == 0 or self._used + length <= self._size)
            self._used += length
        try:
            yield
        finally:
            self._used -= length
            async with self._freed:
                self._freed.notify_all()

    async def some(self) -> None:
        """Wait until there is any room at all."""
        async with self._freed:
            await self._freed.wait_for(lambda: self._used < self._size)

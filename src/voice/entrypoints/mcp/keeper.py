"""Opens the memory when a call first needs it, and closes it behind the last.

Law: one task opens the memory and the same one closes it, whichever call asked first; what goes wrong while it is
opened is the answer to the call that asked, and the next one tries again. It is closed when nobody uses it any more:
being stopped ends the calls first, which may have something to keep.

Source: DESIGN 8 MCP; ruling D25.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from voice.entrypoints.library import Voice

_ROOM = 1_000


@dataclass(slots=True)
class _Asked:
    """One call that waits for the memory."""

    is_answered: anyio.Event = field(default_factory=anyio.Event)
    found: "Voice | Exception | None" = None

    def answer(self, found: "Voice | Exception") -> None:
        self.found = found
        self.is_answered.set()


class Keeper:
    """Keeps one memory for the time of a talk."""

    def __init__(self, opens: Callable[[], "AbstractAsyncContextManager[Voice]"]) -> None:
        """Take what opens the memory; nothing is opened yet."""
        self._opens = opens
        self._asks, self._asked = anyio.create_memory_object_stream[_Asked](_ROOM)
        self._memory: Voice | None = None

    async def __call__(self) -> "Voice":
        """Return the open memory.

        Raises:
            VoiceError: it cannot be opened; whatever opening raises.
        """
        if self._memory is None:
            asked = _Asked()
            await self._asks.send(asked)
            await asked.is_answered.wait()
            if isinstance(asked.found, Exception):
                raise asked.found
            self._memory = asked.found
        assert self._memory is not None
        return self._memory

    async def run(self) -> None:
        """Open the memory for who asks, and close it once `close` was called; to be run as a task of its own."""
        with anyio.CancelScope(shield=True):
            async with self._asked:
                async for asked in self._asked:
                    await self._serve(asked)

    async def _serve(self, asked: _Asked) -> None:
        try:
            async with self._opens() as memory:
                asked.answer(memory)
                async for another in self._asked:
                    another.answer(memory)
        except Exception as error:
            if asked.is_answered.is_set():
                raise
            asked.answer(error)

    def close(self) -> None:
        """Let `run` close the memory and end."""
        self._asks.close()

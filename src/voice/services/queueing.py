"""Turns of one session, one after the other.

Law: what is asked at once in one process, by whichever door, is answered in the order it came: a turn begins when the
one before it in its session is kept, so it knows that one and is not paid for twice. Who names no session, while there
is none to go on in, waits for the one that begins it. Other sessions are not waited for; other processes neither: a
turn may still lose its session to one of theirs (ruling D21). Who is withdrawn while waiting has asked nobody.

Source: ruling D21; docs/sessions.md, "When things go wrong".
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from voice.core.session.values import InnerVoiceSession

_BEGUN = ""
"""The place of who begins the session that others who name none will go on in."""
Find = Callable[[], Awaitable[InnerVoiceSession]]


@dataclass(slots=True)
class _Place:
    """Where the turns of one session stand in line."""

    lock: anyio.Lock = field(default_factory=anyio.Lock)
    here: int = 0
    """Those who wait, and the one whose turn it is."""


@dataclass(slots=True)
class Turns:
    """The turns that run in this process, by session."""

    _places: dict[str, _Place] = field(default_factory=dict[str, _Place])
    _ended: int = 0

    @asynccontextmanager
    async def of(self, find: Find) -> AsyncGenerator[InnerVoiceSession]:
        """Wait until it is one's turn, and yield the session as it is then.

        Args:
            find: returns the session that is meant, read from the store; one of no revision is to be begun.
        """
        while True:
            seen, session = self._ended, await find()
            name = _name(session)
            async with self._place(name):
                if self._ended != seen:
                    session = await find()
                if _name(session) == name:
                    yield session
                    return

    @asynccontextmanager
    async def _place(self, name: str) -> AsyncGenerator[None]:
        place = self._places.setdefault(name, _Place())
        place.here += 1
        try:
            async with place.lock:
                try:
                    yield
                finally:
                    self._ended += 1
        finally:
            place.here -= 1
            if not place.here:
                del self._places[name]


def _name(session: InnerVoiceSession) -> str:
    return session.id if session.revision else _BEGUN

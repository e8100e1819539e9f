"""Making room for writers on other machines, who ask nobody for a turn.

Law: over a server each write races with those of others, and compare-and-set alone lets whoever won last win again: it
knows the number and is a round trip ahead. So whoever meets others, or writes without a break, stands back for a moment
after a write, and whoever lost comes again soon, at a moment that chance picks. Moments are measured in what one try
takes, so that a slow link and a fast one are shared alike. Nobody gives up before the time is over that all get.

Chance and the clock come in as arguments, and `bench.scaling` plays these very rules.

Source: DESIGN 4 ("compare-and-set guards the rest"); docs/scaling.md, "The one sequence".
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from random import SystemRandom
from typing import Final

_CHANCE: Final = SystemRandom().random
LONGEST_S: Final = 30.0
"""How long a write is tried."""
_SHORTEST_TRY_S: Final = 0.002
_MEETING_S: Final = 1.0
"""How long others are reckoned with after they were met."""
_WITHOUT_A_BREAK: Final = 8
"""How many writes are made in a row before others are looked out for."""
_LOSER_WAITS: Final = (0.5, 1.0, 2.0, 4.0)
"""At most so many tries long, after the first loss, the second, …; the last for all that follow."""
_WINNER_WAITS: Final = (0.75, 2.0)
"""At least and at most so many tries long, where others are near."""
_LOOKS_OUT: Final = (2.0, 4.0)
"""The same for who looks out for others; its tries are the shorter ones of somebody who knows the number."""


class Rivals:
    """What one writer knows of the others."""

    def __init__(self, *, chance: Callable[[], float] = _CHANCE, clock: Callable[[], float] = time.monotonic) -> None:
        """Know of nobody yet.

        Args:
            chance: gives numbers in [0, 1).
            clock: gives seconds that never go back.
        """
        self._chance = chance
        self._clock = clock
        self._met: float | None = None
        """When others were met last."""
        self._in_a_row = 0
        self._wrote = 0.0
        self._free = 0.0
        """Until when we stand back."""

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[bool]:
        """Make room before a write; yields whether the last number that is known is worth a try (`writer.Turn`)."""
        await asyncio.sleep(self.stand_back_s())
        yield not self.are_near

    def now(self) -> float:
        """Return the moment, by the clock that was given."""
        return self._clock()

    @property
    def are_near(self) -> bool:
        """Whether others were met a moment ago, so that the last number is better read again."""
        return self._met is not None and self._clock() - self._met < _MEETING_S

    def stand_back_s(self) -> float:
        """Return how long to make room before the next write."""
        return max(self._free - self._clock(), 0.0)

    def lost(self, losses: int, took_s: float) -> float:
        """Return how long to wait after another one was first.

        Args:
            losses: how often in this write, this one included.
            took_s: what the try took.
        """
        self._met = self._clock()
        return self._chance() * _LOSER_WAITS[min(losses, len(_LOSER_WAITS)) - 1] * max(took_s, _SHORTEST_TRY_S)

    def won(self, took_s: float) -> None:
        """Note that a write happened whose last try took so long."""
        now, one_try = self._clock(), max(took_s, _SHORTEST_TRY_S)
        had_a_break = now - self._wrote > took_s + one_try
        self._in_a_row, self._wrote = 1 if had_a_break else self._in_a_row + 1, now
        if self.are_near or self._in_a_row >= _WITHOUT_A_BREAK:
            least, most = _WINNER_WAITS if self.are_near else _LOOKS_OUT
            self._free, self._in_a_row = now + one_try * (least + (most - least) * self._chance()), 0

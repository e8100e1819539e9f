"""Every write that takes a `seq`, one after the other.

Law: a write names the last `seq` it was decided on; the store moves that number on inside the same transaction, or
refuses the whole write (`dialect.BUMP`). So what was read to decide a write still holds when it happens, on a cluster
too: every writer that was slower reads again and decides again. In this process writes queue up behind one lock, and
among processes that share a store they wait for their turn; writers on other machines make room for one another
(`rivals`).
A write that was cancelled or that failed happened as a whole or not at all; the number is then read afresh. A write
whose answer was lost is looked up by the mark it leaves (`dialect.MARK`): what happened is not done again, what did
not is, and what can be told neither way is `OutcomeUnknown`. Whoever carries such a write out may still be at it, so
that nothing but a mark, or a refusal by the write's own steps, is taken for its end.

Making room for writers on other machines, who ask nobody for a turn. Over a server each write races with those of
others, and compare-and-set alone lets whoever won last win again: it knows the number and is a round trip ahead. So
whoever meets others, or writes without a break, stands back for a moment after a write, and whoever lost comes again
soon, at a moment that chance picks. Moments are measured in what one try takes, so that a slow link and a fast one are
shared alike. Nobody gives up before the time is over that all get.

Chance and the clock come in as arguments, and `bench.scaling` plays these very rules.

Source: DESIGN 4 ("compare-and-set guards the rest"); docs/scaling.md, "The one sequence".
"""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from random import SystemRandom
from typing import Final, cast

from voice.adapters.surreal.connection import Connection, Params, ThrownCode, WriteConflict, being_restored
from voice.adapters.surreal.dialect import BUMP, FOUND, MARK, META, block, record
from voice.core.errors import OutcomeUnknown, StoreDamaged, StoreUnavailable, VoiceError
from voice.core.messages import memory as messages
from voice.core.store_holder import WriteMark, mark_slot, write_outcome

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


class WriteBackoff:
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


_ITSELF = "SELECT * FROM $meta"
_MARKED = f"RETURN [(SELECT base, token FROM $mark {FOUND}), (SELECT VALUE seq FROM $meta)]"  # noqa: S608 - a literal of ours
_MOVED = "seq_moved"
"""What a write throws that was decided on another last `seq` than the store's (`dialect.BUMP`)."""
_ATTEMPTS = 40
"""How often one write is sent again of which nobody knows whether it happened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """What one write does, decided on a known last `seq`."""

    steps: tuple[str, ...]
    """Statements of the block, after the number was taken."""
    params: Params = field(repr=False)
    numbers: int
    """How many numbers it takes, at least one."""


Decide = Callable[[int], Awaitable[Write | None]]
Turn = Callable[[], AbstractAsyncContextManager[bool]]
"""Waits for the turn to write; yields whether nobody else had one since our last."""


@asynccontextmanager
async def _always() -> AsyncGenerator[bool]:
    yield True


class Writer:
    """Gives out `seq` numbers by writing them."""

    def __init__(self, connection: Connection, turn: Turn = _always, rivals: WriteBackoff | None = None) -> None:
        """Make the writer of a connection.

        Args:
            connection: to the store.
            turn: how to wait for the turn to write.
            rivals: what is known of writers that ask nobody for a turn.
        """
        self._connection = connection
        self._turn = turn
        self._rivals = rivals or WriteBackoff()
        self._lock = asyncio.Lock()
        self._last: int | None = None

    async def commit(self, purpose: str, decide: Decide) -> int:
        """Carry out what `decide` makes of the last `seq`, and return the last `seq` afterwards.

        `decide` may be called several times and may read; what it raises is raised. None writes nothing.

        Raises:
            Thrown: the write's own steps threw a code.
            BeingRestored: a backup is being restored into the store.
            OutcomeUnknown: its answer was lost, and nobody knows whether it happened.
            StoreUnavailable: other writers were faster every time, or the store cannot be reached.
            StoreError: the store refused the write; nothing of it happened.
        """
        async with self._lock, self._turn() as is_known:
            if not is_known:
                self._last = None
            try:
                return await self._commit(purpose, decide)
            except BaseException:
                self._last = None
                raise

    async def exclusively(self, purpose: str, work: Callable[[int], Awaitable[int]]) -> None:
        """Run `work` with the last `seq` while no write of this process happens; it returns the `seq` it leaves.

        Raises:
            BeingRestored: a backup is being restored into the store, which is not whole until that is done.
            StoreUnavailable: another process wrote meanwhile.
        """
        async with self._undisturbed() as last:
            await self._whole(purpose)
            left = await work(last)
            if left != (await self._whole(purpose))["seq"]:
                raise StoreUnavailable("the store was written by another process meanwhile; try again")

    async def _whole(self, purpose: str) -> dict[str, object]:
        found = await self._itself()
        if found.get("restoring"):
            raise being_restored(purpose)
        return found

    async def undisturbed(self, work: Callable[[int], Awaitable[None]]) -> None:
        """Run `work` with the last `seq` while no write of this process happens; it keeps other processes out."""
        async with self._undisturbed() as last:
            await work(last)

    @asynccontextmanager
    async def _undisturbed(self) -> AsyncGenerator[int]:
        async with self._lock:
            self._last = None
            yield await self.last_seq()

    async def last_seq(self) -> int:
        """Return the last number the store gave out.

        Raises:
            StoreDamaged: the store does not know.
        """
        return cast("int", (await self._itself())["seq"])

    async def store_id(self) -> str:
        """Return the store's own id."""
        return cast("str", (await self._itself())["store_id"])

    async def check_usable(self) -> None:
        """Check that the store is whole enough to be opened.

        Raises:
            StoreDamaged: it does not know its own state, or a restore into it did not finish.
        """
        if (await self._itself()).get("restoring"):
            raise StoreDamaged(messages.restore_unfinished())

    async def _itself(self) -> dict[str, object]:
        found = cast("list[dict[str, object]]", await self._connection.run("read its state", _ITSELF, {"meta": META}))
        if not found:
            raise StoreDamaged("the store does not know its own state; restore it from a backup")
        return found[0]

    async def _commit(self, purpose: str, decide: Decide) -> int:
        rivals, losses = self._rivals, 0
        until = rivals.now() + LONGEST_S
        while rivals.now() < until:
            began = rivals.now()
            last = self._last if self._last is not None else await self.last_seq()
            write = await decide(last)
            if write is None:
                self._last = last
                return last
            if await self._try(purpose, write, last):
                rivals.won(rivals.now() - began)
                self._last = last + write.numbers
                return self._last
            self._last, losses = None, losses + 1
            await asyncio.sleep(rivals.lost(losses, rivals.now() - began))
        raise StoreUnavailable(
            f"other writers were faster every time for {LONGEST_S:g} seconds when asked to {purpose}; try again"
        )

    async def _try(self, purpose: str, write: Write, last: int) -> bool:
        """Return whether a write happened that was decided on `last`; if not, the store has moved on."""
        mark = WriteMark(base=last, token=secrets.token_hex(8))
        kept = {"mark": {"id": _place_of(mark), "base": last, "token": mark.token}}
        numbers = {"meta": META, "last": last, "next": last + write.numbers}
        params = {**write.params, **numbers, **kept}
        send = partial(self._connection.run, purpose, block(BUMP, MARK, *write.steps), params)
        try:
            await send()
        except WriteConflict:
            return False
        except ThrownCode as error:
            if error.thrown != _MOVED:
                raise
            return False
        except OutcomeUnknown as unknown:
            return await self._cleared_up(mark, unknown, send)
        return True

    async def _cleared_up(
        self, mark: WriteMark, unknown: OutcomeUnknown, send: Callable[[], Awaitable[object]]
    ) -> bool:
        """Return whether a write happened whose answer was lost; it is sent again where it did not happen yet.

        A server may still be at the first sending, so of two with one mark at most one happens, at any time. Whatever
        else goes wrong from here on is about the second and leaves the first unknown.

        Raises:
            OutcomeUnknown: that can be told neither way.
            Thrown: the write's own steps threw a code; it happened by neither sending.
        """
        for _ in range(_ATTEMPTS):
            if await self._happened(mark, unknown):
                return True
            try:
                await send()
            except (OutcomeUnknown, WriteConflict):
                continue  # what it was in conflict with may be its own first sending
            except ThrownCode as error:
                if error.thrown == _MOVED:  # by that one, or by another write
                    return await self._happened(mark, unknown)
                raise  # nothing had moved on: the first one finds what this one found, or that another was first
            except VoiceError:
                break
            return True
        if await self._happened(mark, unknown):
            return True
        raise unknown

    async def _happened(self, mark: WriteMark, unknown: OutcomeUnknown) -> bool:
        """Return whether a write happened whose answer was lost.

        Raises:
            OutcomeUnknown: that can be told neither way now.
        """
        try:
            proof = write_outcome(mark, *await self._seen(mark))
        except VoiceError:
            raise unknown from None
        if proof == "unknown":
            raise unknown
        return proof == "happened"

    async def _seen(self, mark: WriteMark) -> tuple[WriteMark | None, int]:
        """Return the mark that is kept in the place of `mark`, and the last `seq`, both of one moment."""
        params = {"mark": _place_of(mark), "meta": META}
        found = cast("list[list[object]]", await self._connection.run("look up a write", _MARKED, params))
        if not found[1]:
            raise StoreDamaged("the store does not know its own state; restore it from a backup")
        kept = cast("dict[str, object] | None", found[0][0] if found[0] else None)
        left = None if kept is None else WriteMark(base=cast("int", kept["base"]), token=cast("str", kept["token"]))
        return left, cast("int", found[1][0])


def _place_of(mark: WriteMark) -> object:
    return record("write_marks", str(mark_slot(mark.base)))

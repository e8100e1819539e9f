"""Every write that takes a `seq`, one after the other.

Law: a write names the last `seq` that it was decided on; the store advances that number inside the same transaction, or
refuses the whole write (`connection.BUMP`). So what was read to decide a write still holds when it happens, also on a
cluster: a slower writer reads and decides again. Writes of one process queue behind a lock, processes that share a
store wait for their turn, and writers on other machines make room for one another (`WriteBackoff`).

A write that was cancelled or failed happened as a whole or not at all; the number is then read again. A write whose
answer was lost is looked up by its mark (`connection.MARK`): it is repeated only if it did not happen, and if that
cannot be told it is `OutcomeUnknown`. Its first sending may still be under way, so only a mark, or a refusal by the
write's own steps, proves its end.

Writers on other machines ask nobody for a turn. Each write races with theirs, and compare-and-set alone lets the last
winner win again: it knows the number and is a round trip ahead. So a writer that met others, or writes without a pause,
waits a moment after a write, and a loser retries soon, after a random time. Waits are measured in the duration of one
try, so that slow and fast links are shared alike. All give up after the same time.

Chance and the clock are arguments; `bench.scaling` simulates these rules.

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
from typing import Final, TypeVar, cast

from voice.adapters.surreal.connection import (
    BUMP,
    FOUND,
    MARK,
    META,
    Connection,
    Params,
    ThrownCode,
    WriteConflict,
    being_restored,
    block,
    record,
)
from voice.core.errors import OutcomeUnknown, StoreDamaged, StoreUnavailable, VoiceError
from voice.core.messages import memory as messages
from voice.core.store_holder import MARKS, WriteMark, write_outcome

T = TypeVar("T")
_CHANCE: Final = SystemRandom().random
LONGEST_S: Final = 30.0
"""How long a write is retried."""
_SHORTEST_TRY_S: Final = 0.002  # floor of the unit of all waits: a try in memory takes less
_MEETING_S: Final = 1.0  # how long after a lost race other writers count as near
_WITHOUT_A_BREAK: Final = 8  # writes in a row before the writer pauses
# The longest wait in tries after the first loss, the second, …; the last entry for all later ones.
_LOSER_WAITS: Final = (0.5, 1.0, 2.0, 4.0)
_WINNER_WAITS: Final = (0.75, 2.0)  # shortest and longest wait after a write, in tries, while others are near
# The same for a writer that has met no others; its tries are shorter, since it knows the number.
_LOOKS_OUT: Final = (2.0, 4.0)


class WriteBackoff:
    """One writer's waits, from what it saw of other writers."""

    def __init__(self, *, chance: Callable[[], float] = _CHANCE, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without having met another writer; `chance` gives numbers in [0, 1), `clock` monotonic seconds."""
        self._chance = chance
        self.now = clock
        self._met_at: float | None = None  # when a race was lost last
        self._in_a_row = 0
        self._wrote_at = 0.0
        self._free_at = 0.0  # until when this writer waits

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[bool]:
        """Wait as long as other writers need; yields whether the last known number is worth a try (`Turn`)."""
        await asyncio.sleep(self.stand_back_s())
        yield not self.are_near

    @property
    def are_near(self) -> bool:
        """Whether other writers were met recently, so that the number is better read again."""
        return self._met_at is not None and self.now() - self._met_at < _MEETING_S

    def stand_back_s(self) -> float:
        """Return how long to wait before the next write."""
        return max(self._free_at - self.now(), 0.0)

    def lost(self, losses: int, took_s: float) -> float:
        """Return how long to wait after another writer came first, `losses` times in this write."""
        self._met_at = self.now()
        return self._chance() * _LOSER_WAITS[min(losses, len(_LOSER_WAITS)) - 1] * max(took_s, _SHORTEST_TRY_S)

    def won(self, took_s: float) -> None:
        """Note a write whose last try took `took_s`."""
        now, one_try = self.now(), max(took_s, _SHORTEST_TRY_S)
        # A break: more than one try lies between the end of the last write and the start of this one.
        had_a_break = now - self._wrote_at > took_s + one_try
        self._in_a_row, self._wrote_at = 1 if had_a_break else self._in_a_row + 1, now
        if self.are_near or self._in_a_row >= _WITHOUT_A_BREAK:
            least, most = _WINNER_WAITS if self.are_near else _LOOKS_OUT
            self._free_at, self._in_a_row = now + one_try * (least + (most - least) * self._chance()), 0


_META_ROW = "SELECT * FROM $meta"
# One statement, so that mark and number are of one moment.
_MARKED = f"RETURN [(SELECT base, token FROM $mark {FOUND}), (SELECT VALUE seq FROM $meta)]"  # noqa: S608 - a literal of ours
_MOVED = "seq_moved"  # thrown by a write that was decided on another last `seq` than the store's (`connection.BUMP`)
_ATTEMPTS = 40  # how often one write of unknown outcome is sent again


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """What one write does, decided on a known last `seq`."""

    steps: tuple[str, ...]
    """Statements of the block, after the step that takes the numbers."""
    params: Params = field(repr=False)
    numbers: int
    """How many numbers it takes, at least 1."""


Decide = Callable[[int], Awaitable[Write | None]]
Turn = Callable[[], AbstractAsyncContextManager[bool]]
"""Waits for the turn to write; yields whether no other process had one since our last."""


@asynccontextmanager
async def _always() -> AsyncGenerator[bool]:
    yield True


class Writer:
    """Gives out `seq` numbers by writing them."""

    def __init__(self, connection: Connection, turn: Turn = _always, rivals: WriteBackoff | None = None) -> None:
        self._connection = connection
        self._turn = turn
        self._rivals = rivals or WriteBackoff()
        self._lock = asyncio.Lock()
        self._last: int | None = None

    async def commit(self, purpose: str, decide: Decide) -> int:
        """Carry out the write that `decide` returns for the last `seq`, and return the last `seq` afterwards.

        `decide` may be called several times and may read; its exceptions are raised. None writes nothing.

        Raises:
            ThrownCode: the write's own steps threw a code.
            BeingRestored: a backup is being restored into the store.
            OutcomeUnknown: the answer was lost, and it is unknown whether the write happened.
            StoreUnavailable: other writers came first every time, or the store cannot be reached.
            StoreError: the store refused the write, which had no effect.
        """
        async with self._lock, self._turn() as is_known:
            if not is_known:
                self._last = None
            try:
                return await self._commit(purpose, decide)
            except BaseException:
                self._last = None
                raise

    async def exclusively(self, purpose: str, work: Callable[[int], Awaitable[T]]) -> T:
        """Run `work`, which takes no number, with the last `seq` while this process writes nothing; return its result.
        Raises BeingRestored: a backup is being restored into the store; StoreUnavailable: another process wrote
        meanwhile."""
        async with self.undisturbed() as last:
            await self._require_restored(purpose)
            result = await work(last)
            if last != (await self._require_restored(purpose))["seq"]:
                raise StoreUnavailable("another process wrote to the store meanwhile; try again")
            return result

    async def _require_restored(self, purpose: str) -> dict[str, object]:
        found = await self._read_meta()
        if found.get("restoring"):
            raise being_restored(purpose)
        return found

    @asynccontextmanager
    async def undisturbed(self) -> AsyncGenerator[int]:
        """Let this process write nothing during the block, which gets the last `seq` and may write past this writer."""
        async with self._lock:
            self._last = None  # read again after the block
            yield await self.last_seq()

    async def last_seq(self) -> int:
        """Return the last number that the store gave out. Raises StoreDamaged: the store has no state."""
        return cast("int", (await self._read_meta())["seq"])

    async def store_id(self) -> str:
        """Return the store's own id."""
        return cast("str", (await self._read_meta())["store_id"])

    async def check_usable(self) -> None:
        """Check that the store can be opened. Raises StoreDamaged: it has no state, or a restore into it did not
        finish."""
        if (await self._read_meta()).get("restoring"):
            raise StoreDamaged(messages.restore_unfinished())

    async def _read_meta(self) -> dict[str, object]:
        found = cast("list[dict[str, object]]", await self._connection.run("read its state", _META_ROW, {"meta": META}))
        if not found:
            raise StoreDamaged("the store has lost its own state; restore it from a backup")
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
            f"other writers came first for {LONGEST_S:g} seconds, so the store did not {purpose}; try again"
        )

    async def _try(self, purpose: str, write: Write, last: int) -> bool:
        """Return whether a write that was decided on `last` happened; if not, the store has moved on."""
        # Random, because another process may try the same number.
        mark = WriteMark(base=last, token=secrets.token_hex(8))
        kept = {"id": _slot_record(mark), "base": last, "token": mark.token}
        params = {**write.params, "meta": META, "last": last, "next": last + write.numbers, "mark": kept}
        send = partial(self._connection.run, purpose, block(BUMP, MARK, *write.steps), params)
        try:
            await send()
        except WriteConflict:
            return False
        except ThrownCode as error:
            if error.thrown != _MOVED:  # one of the write's own codes
                raise
            return False
        except OutcomeUnknown as unknown:
            return await self._resolve(mark, unknown, send)
        return True

    async def _resolve(self, mark: WriteMark, unknown: OutcomeUnknown, send: Callable[[], Awaitable[object]]) -> bool:
        """Return whether a write whose answer was lost happened; it is sent again if it did not."""
        # A server may still be carrying out the first sending; since both carry one mark, at most one of them happens.
        # Any other failure from here on concerns the second sending and leaves the first unknown.
        for _ in range(_ATTEMPTS):
            if await self._happened(mark, unknown):
                return True
            try:
                await send()
            except (OutcomeUnknown, WriteConflict):
                continue  # the conflict may be with its own first sending
            except ThrownCode as error:
                if error.thrown == _MOVED:  # by that one, or by another write
                    return await self._happened(mark, unknown)
                raise  # nothing had moved on, so the first sending meets the same refusal or a moved number
            except VoiceError:
                break
            return True
        if await self._happened(mark, unknown):
            return True
        raise unknown

    async def _happened(self, mark: WriteMark, unknown: OutcomeUnknown) -> bool:
        try:
            proof = write_outcome(mark, *await self._read_mark(mark))
        except VoiceError:
            raise unknown from None
        if proof == "unknown":
            raise unknown
        return proof == "happened"

    async def _read_mark(self, mark: WriteMark) -> tuple[WriteMark | None, int]:
        params = {"mark": _slot_record(mark), "meta": META}
        found = cast("list[list[object]]", await self._connection.run("look up a write", _MARKED, params))
        if not found[1]:
            raise StoreDamaged("the store has lost its own state; restore it from a backup")
        kept = cast("dict[str, object] | None", found[0][0] if found[0] else None)
        left = None if kept is None else WriteMark(base=cast("int", kept["base"]), token=cast("str", kept["token"]))
        return left, cast("int", found[1][0])


def _slot_record(mark: WriteMark) -> object:
    return record("write_marks", str(mark.base % MARKS))


class ConnectedStore:
    """A store over a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection


class WritingStore(ConnectedStore):
    """A store over a connection that writes through the one writer."""

    def __init__(self, connection: Connection, writer: Writer) -> None:
        super().__init__(connection)
        self._writer = writer

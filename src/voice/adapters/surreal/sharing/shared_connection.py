"""The `Connection` to an embedded store that several processes use at the same time.

Law: stores and services do not know whether this process holds the store or is a guest. That is decided when a
statement needs the store, and again whenever the way to it is lost: the process that gets the lock holds the store, all
others join it, and before anything else check that the store is still the one they knew (`schema.verify_identity`). A
lost statement is repeated only where that is safe (`core.store_holder`); a write whose outcome is unknown raises
`OutcomeUnknown` and is never sent twice.

Source: DESIGN 8; docs/holder.md.
"""

import asyncio
import random
import time
from collections.abc import AsyncGenerator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from voice.adapters.surreal.connection import (
    META,
    AnswerTooLong,
    BeingRestored,
    Params,
    being_restored,
    result_of,
    unreachable,
)
from voice.adapters.surreal.embedded_engine import (
    EngineFailed,
    RequestMisread,
    RequestNotBegun,
    closed,
    decode_answer,
    encode_request,
    misread,
)
from voice.adapters.surreal.location import finish_swap
from voice.adapters.surreal.schema import LOOK, StoreIdentity, shipped, verify_identity
from voice.adapters.surreal.sharing import client
from voice.adapters.surreal.sharing.client import HolderConnection, HolderLost, NoHolder
from voice.adapters.surreal.sharing.guest import Limits
from voice.adapters.surreal.sharing.holder import held_message, silence_message
from voice.adapters.surreal.sharing.listener import LIMITS
from voice.adapters.surreal.sharing.lock_file import HoldingPlace, read_holder_card, take_lock
from voice.adapters.surreal.sharing.server import NoStore, StoreHolder, prepare
from voice.core.errors import OutcomeUnknown, StoreDamaged, StoreError, StoreHeld, StoreUnavailable, VoiceError
from voice.core.messages import memory as messages
from voice.core.store_holder import Effect, HolderDecision, ProcessCard, effect_of, judge_holder_card, retry_pause_s

_ATTEMPTS: Final = 60  # most attempts for one statement: before each, the holder went away
# How long to wait for a newer program that asked for the store; it tries every few milliseconds.
_GIVE_WAY_S: Final = 0.5
_RENEWAL_S: Final = 2.5  # how long a holder may take to notice that its files were deleted; it checks every second
_POLL_S: Final = 0.1
Way = StoreHolder | HolderConnection
"""How a statement reaches the engine: in this process, or in the holder's."""


class SharedConnection:
    """A `Connection` to the store in one directory."""

    def __init__(self, directory: Path, card: ProcessCard, *, wait_s: float, limits: Limits = LIMITS) -> None:
        """Make a connection that is not entered yet; a holder may be silent for `wait_s`."""
        self._place = HoldingPlace(directory)
        self._card = card
        self._wait_s = wait_s
        self._limits = limits
        self._way: Way | None = None
        self._held_by = card  # last known holder of the store
        self._known: StoreIdentity | None = None  # None until the store was opened
        self._restores = False  # whether this process fills the store from a backup
        self._entering = asyncio.Lock()
        self._closed = False

    async def enter(self) -> None:
        """Hold the store, or join its holder. Raises StoreHeld: another process has it and does not answer;
        ConfigurationError, SchemaDrift: it is held under other settings, or by a newer program; StoreUnavailable,
        StoreDamaged: it cannot be opened."""
        await self._entered()

    async def recognise(self, *, restores: bool = False) -> None:
        """Remember the store, so that no other is taken for it; see `IdentifiedConnection`."""
        found = await self.run("recognise it", LOOK, {"meta": META})
        self._known = self._recognised(found, restores=restores)
        self._restores = restores

    @property
    def holds(self) -> bool:
        """Whether this process holds the store now."""
        return isinstance(self._way, StoreHolder) and self._way.is_open

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        """Run one statement; see `Connection.run`."""
        request = encode_request("query", (text, dict(params or {})))
        try:
            answer = await self._send(purpose, request, effect_of(text))
        except EngineFailed as failed:
            raise unreachable(purpose, failed.words) from None
        except RequestMisread:
            raise misread(purpose) from None
        except client.ReplyTooLong:
            raise AnswerTooLong(f"the answer to {purpose} is too long to send; ask for less") from None
        try:
            return result_of(purpose, decode_answer(answer))
        except BeingRestored:
            raise being_restored(purpose, self._users()) from None

    @property
    def epoch(self) -> object | None:
        """See `Watched`; None for a guest, which does not see the writes of others."""
        return self._way.epoch if isinstance(self._way, StoreHolder) else None

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[bool]:
        """Wait for the turn to write among all processes; yields whether no other process had one since our last. If it
        does not come in time the write goes on without it: a turn is a courtesy."""
        way = await self._entered()
        if isinstance(way, StoreHolder) and not way.is_shared:
            yield True  # nobody to wait for
            return
        try:
            yield await _take_turn(way, self._wait_s)
        finally:
            way.give_turn_back()

    async def aclose(self) -> None:
        """Release the store, or leave its holder; safe to call twice."""
        self._closed = True
        async with self._entering:
            way, self._way = self._way, None
        if way is not None:
            await _leave(way)

    async def _send(self, purpose: str, request: bytes, effect: Effect) -> bytes:
        for _ in range(_ATTEMPTS):
            way = await self._entered()
            try:
                return await (way.ask(request, effect) if isinstance(way, StoreHolder) else way.ask(request))
            except RequestNotBegun:
                continue  # it was not carried out, so a write may go again
            except HolderLost as lost:
                self._require_repeatable(purpose, effect, lost, way)
        raise StoreUnavailable(f"every process that held the store ended before it could {purpose}; try again")

    def _require_repeatable(self, purpose: str, effect: Effect, lost: HolderLost, way: Way) -> None:
        holder = way.holder
        silence = silence_message(self._place, holder, lost.silent_s)
        if effect is not Effect.READS:
            why = silence if lost.was_silent else f"{holder.named}, which held it, ended before it answered"
            raise OutcomeUnknown(messages.outcome_unknown(purpose, why)) from None
        if lost.was_silent:
            raise StoreUnavailable(silence) from None

    async def _entered(self) -> Way:
        way = self._way
        if way is not None and way.is_open:
            return way
        async with self._entering:
            if self._closed:
                raise closed()
            if self._way is None or not self._way.is_open:
                gone, self._way = self._way, None
                if gone is not None:
                    await _leave(gone)  # also waits for a close that has begun elsewhere
                    await asyncio.sleep(_GIVE_WAY_S if gone.gave_way else 0)
                self._way = await self._enter_known()
            return self._way

    async def _enter_known(self) -> Way:
        """Return a new way into the known store, and into no other."""
        for _ in range(_ATTEMPTS):
            way = await self._enter()
            try:
                await self._require_known(way)
            except (RequestNotBegun, HolderLost) as gone:
                await _leave(way)
                if isinstance(gone, HolderLost) and gone.was_silent:
                    raise StoreUnavailable(silence_message(self._place, way.holder, gone.silent_s)) from None
            except BaseException:
                await _leave(way)
                raise
            else:
                self._held_by = way.holder
                return way
        raise StoreUnavailable("every process that held the store ended before this program could use it; try again")

    async def _require_known(self, way: Way) -> None:
        if self._known is None:  # the first opening
            return
        try:
            answer = await way.ask(encode_request("query", (LOOK, {"meta": META})))
            found = result_of("recognise it", decode_answer(answer))
        except EngineFailed as failed:
            raise unreachable("recognise it", failed.words) from None
        except StoreUnavailable:  # before StoreError, its base: it tells nothing about the store
            raise
        except StoreError:
            raise StoreDamaged("the store that was open no longer exists; start this program again") from None
        self._known = self._recognised(found, restores=self._restores, way=way)

    def _recognised(self, found: object, *, restores: bool, way: Way | None = None) -> StoreIdentity:
        return verify_identity(self._known, found, shipped(), restores=restores, users=self._users(way))

    def _users(self, way: Way | None = None) -> str:
        """Return a sentence's part that says who uses the store."""
        way = way or self._way
        if way is None:
            return ""
        if isinstance(way, HolderConnection):
            return f"{way.holder.named} holds it"
        return f"this one, {way.holder.named}, holds it"

    async def _enter(self) -> Way:
        """Return a way into the store; a known one that was removed is not made again."""
        try:
            return await self._hold_or_join()
        except NoStore:
            raise StoreDamaged(messages.store_missing(str(self._place.directory), self._held_by.named)) from None

    async def _hold_or_join(self) -> Way:
        await asyncio.to_thread(prepare, self._place.directory, is_known=self._known is not None)
        until, attempt = time.monotonic() + self._wait_s, 0
        while True:
            try:
                held = await self._try_hold()
            except StoreHeld as refused:
                return await self._join_renewed(refused)
            if held is not None:
                return held
            try:
                return await self._join()
            except NoHolder:
                if time.monotonic() > until:
                    raise StoreHeld(await asyncio.to_thread(self._held_message)) from None
            # A process has the lock and does not answer: it starts, ends or compacts the store.
            await asyncio.to_thread(finish_swap, self._place.directory)
            await asyncio.sleep(retry_pause_s(attempt, random.random()))  # noqa: S311 - only spreads guests over time
            attempt += 1

    async def _join_renewed(self, refused: StoreHeld) -> HolderConnection:
        """Join a holder whose lock file was deleted: its engine is open and soon restores lock and socket."""
        until = time.monotonic() + _RENEWAL_S
        while True:
            try:
                return await self._join()
            except NoHolder:
                if time.monotonic() > until:
                    raise refused from None
            await asyncio.sleep(_POLL_S)

    async def _try_hold(self) -> StoreHolder | None:
        """Return the open store, or None where another process has the lock."""
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="voice-opening")
        opening = worker.submit(self._hold)
        worker.shutdown(wait=False)  # its one job still runs
        try:
            # A thread cannot be cancelled, and opens the store all the same.
            return await asyncio.shield(asyncio.wrap_future(opening))
        except asyncio.CancelledError:
            opening.add_done_callback(_close_again)
            raise

    def _hold(self) -> StoreHolder | None:
        lock = None  # if it cannot be written the store is not shared: the engine's own lock keeps others out
        with suppress(OSError):
            lock = take_lock(self._place)
            if lock is None:
                return None
        hold = StoreHolder(self._place, lock, self._card, self._limits, is_known=self._known is not None)
        hold.open()
        return hold

    async def _join(self) -> HolderConnection:
        try:
            joined = await HolderConnection.to(self._place, self._card, wait_s=self._wait_s)
        except HolderLost as lost:
            raise StoreHeld(
                silence_message(self._place, await asyncio.to_thread(read_holder_card, self._place), lost.silent_s)
            ) from None
        try:
            if judge_holder_card(self._card, joined.holder) is HolderDecision.JOIN:
                return joined
            await joined.ask_to_step_down()
        except HolderLost as lost:
            await joined.aclose()
            raise StoreHeld(silence_message(self._place, joined.holder, lost.silent_s)) from None
        except BaseException:
            await joined.aclose()
            raise
        await joined.aclose()
        raise NoHolder  # it stepped down: now this process tries to hold the store

    def _held_message(self) -> str:
        holder = read_holder_card(self._place)
        return (
            held_message(self._place.directory)
            if holder is None
            else silence_message(self._place, holder, self._wait_s)
        )


async def _leave(way: Way) -> None:
    if isinstance(way, StoreHolder):
        await asyncio.shield(asyncio.to_thread(way.close))
    else:
        await way.aclose()


async def _take_turn(way: Way, wait_s: float) -> bool:
    try:
        return await asyncio.wait_for(way.take_turn(), wait_s)
    except (TimeoutError, RequestNotBegun, HolderLost):
        return False


def _close_again(opening: "Future[StoreHolder | None]") -> None:
    """Close a store that was opened after the caller had been cancelled, which may be while the program ends."""
    if not opening.cancelled() and opening.exception() is None and (hold := opening.result()) is not None:
        with suppress(VoiceError, RuntimeError):  # the engine's thread ended first; the lock is given back all the same
            hold.close()

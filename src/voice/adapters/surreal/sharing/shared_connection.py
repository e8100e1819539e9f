"""The `Connection` to an embedded store that other processes use at the same time.

Law: stores and services do not know whether this process holds the store or is a guest. Which of the two it is, is
settled when a statement needs it, and again whenever that way is gone: who gets the lock holds the store, everybody
else joins, and looks first whether the store is still the one it knew (`recognition`). What was lost on the way is
repeated only where that is safe (`core.holding`); a write of which nobody knows whether it happened raises
`OutcomeUnknown`, and is never sent twice.

Source: DESIGN 8; docs/holder.md.
"""

import asyncio
import random
import time
from collections.abc import AsyncGenerator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from voice.adapters.surreal.connection import (
    AnswerTooLong,
    BeingRestored,
    Params,
    being_restored,
    result_of,
    unreachable,
)
from voice.adapters.surreal.dialect import META
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
from voice.adapters.surreal.sharing.client import HolderConnection, HolderLost, NoHolder, is_running
from voice.adapters.surreal.sharing.guest import Limits
from voice.adapters.surreal.sharing.holder import held_message
from voice.adapters.surreal.sharing.listener import LIMITS
from voice.adapters.surreal.sharing.lock_file import HoldingPlace, read_holder_card, take_lock
from voice.adapters.surreal.sharing.server import NoStore, StoreHolder, prepare
from voice.core.errors import OutcomeUnknown, StoreDamaged, StoreError, StoreHeld, StoreUnavailable
from voice.core.messages import memory as messages
from voice.core.store_holder import (
    Effect,
    HolderDecision,
    ProcessCard,
    effect_of,
    judge_holder_card,
    may_be_repeated,
    retry_pause_s,
    silent_holder_message,
)

_ATTEMPTS: Final = 60
"""How often one statement is sent at most: each time somebody else held the store and went away."""
_LET_PASS_S: Final = 0.5
"""How long a newer program is let pass that asked for the store; it tries every few milliseconds."""
_RENEWED_S: Final = 2.5
"""How long a holder may take to see that its files were deleted; it looks every second."""
_LOOK_AGAIN_S: Final = 0.1
Way = StoreHolder | HolderConnection


class SharedConnection:
    """A `Connection` to the store in one directory."""

    def __init__(self, directory: Path, card: ProcessCard, *, wait_s: float, limits: Limits = LIMITS) -> None:
        """Make a connection that neither holds nor joins yet.

        Args:
            directory: of the store.
            wait_s: how long a holder may be silent.
            limits: what this process grants its guests.
        """
        self._place = HoldingPlace(directory)
        self._card = card
        self._wait_s = wait_s
        self._limits = limits
        self._way: Way | None = None
        self._held_by = card
        """Who held the store when it was entered last."""
        self._known: StoreIdentity | None = None
        """What the store is known again by, once it was opened."""
        self._restores = False
        """Whether this process fills the store from a backup."""
        self._entering = asyncio.Lock()
        self._closed = False

    async def enter(self) -> None:
        """Hold the store or join its holder.

        Raises:
            StoreHeld: somebody has it and answers nobody.
            ConfigurationError, SchemaDrift: it is held under other settings, or by a newer program.
            StoreUnavailable, StoreDamaged: it cannot be opened.
        """
        await self._entered()

    async def recognise(self, *, restores: bool = False) -> None:
        """Know the store from now on, so that no other is taken for it; see `Recognising`."""
        found = await self.run("recognise it", LOOK, {"meta": META})
        self._known = self._recognised(found, restores=restores)
        self._restores = restores

    @property
    def holds(self) -> bool:
        """Whether this process holds the store now."""
        return isinstance(self._way, StoreHolder) and self._way.is_open

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        """Run one statement; see `Connection.run`.

        Raises:
            OutcomeUnknown: it writes, and nobody knows whether it happened.
        """
        request = encode_request("query", (text, dict(params or {})))
        try:
            answer = await self._carried_out(purpose, request, effect_of(text))
        except EngineFailed as failed:
            raise unreachable(purpose, failed.words) from None
        except RequestMisread:
            raise misread(purpose) from None
        except client.ReplyTooLong:
            raise AnswerTooLong(f"the answer is too long to be sent when asked to {purpose}; ask for less") from None
        try:
            return result_of(purpose, decode_answer(answer))
        except BeingRestored:
            raise being_restored(purpose, self._users()) from None

    @property
    def epoch(self) -> object | None:
        """What nothing was written since; None for a guest, which does not see what others write."""
        return self._way.epoch if isinstance(self._way, StoreHolder) else None

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[bool]:
        """Wait for the turn to write among all processes; yields whether nobody else had one since our last.

        A turn that does not come in time is done without: it is a courtesy (`holding.turns`).
        """
        way = await self._entered()
        if isinstance(way, StoreHolder) and not way.is_shared:
            yield True
            return
        try:
            yield await _turn_of(way, self._wait_s)
        finally:
            way.give_turn_back()

    async def aclose(self) -> None:
        """Give the store back, or leave its holder; safe to call twice."""
        self._closed = True
        async with self._entering:
            way, self._way = self._way, None
        if way is not None:
            await _leave(way)

    async def _carried_out(self, purpose: str, request: bytes, effect: Effect) -> bytes:
        for _ in range(_ATTEMPTS):
            way = await self._entered()
            try:
                return await (way.ask(request, effect) if isinstance(way, StoreHolder) else way.ask(request))
            except RequestNotBegun:
                continue
            except HolderLost as lost:
                self._require_repeatable(purpose, effect, lost, way)
        raise StoreUnavailable(f"whoever holds the store went away every time when asked to {purpose}; try again")

    def _require_repeatable(self, purpose: str, effect: Effect, lost: HolderLost, way: Way) -> None:
        holder = way.holder
        silence = self._silence(holder, lost.silent_s)
        if not may_be_repeated(effect, was_carried_out=None):
            why = silence if lost.was_silent else f"{holder.named}, which held it, went away before it answered"
            raise OutcomeUnknown(messages.outcome_unknown(purpose, why)) from None
        if lost.was_silent:
            raise StoreUnavailable(silence) from None

    async def _entered(self) -> Way:
        """Return the way that statements go now.

        Raises:
            StoreUnavailable: the connection was closed; or see `enter`.
        """
        way = self._way
        if way is not None and way.is_open:
            return way
        async with self._entering:
            if self._closed:
                raise closed()
            if self._way is None or not self._way.is_open:
                gone, self._way = self._way, None
                if gone is not None:
                    await _leave(gone)  # whoever began to close it is waited for
                    await asyncio.sleep(_LET_PASS_S if gone.gave_way else 0)
                self._way = await self._enter_known()
            return self._way

    async def _enter_known(self) -> Way:
        """Return a new way into the store that was opened, and into no other.

        Raises:
            SchemaDrift, StoreDamaged, ConfigurationError: it is not that store any more, or gone; or see `enter`.
        """
        for _ in range(_ATTEMPTS):
            way = await self._enter()
            try:
                await self._require_known(way)
            except (RequestNotBegun, HolderLost) as gone:
                await _leave(way)
                if isinstance(gone, HolderLost) and gone.was_silent:
                    raise StoreUnavailable(self._silence(way.holder, gone.silent_s)) from None
            except BaseException:
                await _leave(way)
                raise
            else:
                self._held_by = way.holder
                return way
        raise StoreUnavailable("whoever holds the store went away every time when it was entered; try again")

    async def _require_known(self, way: Way) -> None:
        if self._known is None:
            return
        try:
            answer = await way.ask(encode_request("query", (LOOK, {"meta": META})))
            found = result_of("recognise it", decode_answer(answer))
        except EngineFailed as failed:
            raise unreachable("recognise it", failed.words) from None
        except StoreUnavailable:
            raise
        except StoreError:
            raise StoreDamaged("the store that was open is not there any more; start this program again") from None
        self._known = self._recognised(found, restores=self._restores, way=way)

    def _recognised(self, found: object, *, restores: bool, way: Way | None = None) -> StoreIdentity:
        return verify_identity(self._known, found, shipped(), restores=restores, users=self._users(way))

    def _users(self, way: Way | None = None) -> str:
        """Return who is known to use the store, in words."""
        way = way or self._way
        if way is None:
            return ""
        return (
            f"{way.holder.named} holds it"
            if isinstance(way, HolderConnection)
            else f"this one, {way.holder.named}, holds it"
        )

    async def _enter(self) -> Way:
        """Return a way into the store in the place; what was taken away from there is not made anew."""
        try:
            return await self._held_or_joined()
        except NoStore:
            raise StoreDamaged(messages.store_missing(str(self._place.directory), self._held_by.named)) from None

    async def _held_or_joined(self) -> Way:
        await asyncio.to_thread(prepare, self._place.directory, is_known=self._known is not None)
        until, attempt = time.monotonic() + self._wait_s, 0
        while True:
            try:
                held = await self._held()
            except StoreHeld as refused:
                return await self._joined_again(refused)
            if held is not None:
                return held
            try:
                return await self._joined()
            except NoHolder:
                if time.monotonic() > until:
                    raise StoreHeld(await asyncio.to_thread(self._why_held)) from None
            # Somebody has the lock and does not answer: they come, go, or compact the store.
            await asyncio.to_thread(finish_swap, self._place.directory)
            await asyncio.sleep(retry_pause_s(attempt, random.random()))  # noqa: S311 - it keeps guests apart, and no secret
            attempt += 1

    async def _joined_again(self, refused: StoreHeld) -> HolderConnection:
        """Join a holder whose lock somebody deleted: its engine is open, and it puts lock and socket back in a moment.

        Raises:
            StoreHeld: whoever has the engine open answers nobody.
        """
        until = time.monotonic() + _RENEWED_S
        while True:
            try:
                return await self._joined()
            except NoHolder:
                if time.monotonic() > until:
                    raise refused from None
            await asyncio.sleep(_LOOK_AGAIN_S)

    async def _held(self) -> StoreHolder | None:
        """Return the open store where nobody else holds it."""
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="voice-opening")
        opening = worker.submit(self._hold)
        worker.shutdown(wait=False)
        try:
            return await asyncio.shield(asyncio.wrap_future(opening))
        except asyncio.CancelledError:
            opening.add_done_callback(_close_again)
            raise

    def _hold(self) -> StoreHolder | None:
        try:
            lock = take_lock(self._place)
        except OSError:
            lock = None  # not shared; the engine's own lock keeps others out
        else:
            if lock is None:
                return None
        hold = StoreHolder(self._place, lock, self._card, self._limits, is_known=self._known is not None)
        hold.open()
        return hold

    async def _joined(self) -> HolderConnection:
        """Return a connection to whoever holds the store.

        Raises:
            Nobody: nobody answers now.
            StoreHeld: whoever holds it is silent.
        """
        try:
            joined = await HolderConnection.to(self._place, self._card, wait_s=self._wait_s)
        except HolderLost as lost:
            raise StoreHeld(
                self._silence(await asyncio.to_thread(read_holder_card, self._place), lost.silent_s)
            ) from None
        try:
            if judge_holder_card(self._card, joined.holder) is HolderDecision.JOIN:
                return joined
            await joined.ask_to_step_down()
        except HolderLost as lost:
            await joined.aclose()
            raise StoreHeld(self._silence(joined.holder, lost.silent_s)) from None
        except BaseException:
            await joined.aclose()
            raise
        await joined.aclose()
        raise NoHolder

    def _silence(self, holder: ProcessCard | None, silent_s: float) -> str:
        runs = holder is not None and is_running(holder.pid)
        return silent_holder_message(holder, str(self._place.directory), silent_s, runs=runs)

    def _why_held(self) -> str:
        holder = read_holder_card(self._place)
        return held_message(self._place.directory) if holder is None else self._silence(holder, self._wait_s)


async def _leave(way: Way) -> None:
    """Give the store back, or leave its holder."""
    if isinstance(way, StoreHolder):
        await asyncio.shield(asyncio.to_thread(way.close))
    else:
        await way.aclose()


async def _turn_of(way: Way, wait_s: float) -> bool:
    try:
        return await asyncio.wait_for(way.take_turn(), wait_s)
    except (TimeoutError, RequestNotBegun, HolderLost):
        return False


def _close_again(opening: "Future[StoreHolder | None]") -> None:
    """Close a store that came up after nobody wanted it any more."""
    if not opening.cancelled() and opening.exception() is None and (hold := opening.result()) is not None:
        hold.close()

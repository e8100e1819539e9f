"""Keep a turn, one after the other within a session.

Law: a turn is kept in one compare-and-set with what it makes of its session (rulings D17, D21, D26). One that lost a
race was paid for: it goes to the session's new end, as it was judged and with the record of the prompt that was sent,
marked as a conflict, and linked anew; its caller is told. What was cancelled after somebody was asked, or was asked by
two processes under one key, has its price: that is kept without an answer; and where there is no session to keep it in
any more, as figures alone, so that what was spent stays spent.

In one process the turns of a session follow one another in the order they came: a turn begins when the one before it is
kept, so it knows that one and is not paid for twice. Who names no session, while there is none to go on in, waits for
the one that begins it. Other processes are not waited for: to theirs a turn may lose, time and again, and gives up at
last (ruling D21).

Source: rulings D17, D21, D26, H; docs/sessions.md, "When things go wrong".
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

import anyio

from voice.core.errors import AlreadyAsked, SessionConflict, StoreError
from voice.core.grounding.answer_text import refusal
from voice.core.grounding.values import GroundedResponse, RefusalReason
from voice.core.session.budgets import charge_of
from voice.core.session.exchange import TurnFacts, TurnSpent, build_exchange, figures_of
from voice.core.session.lifecycle import append
from voice.core.session.rolling_summary import SUMMARY_SHARE, ModelSummary, fold, foldable
from voice.core.session.turn_traces import sessionless_turn, with_link
from voice.core.session.values import MAX_WINDOW, DialogueExchange, InnerVoiceSession
from voice.core.settings.values import Settings
from voice.ports.llm import SpendStore, TokenCounter
from voice.ports.stores import MetricsStore, SessionStore
from voice.ports.system import IdSource
from voice.services.turn.idempotency import KeyedRequest, is_final

_BEGUN = ""  # the place of who begins the session that the others who name none go on in
Find = Callable[[], Awaitable[InnerVoiceSession]]


@dataclass(slots=True)
class _Place:
    """Where the turns of one session stand in line."""

    lock: anyio.Lock = field(default_factory=anyio.Lock)
    here: int = 0  # those who wait, and the one whose turn it is


@dataclass(slots=True)
class SessionQueue:
    """The turns that run in this process, by session."""

    _places: dict[str, _Place] = field(default_factory=dict[str, _Place])
    _ended: int = 0  # counts turns: who waited sees that one ended

    @asynccontextmanager
    async def of(self, find: Find) -> AsyncGenerator[InnerVoiceSession]:
        """Wait until it is one's turn, and yield the session as it is then. `find` reads it from the store; one of no
        revision is to be begun."""
        while True:
            ended_before, session = self._ended, await find()
            name = _name(session)
            async with self._place(name):
                # A turn that ended while this one waited may have changed, closed or begun the session.
                if self._ended != ended_before:
                    session = await find()
                if _name(session) == name:  # else it is another session now: wait there
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
                    self._ended += 1  # before the lock is free: the next in line must see it
        finally:
            place.here -= 1
            if not place.here:  # nobody waits, so the entry goes
                del self._places[name]


def _name(session: InnerVoiceSession) -> str:
    return session.id if session.revision else _BEGUN  # no revision: not stored yet


_WITHDRAWN = "the question was cancelled, or failed, before the answer was ready"
_MOST_SAVES = 32  # saves at the new end of a session that moves on, before it gives up


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnUnderway:
    """The state that the turns of one process share."""

    saving: anyio.Lock = field(default_factory=anyio.Lock)
    """Held by the one that is being kept."""
    turns: SessionQueue = field(default_factory=SessionQueue)
    asked: dict[str, anyio.Event] = field(default_factory=dict[str, anyio.Event])
    """The calls under an idempotency key that have not ended, by its hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A turn as it is stored."""

    session: InnerVoiceSession
    exchange: DialogueExchange


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepTurn:
    """Keeps turns, and counts them."""

    sessions: SessionStore
    metrics: MetricsStore
    counter: TokenCounter
    settings: Settings
    token_budget: int
    """The tokens of a prompt; a summary is kept within its share of them (ruling D10)."""
    saving: anyio.Lock
    spending: SpendStore | None
    """Where what a turn took is kept that has no session to go to; None: nowhere."""
    ids: IdSource
    key: bytes = field(repr=False)
    written: ModelSummary | None = None
    """What a model made of the turns that are folded with this one; None: their own sentences are the summary."""

    async def __call__(
        self,
        session: InnerVoiceSession,
        facts: TurnFacts,
        response: GroundedResponse,
        spent: TurnSpent,
        mark: KeyedRequest | None = None,
    ) -> StoredTurn:
        """Keep a judged turn and return it as it is stored; `session` is as it was when the question was asked. A turn
        that answers for good bears `mark`. Raises SessionConflict: the session has changed since. The turn is kept
        behind what came before it, and the error names it; where the session is gone, or others were faster time and
        again, only what it took is kept and the error names none. AlreadyAsked: another turn bears the mark; what this
        one took is kept behind that one. StoreError: nothing was kept."""
        exchange = build_exchange(facts, response, spent)
        if mark is not None and is_final(exchange):  # a failed turn leaves the key free for another try
            exchange = replace(exchange, idempotency=mark.idempotency, request_hash=mark.request_hash)
        try:
            kept = await self._kept(session, exchange)
        except AlreadyAsked:
            await self._keep_cost_beside(exchange.idempotency, facts, spent)
            raise
        if (turn := kept.exchange).conflict:  # kept all the same, and its caller is told
            raise SessionConflict(
                f"Another process added a turn meanwhile. Your answer is stored as turn {turn.index + 1} of "
                f"{kept.session.id}, but it did not see that turn. Ask again to include it.",
                exchange_id=turn.id,
            )
        return kept

    async def withdrawn(self, session: InnerVoiceSession, facts: TurnFacts, spent: TurnSpent) -> None:
        """Keep what a turn took that broke off; of one that had asked nobody yet, nothing."""
        if spent.attempts:
            with suppress(StoreError):  # why it broke off is all that its caller hears
                await self._kept(session, build_exchange(facts, _cancelled(_WITHDRAWN), spent))

    async def _keep_cost_beside(self, idempotency: str, facts: TurnFacts, spent: TurnSpent) -> None:
        """Keep what a turn took whose key another process was faster with, behind that one's, wherever it stands."""
        found = await self.sessions.exchanges(idempotency=idempotency)
        session = await self.sessions.load(found[0].session_id, window=MAX_WINDOW) if found else None
        if session is None:
            await keep_figures(build_exchange(facts, _cancelled(_WITHDRAWN), spent), self.spending, self.ids)
        elif spent.attempts:
            response = _cancelled(f"{found[0].id} answered the same call first; this is the cost of asking twice")
            exchange = build_exchange(facts, response, spent)
            with suppress(SessionConflict):  # what it took is kept; the caller gets the answer that was first
                await self._kept(session, replace(exchange, session_id=session.id, index=session.total_exchanges))

    async def _kept(self, session: InnerVoiceSession, exchange: DialogueExchange) -> StoredTurn:
        try:
            async with self.saving:  # turns of one process do not race each other
                kept = await self._save_at_end(session, with_link(exchange, after=session.last_link, key=self.key))
        except SessionConflict:
            await keep_figures(exchange, self.spending, self.ids)
            raise
        await self._measure(kept.exchange)
        return kept

    async def _save_at_end(self, session: InnerVoiceSession, exchange: DialogueExchange) -> StoredTurn:
        for _ in range(_MOST_SAVES - 1):
            try:
                return await self._save(session, exchange)
            except SessionConflict:
                # A new session is known to nobody else, so there is no end to go to.
                moved_on = await self.sessions.load(session.id, window=MAX_WINDOW) if session.revision else None
                if moved_on is None:
                    raise
            behind = replace(exchange, index=moved_on.total_exchanges, conflict=True)
            session, exchange = moved_on, with_link(behind, after=moved_on.last_link, key=self.key)
        return await self._save(session, exchange)

    async def _save(self, session: InnerVoiceSession, exchange: DialogueExchange) -> StoredTurn:
        """Save the session with the exchange at its end and what is due folded into its summary (ruling D17)."""
        grown = append(session, exchange)
        limits = self.settings.session
        due = foldable(grown, window_limit=limits.window_limit, window_keep=limits.window_keep)
        folded = fold(
            grown,
            due,
            now=exchange.timestamp,
            count=self.counter.count,
            max_tokens=int(self.token_budget * SUMMARY_SHARE),
            timezone=self.settings.time.timezone,
            written=self.written,
        )
        stored = await self.sessions.save(folded, [exchange], expected=session.revision)
        return StoredTurn(session=stored, exchange=exchange)

    async def _measure(self, exchange: DialogueExchange) -> None:
        """Record the turn's numbers, never its text (ruling D19); nothing depends on them."""
        if self.settings.privacy.metrics and not self.settings.privacy.no_log:  # no rows but counters then
            with suppress(StoreError):  # the turn is kept already; a figure more or less does not undo it (ruling D26)
                await self.metrics.record("turn", exchange.timestamp, figures_of(exchange))


async def keep_figures(exchange: DialogueExchange, spending: SpendStore | None, ids: IdSource) -> None:
    """Keep the figures of a turn that was paid for and is not kept itself."""
    if spending is None or not exchange.attempts:
        return
    if charge_of(exchange).is_nothing:  # nothing spent: the hold on the cap ends
        await spending.settle(exchange.id)
    else:
        await spending.keep(sessionless_turn(exchange, session_id=ids.new_id("s")))


def _cancelled(notes: str) -> GroundedResponse:
    return refusal(RefusalReason.CANCELLED, notes=notes, evidence=())

"""The request, settings and result of a turn, what is known of it on the way, and a turn as a stream of events.

Law: a call is on record before its reply is there, each try of it by itself: one that fails, or is cut off by the
deadline, may have cost something that nobody knows (rulings D8, D18, D25).

A streamed turn runs beside who listens and is never held up by it: a listener that is slow, or has gone, changes
nothing of what is asked, judged and kept. Who stops listening before the end withdraws the question, as who cancels it
does (ruling D25); the stream has ended when that is done.

Source: docs/streaming.md; rulings D25, D26.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Literal

import anyio

from voice.core.context.build import ContextPlan
from voice.core.errors import DeadlineExceeded, InvalidParams, ProviderError, ProviderRejected, ProviderUnavailable
from voice.core.grounding.values import GroundingPolicy, RefusalReason, Stance
from voice.core.interchange.import_plan import warnings_of
from voice.core.nlq.parsed_query import DEFAULT_ORDER, ParsedQuery
from voice.core.records import Scope
from voice.core.retrieval.values import Order, Selection, Window
from voice.core.session.budgets import NOTHING, OpenCall
from voice.core.session.exchange import TurnFacts, TurnSpent
from voice.core.session.turn_events import Event, EventListener, ignore_event
from voice.core.session.turn_traces import sessionless_calls
from voice.core.session.values import (
    Attempt,
    AttemptOutcome,
    DialogueExchange,
    InnerVoiceSession,
    PromptRecord,
    PromptView,
    Purpose,
)
from voice.core.usage import Usage, reported_usage
from voice.ports.files import ImportMarks
from voice.ports.llm import ModelProfile
from voice.ports.system import Clock, IdSource
from voice.services.runtime.isolated_calls import run_to_completion
from voice.services.runtime.spending import Spending, TurnBudget


async def stream_turn(ask: Callable[[EventListener], Awaitable[object]]) -> AsyncGenerator[Event]:
    """Yield what `ask` tells, in order, up to the end of the turn; raise at the end what it raises.

    Closing the stream early cancels the turn and waits until it is withdrawn. Use `contextlib.aclosing` around a loop
    that may be left before its end: a stream that is merely dropped is closed when the interpreter finds it.
    """
    events: asyncio.Queue[Event | None] = asyncio.Queue()

    async def turn() -> None:
        try:
            await ask(events.put_nowait)
        finally:
            events.put_nowait(None)  # the end

    asking = asyncio.create_task(turn())
    try:
        while (event := await events.get()) is not None:
            yield event
        await asking
    finally:
        if not asking.done():
            asking.cancel()  # nobody listens: the question is withdrawn
        with anyio.CancelScope(shield=True):  # though cancelled itself, it waits for that
            await asyncio.wait((asking,))
        if not asking.cancelled():
            asking.exception()  # asked for, so that nobody is told it was never looked at


Shape = Literal["full", "nlq"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """A question and the part of the memory it is asked of. Raises InvalidParams: a session, and a new one wanted."""

    question: str = field(repr=False)
    session_id: str | None = None
    """A named session; None means the most recent live one (ruling D21)."""
    new_topic: str | None = None
    create: bool = False
    """Start a new thread when there is none to continue, instead of failing."""
    program: str | None = None
    """The program that asks; where it names no session, its own is gone on with, or one of its own begins (J1)."""
    own_session: str | None = None
    """The conversation that is the program's already."""
    stance: Stance = Stance.SYNTHESIZE
    when: str | None = None
    limit: int | None = None
    """How many KG rows are considered, 1 to `nlq.max_limit`; None is `nlq.default_limit` (ruling A24)."""
    order: str | None = None
    """How the sources of S3's shape are ordered; what the question implies otherwise, else the newest first."""
    shape: Shape = "full"
    """`nlq`: S3's defaults count (ruling A22)."""
    include_private: bool = False
    include_tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    scope: Scope = Scope()
    """What was named; an empty one names nothing, `Scope.ALL` everything (ruling A18)."""
    surroundings: Scope = Scope()
    """What the entrance reads of a scoped memory where none was named."""
    as_of: datetime | None = None
    """What the memory knew at that moment is asked; such a question starts a session of its own."""
    idempotency_key: str | None = field(default=None, repr=False)
    """The same call again, under the same key, gets the first one's answer; None: every call is a new one."""

    def __post_init__(self) -> None:
        if self.session_id is not None and self.new_topic is not None:
            raise InvalidParams("session continues a session and new_topic starts one; send only one of them")

    @property
    def view(self) -> PromptView:
        """Whose eyes the rows of its prompt are read with."""
        return PromptView(include_private=self.include_private, scope=self.scope, exclude_tags=self.exclude_tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one turn did: the stored exchange, the session after it, and how it came about."""

    session: InnerVoiceSession
    exchange: DialogueExchange
    parsed: ParsedQuery | None
    selection: Selection | None
    plan: ContextPlan | None = field(repr=False)
    searched: Window = Window()
    """The window that was searched last; wider than the question's when that held nothing."""
    order: Order = DEFAULT_ORDER
    """Of the sources in S3's shape."""
    warnings: tuple[str, ...] = ()
    """What a person should know of the spending caps, though nothing was refused."""
    replayed: bool = False
    """It was asked before under the same idempotency key: nothing was asked of anybody this time."""
    fault: ProviderError | None = field(default=None, repr=False)
    """What the provider failed with just now; the exchange keeps its reason alone."""

    @property
    def failure(self) -> ProviderError | None:
        """The error of a turn that failed, in the words that the turn keeps; None: it answered or refused."""
        kept = self.exchange
        if kept.status != "error":
            return None
        said = kept.notes or "the provider gave no usable reply"
        if kept.reason is RefusalReason.DEADLINE:
            return DeadlineExceeded(said)
        if isinstance(self.fault, ProviderUnavailable):
            return ProviderUnavailable(said, retry_after_s=self.fault.retry_after_s)
        return ProviderRejected(said) if isinstance(self.fault, ProviderRejected) else ProviderError(said)


def facts_alone(profile: ModelProfile, clock: Clock, ids: IdSource) -> TurnFacts:
    """Return the facts of a call that is made now and belongs to no session: the ids are of its own."""
    return TurnFacts(
        exchange_id=ids.new_id("x"),
        session_id=ids.new_id("s"),
        index=0,
        timestamp=clock.now(),
        question="",
        stance=Stance.SYNTHESIZE,
        provider=profile.provider,
        model=profile.model,
        price=profile.price,
        policy=GroundingPolicy(),
    )


def open_call(facts: TurnFacts) -> OpenCall:
    """Return as what the calls of a turn go on record before they are made; none is begun yet."""
    model = f"{facts.provider}/{facts.model}"
    return OpenCall(
        id=facts.exchange_id, session_id=facts.session_id, model=model, began_at=facts.timestamp, worst=NOTHING
    )


@dataclass(slots=True, kw_only=True)
class Trace:
    """What is known of a turn so far; survives the deadline, so that what was spent is recorded."""

    clock: Clock
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    worst: list[Decimal | None] = field(default_factory=list[Decimal | None])
    parsed: ParsedQuery | None = None
    selection: Selection | None = None
    searched: Window = Window()
    plan: ContextPlan | None = None
    prompt: PromptRecord | None = None
    """Of the prompt that was sent last."""
    purse: TurnBudget = field(default_factory=TurnBudget)
    tell: EventListener = ignore_event
    lets_private_in: bool = False
    fault: ProviderError | None = None
    deadline: anyio.CancelScope | None = None
    """What ends it when its time is over; None: nothing does."""
    _since: float = 0.0

    @contextmanager
    def paused_deadline(self) -> Generator[None]:
        """Let no time of the turn's pass while the block runs; what happens there has a time of its own."""
        if self.deadline is None:
            yield
            return
        left = self.deadline.deadline - anyio.current_time()
        self.deadline.deadline = math.inf  # none of the turn's time passes
        try:
            yield
        finally:
            self.deadline.deadline = anyio.current_time() + left

    def __post_init__(self) -> None:
        """Let the purse see the calls as they are made."""
        self.purse.attempts, self.purse.worst = self.attempts, self.worst

    @property
    def drafts(self) -> int:
        """How many tries at a draft were begun."""
        return sum(attempt.purpose == "draft" for attempt in self.attempts)

    def begin(self, worst: Decimal | None, *, purpose: Purpose = "draft") -> None:
        """Record a try about to be made. Raises BudgetExceeded: a cap forbids it; it is on no record."""
        self.purse.require(worst)
        self.attempts.append(Attempt(usage=Usage(), latency_ms=0, outcome="error", purpose=purpose))
        self.worst.append(worst)
        self._since = self.clock.monotonic_ms()

    def again(self) -> None:
        """Record that the try failed and is about to be repeated as it was. Raises BudgetExceeded."""
        self.end()
        self.begin(self.worst[-1], purpose=self.attempts[-1].purpose)

    async def begin_paid(self, worst: Decimal | None, *, purpose: Purpose = "draft") -> None:
        """Record a try that is about to be made, in the store, too, so that it counts whatever becomes of this process.
        Where the caller is cancelled before it could be made, it is on no record. Raises BudgetExceeded, StoreError: a
        spending cap does not allow it, or it cannot be put on record; it must not be made."""
        self.begin(worst, purpose=purpose)
        try:
            await self.purse.put_on_record()
        except BaseException:  # cancelled ones, too: the try was not made
            self.undo()
            if not self.attempts:  # no try was made, so nothing can be owed
                await run_to_completion(self.purse.take_off_record())
            raise

    async def again_paid(self) -> None:
        """Record, in the store, too, that the try failed and is about to be repeated as it was. Raises as above."""
        self.end()
        await self.begin_paid(self.worst[-1], purpose=self.attempts[-1].purpose)

    def end(self) -> None:
        """Record how long the try took."""
        self.attempts[-1] = replace(self.attempts[-1], latency_ms=round(self.clock.monotonic_ms() - self._since))

    def record_reply(
        self, usage: Usage, outcome: AttemptOutcome, *, draft_hash: str | None = None, reckoned: Usage | None = None
    ) -> None:
        """Record what became of the try; what cannot be what it took is unknown."""
        known = reported_usage(usage.input_tokens, usage.output_tokens, usage.cached_input_tokens)
        self.attempts[-1] = replace(
            self.attempts[-1], usage=known, outcome=outcome, draft_hash=draft_hash, reckoned=reckoned
        )

    def undo(self) -> None:
        """Forget a try that was not made."""
        self.attempts.pop()
        self.worst.pop()

    def spent(self, *, since: float) -> TurnSpent:
        """Return what the turn took so far, `since` being what the clock's stopwatch showed when it began."""
        return TurnSpent(
            prompt=self.prompt,
            attempts=tuple(map(_at_worst, self.attempts, self.worst)),
            latency_ms=round(self.clock.monotonic_ms() - since),
            is_private=self.lets_private_in if self.prompt is None else self.plan is not None and self.plan.is_private,
        )

    def turn(self, session: InnerVoiceSession, exchange: DialogueExchange, *, order: Order | None) -> Turn:
        """Return the turn that was kept; its sources are ordered as the question implies, if `order` is None."""
        return Turn(
            session=session,
            exchange=exchange,
            parsed=self.parsed,
            selection=self.selection,
            plan=self.plan,
            searched=self.searched,
            order=order or (self.parsed.order if self.parsed else None) or DEFAULT_ORDER,
            warnings=self.purse.warnings,
            fault=self.fault,
        )


def _at_worst(attempt: Attempt, worst: Decimal | None) -> Attempt:
    """Return a call with the most it can have cost, where nobody reported what it used."""
    is_known = attempt.usage.input_tokens is not None and attempt.usage.output_tokens is not None
    return attempt if is_known else replace(attempt, worst=worst)


async def with_import_warnings(marks: ImportMarks, asking: Awaitable[Turn]) -> Turn:
    """Return a turn with warnings about imports that ran, or stopped early, when it was asked."""
    told = warnings_of(marks.seen())  # as it was when the question came
    turn = await asking
    return replace(turn, warnings=(*turn.warnings, *told)) if told else turn


@asynccontextmanager
async def trace_alone(spending: Spending, facts: TurnFacts, clock: Clock) -> AsyncGenerator[Trace]:
    """Yield the trace of calls outside of any turn, and keep what they took although the caller was cancelled. Raises
    StoreError: what was spent cannot be read, or what it cost cannot be kept."""
    with spending.purse() as purse:
        await purse.open(facts.session_id, facts.timestamp, facts.price)
        purse.call = open_call(facts)
        trace = Trace(clock=clock, purse=purse)
        try:
            yield trace
        finally:
            attempts = trace.spent(since=clock.monotonic_ms()).attempts
            if attempts and spending.store is not None:
                await run_to_completion(spending.store.keep(sessionless_calls(attempts, facts)))


@asynccontextmanager
async def call_alone(
    spending: Spending, facts: TurnFacts, clock: Clock, *, worst: Decimal | None, purpose: Purpose
) -> AsyncGenerator[Trace]:
    """Begin a call outside of any turn, yield its trace, and keep what it took. Raises BudgetExceeded: a spending cap
    does not allow it; StoreError: as `trace_alone`."""
    held = replace(spending, caps=replace(spending.caps, session=None))  # it belongs to no session
    async with trace_alone(held, facts, clock) as trace:
        await trace.begin_paid(worst, purpose=purpose)
        try:
            yield trace
        finally:
            trace.end()

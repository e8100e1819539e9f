"""One grounded turn.

Law: the order is fixed: understand, find, show, ask, judge, keep. Nothing is asked of a model when the evidence cannot
ground an answer; nothing is shown or kept of a draft that was not judged (rulings D5, D9); every outcome is kept, in
one compare-and-set, and keeping it depends on no later step (rulings D6, D21, D26).

Source: spec stateful-design-v2, 8 Tool Interface; DESIGN 3 "One turn"; rulings A2, A5, A13, D5-D10, D20-D26, H.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

import anyio

from voice.core.context.build import SUMMARY_SHARE, ContextInputs, ContextPlan, build_context, prompt_budget
from voice.core.context.discreet import discreet
from voice.core.context.question import require_question
from voice.core.context.record import record_prompt
from voice.core.context.stance import PROMPT_OF_STANCE, search_text, temperature_of
from voice.core.context.template import PromptTemplate, keyed_hash, latest
from voice.core.errors import (
    BudgetExceeded,
    ConfigurationError,
    DeadlineExceeded,
    ProviderError,
    StoreError,
    VoiceError,
)
from voice.core.grounding.answerability import can_be_grounded
from voice.core.grounding.draft import DRAFT_SCHEMA, parse_draft
from voice.core.grounding.judge import judge
from voice.core.grounding.refusal import refusal
from voice.core.grounding.values import Draft, Evidence, GroundedResponse, GroundingPolicy, RefusalReason, Stance
from voice.core.nlq.parse import parse_query
from voice.core.nlq.values import NlqSettings, ParsedQuery
from voice.core.records import Scope
from voice.core.retrieval.evidence import EvidenceRequest, build_evidence
from voice.core.retrieval.values import Selection, Window
from voice.core.session.exchange import TurnFacts, build_exchange, figures_of, left_to_spend
from voice.core.session.lifecycle import append, is_live, new_session, require_live, require_open, topic_of
from voice.core.session.summary import fold, foldable
from voice.core.session.values import MAX_WINDOW, Attempt, DialogueExchange, InnerVoiceSession, PromptRecord
from voice.core.usage import Usage, worst_case_cost
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, TokenCounter
from voice.ports.stores import GraphStore, MetricsStore, SessionStore
from voice.ports.system import Clock, IdSource
from voice.services.retrieve import Retrieve
from voice.services.sessions import load_session

_NO_FLOOR = -1.0
"""Where a time was asked about, what was written then is evidence however it is worded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """What a person asks, and of which part of the memory."""

    question: str = field(repr=False)
    session_id: str | None = None
    """A named session; None means the most recent live one (ruling D21)."""
    new_topic: str | None = None
    """Start a new thread with this topic."""
    create: bool = False
    """Start a new thread when there is none to continue, instead of failing."""
    stance: Stance = Stance.SYNTHESIZE
    when: str | None = None
    include_private: bool = False
    include_tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    scope: Scope = Scope.ALL


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSettings:
    """The settings a turn reads; fixed when the program starts."""

    policy: GroundingPolicy
    nlq: NlqSettings
    timezone: str
    max_prompt_tokens: int
    max_output_tokens: int
    temperature: float | None
    deadline_s: float
    session_timeout_hours: float
    window_limit: int
    window_keep: int
    evidence_limit: int
    floor: float
    min_floor: float
    allow_private_remote: bool
    metrics: bool
    cost_tracking: bool = True
    phrase_filter: bool = True
    """Whether what a question quotes must stand in the evidence (ruling E)."""
    max_turn_cost: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one turn did: the stored exchange, the session after it, and how it came about."""

    session: InnerVoiceSession
    exchange: DialogueExchange
    parsed: ParsedQuery | None
    selection: Selection | None
    plan: ContextPlan | None = field(repr=False)


@dataclass(slots=True, kw_only=True)
class _Trace:
    """What is known of a turn so far; survives the deadline, so that what was spent is recorded."""

    attempts: list[Attempt] = field(default_factory=list[Attempt])
    parsed: ParsedQuery | None = None
    selection: Selection | None = None
    plan: ContextPlan | None = None
    prompt: PromptRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Asks a memory one question inside a session."""

    graph: GraphStore
    sessions: SessionStore
    metrics: MetricsStore
    retrieve: Retrieve
    llm: LlmClient
    counter: TokenCounter
    prompts: tuple[PromptTemplate, ...]
    clock: Clock
    ids: IdSource
    settings: AskSettings
    key: bytes = field(repr=False)

    async def __call__(self, request: AskRequest) -> Turn:
        """Run one turn and return it; a refusal and a provider's failure are turns, too, and are kept.

        Raises:
            InvalidParams: the question is empty or too long, or `when` cannot be understood.
            NoSession: there is no session to continue and `create` is false.
            ConfigurationError: private rows would go to a remote provider without consent (ruling H).
            EmbedderUnavailable, StoreError: nothing was asked and nothing was kept.
            SessionConflict: another writer was faster; nothing of theirs is lost (ruling D21).
        """
        question = require_question(request.question)
        started = self.clock.monotonic_ms()
        now = self.clock.now()
        session = await self._session(request, question, now)
        facts = self._facts(request, session, question, now)
        trace = _Trace()
        late = f"no answer within {self.settings.deadline_s:g} seconds"
        response = refusal(RefusalReason.DEADLINE, notes=late, evidence=())
        with anyio.move_on_after(self.settings.deadline_s):
            response = await self._judged(request, session, facts, trace)
        exchange = build_exchange(
            facts,
            response,
            prompt=trace.prompt,
            attempts=trace.attempts,
            latency_ms=round(self.clock.monotonic_ms() - started),
            is_private=trace.plan.is_private if trace.plan else False,
        )
        kept = self._grown(session, exchange)
        with anyio.CancelScope(shield=True):
            kept = await self.sessions.save(kept, [exchange], expected=session.revision)
        await self._measure(exchange)
        return Turn(session=kept, exchange=exchange, parsed=trace.parsed, selection=trace.selection, plan=trace.plan)

    async def _session(self, request: AskRequest, question: str, now: datetime) -> InnerVoiceSession:
        window = MAX_WINDOW
        if request.new_topic is None:
            if request.session_id is not None:
                return require_open(await load_session(self.sessions, request.session_id, window=window))
            recent = await self.sessions.sessions(limit=1, status="open")
            found = await self.sessions.load(recent[0].id, window=window) if recent else None
            timeout = self.settings.session_timeout_hours
            if not request.create or (found and is_live(found, now=now, timeout_hours=timeout)):
                return require_live(found, now=now, timeout_hours=timeout)
        profile = self.llm.profile
        return new_session(
            session_id=self.ids.new_id("s"),
            topic=topic_of(question, include_private=request.include_private)
            if request.new_topic is None
            else request.new_topic,
            provider=profile.provider,
            model=profile.model,
            max_prompt_tokens=self.settings.max_prompt_tokens,
            now=now,
        )

    def _facts(self, request: AskRequest, session: InnerVoiceSession, question: str, now: datetime) -> TurnFacts:
        profile = self.llm.profile
        return TurnFacts(
            exchange_id=self.ids.new_id("x"),
            session_id=session.id,
            index=session.total_exchanges,
            timestamp=now,
            question=question,
            stance=request.stance,
            provider=profile.provider,
            model=profile.model,
            price=profile.price if self.settings.cost_tracking else None,
            policy=self.settings.policy,
        )

    async def _judged(
        self, request: AskRequest, session: InnerVoiceSession, facts: TurnFacts, trace: _Trace
    ) -> GroundedResponse:
        """Understand, find, show, ask and judge; whatever is known on the way is left in `trace`."""
        entities = [e for e in await self.graph.entities() if request.include_private or not e.is_private]
        parsed = trace.parsed = parse_query(
            facts.question,
            now=facts.timestamp,
            timezone=self.settings.timezone,
            settings=self.settings.nlq,
            entities=entities,
            when=request.when,
        )
        question = _search_text(request, parsed.untimed, parsed, session)
        trace.selection = await self._find(self._evidence_request(request, question, parsed, facts), parsed)
        plan = trace.plan = self._plan(request, session, facts, build_evidence(trace.selection, entities))
        self._require_consent(plan)
        names = tuple(name for entity in entities for name in (entity.name, *entity.aliases))
        answerable = can_be_grounded(question, plan.evidence, facts.policy, entity_names=names)
        if not answerable.ok:
            near = () if answerable.reason is RefusalReason.NO_SOURCES else plan.evidence
            return refusal(answerable.reason, notes=answerable.missing, evidence=near)
        draft = await self._draft(question, plan, facts, trace)
        if not isinstance(draft, Draft):
            return draft
        return judge(draft, plan.evidence, facts.policy, question=question, stance=facts.stance)

    async def _find(self, wanted: EvidenceRequest, parsed: ParsedQuery) -> Selection:
        """Fetch the evidence; where a phrase or a time is nowhere, look wider and say so (ruling E)."""
        said: list[str] = []
        found = await self.retrieve.fetch_evidence(wanted)
        if not found.chosen and wanted.phrases:
            said.append("nothing holds what the question quotes; looked without it")
            wanted = replace(wanted, phrases=())
            found = await self.retrieve.fetch_evidence(wanted)
        if not found.chosen and parsed.time is not None and parsed.time.widened is not None:
            said.append(f"nothing in {parsed.time.note}; looked a little wider")
            found = await self.retrieve.fetch_evidence(replace(wanted, window=parsed.time.widened))
        return replace(found, diagnostics=replace(found.diagnostics, warnings=(*found.diagnostics.warnings, *said)))

    def _evidence_request(
        self, request: AskRequest, question: str, parsed: ParsedQuery, facts: TurnFacts
    ) -> EvidenceRequest:
        return EvidenceRequest(
            query=question,
            limit=self.settings.evidence_limit,
            floor=self.settings.floor if parsed.window is None else _NO_FLOOR,
            min_floor=self.settings.min_floor if parsed.window is None else _NO_FLOOR,
            window=parsed.window or Window(),
            superseded=facts.stance is Stance.CHALLENGE,
            scope=request.scope,
            include_private=request.include_private,
            include_tags=request.include_tags,
            exclude_tags=request.exclude_tags,
            speaker=parsed.persons[0] if len(parsed.persons) == 1 else None,
            phrases=parsed.phrases if self.settings.phrase_filter else (),
            now=facts.timestamp,
        )

    def _plan(
        self, request: AskRequest, session: InnerVoiceSession, facts: TurnFacts, evidence: Sequence[Evidence]
    ) -> ContextPlan:
        return build_context(
            session,
            ContextInputs(
                question=facts.question,
                evidence=tuple(evidence),
                now=facts.timestamp,
                include_private=request.include_private,
            ),
            template=latest(self.prompts, PROMPT_OF_STANCE[facts.stance]),
            budget=self._budget(),
            count=self.counter.count,
        )

    def _budget(self) -> int:
        return prompt_budget(
            max_prompt_tokens=self.settings.max_prompt_tokens,
            context_tokens=self.llm.profile.context_tokens,
            max_output_tokens=self.settings.max_output_tokens,
        )

    def _require_consent(self, plan: ContextPlan) -> None:
        if plan.is_private and self.llm.profile.remote and not self.settings.allow_private_remote:
            raise ConfigurationError(
                f"private rows would be sent to {self.llm.profile.provider}; that needs its own consent: set "
                "SURR_ALLOW_PRIVATE_REMOTE=1, or ask without private rows"
            )

    async def _draft(
        self, question: str, plan: ContextPlan, facts: TurnFacts, trace: _Trace
    ) -> Draft | GroundedResponse:
        """Ask the model, once more if its reply has the wrong shape (ruling D8); a failure is a response, too."""
        template = latest(self.prompts, PROMPT_OF_STANCE[facts.stance])
        trace.prompt = record_prompt(
            plan, template, key=self.key, now=facts.timestamp, timezone=self.settings.timezone, stance=facts.stance
        )
        prompt, notes = plan.prompt, ""
        for _ in range(2):
            try:
                reply = await self._complete(self._request(question, prompt, plan, facts, trace), trace)
            except ProviderError as fault:
                return self._failed(fault, plan, trace)
            parsed = parse_draft(reply.text)
            if isinstance(parsed, Draft):
                return parsed
            notes = f"the model's reply had the wrong shape: {parsed.message}"
            trace.attempts[-1] = replace(trace.attempts[-1], outcome="malformed")
            prompt = latest(self.prompts, "repair").render("user", {"prompt": plan.prompt, "fault": parsed.message})
        return refusal(RefusalReason.MALFORMED, notes=notes, evidence=())

    def _failed(self, fault: ProviderError, plan: ContextPlan, trace: _Trace) -> GroundedResponse:
        """Return what a failed call becomes; one that was stopped before it was made is no attempt."""
        notes = discreet(fault.message, plan.prompt, otherwise=f"the provider failed ({fault.code})")
        if isinstance(fault, BudgetExceeded):
            trace.attempts.pop()
            return refusal(RefusalReason.BUDGET, notes=notes, evidence=plan.evidence)
        reason = RefusalReason.DEADLINE if isinstance(fault, DeadlineExceeded) else RefusalReason.PROVIDER_ERROR
        return refusal(reason, notes=notes, evidence=())

    def _request(self, question: str, prompt: str, plan: ContextPlan, facts: TurnFacts, trace: _Trace) -> LlmRequest:
        limits, price = self.settings, self.llm.profile.price
        worst = worst_case_cost(plan.prompt_tokens, limits.max_output_tokens, price)
        return LlmRequest(
            system=plan.system,
            prompt=prompt,
            question=question,
            evidence=plan.evidence,
            stance=facts.stance,
            schema=DRAFT_SCHEMA,
            temperature=temperature_of(facts.stance, limits.temperature),
            max_output_tokens=limits.max_output_tokens,
            timeout_s=limits.deadline_s,
            within_time=trace.parsed is not None and trace.parsed.window is not None,
            max_cost=left_to_spend(limits.max_turn_cost, trace.attempts, price, worst=worst),
        )

    async def _complete(self, request: LlmRequest, trace: _Trace) -> LlmReply:
        """Call the model and meter the call whatever becomes of it."""
        started = self.clock.monotonic_ms()
        # Recorded before the reply is there: a call that fails or is cut off may have cost something unknown (D18).
        trace.attempts.append(Attempt(usage=Usage(), latency_ms=0, outcome="error"))
        try:
            reply = await self._reply(request)
        finally:
            elapsed = round(self.clock.monotonic_ms() - started)
            trace.attempts[-1] = replace(trace.attempts[-1], latency_ms=elapsed)
        trace.attempts[-1] = Attempt(
            usage=reply.usage, latency_ms=elapsed, outcome="draft", draft_hash=keyed_hash(self.key, reply.text)
        )
        return reply

    async def _reply(self, request: LlmRequest) -> LlmReply:
        """Call the model; what a client lets through against its contract may hold the prompt and is dropped."""
        try:
            return await self.llm.complete(request)
        except VoiceError:
            raise
        except Exception as error:  # noqa: BLE001 - nothing of it is passed on but its type (promise 6)
            broken = type(error).__name__
        raise ProviderError(f"the client of {self.llm.profile.provider} failed in a way it should not ({broken})")

    def _grown(self, session: InnerVoiceSession, exchange: DialogueExchange) -> InnerVoiceSession:
        """Return the session with the exchange at its end and what is due folded into its summary (ruling D17)."""
        grown = append(session, exchange)
        due = foldable(grown, window_limit=self.settings.window_limit, window_keep=self.settings.window_keep)
        room = int(self._budget() * SUMMARY_SHARE)
        return fold(grown, due, now=exchange.timestamp, count=self.counter.count, max_tokens=room)

    async def _measure(self, exchange: DialogueExchange) -> None:
        """Record the turn's numbers, never its text (ruling D19); nothing depends on them."""
        if self.settings.metrics:
            with suppress(StoreError):  # the turn is kept already; a figure more or less does not undo it (ruling D26)
                await self.metrics.record("turn", exchange.timestamp, figures_of(exchange))


def _search_text(request: AskRequest, question: str, parsed: ParsedQuery, session: InnerVoiceSession) -> str:
    """Return what to search for; a private question of before is leaned on only where private rows are let in."""
    before = [
        e for e in session.context_window if e.status == "answered" and (request.include_private or not e.is_private)
    ]
    return search_text(
        question,
        content_terms=len(parsed.terms) + len(parsed.entity_ids),
        previous=before[-1].my_query if before else None,
    )

"""One grounded turn.

Law: the order is fixed: understand, find, show, ask, judge, keep. Nothing is asked of a model when the evidence cannot
ground an answer; nothing is shown or kept of a draft that was not judged (rulings D5, D9); every outcome is kept, in
one compare-and-set, and keeping it depends on no later step (rulings D6, D21, D26). A turn that lost a race, and one
that was cancelled after somebody was asked, have been paid for all the same and are kept, too.

Source: spec stateful-design-v2, 8 Tool Interface; DESIGN 3 "One turn"; rulings A2, A5, A13, D5-D10, D20-D26, H.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

import anyio

from voice.core.context.build import ContextInputs, ContextPlan, build_context
from voice.core.context.pinned import PinnedRows
from voice.core.context.question import require_question
from voice.core.context.stance import PROMPT_OF_STANCE, judged_text, leans, search_text
from voice.core.context.template import PromptTemplate, latest
from voice.core.errors import ConfigurationError
from voice.core.graph.names import KnownNames
from voice.core.grounding.answerability import Answerability, can_be_grounded
from voice.core.grounding.refusal import advised, missing_then, refusal
from voice.core.grounding.values import Draft, Evidence, GroundedResponse, RefusalReason, Stance
from voice.core.nlq.parse import parse_query
from voice.core.nlq.values import ParsedQuery
from voice.core.retrieval.evidence import build_evidence
from voice.core.retrieval.params import order_meant
from voice.core.session.exchange import TurnFacts
from voice.core.session.lifecycle import is_live, new_session, require_live, require_open, topic_of
from voice.core.session.past import Standing
from voice.core.session.values import MAX_WINDOW, InnerVoiceSession
from voice.ports.llm import LlmClient, TokenCounter
from voice.ports.stores import MetricsStore, SessionStore
from voice.ports.system import Clock, IdSource
from voice.services.drafting import Drafting, Order
from voice.services.evidence import FindEvidence, FoundEvidence, names_its_time, wanted_evidence
from voice.services.foresee import Foreseeing, Foreseen, answered_before
from voice.services.judging import judged
from voice.services.keeping import Keeping, Underway
from voice.services.names import Names
from voice.services.once import Mark, Once
from voice.services.past import fetch_standing
from voice.services.pinned import PinnedEvidence
from voice.services.retrieve import Retrieve
from voice.services.sessions import load_session, most_recent
from voice.services.spending import Purse, Spending
from voice.services.summaries import Summaries
from voice.services.summarising import Summarising
from voice.services.trueings import Trueings
from voice.services.turn import AskRequest, AskSettings, Trace, Turn, open_call
from voice.services.verifying import Verifying
from voice.services.whole import whole

__all__ = ["Ask", "AskRequest", "AskSettings", "Turn"]

_NO_FLOOR = -1.0
"""Where a time was asked about, what was written then is evidence however it is worded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question in its session, understood."""

    request: AskRequest
    session: InnerVoiceSession
    facts: TurnFacts
    parsed: ParsedQuery
    known: KnownNames
    grounds: Mapping[str, Standing]
    """How the rows behind what was said before stand."""

    @property
    def previous(self) -> str | None:
        """The question before it, where this one leans on it."""
        terms = len(self.parsed.terms) + len(self.parsed.entity_ids)
        leaning = leans(self.parsed.untimed, content_terms=terms, is_timed=self.parsed.time is not None)
        return _question_before(self.request, self.session) if leaning else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What would be shown to the model, and whether it could carry an answer."""

    found: FoundEvidence
    plan: ContextPlan
    question: str
    answerable: Answerability


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Asks a memory one question inside a session."""

    names: Names
    sessions: SessionStore
    metrics: MetricsStore
    retrieve: Retrieve
    pinned: PinnedEvidence
    llm: LlmClient
    counter: TokenCounter
    prompts: tuple[PromptTemplate, ...]
    clock: Clock
    ids: IdSource
    settings: AskSettings
    summaries: Summaries
    key: bytes = field(repr=False)
    verifying: Verifying = Verifying()
    spending: Spending = field(default_factory=Spending)
    underway: Underway = field(default_factory=Underway)
    trueings: Trueings = field(default_factory=Trueings)

    async def __call__(self, request: AskRequest) -> Turn:
        """Run one turn and return it; a refusal and a provider's failure are turns, too, and are kept.

        A turn that is cancelled once somebody was asked is kept as an error with what it took; before, nothing is.

        Raises:
            InvalidParams: the question is empty or too long, `when` or `order` cannot be understood, or the idempotency
                key was used for another question or in another session.
            NoSession: there is no session to continue and `create` is false.
            ConfigurationError: private rows would go to a remote provider without consent (ruling H).
            EmbedderUnavailable, StoreError: nothing was asked and nothing was kept.
            SessionConflict: the session changed while the question was asked; the turn is kept behind what came before
                it, and the error names it. Without an `exchange_id`: only what it took is, because the session is gone
                or others were faster time and again (ruling D21).
        """
        require_question(request.question)
        if request.idempotency_key is None:
            return await self._turn(request)
        return await self._once(request, partial(self._turn, request))

    @property
    def _once(self) -> Once:
        how, running = self.settings, self.underway.asked
        return Once(sessions=self.sessions, key=self.key, nlq=how.nlq, timezone=how.timezone, running=running)

    async def dry_run(self, request: AskRequest) -> Foreseen:
        """Return what the question would send and cost; nobody is asked and nothing is kept. Raises as a turn does."""
        question, now = require_question(request.question), self.clock.now()
        if request.idempotency_key is not None and (earlier := await self._once.earlier(request)):
            return answered_before(earlier)
        session = await self._session(request, question, now)
        trace = Trace(clock=self.clock)
        ready = await self._ready(request, session, self._facts(request, session, question, now), trace)
        foreseeing = Foreseeing(drafting=self._drafting_in(session), spending=self.spending)
        return await foreseeing(ready, session, trace, now=now)

    async def _turn(self, request: AskRequest, mark: Mark | None = None) -> Turn:
        with self.spending.purse() as purse:
            return await self._run(request, mark, purse)

    async def _run(self, request: AskRequest, mark: Mark | None, purse: Purse) -> Turn:
        order = order_meant(request.order)
        question = require_question(request.question)
        started = self.clock.monotonic_ms()
        now = self.clock.now()
        session = await self._session(request, question, now)
        facts = self._facts(request, session, question, now)
        purse.call = open_call(facts)
        trace = Trace(clock=self.clock, purse=purse)
        try:
            response = await self._in_time(request, session, facts, trace)
        except anyio.get_cancelled_exc_class():
            await whole(self._keeping.withdrawn(session, facts, trace.spent(since=started)))
            raise
        keeping = self._keeping
        try:
            summarising = Summarising(drafting=self._drafting_in(session), store=self.retrieve.store)
            written = await summarising(session, request.view, trace, now=now, since=started)
            keeping = replace(keeping, written=written)
        finally:
            kept = await whole(keeping(session, facts, response, trace.spent(since=started), mark))
        self.trueings.heard(kept.exchange, self._drafting.counted)
        healed = await self.summaries.heal(kept.session, trace.plan.skipped if trace.plan else ())
        return trace.turn(healed, kept.exchange, order=order)

    @property
    def _keeping(self) -> Keeping:
        return Keeping(
            sessions=self.sessions,
            metrics=self.metrics,
            counter=self.counter,
            settings=self.settings,
            token_budget=self._drafting.budget,
            saving=self.underway.saving,
            spending=self.spending.store,
            ids=self.ids,
            key=self.key,
        )

    async def _in_time(
        self, request: AskRequest, session: InnerVoiceSession, facts: TurnFacts, trace: Trace
    ) -> GroundedResponse:
        """Return the judged answer, or the refusal that a turn is which is not done by its deadline."""
        with anyio.move_on_after(self.settings.deadline_s):
            return await self._judged(request, session, facts, trace)
        late = advised(f"no answer within {self.settings.deadline_s:g} seconds", RefusalReason.DEADLINE)
        return refusal(RefusalReason.DEADLINE, notes=late, evidence=())

    async def _session(self, request: AskRequest, question: str, now: datetime) -> InnerVoiceSession:
        window = MAX_WINDOW
        if request.new_topic is None:
            if request.session_id is not None:
                zone = self.settings.timezone
                named = await load_session(self.sessions, request.session_id, window=window, timezone=zone)
                return require_open(named)
            timeout = self.settings.session_timeout_hours
            recent = await most_recent(self.sessions, now=now, timeout_hours=timeout)
            found = await self.sessions.load(recent, window=window) if recent else None
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
            policy=self.settings.policy_of(request.stance),
        )

    async def _judged(
        self, request: AskRequest, session: InnerVoiceSession, facts: TurnFacts, trace: Trace
    ) -> GroundedResponse:
        """Understand, find, show, ask and judge; whatever is known on the way is left in `trace`."""
        order = await self._ready(request, session, facts, trace)
        if not isinstance(order, Order):
            return order
        await trace.purse.open(session.id, facts.timestamp, self.llm.profile.price)
        draft = await self._drafting_in(session)(order, trace)
        if not isinstance(draft, Draft):
            return draft
        return await judged(draft, order, facts, trace, verifying=self.verifying)

    async def _ready(
        self, request: AskRequest, session: InnerVoiceSession, facts: TurnFacts, trace: Trace
    ) -> Order | GroundedResponse:
        """Return what is to be drafted, or why nobody is to be asked."""
        asked = await self._asked(request, session, facts)
        parsed = trace.parsed = asked.parsed
        view = await self._view(asked)
        if not view.answerable.ok and names_its_time(parsed):
            elsewhere = await self._view_elsewhere(asked)
            view = elsewhere if elsewhere.answerable.ok else view
        trace.selection, trace.searched, trace.plan = view.found.selection, view.found.searched, view.plan
        self._require_consent(view.plan)
        answerable, plan = view.answerable, view.plan
        if not answerable.ok:
            near = () if answerable.reason is RefusalReason.NO_SOURCES else plan.evidence
            return refusal(answerable.reason, notes=await self._missing(asked, answerable), evidence=near)
        return Order(
            question=view.question,
            plan=plan,
            template=self._template(facts),
            stance=facts.stance,
            now=facts.timestamp,
            view=request.view,
        )

    async def _asked(self, request: AskRequest, session: InnerVoiceSession, facts: TurnFacts) -> "_Asked":
        """Understand the question, and read what its session's past rests on."""
        await self.trueings.read(self.sessions, self._drafting.counted)
        every = await self.names.known()
        known = every if request.include_private else every.public
        understood = parse_query(
            facts.question,
            now=facts.timestamp,
            timezone=self.settings.timezone,
            settings=self.settings.nlq,
            entities=known.index,
            when=request.when,
        )
        parsed = understood.whole if facts.stance is Stance.CHALLENGE else understood
        grounds = await fetch_standing(
            self.retrieve.store,
            session,
            request.view,
            superseded=request.stance is Stance.CHALLENGE,
            quarantine=self.settings.quarantine_instructions,
        )
        return _Asked(request=request, session=session, facts=facts, parsed=parsed, known=known, grounds=grounds)

    async def _missing(self, asked: "_Asked", answerable: Answerability) -> str | None:
        """Return what is missing; where a time was asked about, in that time, and whether other times may tell."""
        if asked.parsed.time is None or answerable.missing is None:
            return answerable.missing and advised(answerable.missing, answerable.reason)
        anytime = await self._view(replace(asked, parsed=replace(asked.parsed, time=None)))
        return missing_then(answerable.missing, time=asked.parsed.time.text, is_elsewhere=anytime.answerable.ok)

    async def _view(self, asked: "_Asked") -> "_View":
        """Return what stands in the window the question asks about."""
        parsed, previous = asked.parsed, asked.previous
        search = search_text(parsed.untimed, previous=previous)
        wanted = wanted_evidence(asked.request, search, parsed, self.settings, now=asked.facts.timestamp)
        return await self._viewed(asked, await self._find_evidence(wanted, parsed), parsed.untimed)

    async def _view_elsewhere(self, asked: "_Asked") -> "_View":
        """Return what calls the question's time by its name, whenever it was said; its question keeps the time."""
        anytime = replace(asked.parsed, time=None)
        search = search_text(anytime.untimed, previous=asked.previous)
        wanted = wanted_evidence(asked.request, search, anytime, self.settings, now=asked.facts.timestamp)
        found = await self._find_evidence.of_other_times(wanted, asked.parsed)
        return await self._viewed(asked, found, anytime.untimed)

    async def _viewed(self, asked: "_Asked", found: FoundEvidence, text: str) -> "_View":
        names = asked.known.spoken
        evidence = build_evidence(found.selection, asked.known.nodes)
        pinned = await self.pinned(found.wanted, asked.known.nodes)
        plan = self._plan(asked, evidence, pinned)
        question = judged_text(text, previous=asked.previous, evidence=plan.evidence, names=names)
        facts = asked.facts
        answerable = can_be_grounded(question, plan.evidence, facts.policy, entity_names=names, stance=facts.stance)
        return _View(found=found, plan=plan, question=question, answerable=answerable)

    @property
    def _find_evidence(self) -> FindEvidence:
        return FindEvidence(retrieve=self.retrieve, clock=self.clock, timeout_ms=self.settings.nlq.timeout_ms)

    def _plan(self, asked: "_Asked", evidence: Sequence[Evidence], pinned: tuple[PinnedRows, ...]) -> ContextPlan:
        return build_context(
            asked.session,
            ContextInputs(
                question=asked.facts.question,
                evidence=tuple(evidence),
                pinned=pinned,
                now=asked.facts.timestamp,
                timezone=self.settings.timezone,
                include_private=asked.request.include_private,
                quarantine=self.settings.quarantine_instructions,
                grounds=asked.grounds,
            ),
            template=self._template(asked.facts),
            budget=self._drafting_in(asked.session).budget,
            count=self.counter.count,
            reserve=self._drafting.reserve,
        )

    def _template(self, facts: TurnFacts) -> PromptTemplate:
        return latest(self.prompts, PROMPT_OF_STANCE[facts.stance])

    @property
    def _drafting(self) -> Drafting:
        return Drafting(llm=self.llm, counter=self.counter, prompts=self.prompts, settings=self.settings, key=self.key)

    def _drafting_in(self, session: InnerVoiceSession) -> Drafting:
        """Return the drafting that keeps to what the model reported of late, in any session (ruling D15)."""
        return replace(self._drafting, trueing=self.trueings.of(session, self._drafting.counted))

    def _require_consent(self, plan: ContextPlan) -> None:
        self.verifying.require_consent(is_private=plan.is_private, allowed=self.settings.allow_private_remote)
        if plan.is_private and self.llm.profile.remote and not self.settings.allow_private_remote:
            raise ConfigurationError(
                f"private rows would be sent to {self.llm.profile.provider}; that needs its own consent: set "
                "SURR_ALLOW_PRIVATE_REMOTE=1, or ask without private rows"
            )


def _question_before(request: AskRequest, session: InnerVoiceSession) -> str | None:
    """Return the last answered question; a private one only where private rows are let in."""
    before = [
        each.my_query
        for each in session.context_window
        if each.status == "answered" and (request.include_private or not each.is_private)
    ]
    return before[-1] if before else None

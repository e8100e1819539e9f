"""One grounded turn, over the memory as it is or as it was.

Law: the order is fixed: understand, find, show, ask, judge, keep. Nothing is asked of a model when the evidence cannot
ground an answer; nothing is shown or kept of a draft that was not judged (rulings D5, D9); every outcome is kept, in
one compare-and-set, and keeping it depends on no later step (rulings D6, D21, D26). Turns of one session follow one
another. A turn that lost a race to another process, and one that was cancelled after somebody was asked, have been paid
for all the same and are kept, too.

Ask the memory as it was. The answer rests on what was held then alone, and its session is one of its own.

Source: spec stateful-design-v2, 8 Tool Interface; DESIGN 3 "One turn"; rulings A2, A5, A13, D5-D10, D20-D26, H; ruling
F; docs/corrections.md.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

import anyio

from voice.core.answering.question_form import small_talk_reply
from voice.core.context.prompt_templates import PromptTemplate
from voice.core.context.question import repeats_answer, require_question
from voice.core.errors import InvalidParams
from voice.core.grounding.answer_text import refusal, with_advice
from voice.core.grounding.values import Draft, GroundedResponse, RefusalReason
from voice.core.records import require_utc
from voice.core.retrieval.params import order_meant
from voice.core.retrieval.values import Window
from voice.core.session.exchange import TurnFacts
from voice.core.session.lifecycle import is_live, new_session, require_live, require_open, topic_of
from voice.core.session.turn_events import EventListener, events_of, ignore_event, judged_event
from voice.core.session.values import MAX_WINDOW, InnerVoiceSession
from voice.ports.llm import LlmClient, TokenCounter
from voice.ports.row_history import HistoryStore, MergeLog
from voice.ports.stores import MetricsStore, SessionStore
from voice.ports.system import Clock, IdSource
from voice.services.retrieval.passages import JoinPassages
from voice.services.retrieval.retrieve import retrieve_as_of
from voice.services.retrieval.row_lookups import Names
from voice.services.retrieval.search import Retrieve
from voice.services.runtime.isolated_calls import run_to_completion
from voice.services.runtime.spending import Spending
from voice.services.runtime.turn import AskRequest, AskSettings, Trace, Turn, open_call
from voice.services.sessions.lookup import load_session, most_recent
from voice.services.turn.answer_search import ReadPassages
from voice.services.turn.draft import Drafting, DraftJob, judge_draft
from voice.services.turn.evidence import PinnedEvidence, Unmentioned, WaitingNotes
from voice.services.turn.idempotency import IdempotentTurns, KeyedRequest
from voice.services.turn.keep import KeepTurn, TurnUnderway
from voice.services.turn.prepare import Preparation
from voice.services.turn.preview import ForeseenTurn, TokenCalibrations, TurnPreview, answered_before
from voice.services.turn.summaries import Summaries, Summarising
from voice.services.verification.draft_verification import DraftVerification

__all__ = ["Ask", "AskRequest", "AskSettings", "Turn"]

_SAID_BEFORE: Final = "what I found is the answer I gave you before, and it does not say this"


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
    verifying: DraftVerification = DraftVerification()
    passages: ReadPassages | None = None
    """Reads passages where no model writes."""
    beside: JoinPassages | None = None
    """Finds what stands beside rows in their notes, where a model writes."""
    waiting: WaitingNotes | None = None
    """Finds what programs noted about a question and nobody vouched for yet."""
    spending: Spending = field(default_factory=Spending)
    underway: TurnUnderway = field(default_factory=TurnUnderway)
    trueings: TokenCalibrations = field(default_factory=TokenCalibrations)

    async def __call__(self, request: AskRequest, tell: EventListener = ignore_event) -> Turn:
        """Run one turn and return it; a refusal and a provider's failure are turns, too, and are kept.

        A turn that is cancelled once somebody was asked is kept as an error with what it took; before, nothing is.

        Args:
            request: what is asked. tell: is told of what happens, event by event (`voice.core.session.turn_events`); of
            the answer once it is kept.

        Raises:
            InvalidParams: the question is empty or too long, or `when` or `order` cannot be understood.
            KeyReused: the idempotency key was used for another question or in another session.
            NoSession: there is no session to continue and `create` is false.
            ConfigurationError: private rows would go to a remote provider without consent (ruling H).
            ScopeRequired, EmbedderUnavailable, StoreError: nothing was asked and nothing was kept.
            SessionConflict: another process, or something else than a question, changed the session while this was
                asked; the turn is kept behind what came before it, and the error names it. Without an `exchange_id`:
                only what it took is, because the session is gone or others were faster time and again (ruling D21).
        """
        require_question(request.question)
        if request.idempotency_key is None:
            turn = await self._turn(request, tell)
        else:
            turn = await self._once(request, partial(self._turn, request, tell))
        for event in events_of(turn.exchange):
            tell(event)
        return turn

    @property
    def _once(self) -> IdempotentTurns:
        how, running = self.settings, self.underway.asked
        return IdempotentTurns(
            sessions=self.sessions, key=self.key, nlq=how.nlq, timezone=how.timezone, running=running
        )

    async def dry_run(self, request: AskRequest) -> ForeseenTurn:
        """Return what the question would send and cost; nobody is asked and nothing is kept. Raises as a turn does."""
        question, now = require_question(request.question), self.clock.now()
        if request.idempotency_key is not None and (earlier := await self._once.earlier(request)):
            return answered_before(earlier)
        request = await self._scoped(request)
        session = await self._session(request, question, now)
        trace = Trace(clock=self.clock)
        ready = await self._preparing(request, session, self._facts(request, session, question, now), trace)
        foreseeing = TurnPreview(drafting=self._drafting_in(session), spending=self.spending, verifying=self.verifying)
        return await foreseeing(ready, session, trace, now=now)

    async def _turn(self, request: AskRequest, tell: EventListener, mark: KeyedRequest | None = None) -> Turn:
        request = await self._scoped(request)
        if request.new_topic is not None:  # a session of its own: nobody is waited for
            return await self._paid(request, await self._session_now(request), mark, tell)
        async with self.underway.turns.of(partial(self._session_now, request)) as session:
            return await self._paid(request, session, mark, tell)

    async def _scoped(self, request: AskRequest) -> AskRequest:
        """Return the question with the scope that its rows are read in; small talk reads none."""
        if small_talk_reply(request.question) is not None:
            return request
        return replace(request, scope=await self.retrieve.scoping(request.scope, request.surroundings))

    async def _paid(
        self, request: AskRequest, session: InnerVoiceSession, mark: KeyedRequest | None, tell: EventListener
    ) -> Turn:
        with self.spending.purse() as purse:
            private = request.include_private
            trace = Trace(clock=self.clock, purse=purse, tell=tell, lets_private_in=private)
            return await self._run(request, session, mark, trace)

    async def _run(
        self, request: AskRequest, session: InnerVoiceSession, mark: KeyedRequest | None, trace: Trace
    ) -> Turn:
        order = order_meant(request.order)
        question = require_question(request.question)
        started = self.clock.monotonic_ms()
        now = self.clock.now()
        facts = self._facts(request, session, question, now)
        trace.purse.call = open_call(facts)
        try:
            response = await self._in_time(request, session, facts, trace)
        except anyio.get_cancelled_exc_class():
            await run_to_completion(self._keeping.withdrawn(session, facts, trace.spent(since=started)))
            raise
        keeping = self._keeping
        try:
            summarising = Summarising(
                drafting=self._drafting_in(session), store=self.retrieve.store, verifying=self.verifying
            )
            written = await summarising(session, request.view, trace, now=now, since=started)
            keeping = replace(keeping, written=written)
        finally:
            kept = await run_to_completion(keeping(session, facts, response, trace.spent(since=started), mark))
        self.trueings.heard(kept.exchange, self._drafting.counted)
        healed = await self.summaries.heal(kept.session, trace.plan.skipped if trace.plan else ())
        return trace.turn(healed, kept.exchange, order=order)

    @property
    def _keeping(self) -> KeepTurn:
        return KeepTurn(
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
        with anyio.move_on_after(self.settings.deadline_s) as trace.deadline:
            return await self._judged(request, session, facts, trace)
        late = with_advice(f"no answer within {self.settings.deadline_s:g} seconds", RefusalReason.DEADLINE)
        return refusal(RefusalReason.DEADLINE, notes=late, evidence=())

    async def _session_now(self, request: AskRequest) -> InnerVoiceSession:
        return await self._session(request, require_question(request.question), self.clock.now())

    async def _session(self, request: AskRequest, question: str, now: datetime) -> InnerVoiceSession:
        window = MAX_WINDOW
        if request.new_topic is None:
            if request.session_id is not None:
                zone = self.settings.timezone
                named = await load_session(self.sessions, request.session_id, window=window, timezone=zone)
                return require_open(named)
            timeout = self.settings.session_timeout_hours
            recent = request.own_session
            if request.program is None:
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
            begun_by=request.program,
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
            by_model=profile.writes,
        )

    async def _judged(
        self, request: AskRequest, session: InnerVoiceSession, facts: TurnFacts, trace: Trace
    ) -> GroundedResponse:
        """Understand, find, show, ask and judge; whatever is known on the way is left in `trace`."""
        response = await self._answered(request, session, facts, trace)
        asked = facts.question if trace.parsed is None else trace.parsed.untimed
        unmentioned = Unmentioned(providers=self.retrieve.providers, clock=self.clock)
        told = await unmentioned.told(response, asked, request)
        if self.waiting is None:
            return told
        time = None if trace.parsed is None else trace.parsed.time
        return await self.waiting.told(told, asked, request, Window() if time is None else time.window)

    async def _answered(
        self, request: AskRequest, session: InnerVoiceSession, facts: TurnFacts, trace: Trace
    ) -> GroundedResponse:
        order = await self._preparing(request, session, facts, trace)
        if not isinstance(order, DraftJob):
            return order
        await trace.purse.open(session.id, facts.timestamp, self.llm.profile.price)
        draft = await self._drafting_in(session)(order, trace)
        if not isinstance(draft, Draft):
            return draft
        response = await judge_draft(draft, order, facts, trace, verifying=self.verifying, key=self.key)
        if not facts.by_model and _repeats_last(response, session, request):
            said = with_advice(_SAID_BEFORE, RefusalReason.NO_SOURCES)
            response = refusal(RefusalReason.NO_SOURCES, notes=said, evidence=order.plan.evidence)
        trace.tell(judged_event(response))
        return response

    @property
    def _preparing(self) -> Preparation:
        return Preparation(
            names=self.names,
            sessions=self.sessions,
            retrieve=self.retrieve,
            pinned=self.pinned,
            clock=self.clock,
            trueings=self.trueings,
            verifying=self.verifying,
            passages=self.passages,
            beside=self.beside,
            drafting=self._drafting,
            drafting_in=self._drafting_in,
        )

    @property
    def _drafting(self) -> Drafting:
        return Drafting(llm=self.llm, counter=self.counter, prompts=self.prompts, settings=self.settings, key=self.key)

    def _drafting_in(self, session: InnerVoiceSession) -> Drafting:
        """Return the drafting that keeps to what the model reported of late, in any session (ruling D15)."""
        return replace(self._drafting, trueing=self.trueings.of(session, self._drafting.counted))


def _repeats_last(response: GroundedResponse, session: InnerVoiceSession, request: AskRequest) -> bool:
    """Return whether a follow-up would get the answer of the last turn again."""
    last = session.context_window[-1] if session.context_window else None
    if last is None or response.refused or (last.is_withheld and not request.include_private):
        return False
    answer, before = ([one.text for one in each.sentences] for each in (response, last))
    return repeats_answer(request.question, answer, previous=last.my_query, before=before)


async def ask_as_of(
    ask: Ask, request: AskRequest, history: HistoryStore, merges: MergeLog, *, timezone: str
) -> tuple[Ask, AskRequest]:
    """Return what answers from the memory as it was, and the request it is asked with.

    The question starts a session of its own, whose topic says the moment: what was said in another one rests on what
    was learnt since, and a summary is not made again from an earlier memory.

    Raises:
        InvalidParams: a session to continue is named, or the moment has no zone.
        StoreError: it cannot be read.
    """
    if request.as_of is None:
        return ask, request
    moment = require_utc(request.as_of, "as_of")
    if request.session_id is not None or not request.create:
        raise InvalidParams("what was known then is asked in a session of its own; leave out the session to go on in")
    retrieve = await retrieve_as_of(ask.retrieve, history, merges, moment)
    pinned = replace(ask.pinned, store=retrieve.store, graph=retrieve.graph, retrieve=retrieve)
    passages = ask.passages.within(retrieve) if ask.passages else None
    beside = replace(ask.beside, retrieve=retrieve) if ask.beside else None
    said = request.new_topic or topic_of(request.question, include_private=request.include_private)
    day = moment.astimezone(ZoneInfo(timezone)).date()
    then = replace(ask, retrieve=retrieve, pinned=pinned, passages=passages, beside=beside)
    return then, replace(request, new_topic=f"as of {day}: {said}")

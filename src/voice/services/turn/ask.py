"""One grounded turn, over the memory as it is or as it was: understand, find, show, ask, judge, keep.

Law: the order is fixed. Nothing is asked of a model when the evidence cannot ground an answer; nothing is shown or kept
of a draft that was not judged (rulings D5, D9); every outcome is kept, in one compare-and-set, and keeping it depends
on no later step (rulings D6, D21, D26). Turns of one session follow one another. A turn that lost a race to another
process, and one that broke off after somebody was asked, have been paid for all the same and are kept, too.

Source: spec stateful-design-v2, 8 Tool Interface; DESIGN 3 "One turn"; rulings A2, A5, A13, D5-D10, D20-D26, F, H;
docs/corrections.md.
"""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

import anyio

from voice.core.answering.question_form import small_talk_reply
from voice.core.answering.refusal_remarks import why_refused
from voice.core.context.prompt_templates import PromptTemplate
from voice.core.context.question import asks_only_why, repeats_answer, require_question
from voice.core.errors import InvalidParams, StoreError
from voice.core.grounding.answer_text import refusal, remark_response, with_advice
from voice.core.grounding.values import Draft, GroundedResponse, RefusalReason
from voice.core.messages import asking as messages
from voice.core.records import require_utc
from voice.core.retrieval.params import order_meant
from voice.core.retrieval.values import Window
from voice.core.session.exchange import TurnFacts
from voice.core.session.lifecycle import closed, is_live, new_session, require_live, require_open, topic_of
from voice.core.session.turn_events import EventListener, events_of, ignore_event, judged_event
from voice.core.session.values import MAX_WINDOW, DialogueExchange, InnerVoiceSession
from voice.core.settings.values import Settings
from voice.ports.llm import LlmClient, TokenCounter
from voice.ports.row_queries import HistoryStore, MergeLog
from voice.ports.stores import MetricsStore, SessionStore
from voice.ports.system import Clock, IdSource
from voice.services.retrieval.retrieve import retrieve_as_of
from voice.services.runtime.isolated_calls import run_to_completion
from voice.services.runtime.spending import Spending
from voice.services.runtime.turn import AskRequest, Trace, Turn, open_call
from voice.services.sessions.lookup import load_session, most_recent
from voice.services.turn.draft import Drafting, DraftJob, judge_draft
from voice.services.turn.evidence import WaitingNotes, add_unmentioned_words, add_words_of_others
from voice.services.turn.idempotency import IdempotentTurns, KeyedRequest
from voice.services.turn.keep import KeepTurn, TurnUnderway
from voice.services.turn.prepare import EvidenceServices, Preparation, TurnInputs
from voice.services.turn.preview import ForeseenTurn, TokenCalibrations, TurnPreview, answered_before
from voice.services.turn.summaries import Summaries, Summarising
from voice.services.verification.draft_verification import DraftVerification

__all__ = ["Ask", "AskRequest", "Turn"]

_SAID_BEFORE: Final = "all I found is the answer I gave you before"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Asks a memory one question inside a session."""

    evidence: EvidenceServices
    sessions: SessionStore
    metrics: MetricsStore
    llm: LlmClient
    counter: TokenCounter
    prompts: tuple[PromptTemplate, ...]
    clock: Clock
    ids: IdSource
    settings: Settings
    summaries: Summaries
    key: bytes = field(repr=False)
    verifying: DraftVerification = DraftVerification()
    waiting: WaitingNotes | None = None
    """Finds what programs noted about a question and nobody vouched for yet."""
    spending: Spending = field(default_factory=Spending)
    underway: TurnUnderway = field(default_factory=TurnUnderway)
    calibrations: TokenCalibrations = field(default_factory=TokenCalibrations)

    async def __call__(self, request: AskRequest, tell: EventListener = ignore_event) -> Turn:
        """Run one turn and return it; a refusal and a provider's failure are turns, too, and are kept. A turn that is
        cancelled, or breaks off, once somebody was asked is kept as an error with what it took; before, nothing is.
        `tell` is told of what happens (`voice.core.session.turn_events`), and of the answer once it is kept.

        Raises:
            InvalidParams: the question is empty or too long, or `when` or `order` cannot be understood.
            KeyReused: the idempotency key was used for another question or in another session.
            NoSession: there is no session to continue and `create` is false.
            ConfigurationError: private rows would go to a remote provider without consent (ruling H).
            ScopeRequired, EmbedderUnavailable, StoreError: there is no answer.
            SessionConflict: another process, or something else than a question, changed the session while this was
                asked; the turn is kept behind what came before it, and the error names it. Without an `exchange_id`:
                only what it took is, because the session is gone or others were faster time and again (ruling D21).
        """
        require_question(request.question)  # before anything is waited for
        if request.idempotency_key is None:
            turn = await self._in_line(request, tell)
        else:
            turn = await self._idempotent(request, partial(self._in_line, request, tell))
        for event in events_of(turn.exchange):  # told once it is kept: a listener hears no lost answer
            tell(event)
        return turn

    async def dry_run(self, request: AskRequest) -> ForeseenTurn:
        """Return what the question would send and cost; nobody is asked and nothing is kept. Raises as a turn does."""
        require_question(request.question)
        if request.idempotency_key is not None and (earlier := await self._idempotent.earlier(request)):
            return answered_before(earlier)
        request = await self._scoped(request)
        turn = self._begin(request, await self._session(request))
        trace = Trace(clock=self.clock)
        ready = await self._prepare(turn, trace)
        preview = TurnPreview(
            drafting=self._drafting_in(turn.session), spending=self.spending, verifying=self.verifying
        )
        return await preview(ready, turn.session, trace, now=turn.facts.timestamp)

    async def _in_line(self, request: AskRequest, tell: EventListener, mark: KeyedRequest | None = None) -> Turn:
        """Run the turn once those before it in its session are kept."""
        request = await self._scoped(request)
        find = partial(self._session, request)
        if request.new_topic is not None:  # a session of its own: nobody is waited for
            return await self._run(request, await find(), mark, tell)
        async with self.underway.turns.of(find) as session:
            return await self._run(request, session, mark, tell)

    async def _run(
        self, request: AskRequest, session: InnerVoiceSession, mark: KeyedRequest | None, tell: EventListener
    ) -> Turn:
        """Answer the question and keep the turn, whatever becomes of it."""
        with self.spending.purse() as purse:
            trace = Trace(clock=self.clock, purse=purse, tell=tell, lets_private_in=request.include_private)
            order = order_meant(request.order)  # raises before anybody is asked
            started = self.clock.monotonic_ms()
            turn = self._begin(request, session)
            purse.call = open_call(turn.facts)
            try:
                response = await self._in_time(turn, trace)
            except BaseException:  # cancelled ones, too: somebody may have been asked already
                await run_to_completion(self._keep.withdrawn(session, turn.facts, trace.spent(since=started)))
                raise
            keep = self._keep
            try:
                summarise = Summarising(
                    drafting=self._drafting_in(session), store=self.evidence.retrieve.store, verifying=self.verifying
                )
                written = await summarise(session, request.view, trace, now=turn.facts.timestamp, since=started)
                keep = replace(keep, written=written)
            finally:
                # The answer is paid for: it is kept even where its summary fails or is cancelled.
                spent = trace.spent(since=started)
                kept = await run_to_completion(keep(session, turn.facts, response, spent, mark))
            self.calibrations.add(kept.exchange, self._drafting.calibration_key)
            # A row behind the summary may have fallen since; the turn is kept whatever comes of this.
            healed = await self.summaries.heal(kept.session, trace.plan.skipped if trace.plan else ())
            return trace.turn(healed, kept.exchange, order=order)

    async def _in_time(self, turn: TurnInputs, trace: Trace) -> GroundedResponse:
        """Return the judged answer, or a refusal where it is not there by the deadline."""
        with anyio.move_on_after(self.settings.llm.deadline_s) as trace.deadline:
            return await self._with_remarks(await self._answer(turn, trace), turn, trace)
        late = with_advice(f"no answer within {self.settings.llm.deadline_s:g} seconds", RefusalReason.DEADLINE)
        return refusal(RefusalReason.DEADLINE, notes=late, evidence=())

    async def _answer(self, turn: TurnInputs, trace: Trace) -> GroundedResponse:
        """Understand, find, show, ask and judge; whatever is known on the way is left in `trace`."""
        ready = await self._prepare(turn, trace)
        if not isinstance(ready, DraftJob):
            return ready
        await trace.purse.open(turn.session.id, turn.facts.timestamp, self.llm.profile.price)
        draft = await self._drafting_in(turn.session)(ready, trace)
        if not isinstance(draft, Draft):
            return draft
        response = await judge_draft(draft, ready, turn.facts, trace, verifying=self.verifying, key=self.key)
        if not turn.facts.by_model and _repeats_last(response, turn):  # a model may say it again in other words
            notes = with_advice(_SAID_BEFORE, RefusalReason.NO_SOURCES)
            response = refusal(RefusalReason.NO_SOURCES, notes=notes, evidence=ready.plan.evidence)
        trace.tell(judged_event(response))
        return response

    async def _prepare(self, turn: TurnInputs, trace: Trace) -> DraftJob | GroundedResponse:
        """Understand, find and show: return what is to be drafted, or what is said without asking."""
        if (reply := small_talk_reply(turn.facts.question)) is not None:
            return remark_response(reply)
        if not turn.facts.by_model and asks_only_why(turn.facts.question):
            last = _last_asked(turn)
            if last is None or last.refused:
                return remark_response(why_refused(last.reason, last.notes) if last else messages.NOTHING_TO_EXPLAIN)
        await self.calibrations.read(self.sessions, self._drafting.calibration_key)
        prepare = Preparation(
            turn=turn,
            evidence=self.evidence,
            sessions=self.sessions,
            drafting=self._drafting_in(turn.session),
            verifying=self.verifying,
        )
        return await prepare(trace)

    async def _with_remarks(self, response: GroundedResponse, turn: TurnInputs, trace: Trace) -> GroundedResponse:
        """Return the response; a refusal with the words that no note mentions and the notes that wait for approval."""
        question, time = (trace.parsed.untimed, trace.parsed.time) if trace.parsed else (turn.facts.question, None)
        window, retrieve = time.window if time else Window(), self.evidence.retrieve
        with suppress(StoreError):  # the refusal may be paid for: it is kept without what cannot be looked up
            response = await add_unmentioned_words(response, question, turn.request, retrieve)
            response = await add_words_of_others(response, question, turn.request, window, retrieve)
            if self.waiting is not None:
                response = await self.waiting.add_to(response, question, turn.request, window)
        return response

    async def _scoped(self, request: AskRequest) -> AskRequest:
        """Return the question with the scope that its rows are read in; small talk reads none."""
        if small_talk_reply(request.question) is not None:  # `hello` needs no scope
            return request
        return replace(request, scope=await self.evidence.retrieve.scoping(request.scope, request.surroundings))

    async def _session(self, request: AskRequest) -> InnerVoiceSession:
        """Return the session that the question goes on in, or a new one that is not stored yet."""
        now, topic = self.clock.now(), request.new_topic
        if topic is None and request.session_id is not None:
            zone = self.settings.time.timezone
            return require_open(await load_session(self.sessions, request.session_id, window=MAX_WINDOW, timezone=zone))
        if topic is None:
            timeout = self.settings.session.timeout_hours
            recent = request.own_session
            if request.program is None:
                recent = await most_recent(self.sessions, now=now, timeout_hours=timeout)
            found = await self.sessions.load(recent, window=MAX_WINDOW) if recent else None
            # Without `create`, a missing or idle session is an error; with it, the question begins one.
            if not request.create or (found and is_live(found, now=now, timeout_hours=timeout)):
                return require_live(found, now=now, timeout_hours=timeout)
            topic = topic_of(require_question(request.question), include_private=request.include_private)
        profile = self.llm.profile
        began = new_session(
            session_id=self.ids.new_id("s"),
            topic=topic,
            provider=profile.provider,
            model=profile.model,
            max_prompt_tokens=self.settings.llm.max_prompt_tokens,
            now=now,
            begun_by=request.program,
        )
        # What is asked next is asked of now: a question as of a day leaves no session to go on in.
        return began if request.as_of is None else closed(began)

    def _begin(self, request: AskRequest, session: InnerVoiceSession) -> TurnInputs:
        profile = self.llm.profile
        facts = TurnFacts(
            exchange_id=self.ids.new_id("x"),
            session_id=session.id,
            index=session.total_exchanges,  # where it goes unless another turn is faster
            timestamp=self.clock.now(),
            question=require_question(request.question),
            stance=request.stance,
            provider=profile.provider,
            model=profile.model,
            price=profile.price if self.settings.llm.cost_tracking else None,
            policy=self.settings.policy_of(request.stance),
            by_model=profile.writes,
        )
        return TurnInputs(request=request, session=session, facts=facts)

    @property
    def _idempotent(self) -> IdempotentTurns:
        return IdempotentTurns(
            sessions=self.sessions,
            key=self.key,
            nlq=self.evidence.nlq,
            timezone=self.settings.time.timezone,
            running=self.underway.asked,
        )

    @property
    def _drafting(self) -> Drafting:
        return Drafting(llm=self.llm, counter=self.counter, prompts=self.prompts, settings=self.settings, key=self.key)

    def _drafting_in(self, session: InnerVoiceSession) -> Drafting:
        """Return the drafting that keeps to what the model reported of late, in any session (ruling D15)."""
        drafting = self._drafting
        return replace(drafting, calibration=self.calibrations.of(session, drafting.calibration_key))

    @property
    def _keep(self) -> KeepTurn:
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


def _last_asked(turn: TurnInputs) -> DialogueExchange | None:
    """Return the last turn that asked something, if this one may see it."""
    last = next((each for each in reversed(turn.session.context_window) if not each.states_nothing), None)
    return None if last is not None and last.is_withheld and not turn.request.include_private else last


def _repeats_last(response: GroundedResponse, turn: TurnInputs) -> bool:
    last = _last_asked(turn)
    if last is None or response.refused:
        return False
    answer, before = ([sentence.text for sentence in each.sentences] for each in (response, last))
    return repeats_answer(turn.request.question, answer, previous=last.my_query, before=before)


async def ask_as_of(ask: Ask, request: AskRequest, history: HistoryStore, merges: MergeLog) -> tuple[Ask, AskRequest]:
    """Return what answers from the memory as it was, and the request it is asked with. The question starts a session of
    its own, whose topic says the moment: what was said in another one, and its summary, rest on what was learnt since.
    Raises InvalidParams: a session to continue is named, or the moment has no zone."""
    if request.as_of is None:
        return ask, request
    moment = require_utc(request.as_of, "as_of")
    if request.session_id is not None or not request.create:
        raise InvalidParams("a question about what was known then starts a new session; leave out the session")
    retrieve = await retrieve_as_of(ask.evidence.retrieve, history, merges, moment)
    topic = request.new_topic or topic_of(request.question, include_private=request.include_private)
    day = moment.astimezone(ZoneInfo(ask.settings.time.timezone)).date()
    return replace(ask, evidence=ask.evidence.within(retrieve)), replace(request, new_topic=f"as of {day}: {topic}")

"""Understand the question, find the evidence and lay out the prompt, before anybody is asked.

Law: nothing is sent from here. Small talk is answered before the memory is looked at. A turn ends before it costs
anything where no row was found that may be shown; without a model also where the rows cannot ground an answer: a model
says so itself, and a verifier checks it (ruling D5). Private rows go to a remote provider with consent alone (ruling
H).

Source: DESIGN 3 "One turn"; spec nlq 7, 9; rulings A2, D5, D10, E, H.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from voice.core.answering.answer_layout import Layout
from voice.core.answering.answer_rules import MAX_WINDOW_PASSAGES
from voice.core.answering.owner_questions import asks_owner_name
from voice.core.answering.question_form import FACT, AnswerForm, form_of, small_talk_reply, times_meant
from voice.core.context.build import ContextInputs, ContextPlan, build_context
from voice.core.context.prompt_evidence import PinnedRows
from voice.core.context.prompt_templates import latest_template
from voice.core.context.question import (
    PROMPT_OF_STANCE,
    is_follow_up,
    judged_text,
    only_points_back,
    points_back,
    search_text,
)
from voice.core.errors import ConfigurationError, InvalidParams
from voice.core.graph.entity_names import KnownNames
from voice.core.grounding.answer_text import missing_in_time, refusal, remark_response, with_advice
from voice.core.grounding.extractive.answer_composition import tasks_in
from voice.core.grounding.refusal_reasons import Answerability, check_challenge, check_evidence
from voice.core.grounding.values import Evidence, GroundedResponse, RefusalReason, Stance
from voice.core.nlq.intent import asks_for_rows, query_topic
from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import ParsedQuery
from voice.core.retrieval.passages import EvidenceRequest, as_evidence, build_evidence
from voice.core.session.exchange import TurnFacts
from voice.core.session.history import SourceStatus
from voice.core.session.turn_events import Retrieved, Understood
from voice.core.session.values import InnerVoiceSession
from voice.ports.stores import SessionStore
from voice.ports.system import Clock
from voice.services.retrieval.passages import JoinPassages
from voice.services.retrieval.retrieve import dated_by_event
from voice.services.retrieval.row_lookups import Names
from voice.services.retrieval.search import Retrieve
from voice.services.runtime.turn import AskRequest, AskSettings, Trace
from voice.services.sessions.lookup import withheld_turns
from voice.services.turn.answer_forms import ReadForms
from voice.services.turn.answer_search import PassageReading, QuestionVersions, ReadPassages
from voice.services.turn.draft import Drafting, DraftJob
from voice.services.turn.evidence import FindEvidence, FoundEvidence, PinnedEvidence, names_its_time, wanted_evidence
from voice.services.turn.preview import TokenCalibrations
from voice.services.turn.summaries import fetch_standing
from voice.services.verification.draft_verification import DraftVerification


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question in its session, understood."""

    request: AskRequest
    session: InnerVoiceSession
    facts: TurnFacts
    parsed: ParsedQuery
    known: KnownNames
    grounds: Mapping[str, SourceStatus]
    """How the rows behind what was said before stand."""
    withheld: frozenset[int]
    """The folded turns that this question is asked without."""

    @property
    def previous(self) -> str | None:
        """The question before it, where this one leans on it."""
        terms = len(self.parsed.terms) + len(self.parsed.entity_ids)
        leaning = is_follow_up(self.parsed.untimed, content_terms=terms, is_timed=self.parsed.time is not None)
        return self.question_before if leaning else None

    @property
    def question_before(self) -> str | None:
        """The question before it."""
        return _question_before(self.request, self.session)


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What would be shown to the model, and whether it could carry an answer."""

    found: FoundEvidence
    plan: ContextPlan
    question: str
    answerable: Answerability
    layout: Layout | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """Makes a question ready to be asked."""

    names: Names
    sessions: SessionStore
    retrieve: Retrieve
    pinned: PinnedEvidence
    clock: Clock
    trueings: TokenCalibrations
    verifying: DraftVerification
    passages: ReadPassages | None
    """None where a model writes."""
    beside: JoinPassages | None
    """What finds the neighbours of rows in their notes; None where no model writes."""
    drafting: Drafting
    drafting_in: Callable[[InnerVoiceSession], Drafting]
    """What keeps to what the model reported of late."""

    async def __call__(
        self, request: AskRequest, session: InnerVoiceSession, facts: TurnFacts, trace: Trace
    ) -> DraftJob | GroundedResponse:
        """Return what is to be drafted, or what is said without asking; what is known on the way is left in `trace`.

        Raises:
            InvalidParams: `when` cannot be understood.
            ConfigurationError: private rows would go to a remote provider without consent (ruling H).
            EmbedderUnavailable, ScopeRequired, StoreError: nothing could be found.
        """
        if (said := small_talk_reply(facts.question)) is not None:
            return remark_response(said)
        asked = await self._asked(request, session, facts)
        parsed = trace.parsed = asked.parsed
        trace.tell(_understood(parsed))
        view = await self._view(asked)
        if not view.answerable.ok and names_its_time(parsed):
            elsewhere = await self._view_elsewhere(asked)
            view = elsewhere if elsewhere.answerable.ok else view
        trace.selection, trace.searched, trace.plan = view.found.selection, view.found.searched, view.plan
        trace.tell(_retrieved(view))
        self._require_consent(view.plan)
        answerable, plan = view.answerable, view.plan
        is_read = any(row.passage is not None for row in plan.evidence)
        if not is_read and self._is_of_the_owners_name(facts):
            return remark_response(self._settings.owner.introduction())
        if not answerable.ok:
            near = plan.evidence if is_read or answerable.reason is not RefusalReason.NO_SOURCES else ()
            return refusal(answerable.reason, notes=await self._missing(asked, answerable), evidence=near)
        return DraftJob(
            question=view.question,
            plan=plan,
            template=latest_template(self.drafting.prompts, PROMPT_OF_STANCE[facts.stance]),
            stance=facts.stance,
            now=facts.timestamp,
            view=request.view,
            policy=facts.policy,
            layout=view.layout,
        )

    async def _asked(self, request: AskRequest, session: InnerVoiceSession, facts: TurnFacts) -> _Asked:
        """Understand the question, and read what its session's past rests on."""
        await self.trueings.read(self.sessions, self.drafting.counted)
        every = await self.names.known()
        known = every if request.include_private else every.public
        understood = self._understood(request, facts, known)
        wanted = wanted_evidence(request, understood.question, understood, self._settings, now=facts.timestamp)
        understood = await dated_by_event(
            understood, self.retrieve, wanted.params(), now=facts.timestamp, timezone=self._settings.timezone
        )
        parsed = understood.whole if facts.stance is Stance.CHALLENGE else understood
        grounds = await fetch_standing(
            self.retrieve.store,
            session,
            request.view,
            superseded=request.stance is Stance.CHALLENGE,
            quarantine=self._settings.quarantine_instructions,
        )
        withheld = frozenset[int]() if request.include_private else await withheld_turns(self.sessions, session)
        return _Asked(
            request=request,
            session=session,
            facts=facts,
            parsed=parsed,
            known=known,
            grounds=grounds,
            withheld=withheld,
        )

    def _understood(self, request: AskRequest, facts: TurnFacts, known: KnownNames) -> ParsedQuery:
        """Return the question, understood; one for all that was told at a time may name its time as no other does."""

        def understood(when: str | None) -> ParsedQuery:
            return parse_query(
                facts.question,
                now=facts.timestamp,
                timezone=self._settings.timezone,
                settings=self._settings.nlq,
                entities=known.index,
                when=when,
            )

        parsed = understood(request.when)
        for when in times_meant(facts.question) if parsed.time is None else ():
            try:
                return understood(when)
            except InvalidParams:
                continue
        return parsed

    def _is_of_the_owners_name(self, facts: TurnFacts) -> bool:
        """Return whether a question is one that the settings answer."""
        is_known = bool(self._settings.owner.names) and facts.stance is Stance.SYNTHESIZE
        return is_known and asks_owner_name(facts.question)

    async def _missing(self, asked: _Asked, answerable: Answerability) -> str | None:
        """Return what is missing; where a time was asked about, in that time, and whether other times may tell."""
        if asked.parsed.time is None or answerable.missing is None:
            return answerable.missing and with_advice(answerable.missing, answerable.reason)
        anytime = await self._view(replace(asked, parsed=replace(asked.parsed, time=None)))
        time, is_elsewhere = asked.parsed.time.text, anytime.answerable.ok
        return missing_in_time(answerable.missing, answerable.reason, time=time, is_elsewhere=is_elsewhere)

    async def _view(self, asked: _Asked) -> _View:
        """Return what stands in the window the question asks about."""
        parsed, previous = asked.parsed, asked.previous
        search = search_text(query_topic(parsed), previous=previous)
        wanted = wanted_evidence(asked.request, search, parsed, self._settings, now=asked.facts.timestamp)
        return await self._viewed(asked, await self._find_evidence(wanted, parsed), parsed.untimed)

    async def _view_elsewhere(self, asked: _Asked) -> _View:
        """Return what calls the question's time by its name, whenever it was said; its question keeps the time."""
        anytime = replace(asked.parsed, time=None)
        search = search_text(anytime.untimed, previous=asked.previous)
        wanted = wanted_evidence(asked.request, search, anytime, self._settings, now=asked.facts.timestamp)
        found = await self._find_evidence.of_other_times(wanted, asked.parsed)
        return await self._viewed(asked, found, anytime.untimed)

    async def _viewed(self, asked: _Asked, found: FoundEvidence, text: str) -> _View:
        pinned = await self.pinned(found.wanted, asked.known.nodes)
        if (read := await self._read(asked, found, text)) is not None:
            return self._view_of(asked, found, read, text)
        evidence, facts = build_evidence(found.selection, asked.known.nodes), asked.facts
        plan = self._plan(asked, evidence, pinned, await self._beside(asked, found))
        if facts.stance is Stance.CHALLENGE and not facts.by_model:
            answerable = check_challenge(text, plan.evidence, facts.policy)
        else:
            answerable = check_evidence(
                plan.evidence, unshown=len(plan.quarantined), unfit=len(plan.skipped_for_budget)
            )
        names = asked.known.spoken
        question = judged_text(text, previous=asked.previous, evidence=plan.evidence, names=names)
        return _View(found=found, plan=plan, question=question, answerable=answerable)

    async def _beside(self, asked: _Asked, found: FoundEvidence) -> tuple[Evidence, ...] | None:
        """Return the neighbours of the rows in their notes, those of the best first; None where no model is asked."""
        if self.beside is None:
            return None
        hits = found.selection.chosen
        passages = await self.beside(hits, found.wanted)
        ids = {hit.row.id for hit in hits}
        return as_evidence((row for each in passages for row in each.rows if row.row.id not in ids), asked.known.nodes)

    def _view_of(self, asked: _Asked, found: FoundEvidence, read: PassageReading, text: str) -> _View:
        plan = self._plan(asked, read.evidence, ())
        answerable = read.answerable(asked.facts.policy)
        return _View(found=found, plan=plan, question=text, answerable=answerable, layout=read.layout)

    async def _read(self, asked: _Asked, found: FoundEvidence, text: str) -> PassageReading | None:
        """Return the passages that answer where there is no model; None where it is asked by rows.

        What stands on a list of things to do, and what speaks against a claim, is looked up among the rows.
        """
        facts = asked.facts
        if self.passages is None or facts.by_model or facts.stance is Stance.CHALLENGE:
            return None
        if tasks_in(text, build_evidence(found.selection, asked.known.nodes)):
            return None
        wanted = found.wanted
        read = await self._read_after(asked, wanted, text, previous=asked.previous)
        before = None if asked.previous or not points_back(text) else asked.question_before
        if read is None or before is None:
            return read
        leaning = replace(wanted, query=search_text(wanted.query, previous=before))
        after = await self._read_after(asked, leaning, text, previous=before)
        return read if after is None or after.score <= read.score else after

    async def _read_after(
        self, asked: _Asked, wanted: EvidenceRequest, text: str, *, previous: str | None
    ) -> PassageReading | None:
        """Return the passages that answer a question, or one that follows another."""
        assert self.passages is not None
        rows = (asked.parsed.limit or MAX_WINDOW_PASSAGES) if asks_for_rows(asked.parsed) else None
        leaning, said = (search_text(each, previous=previous) for each in (text, asked.facts.question))
        is_timed = asked.parsed.time is not None and asked.parsed.limit is None
        is_asked_back = asked.facts.stance is Stance.QUESTION
        form = FACT if is_asked_back else form_of(leaning, is_timed=is_timed)
        if asked.parsed.time_from_when and asked.request.when is None:  # what is left is the time itself
            form = AnswerForm(kind="digest")
        asking = QuestionVersions(
            own=text, leaning=leaning, said=said, rows=rows, form=form, wants_several=is_asked_back
        )
        return await ReadForms(passages=self.passages)(asking, wanted, asked.known.nodes, asked.facts.policy)

    @property
    def _find_evidence(self) -> FindEvidence:
        return FindEvidence(retrieve=self.retrieve, clock=self.clock, timeout_ms=self._settings.nlq.timeout_ms)

    def _plan(
        self,
        asked: _Asked,
        evidence: Sequence[Evidence],
        pinned: tuple[PinnedRows, ...],
        beside: tuple[Evidence, ...] | None = None,
    ) -> ContextPlan:
        return build_context(
            asked.session,
            ContextInputs(
                question=asked.facts.question,
                evidence=tuple(evidence),
                beside=beside,
                pinned=pinned,
                now=asked.facts.timestamp,
                timezone=self._settings.timezone,
                include_private=asked.request.include_private,
                quarantine=self._settings.quarantine_instructions,
                grounds=asked.grounds,
                withheld=asked.withheld,
            ),
            template=latest_template(self.drafting.prompts, PROMPT_OF_STANCE[asked.facts.stance]),
            budget=self.drafting_in(asked.session).budget,
            count=self.drafting.counter.count,
            reserve=self.drafting.reserve,
        )

    @property
    def _settings(self) -> AskSettings:
        return self.drafting.settings

    def _require_consent(self, plan: ContextPlan) -> None:
        self.verifying.require_consent(is_private=plan.is_private, allowed=self._settings.allow_private_remote)
        if plan.is_private and self.drafting.llm.profile.remote and not self._settings.allow_private_remote:
            raise ConfigurationError(
                f"private rows would be sent to {self.drafting.llm.profile.provider}; that needs its own consent: set "
                "SURR_ALLOW_PRIVATE_REMOTE=1, or ask without private rows"
            )


def _question_before(request: AskRequest, session: InnerVoiceSession) -> str | None:
    """Return the last question that named its subject; one that is withheld only where private rows are let in.

    A public question is read like its prompt: without the turns that are withheld. Else what was asked of private rows
    would choose what is found for it, and stand behind an answer that everybody sees (promise 6).
    """
    before = [
        each.my_query
        for each in session.context_window
        if each.status in {"answered", "refused"}
        and not each.states_nothing
        and (request.include_private or not each.is_withheld)
    ]
    own = (question for question in reversed(before) if not only_points_back(question))
    return next(own, before[-1] if before else None)


def _understood(parsed: ParsedQuery) -> Understood:
    time = parsed.time
    return Understood(
        terms=parsed.terms,
        phrases=parsed.phrases,
        entity_ids=parsed.entity_ids,
        time=time.note if time else None,
        start=time.window.start if time else None,
        end=time.window.end if time else None,
    )


def _retrieved(view: _View) -> Retrieved:
    found = tuple(snippet.id for snippet in view.found.selection.snippets)
    return Retrieved(ids=found, shown=tuple(row.row_id for row in view.plan.evidence))

"""Understand the question, find the evidence and lay out the prompt, before anybody is asked.

Law: nothing is sent from here. A turn ends before it costs anything where no row was found that may be shown; without
a model also where the rows cannot ground an answer: a model says so itself, and a verifier checks it (ruling D5).
Private rows go to a remote provider with consent alone (ruling H).

Source: DESIGN 3 "One turn"; spec nlq 7, 9; rulings A2, D5, D10, E, H.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from voice.core.answering.answer_layout import Layout
from voice.core.answering.answer_rules import MAX_WINDOW_PASSAGES
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.owner_questions import asks_owner_name
from voice.core.answering.question_form import FACT, AnswerForm, form_of, term_weights, times_meant
from voice.core.context.build import ContextInputs, ContextPlan, build_context
from voice.core.context.prompt_evidence import PinnedRows
from voice.core.context.prompt_templates import PromptTemplate, latest_template
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
from voice.core.grounding.extractive.answer_composition import task_search_words, tasks_in
from voice.core.grounding.refusal_reasons import Answerability, check_challenge, check_evidence
from voice.core.grounding.values import Evidence, GroundedResponse, RefusalReason, Stance
from voice.core.messages.showing import vendor
from voice.core.nlq.intent import asks_for_rows, query_topic
from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import NlqSettings, ParsedQuery
from voice.core.retrieval.passages import EvidenceRequest, as_evidence
from voice.core.session.exchange import TurnFacts
from voice.core.session.history import SourceStatus, rows_behind
from voice.core.session.turn_events import Retrieved, Understood
from voice.core.session.values import InnerVoiceSession
from voice.core.settings.values import Settings
from voice.ports.stores import SessionStore
from voice.services.retrieval.passages import JoinPassages
from voice.services.retrieval.retrieve import dated_by_event
from voice.services.retrieval.row_lookups import Names
from voice.services.retrieval.search import Retrieve
from voice.services.runtime.turn import AskRequest, Trace
from voice.services.sessions.lookup import withheld_turns
from voice.services.turn.answer_forms import ReadForms
from voice.services.turn.answer_search import PassageReading, QuestionVersions, ReadPassages
from voice.services.turn.draft import Drafting, DraftJob
from voice.services.turn.evidence import FindEvidence, FoundEvidence, PinnedEvidence, names_its_time, wanted_evidence
from voice.services.turn.summaries import standing_today
from voice.services.verification.draft_verification import DraftVerification


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceServices:
    """The services that find evidence in one view of the memory."""

    names: Names
    nlq: NlqSettings
    retrieve: Retrieve
    pinned: PinnedEvidence
    passages: ReadPassages | None = None
    """Reads passages where no model writes."""
    neighbours: JoinPassages | None = None
    """Finds the neighbours of rows in their notes, where a model writes."""

    def within(self, retrieve: Retrieve) -> "EvidenceServices":
        """Return the same services for another view of the memory, in which `retrieve` searches."""
        return replace(
            self,
            retrieve=retrieve,
            pinned=replace(self.pinned, retrieve=retrieve),
            passages=self.passages and self.passages.within(retrieve),
            neighbours=self.neighbours and replace(self.neighbours, retrieve=retrieve),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnInputs:
    """A question and the session it is asked in, before anything is known of them."""

    request: AskRequest
    session: InnerVoiceSession
    facts: TurnFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Understanding:
    """What is known of a question once it is understood."""

    parsed: ParsedQuery
    known: KnownNames
    grounds: Mapping[str, SourceStatus]
    withheld: frozenset[int]
    question_before: str | None

    @property
    def previous(self) -> str | None:
        """The question before it, where this one leans on it."""
        terms = len(self.parsed.terms) + len(self.parsed.entity_ids)
        leans = is_follow_up(self.parsed.untimed, content_terms=terms, is_timed=self.parsed.time is not None)
        return self.question_before if leans else None


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
    """Makes one question ready to be asked."""

    turn: TurnInputs
    evidence: EvidenceServices
    sessions: SessionStore
    drafting: Drafting
    verifying: DraftVerification

    async def __call__(self, trace: Trace) -> DraftJob | GroundedResponse:
        """Return what is to be drafted, or what is said without asking; what is known on the way is left in `trace`.
        Raises InvalidParams: `when` cannot be understood; ConfigurationError: private rows would go to a remote
        provider without consent (ruling H); EmbedderUnavailable, ScopeRequired, StoreError: nothing could be found."""
        understanding = await self._understand()
        parsed = trace.parsed = understanding.parsed
        trace.tell(_understood_event(parsed))
        view = await self._view(understanding)
        if not view.answerable.ok and names_its_time(parsed):  # "in April" may be named at another time
            elsewhere = await self._view_elsewhere(understanding)
            view = elsewhere if elsewhere.answerable.ok else view
        plan, answerable, facts = view.plan, view.answerable, self.turn.facts
        trace.selection, trace.searched, trace.plan = view.found.selection, view.found.wanted.window, plan
        ids = tuple(snippet.id for snippet in view.found.selection.snippets)
        trace.tell(Retrieved(ids=ids, shown=tuple(row.row_id for row in plan.evidence)))
        self._require_consent(plan)  # before anything leaves this machine
        is_read = any(row.passage is not None for row in plan.evidence)
        if not is_read and self._asks_owner_name():
            return remark_response(self._owner.introduction())
        if not answerable.ok:
            near = plan.evidence if is_read or answerable.reason is not RefusalReason.NO_SOURCES else ()
            notes, elsewhere = await self._missing(understanding, answerable)
            return refusal(answerable.reason, notes=notes, evidence=near or elsewhere)
        return DraftJob(
            question=view.question,
            plan=plan,
            template=self._template,
            stance=facts.stance,
            now=facts.timestamp,
            view=self.turn.request.view,
            policy=facts.policy,
            layout=view.layout,
        )

    @property
    def _settings(self) -> Settings:
        return self.drafting.settings

    @property
    def _owner(self) -> MemoryOwner:
        return MemoryOwner(names=self._settings.owner.called)

    @property
    def _template(self) -> PromptTemplate:
        return latest_template(self.drafting.prompts, PROMPT_OF_STANCE[self.turn.facts.stance])

    async def _understand(self) -> _Understanding:
        request, session, facts = self.turn.request, self.turn.session, self.turn.facts
        # A private name would tell of its entity.
        known = await self.evidence.names.visible(include_private=request.include_private)
        parsed = self._parse_question(known)
        params = self._wanted(parsed.question, parsed).params()
        parsed = await dated_by_event(
            parsed, self.evidence.retrieve, params, now=facts.timestamp, timezone=self._settings.time.timezone
        )
        grounds = await standing_today(
            self.evidence.retrieve.store,
            rows_behind(session, include_private=request.include_private),
            request.view,
            superseded=request.stance is Stance.CHALLENGE,
            quarantine=self._settings.llm.quarantine_instructions,
        )
        return _Understanding(
            parsed=parsed.whole if facts.stance is Stance.CHALLENGE else parsed,
            known=known,
            grounds=grounds,
            withheld=frozenset() if request.include_private else await withheld_turns(self.sessions, session),
            question_before=self._question_before(parsed, known),
        )

    def _question_before(self, parsed: ParsedQuery, known: KnownNames) -> str | None:
        """Return the question before; without its time where this one names its own ("And in February?")."""
        before = _question_before(self.turn.session, include_private=self.turn.request.include_private)
        return before if before is None or parsed.time is None else self._parse(before, known).untimed or before

    def _parse(self, text: str, known: KnownNames, when: str | None = None) -> ParsedQuery:
        now, names, zone = self.turn.facts.timestamp, known.index, self._settings.time.timezone
        return parse_query(text, now=now, timezone=zone, settings=self.evidence.nlq, entities=names, when=when)

    def _parse_question(self, known: KnownNames) -> ParsedQuery:
        """Return the question, understood; one for all that was told at a time may name its time as no other does."""
        question = self.turn.facts.question
        parsed = self._parse(question, known, self.turn.request.when)
        for when in times_meant(question) if parsed.time is None else ():  # only where it names no other time
            try:
                return self._parse(question, known, when)
            except InvalidParams:
                continue
        return parsed

    def _wanted(self, search: str, parsed: ParsedQuery) -> EvidenceRequest:
        settings, nlq = self._settings, self.evidence.nlq
        wanted = wanted_evidence(self.turn.request, search, parsed, settings, nlq, now=self.turn.facts.timestamp)
        wants_all = not self.turn.facts.by_model and self.turn.request.limit is None and bool(task_search_words(search))
        return wanted.to_be_read(search) if wants_all else wanted  # all tasks are wanted, not the best rows

    def _asks_owner_name(self) -> bool:
        is_known = bool(self._owner.names) and self.turn.facts.stance is Stance.SYNTHESIZE
        return is_known and asks_owner_name(self.turn.facts.question)

    async def _missing(
        self, understanding: _Understanding, answerable: Answerability
    ) -> tuple[str | None, Sequence[Evidence]]:
        """Return what is missing; where a time was asked about, in that time, with the passages closest at any time."""
        parsed = understanding.parsed
        if parsed.time is None or answerable.missing is None:
            return answerable.missing and with_advice(answerable.missing, answerable.reason), ()
        anytime = await self._view(replace(understanding, parsed=replace(parsed, time=None)))
        closest, is_there = anytime.plan.evidence, anytime.answerable.ok
        passages = [row for row in closest if row.passage is not None and not parsed.time_from_when]
        missing = missing_in_time(
            answerable.missing, answerable.reason, time=parsed.time.text, anytime=closest, is_elsewhere=is_there
        )
        return missing, passages

    @property
    def _find_evidence(self) -> FindEvidence:
        retrieve, timeout_ms = self.evidence.retrieve, self._settings.nlq.timeout_ms
        return FindEvidence(retrieve=retrieve, clock=retrieve.clock, timeout_ms=timeout_ms)

    async def _view(self, understanding: _Understanding) -> _View:
        parsed = understanding.parsed
        topic = search_text(query_topic(parsed), previous=understanding.previous)
        is_loose = parsed.time is not None and parsed.time.is_loose and not parsed.time_from_when
        anytime = replace(parsed, time=None) if is_loose and term_weights(parsed.untimed) else None
        found = await self._find_evidence(self._wanted(topic, parsed), parsed, anytime and self._wanted(topic, anytime))
        return await self._view_of(understanding, found, parsed.untimed)

    async def _view_elsewhere(self, understanding: _Understanding) -> _View:
        """Return what calls the question's time by its name, whenever it was said; its question keeps the time."""
        anytime = replace(understanding.parsed, time=None)
        wanted = self._wanted(search_text(anytime.untimed, previous=understanding.previous), anytime)
        found = await self._find_evidence.of_other_times(wanted, understanding.parsed)
        return await self._view_of(understanding, found, anytime.untimed)

    async def _view_of(self, understanding: _Understanding, found: FoundEvidence, text: str) -> _View:
        facts, nodes = self.turn.facts, understanding.known.nodes
        pinned = await self.evidence.pinned(found.wanted, nodes)
        if (read := await self._read(understanding, found, text)) is not None:
            plan, answerable = self._plan(understanding, read.evidence, ()), read.answerable(facts.policy)
            return _View(found=found, plan=plan, question=text, answerable=answerable, layout=read.layout)
        evidence, neighbours = as_evidence(found.selection.chosen, nodes), await self._neighbours(understanding, found)
        plan = self._plan(understanding, evidence, pinned, neighbours)
        if facts.stance is Stance.CHALLENGE and not facts.by_model:
            answerable = check_challenge(text, plan.evidence, facts.policy)
        else:
            unshown, unfit = len(plan.quarantined), len(plan.skipped_for_budget)
            answerable = check_evidence(plan.evidence, unshown=unshown, unfit=unfit)
        names, previous = understanding.known.spoken, understanding.previous
        question = judged_text(text, previous=previous, evidence=plan.evidence, names=names)
        return _View(found=found, plan=plan, question=question, answerable=answerable)

    async def _neighbours(self, understanding: _Understanding, found: FoundEvidence) -> tuple[Evidence, ...] | None:
        """Return the neighbours of the rows in their notes, those of the best first; None where no model is asked."""
        if self.evidence.neighbours is None:
            return None
        passages = await self.evidence.neighbours(found.selection.chosen, found.wanted)
        ids = {hit.row.id for hit in found.selection.chosen}
        rows = (row for each in passages for row in each.rows if row.row.id not in ids)
        return as_evidence(rows, understanding.known.nodes)

    async def _read(self, understanding: _Understanding, found: FoundEvidence, text: str) -> PassageReading | None:
        """Return the passages that answer where there is no model; None where it is asked by rows: what stands on a
        list of things to do, and what speaks against a claim, is looked up among these."""
        passages, facts = self.evidence.passages, self.turn.facts
        if passages is None or facts.by_model or facts.stance is Stance.CHALLENGE:
            return None
        if tasks_in(text, as_evidence(found.selection.chosen, understanding.known.nodes)):
            return None
        read_forms, nodes, wanted = ReadForms(passages=passages), understanding.known.nodes, found.wanted
        previous = understanding.previous
        question = self._versions(understanding.parsed, text, previous)
        read = await read_forms(question, wanted, nodes, facts.policy)
        before = None if previous or not points_back(text) else understanding.question_before
        if read is None or before is None:
            return read
        leaning = replace(wanted, query=search_text(wanted.query, previous=before))
        question = self._versions(understanding.parsed, text, before)
        after = await read_forms(question, leaning, nodes, facts.policy)
        # Of equal answers the one that leans on nothing asked before; one that answers nothing may have any score.
        return read if after is None or (after.answers, after.score) <= (read.answers, read.score) else after

    def _versions(self, parsed: ParsedQuery, text: str, previous: str | None) -> QuestionVersions:
        """Return the question as its steps need it; `previous` is the one that it follows, if any."""
        leaning, said = (search_text(each, previous=previous) for each in (text, self.turn.facts.question))
        is_asked_back = self.turn.facts.stance is Stance.QUESTION
        form = FACT
        if parsed.time_from_when and self.turn.request.when is None:  # what is left is the time itself
            form = AnswerForm(kind="digest")
        elif not is_asked_back:
            is_timed = parsed.time is not None and parsed.limit is None
            before, form = (form_of(each, is_timed=is_timed) for each in (leaning, text))
            form = before if form == FACT and not (before.subjects or before.questions) else form
        return QuestionVersions(
            own=text,
            leaning=leaning,
            said=said,
            rows=(parsed.limit or MAX_WINDOW_PASSAGES) if asks_for_rows(parsed) else None,
            form=form,
            wants_several=is_asked_back,
        )

    def _plan(
        self,
        understanding: _Understanding,
        evidence: Sequence[Evidence],
        pinned: tuple[PinnedRows, ...],
        neighbours: tuple[Evidence, ...] | None = None,
    ) -> ContextPlan:
        inputs = ContextInputs(
            question=self.turn.facts.question,
            evidence=tuple(evidence),
            beside=neighbours,
            pinned=pinned,
            now=self.turn.facts.timestamp,
            timezone=self._settings.time.timezone,
            include_private=self.turn.request.include_private,
            quarantine=self._settings.llm.quarantine_instructions,
            grounds=understanding.grounds,
            withheld=understanding.withheld,
        )
        return build_context(
            self.turn.session,
            inputs,
            template=self._template,
            budget=self.drafting.budget,
            count=self.drafting.counter.count,
            reserve=self.drafting.reserve,
        )

    def _require_consent(self, plan: ContextPlan) -> None:
        profile, is_allowed = self.drafting.llm.profile, self._settings.privacy.allow_private_remote
        self.verifying.require_consent(is_private=plan.is_private, allowed=is_allowed)
        if plan.is_private and profile.remote and not is_allowed:
            raise ConfigurationError(
                f"private rows would be sent to {vendor(profile.provider)}; that needs its own consent: set "
                "SURR_ALLOW_PRIVATE_REMOTE=1, or ask without private rows"
            )


def _question_before(session: InnerVoiceSession, *, include_private: bool) -> str | None:
    """Return the last question that named its subject; one that is withheld only where private rows are let in. A
    public question is read like its prompt: without the turns that are withheld. Else what was asked of private rows
    would choose what is found for it, and stand behind an answer that everybody sees (promise 6)."""
    before = [
        each.my_query
        for each in session.context_window
        if each.status in {"answered", "refused"}
        and not each.states_nothing
        and (include_private or not each.is_withheld)
    ]
    own = (question for question in reversed(before) if not only_points_back(question))
    return next(own, before[-1] if before else None)


def _understood_event(parsed: ParsedQuery) -> Understood:
    time = parsed.time
    return Understood(
        terms=parsed.terms,
        phrases=parsed.phrases,
        entity_ids=parsed.entity_ids,
        time=time.note if time else None,
        start=time.window.start if time else None,
        end=time.window.end if time else None,
    )

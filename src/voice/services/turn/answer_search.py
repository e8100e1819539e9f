"""Search for passages that answer a question.

Law: for a question about the owner's name or about a time, the content of the passages decides. For any other question
a rule decides (`voice.core.answering.answer_rules`): the one for notes, which a re-ranker improves, or the one for
conversations, which looks at the speaker.

Source: DESIGN 5 "Re-ranking"; rulings D5, E.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from voice.core.answering.answer_layout import Layout, Part, RowSpan
from voice.core.answering.answer_rules import (
    MAX_WINDOW_PASSAGES,
    is_sole_subject,
    judge_conversation,
    judge_passages,
    passages_in_window,
    with_matching_lists,
    with_matching_rows,
    with_whole_matches,
)
from voice.core.answering.content_selection import says_how_many
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.owner_questions import asks_owner_name, states_owner_name
from voice.core.answering.owner_traits import trait_asked
from voice.core.answering.passage_choice import (
    BESIDE_THRESHOLD,
    THRESHOLD,
    JudgedPassage,
    chosen_passages,
    with_later_note,
    without_ended,
)
from voice.core.answering.question_form import FACT, AnswerForm, asks_for_many, is_answered_shortly, term_weights
from voice.core.answering.question_target import QuestionTarget
from voice.core.grounding.extractive.question_fit import Amount, answer_types, holds_amount
from voice.core.grounding.refusal_reasons import Answerability, single_source_hint
from voice.core.grounding.values import Evidence, GroundingPolicy, RefusalReason
from voice.core.messages import asking as messages
from voice.core.records import Entity, EntityName, Observation
from voice.core.retrieval.passages import EvidenceRequest, Passage, as_evidence, tells_no_end, without_ended_neighbours
from voice.core.retrieval.values import Candidate, PassageScore, Window
from voice.core.text.instants import date_sort_key
from voice.core.text.words import stems_in
from voice.services.retrieval.passages import FindLists, JoinPassages
from voice.services.retrieval.reranking import Rerank
from voice.services.retrieval.search import Retrieve

_NOTHING_FOUND: Final = "I found nothing that matches this question"
_OF_OTHERS: Final = "what I found is about somebody or something else"
_NONE_ANSWERS: Final = "none of the passages I found answers this"
_RELEVANT: Final = -6.0  # the least logit of a row that is relevant by itself; what is off the point is near -11…
_BEHIND: Final = 4.0  # …and the most that it may be behind the best row: a path that says it all lifts every row
_SHOWN: Final = 3  # passages that a refusal shows


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageReading:
    """The result of reading passages for a question."""

    evidence: tuple[Evidence, ...]
    """The rows of the passages that answer, or of the closest ones, the best first."""
    answers: bool
    is_alone: bool = False
    """Whether one note answers, but the settings ask for more."""
    layout: Layout | None = None
    """The layout of the answer; None or without parts: as passages."""
    missing: str | None = None
    score: float = math.inf  # inf: no score decided

    def answerable(self, policy: GroundingPolicy) -> Answerability:
        """Return whether the turn can go on, and if not, why."""
        if self.is_alone:
            wanted = policy.min_sources
            found = "only one note I found answers this" if wanted == 2 else "too few of the notes I found answer this"
            missing = f"{found}, and your settings require {wanted}; {single_source_hint(policy)}"
            return Answerability(ok=False, reason=RefusalReason.TOO_FEW_SOURCES, missing=missing)
        return Answerability(ok=self.answers, missing=None if self.answers else self.missing or _NONE_ANSWERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionVersions:
    """A question, in the versions that its steps need."""

    own: str
    leaning: str
    """The same with the question it refers back to."""
    said: str
    """The question as asked, with its time and the question it refers back to."""
    rows: int | None = None
    """How many notes of a time it asks for; None if it asks for something else."""
    form: AnswerForm = FACT
    wants_several: bool = False
    """Whether several notes are wanted, however much of the question each holds."""

    @property
    def telling(self) -> Mapping[str, float] | None:
        """The weight of each of its topic words; None if it asks for more than one thing."""
        is_of_one = self.form.kind in ("fact", "yes_no") and not asks_for_many(self.own)
        return term_weights(self.leaning) if is_of_one and not self.wants_several else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The rows that a search found, with their passages."""

    hits: tuple[Candidate, ...]
    passages: tuple[Passage, ...]
    entities: Sequence[Entity | EntityName]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPassages:
    """The reader of passages for a question."""

    retrieve: Retrieve
    join: JoinPassages
    lists: FindLists
    rerank: Rerank
    owner: MemoryOwner = MemoryOwner()
    is_calibrated: bool = True
    """Whether the rule was fitted with the encoder in use."""

    async def __call__(
        self,
        asking: QuestionVersions,
        request: EvidenceRequest,
        entities: Sequence[Entity | EntityName],
        policy: GroundingPolicy,
    ) -> PassageReading | None:
        """Return the passages that answer a question, or the closest; None if no note says who the owner is. The floors
        and the limit of `request` do not hold here. Raises ConfigurationError: private rows would go to a remote
        re-ranker without consent; RerankerUnavailable, ScopeRequired, StoreError: nothing could be read."""
        if self.owner.names and asks_owner_name(asking.own):
            return await self._read_owner(request, entities)
        target = await self._target(asking, request, entities)
        found = await self._found(asking, request, entities)
        if not found.passages:
            return PassageReading(evidence=(), answers=False, missing=_NOTHING_FOUND)
        is_open = not term_weights(asking.leaning)  # "what happened?" asks for no word
        most = MAX_WINDOW_PASSAGES if asking.rows is None and is_open and request.window != Window() else asking.rows
        if most is not None and (then := passages_in_window(asking.own, target.identifiers, found.passages, most=most)):
            return PassageReading(evidence=_bounded(evidence_of(then, entities), request.limit), answers=True)
        certain = await self._owner_statements(asking, request)
        if is_open and not certain:
            return PassageReading(evidence=evidence_of(found.passages[:_SHOWN], entities), answers=False)
        judged = await self._ranked(asking, request, found, target, certain)
        if not judged:
            return PassageReading(
                evidence=evidence_of(found.passages[:_SHOWN], entities), answers=False, missing=_OF_OTHERS
            )
        sources = 1 if policy.single_source == "green" else policy.min_sources
        telling = asking.telling
        chosen = chosen_passages(judged, sources=sources, telling=telling)
        if telling and is_answered_shortly(asking.own):  # what one sentence answers may have changed since
            chosen = with_later_note(chosen, judged, telling)
        # Beside a list stands what the policy asks for, and nothing else.
        wanted = chosen if sources > 1 else chosen[:1]
        as_list = await self._listed(wanted, asking, request, entities) if wanted else None
        return as_list or await self._in_passages(chosen, judged, asking, request, entities)

    async def _in_passages(
        self,
        chosen: Sequence[Passage],
        judged: Sequence[JudgedPassage],
        asking: QuestionVersions,
        request: EvidenceRequest,
        entities: Sequence[Entity | EntityName],
    ) -> PassageReading:
        """Return the passages that answer, or the closest of those that were judged."""
        shown = await self._with_best_row(asking, chosen) or tuple(each.passage for each in judged[:_SHOWN])
        close = [one for one in judged if one.score > BESIDE_THRESHOLD]
        # Of a time, too, several may be told: "What did I do on the island in 2024?"
        wants_many = asking.form.kind == "list" or request.window != Window()
        is_partial = wants_many and not is_answered_shortly(asking.own) and 0 < len(chosen) < len(close)
        return PassageReading(
            evidence=_bounded(evidence_of(shown, entities), request.limit),
            answers=bool(chosen),
            layout=Layout(parts=(), more=messages.MAY_NOT_BE_ALL) if is_partial else None,
            is_alone=not chosen and judged[0].score > THRESHOLD,  # it answers, but alone
            score=judged[0].score,
        )

    def within(self, retrieve: Retrieve) -> "ReadPassages":
        """Return the same reader for another view of the memory, in which `retrieve` searches."""
        join, lists = replace(self.join, retrieve=retrieve), replace(self.lists, retrieve=retrieve)
        return replace(self, retrieve=retrieve, join=join, lists=lists)

    async def judged(
        self, asking: QuestionVersions, request: EvidenceRequest, entities: Sequence[Entity | EntityName]
    ) -> tuple[JudgedPassage, ...]:
        """Return the passages with their scores, the best first. Raises as above."""
        target = await self._target(asking, request, entities)
        return await self._judged(asking, await self._found(asking, request, entities), target)

    async def _target(
        self, asking: QuestionVersions, request: EvidenceRequest, entities: Sequence[Entity | EntityName]
    ) -> QuestionTarget:
        target = QuestionTarget.of(asking.own, entities, self.owner)
        return target.counted(await self.retrieve.count_holding(target.identifiers.words_to_count, request))

    async def _found(
        self, asking: QuestionVersions, request: EvidenceRequest, entities: Sequence[Entity | EntityName]
    ) -> _Found:
        wide = request.to_be_read(" ".join(asking.said.split("\n")))
        telling = term_weights(asking.leaning)
        found = _tellable((await self.retrieve.fetch_evidence(wide)).chosen, request)
        hits = tuple(sorted(found, key=lambda hit: not is_sole_subject(telling, hit)))  # the others stay as found
        joined = await self.join(hits, wide)
        passages = tuple(without_ended_neighbours(each, request.now) for each in joined)
        return _Found(hits=hits, passages=passages, entities=entities)

    async def _ranked(
        self,
        asking: QuestionVersions,
        request: EvidenceRequest,
        found: _Found,
        target: QuestionTarget,
        certain: Sequence[JudgedPassage],
    ) -> tuple[JudgedPassage, ...]:
        """Return what certainly answers before the passages that may; what has ended only where its time is asked."""
        judged = with_matching_rows(asking.leaning, await self._judged(asking, found, target))
        if asking.form.kind in ("list", "count"):
            judged = with_matching_lists(asking.own, judged)
        if request.window != Window():
            judged = with_whole_matches(asking.leaning, judged)
        certain_ids = {row.row.id for each in certain for row in each.passage.rows}
        others = (each for each in judged if certain_ids.isdisjoint(row.row.id for row in each.passage.rows))
        ranked = (*certain, *others)
        return ranked if request.window != Window() else without_ended(ranked, request.now)

    async def _judged(
        self, asking: QuestionVersions, found: _Found, target: QuestionTarget
    ) -> tuple[JudgedPassage, ...]:
        if judged := self._judged_conversation(asking, found, target):
            return judged
        passages = tuple(filter(target.may_be_about_owner, found.passages)) or found.passages  # none may be: then all
        scores = await self._scores(asking, passages)
        return judge_passages(asking.leaning, passages, scores, target, is_calibrated=self.is_calibrated)

    def _judged_conversation(
        self, asking: QuestionVersions, found: _Found, target: QuestionTarget
    ) -> tuple[JudgedPassage, ...]:
        """Return what was said with how well it answers, where conversations are asked about one of those who speak. In
        a question of the owner their own words have no speaker: "I" is who asks."""
        if not any(target.is_by_other_speaker(passage.hit) for passage in found.passages[:_SHOWN]):
            return ()
        kept = target.matching_rows(found.hits)
        rows = as_evidence(kept, found.entities)
        if target.is_about_owner:
            owner = target.owner
            rows = tuple(replace(row, speaker=None) if owner.is_called(row.speaker or "") else row for row in rows)
        ids, things = {hit.row.id for hit in kept}, target.identifiers.of_things
        passages = [each for each in found.passages if each.hit.row.id in ids]
        # What holds the things that are named answers; the others may stand beside it.
        passages.sort(key=things.is_missing_from)
        if not passages or things.is_missing_from(passages[0]):
            return ()
        return judge_conversation(asking.leaning, passages, rows, is_calibrated=self.is_calibrated)

    async def _owner_statements(self, asking: QuestionVersions, request: EvidenceRequest) -> tuple[JudgedPassage, ...]:
        """Return what the owner says of themselves, the latest first, where nothing else is asked for."""
        trait = trait_asked(asking.own, self.owner) if request.window == Window() else None
        if trait is None:
            return ()
        wide = replace(request.to_be_read(f"{asking.own} {trait.search}"), phrases=())
        found = _tellable((await self.retrieve.fetch_evidence(wide)).chosen, request)
        wanted: list[Amount] = [kind for kind in answer_types(asking.own) if kind != "time"]
        rows = [
            row
            for row in found
            if trait.is_told_in(row, self.owner) and all(holds_amount(kind, row.text) for kind in wanted)
        ]
        rows.sort(key=lambda row: date_sort_key(row.row.created_at, latest_first=True))
        return tuple(
            JudgedPassage(passage=Passage(rows=(row,), found=0), score=math.inf, is_certain=True)
            for row in rows[:_SHOWN]
        )

    async def _scores(self, asking: QuestionVersions, passages: Sequence[Passage]) -> Sequence[PassageScore] | None:
        if not passages:
            return None
        is_private = any(row.is_private for passage in passages for row in passage.rows)
        return await self.rerank.scores(asking.said, [each.placed_text for each in passages], is_private=is_private)

    async def _with_best_row(self, asking: QuestionVersions, chosen: Sequence[Passage]) -> Sequence[Passage]:
        """Return chosen passages; the best one of notes starts from the row that its re-ranker puts first."""
        if not chosen or any(isinstance(each.row, Observation) and each.row.speaker for each in chosen[0].rows):
            return chosen
        first = chosen[0]
        scores = await self._scores(asking, [Passage(rows=(each,), found=0) for each in first.rows])
        if scores is None:
            return chosen
        logits = [score.relevance for score in scores]
        least = max(_RELEVANT, max(logits) - _BEHIND)
        counted = stems_in(asking.form.subjects[0]) if asking.form.kind == "count" else frozenset[str]()
        names = [
            not counted.isdisjoint(stems_in(each.text)) and logits[at] > least for at, each in enumerate(first.rows)
        ]
        best = max(range(len(logits)), key=lambda at: (names[at], logits[at], at == first.found))  # else the one found
        relevant = frozenset(at for at, logit in enumerate(logits) if logit > least)
        return (replace(first, found=best, relevant=relevant), *chosen[1:])

    async def _listed(
        self,
        chosen: Sequence[Passage],
        asking: QuestionVersions,
        request: EvidenceRequest,
        entities: Sequence[Entity | EntityName],
    ) -> PassageReading | None:
        """Return the whole list that the best passage stands in, where one is asked for or its items are counted."""
        form = asking.form
        is_said = form.kind == "count" and says_how_many(chosen[0].hit.text, form.subjects[0])
        if form.kind not in ("list", "count") or is_said:
            return None
        found = await self.lists(chosen[0], asking.said, request)
        if found is None:
            return None
        is_then = all(request.window.admits(each.row.created_at) for each in found.rows)
        asked = asking.leaning if is_then else asking.said
        part = found.part if form.kind == "list" else found.counted(form.subjects[0], asked)
        if part is None:
            return None
        listed = {each.row.id for each in found.rows}
        beside = [passage.hit for passage in chosen[1:] if passage.hit.row.id not in listed]  # an item is told once
        others = [Part(stretches=(RowSpan(each.row.id, 0, len(each.text)),)) for each in beside]
        layout = Layout(parts=(part, *others), more=found.left if form.kind == "list" else "")
        return PassageReading(evidence=as_evidence([*found.rows, *beside], entities), answers=True, layout=layout)

    async def _read_owner(
        self, request: EvidenceRequest, entities: Sequence[Entity | EntityName]
    ) -> PassageReading | None:
        """Return what the notes say of who their owner is; None where they do not say it."""
        named = replace(request.to_be_read(f"I am {self.owner.names[0]}"), phrases=(), window=Window())
        found = (await self.retrieve.fetch_evidence(named)).chosen
        passages = [Passage(rows=(each,), found=0) for each in found if states_owner_name(each, self.owner)]
        if not passages:
            return None
        return PassageReading(evidence=evidence_of(passages[:_SHOWN], entities), answers=True)


def _tellable(found: Sequence[Candidate], request: EvidenceRequest) -> tuple[Candidate, ...]:
    """Return what was found without what has ended on no day that an answer could say."""
    return tuple(each for each in found if not tells_no_end(each, request.now))


def _bounded(rows: tuple[Evidence, ...], limit: int) -> tuple[Evidence, ...]:
    """Return at most so many rows, in their order: what was found before what stands beside it."""
    first = sorted(range(len(rows)), key=lambda at: not rows[at].is_hit)[:limit]  # a stable sort: hits first
    return tuple(rows[at] for at in sorted(first))  # …and back in the order of the passages


def evidence_of(passages: Sequence[Passage], entities: Sequence[Entity | EntityName]) -> tuple[Evidence, ...]:
    """Return the rows of passages as evidence, each with the number of its passage."""
    rows = [(number, at, passage) for number, passage in enumerate(passages) for at in range(len(passage.rows))]
    made = as_evidence([passage.rows[at] for _, at, passage in rows], entities)
    return tuple(
        replace(each, passage=number, is_hit=at == passage.found, is_relevant=at in passage.relevant)
        for each, (number, at, passage) in zip(made, rows, strict=True)
    )

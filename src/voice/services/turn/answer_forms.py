"""Answer in the form a question asks for: a digest, an overview, a comparison, several questions at once.

Law: what is given is rows that the search itself could have found. Of two things that are compared each is looked up by
itself; where one of them is told of nowhere, that is said and nothing is compared. Of several questions each is
answered by itself; which of them nothing answers is said. Everything else is left to the passages.

Source: DESIGN 5; rulings D5, I2.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from voice.core.answering.answer_layout import Layout, Part, PartAnswer, ReadRow
from voice.core.answering.content_selection import digest_of, mentions_of, names_topic, sentences_about
from voice.core.answering.passage_choice import THRESHOLD
from voice.core.answering.question_form import FACT, form_of, says_how_often, term_weights
from voice.core.answering.question_target import Identifiers
from voice.core.context.question import is_follow_up, points_back, search_text
from voice.core.graph.entity_names import Named
from voice.core.grounding.extractive.evidence_sentences import EvidenceSentence
from voice.core.grounding.values import Evidence, GroundingPolicy
from voice.core.messages import asking as messages
from voice.core.records import Observation, Row
from voice.core.retrieval.passages import EVIDENCE_LIMIT, EvidenceRequest, Passage, as_evidence, tells_no_end
from voice.core.retrieval.searchable_text import is_in, is_told_of
from voice.core.retrieval.values import Candidate, Window
from voice.core.text.display import counted
from voice.core.text.instants import date_sort_key, has_date
from voice.core.text.markdown import outline_of
from voice.core.text.words import content_words, stems_in
from voice.services.turn.answer_search import PassageReading, QuestionVersions, ReadPassages, evidence_of

_OF_A_TIME: Final = 250  # rows of a time that a digest chooses from
_OF_A_SIDE: Final = 4  # sentences for each side of a comparison
_NOTHING_THEN: Final = "I found no notes"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadForms:
    """The reader for questions that ask for more than passages; it leaves other questions to `ReadPassages`."""

    passages: ReadPassages

    async def __call__(
        self, asking: QuestionVersions, request: EvidenceRequest, entities: Sequence[Named], policy: GroundingPolicy
    ) -> PassageReading | None:
        """Return the answer in the form that a question asks for, or that of `ReadPassages`; raises as that does."""
        kind = asking.form.kind
        if kind == "several":
            # A time that is named may be of one of them alone.
            each = await self._each(asking, request, entities, policy) if request.window == Window() else None
            return each or await self(replace(asking, form=FACT), request, entities, policy)
        if kind == "digest":
            return await self._digest(request, entities)
        if kind == "about" and (about := await self._about(asking, request, entities)) is not None:
            return about
        read = await self.passages(asking, request, entities, policy)
        if read is None or kind not in ("comparison", "choice", "times"):
            return read
        if kind == "times":
            return await self._times(asking, request, entities, read) or read
        return await self._sides(asking, request, entities, read)

    async def _each(
        self, asking: QuestionVersions, request: EvidenceRequest, entities: Sequence[Named], policy: GroundingPolicy
    ) -> PassageReading | None:
        """Return what answers each of several questions, if anything answers the first; the second may lean on it."""
        answered: list[tuple[str, PassageReading]] = []
        more, before = "", asking.leaning.removesuffix(asking.own).strip() or None
        for question in asking.form.questions:
            is_first = not answered
            leans = is_first or points_back(question)
            leans = leans or is_follow_up(question, content_terms=len(term_weights(question)))
            leaning = search_text(question, previous=before if leans else None)
            form = form_of(question, is_timed=False)
            own = replace(asking, own=question, leaning=leaning, said=leaning, form=form)
            read = await self(own, replace(request, query=leaning), entities, policy)
            if read is not None and read.answers:
                answered.append((question, read))
            elif is_first:
                return None
            elif not leans and read is not None:  # what answers one that leans may stand in the answer to the first
                given = {row.row_id for _, one in answered for row in one.evidence if row.is_hit or row.is_relevant}
                closest = {row.row_id for row in read.evidence if row.passage == 0 and row.is_hit}
                more = more if closest & given else messages.part_unanswered(question)
            before = before or question
        return _one_after_another(answered, more)

    async def _digest(self, request: EvidenceRequest, entities: Sequence[Named]) -> PassageReading | None:
        wide = replace(request, floor=-1.0, min_floor=-1.0, limit=_OF_A_TIME)  # below any cosine: all of that time
        found = (await self.passages.retrieve.fetch_evidence(wide)).chosen
        rows = as_evidence(_in_order_told(found), entities)
        of_row = {each.row.id: each.row for each in found}
        points = digest_of(rows, lambda each: _is_of_time(request.window, each, of_row[each.row.row_id]))
        if not points.part.stretches:
            return PassageReading(evidence=(), answers=False, missing=_NOTHING_THEN)
        more = _more(points.left, "from that time", is_least=len(found) >= _OF_A_TIME)  # the search stopped there
        dated, undated = (
            [each for each in points.part.stretches if has_date(of_row[each.row_id].created_at) is known]
            for known in (True, False)
        )
        parts = (Part(stretches=tuple(dated)), Part(stretches=tuple(undated), head=messages.UNDATED_THEN))
        return _laid_out(rows, Layout(parts=parts, more=more))

    async def _times(
        self, asking: QuestionVersions, request: EvidenceRequest, entities: Sequence[Named], read: PassageReading
    ) -> PassageReading | None:
        """Return the days that mention something, counted; None where a note says how often it was."""
        subjects = asking.form.subjects
        if any(says_how_often(row.text) for row in read.evidence if row.is_hit):  # a note that counts knows better
            return None
        found = await self.passages.retrieve.fetch_holding(" ".join(subjects), request)
        rows = as_evidence(_in_order_told(found or ()), entities)
        part = mentions_of(rows, subjects)
        return None if part is None else _laid_out(rows, Layout(parts=(part,)))

    async def _about(
        self, asking: QuestionVersions, request: EvidenceRequest, entities: Sequence[Named]
    ) -> PassageReading | None:
        """Return what several notes tell of something; None where none names it, or who said it decides."""
        (subject,) = asking.form.subjects
        stems = frozenset(term_weights(subject)) or frozenset(word.stem for word in content_words(subject))
        chosen = (await self.passages.retrieve.fetch_evidence(request.to_be_read(subject))).chosen
        found = [each for each in chosen if not tells_no_end(each, request.now)]
        if any(isinstance(each.row, Observation) and each.row.speaker is not None for each in found):
            return None
        numbered = Identifiers.of(subject, entities, self.passages.owner).of_one_row
        own = [each for each in _in_order_told(found) if not numbered.is_missing_from(Passage(rows=(each,), found=0))]
        rows = [row for row in as_evidence(own, entities) if names_topic(row, stems)]
        if not rows:
            return None
        points = sentences_about(rows, stems)
        more = _more(points.left, f"about “{subject}”", is_least=len(chosen) >= EVIDENCE_LIMIT)
        return _laid_out(rows, Layout(parts=(points.part,), more=more))

    async def _sides(
        self, asking: QuestionVersions, request: EvidenceRequest, entities: Sequence[Named], read: PassageReading
    ) -> PassageReading:
        """Return two things side by side, each with what tells of it; what was read where one passage tells of both."""
        form = asking.form
        sides = [frozenset(word.stem for word in content_words(side)) for side in form.subjects]
        first = [row for row in read.evidence if row.passage == 0]  # of the best passage
        held = frozenset[str]().union(*(stems_in(f"{row.text}\n{row.context or ''}") for row in first))
        if read.answers and all(stems <= held for stems in sides):
            return read
        found = [
            await self._side(asking, question, stems, request, entities)
            for question, stems in zip(form.questions, sides, strict=True)
        ]
        if all(found):
            return _side_by_side(form.subjects, sides, found, entities)
        if form.kind == "choice" and read.answers:
            return read
        lacking = " and ".join(f"“{side}”" for side, passages in zip(form.subjects, found, strict=True) if not passages)
        shown = [passage for passages in found for passage in passages[:2]]
        return PassageReading(
            evidence=evidence_of(shown, entities) if shown else read.evidence,
            answers=False,
            missing=f"none of the passages I found says this about {lacking}",
        )

    async def _side(
        self,
        asking: QuestionVersions,
        question: str,
        stems: frozenset[str],
        request: EvidenceRequest,
        entities: Sequence[Named],
    ) -> list[Passage]:
        own = replace(asking, own=question, leaning=question, said=question)
        judged = await self.passages.judged(own, replace(request, query=question), entities)
        least = THRESHOLD if asking.form.kind == "choice" else float("-inf")  # a choice needs an answer, not a mention
        return [one.passage for one in judged if one.score > least and stems <= stems_in(one.passage.placed_text)]


def _one_after_another(answered: Sequence[tuple[str, PassageReading]], more: str) -> PassageReading:
    """Return what answers several questions; a row that answers more than one of them stands once."""
    parts: list[PartAnswer] = []
    for question, read in answered:
        rows = tuple(ReadRow(row.row_id, row.passage, row.is_hit, row.is_relevant) for row in read.evidence)
        layout = read.layout or Layout(parts=())
        parts += layout.answers or [PartAnswer(question=question, rows=rows, parts=layout.parts, more=layout.more)]
    evidence: dict[str, Evidence] = {}
    for number, (_, read) in enumerate(answered):
        for row in read.evidence:
            passage = None if row.passage is None else row.passage + number * EVIDENCE_LIMIT
            evidence.setdefault(row.row_id, replace(row, passage=passage))
    layout = Layout(parts=(), answers=tuple(parts), more=more)
    score = min(read.score for _, read in answered)
    return PassageReading(evidence=tuple(evidence.values()), answers=True, layout=layout, score=score)


def _is_of_time(window: Window, sentence: EvidenceSentence, row: Row) -> bool:
    """Return whether a sentence of a row, under its headings there, is about a time."""
    if not isinstance(row, Observation):
        return is_in(window, row)
    outline = outline_of(row.text)
    over = [each.said for at in outline.at(sentence.start, sentence.end)[:1] for each in outline.over(at)]
    return is_told_of(window, replace(row, context_path=(*row.context_path, *reversed(over)), text=sentence.text))


def _side_by_side(
    subjects: Sequence[str],
    sides: Sequence[frozenset[str]],
    found: Sequence[Sequence[Passage]],
    entities: Sequence[Named],
) -> PassageReading:
    rows: dict[str, Candidate] = {row.row.id: row for passages in found for each in passages[:2] for row in each.rows}
    evidence = as_evidence(rows.values(), entities)
    by_id = {row.row_id: row for row in evidence}
    parts: list[Part] = []
    for subject, stems, passages in zip(subjects, sides, found, strict=True):
        own = [by_id[row.row.id] for each in passages[:2] for row in (each.hit, *each.rows)]  # the hit comes first
        points = sentences_about([row for row in dict.fromkeys(own) if names_topic(row, stems)], stems, most=_OF_A_SIDE)
        parts.append(replace(points.part, head=f"{subject}:"))
    return _laid_out(evidence, Layout(parts=tuple(parts)))


def _more(left: int, of_what: str, *, is_least: bool) -> str:
    """Return what is said of sentences that are not given; empty where all are."""
    if not left:
        return ""
    least = "At least " if is_least else ""
    return f"{least}{counted(left, 'more sentence')} {of_what} {'is' if left == 1 else 'are'} not shown here."


def _in_order_told(found: Sequence[Candidate]) -> list[Candidate]:
    """Return sentences of notes in the order in which they were told, what is undated last."""

    def place(each: Candidate) -> tuple[object, ...]:
        at = each.row.provenance[0] if isinstance(each.row, Observation) and each.row.provenance else None
        return (date_sort_key(each.row.created_at), at.thought_id if at else "", at.start if at else 0)

    return sorted((each for each in found if isinstance(each.row, Observation)), key=place)


def _laid_out(rows: Sequence[Evidence], layout: Layout) -> PassageReading:
    shown = frozenset(layout.row_ids)
    return PassageReading(evidence=tuple(row for row in rows if row.row_id in shown), answers=True, layout=layout)

"""Verify a stored answer again, against today's rows and without a model.

Law: a sentence is still grounded when every row it rests on is there, has the content it had, and what the answer
quotes of today's rows still supports it. Offsets are trusted only under an unchanged hash. A supersession is not a
change: the row still says what it said, and that it was superseded is told beside the status. What rests on a row that
was redacted is not repeated. A sentence that lost its words because its answer rests on what went cannot be judged: it
has the status of that, and is never said to be unsupported.

Source: DESIGN 6 "Receipts"; promise 9.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from voice.core.grounding.claims import Grounds, Judged, as_claim, judge_sentence
from voice.core.grounding.neighbours import judge_sentences
from voice.core.grounding.opinions import PARAPHRASE, is_open
from voice.core.grounding.passages import touched_passages
from voice.core.grounding.values import Evidence, GroundingPolicy, Receipt, SentenceVerdict, SourceCitation
from voice.core.grounding.who import people_of
from voice.core.text.words import content_words

AuditStatus = Literal[
    "still_grounded",
    "source_changed",
    "source_removed",
    "source_not_here",
    "source_redacted",
    "no_longer_supported",
]
STATUSES: tuple[AuditStatus, ...] = (
    "still_grounded",
    "source_changed",
    "source_removed",
    "source_not_here",
    "source_redacted",
    "no_longer_supported",
)
_WORST_FIRST: tuple[AuditStatus, ...] = (
    "source_removed",
    "source_not_here",
    "source_redacted",
    "source_changed",
    "still_grounded",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceAudit:
    """What became of one sentence's ground; `start:end` are its offsets in the stored answer."""

    index: int
    """Its place among all sentences of the answer, from 0; those that were never supported are not audited."""
    start: int
    end: int
    text: str = field(repr=False)
    status: AuditStatus
    row_ids: tuple[str, ...]
    """The rows that brought the status about; for a sentence that still stands, all it rests on."""
    superseded: tuple[str, ...] = ()
    """Those of its rows that something newer has taken the place of; they still say what they said."""
    today: tuple[str, ...] = field(default=(), repr=False)
    """What the rows that were changed say now, as far as everybody may read it."""
    is_withheld: bool = False
    """Whether its words may not be shown any more, because a row that it rests on was redacted."""
    is_judged: bool = True
    """False: its own rows stand, but its words went with another row of its answer, whose status it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """What is kept of an accepted answer, as far as it bears on its ground."""

    question: str = field(repr=False)
    sentences: tuple[SentenceVerdict, ...] = field(repr=False)
    sources: tuple[SourceCitation, ...] = field(default=(), repr=False)
    policy: GroundingPolicy = GroundingPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Today:
    """The rows of an answer as they are now."""

    rows: Mapping[str, Evidence]
    redacted: frozenset[str]
    not_here: frozenset[str]


def reverify(
    answer: StoredAnswer,
    current: Mapping[str, Evidence],
    *,
    redacted: frozenset[str] = frozenset(),
    not_here: frozenset[str] = frozenset(),
) -> tuple[SentenceAudit, ...]:
    """Return the audit of every sentence of a stored answer that was supported.

    Args:
        answer: its verdicts with their receipts, its citations, its question and the policy it was judged by.
        current: today's rows by row id, as evidence; a row that is gone is not in it. The other rows of its prompt
            may be in it, too: they tell who is a person.
        redacted: the ids of rows whose content was taken out on purpose.
        not_here: the ids of rows that this memory never held, because the answer was given by another one.
    """
    together = _judged_together(answer, current)
    today = _Today(rows=current, redacted=redacted, not_here=not_here)
    return tuple(
        _audit(answer, index, judged, today)
        for index, (sentence, judged) in enumerate(zip(answer.sentences, together, strict=True))
        if sentence.verdict == "supported"
    )


def _audit(answer: StoredAnswer, index: int, together: Judged, today: _Today) -> SentenceAudit:
    sentence, current = answer.sentences[index], today.rows
    own: dict[str, AuditStatus] = {r.row_id: _status(r, today) for r in sentence.receipts}
    found, status = own, _worst(own.values())
    is_judged = bool(sentence.text) or status not in ("still_grounded", "no_longer_supported")
    if not is_judged:
        found = _gone_elsewhere(answer, today)
        status = _worst(found.values()) if found else "source_redacted"
    rows = tuple(row_id for row_id, each in found.items() if each == status)
    if status == "still_grounded" and not _is_supported(answer, sentence, together, current):
        status = "no_longer_supported"
    return SentenceAudit(
        index=index,
        start=sentence.start,
        end=sentence.end,
        text=sentence.text,
        status=status,
        row_ids=rows,
        superseded=tuple(row_id for row_id in own if row_id in current and current[row_id].superseded_by is not None),
        today=tuple(
            current[row_id].text for row_id in rows if status == "source_changed" and not current[row_id].is_private
        ),
        is_withheld=not today.redacted.isdisjoint(own),
        is_judged=is_judged,
    )


def _gone_elsewhere(answer: StoredAnswer, today: _Today) -> dict[str, AuditStatus]:
    """Return the rows of an answer that went, with their statuses: with one of them its words went.

    None, where it only quoted what went.
    """
    rows = {receipt.row_id: receipt for sentence in answer.sentences for receipt in sentence.receipts}
    found = {row_id: _status(receipt, today) for row_id, receipt in rows.items()}
    return {row_id: own for row_id, own in found.items() if own in ("source_removed", "source_redacted")}


def _worst(held: Collection[AuditStatus]) -> AuditStatus:
    for status in _WORST_FIRST:
        if status in held:
            return status
    return "no_longer_supported"


def _status(receipt: Receipt, today: _Today) -> AuditStatus:
    if receipt.row_id in today.redacted:
        return "source_redacted"
    row = today.rows.get(receipt.row_id)
    if row is None:
        return "source_not_here" if receipt.row_id in today.not_here else "source_removed"
    return "still_grounded" if row.content_hash == receipt.content_hash else "source_changed"


def _is_supported(
    answer: StoredAnswer, sentence: SentenceVerdict, together: Judged, current: Mapping[str, Evidence]
) -> bool:
    """Return whether the sentence is supported afresh: among its neighbours as it was judged, or by its receipts."""
    threshold = answer.policy.support_threshold
    if _holds(together, threshold):
        return True
    if PARAPHRASE in sentence.flags and is_open(sentence.text, together):
        return True  # what the verifiers read is unchanged, and no hard check speaks against it
    places = [(receipt.row_id, receipt.start, receipt.end) for receipt in sentence.receipts]
    return _holds(judge_sentence(sentence.text, _grounds(answer, places, current), threshold), threshold)


def _holds(judged: Judged, threshold: float) -> bool:
    return as_claim(judged, threshold).verdict == "supported"


def _judged_together(answer: StoredAnswer, current: Mapping[str, Evidence]) -> list[Judged]:
    """Return the outcome for every sentence against whatever of the answer's citations stands unchanged."""
    places = [
        (source.source_id, source.span_start, source.span_end)
        for source in answer.sources
        if source.source_id in current and current[source.source_id].content_hash == source.content_hash
    ]
    grounds = _grounds(answer, places, current)
    return judge_sentences([one.text for one in answer.sentences], grounds, answer.policy.support_threshold)


def _grounds(answer: StoredAnswer, places: Sequence[tuple[str, int, int]], current: Mapping[str, Evidence]) -> Grounds:
    rows = tuple(current[row_id] for row_id in dict.fromkeys(row_id for row_id, _, _ in places))
    passages = (passage for row in rows for passage in touched_passages(row, _spans_in(row, places)))
    return Grounds(
        rows=rows,
        passages=tuple(passages),
        people=people_of(tuple(current.values())),
        asked=frozenset(word.stem for word in content_words(answer.question)),
    )


def _spans_in(row: Evidence, places: Iterable[tuple[str, int, int]]) -> list[tuple[int, int]]:
    return [(start, end) for row_id, start, end in places if row_id == row.row_id]

"""Verify a stored answer again, against today's rows and without a model.

Law: a sentence is still grounded when every row it rests on is there, has the content it had, and the places its
receipts name still support it. Offsets are trusted only under an unchanged hash. A supersession is not a change: the
row still says what it said.

Source: DESIGN 6 "Receipts"; promise 9.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from voice.core.grounding.claims import Grounds, judge_sentence
from voice.core.grounding.passages import touched_passages
from voice.core.grounding.values import Evidence, GroundingPolicy, Receipt, SentenceVerdict
from voice.core.grounding.who import people_of

AuditStatus = Literal["still_grounded", "source_changed", "source_removed", "source_redacted", "no_longer_supported"]
_WORST_FIRST: tuple[AuditStatus, ...] = (
    "source_removed",
    "source_redacted",
    "source_changed",
    "no_longer_supported",
    "still_grounded",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceAudit:
    """What became of one sentence's ground; `start:end` are its offsets in the stored answer."""

    start: int
    end: int
    status: AuditStatus
    row_ids: tuple[str, ...]
    """The rows that brought the status about; for a sentence that still stands, all it rests on."""


def reverify(
    sentences: Sequence[SentenceVerdict],
    current: Mapping[str, Evidence],
    *,
    redacted: frozenset[str] = frozenset(),
    policy: GroundingPolicy,
) -> tuple[SentenceAudit, ...]:
    """Return the audit of every sentence of a stored answer that was supported.

    Args:
        sentences: the stored verdicts with their receipts.
        current: today's rows by row id, as evidence; a row that is gone is not in it.
        redacted: the ids of rows whose content was taken out on purpose.
        policy: the one recorded with the exchange.
    """
    return tuple(
        _audit(sentence, current, redacted, policy) for sentence in sentences if sentence.verdict == "supported"
    )


def _audit(
    sentence: SentenceVerdict, current: Mapping[str, Evidence], redacted: frozenset[str], policy: GroundingPolicy
) -> SentenceAudit:
    found: dict[str, AuditStatus] = {r.row_id: _status(r, current, redacted) for r in sentence.receipts}
    status = _worst(set(found.values()))
    rows = tuple(row_id for row_id, own in found.items() if own == status)
    if status == "still_grounded" and not _is_supported(sentence, current, policy):
        status = "no_longer_supported"
    return SentenceAudit(start=sentence.start, end=sentence.end, status=status, row_ids=rows)


def _worst(held: set[AuditStatus]) -> AuditStatus:
    for status in _WORST_FIRST:
        if status in held:
            return status
    return "no_longer_supported"


def _status(receipt: Receipt, current: Mapping[str, Evidence], redacted: frozenset[str]) -> AuditStatus:
    if receipt.row_id in redacted:
        return "source_redacted"
    row = current.get(receipt.row_id)
    if row is None:
        return "source_removed"
    return "still_grounded" if row.content_hash == receipt.content_hash else "source_changed"


def _is_supported(sentence: SentenceVerdict, current: Mapping[str, Evidence], policy: GroundingPolicy) -> bool:
    """Return whether the places that the receipts name still support the sentence, judged afresh."""
    rows = tuple(current[row_id] for row_id in dict.fromkeys(receipt.row_id for receipt in sentence.receipts))
    spans = {row.row_id: [(r.start, r.end) for r in sentence.receipts if r.row_id == row.row_id] for row in rows}
    passages = tuple(passage for row in rows for passage in touched_passages(row, spans[row.row_id]))
    grounds = Grounds(rows=rows, passages=passages, people=people_of(rows))
    judged = judge_sentence(sentence.text, grounds, policy.support_threshold)
    return judged.verdict == "supported" or judged.kind == "question"

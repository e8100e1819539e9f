"""Audit stored answers against today's rows, without a model.

Law: only accepted answers are verified. A quoted sentence must be found quoted in today's rows; any other stands if its
rows keep their hash. Offsets are trusted only under an unchanged hash. Supersession is reported but is not a change.
The text of a redacted row is not repeated.
Source: DESIGN 6 "Receipts"; promise 9.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, get_args

from voice.core.grounding.quotations import CitedSpan, is_correct_count, quotations_in, without_former_place
from voice.core.grounding.values import JUDGE, Evidence, Receipt, SentenceVerdict
from voice.core.session.values import DialogueExchange

AuditStatus = Literal[
    "still_grounded", "source_changed", "source_removed", "source_not_here", "source_redacted", "no_longer_supported"
]
STATUSES: Final[tuple[AuditStatus, ...]] = get_args(AuditStatus)
_WORST_FIRST: tuple[AuditStatus, ...] = (
    "source_removed",
    "source_not_here",
    "source_redacted",
    "source_changed",
    "still_grounded",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceAudit:
    """Audit result of one sentence; `start:end` are its offsets in the stored answer."""

    index: int
    """Index among all sentences of the answer, from 0; unproven ones are not audited."""
    start: int
    end: int
    text: str = field(repr=False)
    status: AuditStatus
    row_ids: tuple[str, ...]
    """The rows that caused the status; if still grounded, all its rows."""
    superseded: tuple[str, ...] = ()
    today: tuple[str, ...] = field(default=(), repr=False)
    """Current text of the changed rows, except private ones."""
    is_withheld: bool = False
    """Whether its text must not be shown, because one of its rows was redacted."""
    is_judged: bool = True
    """False: its text was removed with another row of the answer, whose status it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Today:
    """The rows of an answer in their current state."""

    rows: Mapping[str, Evidence]
    redacted: frozenset[str]
    not_here: frozenset[str]


def reverify(
    sentences: Sequence[SentenceVerdict],
    current: Mapping[str, Evidence],
    *,
    redacted: frozenset[str] = frozenset(),
    not_here: frozenset[str] = frozenset(),
) -> tuple[SentenceAudit, ...]:
    """Audit every proven sentence of a stored answer.

    Args:
        current: today's rows by id, without deleted ones; may include other rows of the prompt, to identify people.
        not_here: ids this memory never held, because the answer was imported.
    """
    today = _Today(rows=current, redacted=redacted, not_here=not_here)
    return tuple(_audit(sentences, index, today) for index, sentence in enumerate(sentences) if sentence.is_proven)


def _audit(sentences: Sequence[SentenceVerdict], index: int, today: _Today) -> SentenceAudit:
    sentence, current = sentences[index], today.rows
    own: dict[str, AuditStatus] = {r.row_id: _status(r, today) for r in sentence.receipts}
    found, status = own, _worst(own.values())
    # An empty text was removed with a row that was forgotten.
    is_judged = bool(sentence.text) or status not in ("still_grounded", "no_longer_supported")
    if not is_judged:
        found = _gone_elsewhere(sentences, today)
        status = _worst(found.values()) if found else "source_redacted"  # it only quoted what was forgotten
    rows = tuple(row_id for row_id, each in found.items() if each == status)
    if status == "still_grounded" and not _still_holds(sentence, current):
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


def _gone_elsewhere(sentences: Sequence[SentenceVerdict], today: _Today) -> dict[str, AuditStatus]:
    """Return an answer's removed rows with their status; none if it only quoted forgotten content."""
    rows = {receipt.row_id: receipt for sentence in sentences for receipt in sentence.receipts}  # each row once
    found = {row_id: _status(receipt, today) for row_id, receipt in rows.items()}
    return {row_id: own for row_id, own in found.items() if own in ("source_removed", "source_redacted")}


def _worst(held: Collection[AuditStatus]) -> AuditStatus:
    for status in _WORST_FIRST:
        if status in held:
            return status
    return "no_longer_supported"  # without receipts nothing supports it


def _status(receipt: Receipt, today: _Today) -> AuditStatus:
    if receipt.row_id in today.redacted:  # first: such a row is there, without its words
        return "source_redacted"
    row = today.rows.get(receipt.row_id)
    if row is None:
        return "source_not_here" if receipt.row_id in today.not_here else "source_removed"
    return "still_grounded" if row.content_hash == receipt.content_hash else "source_changed"


def _still_holds(sentence: SentenceVerdict, current: Mapping[str, Evidence]) -> bool:
    """Return whether rules still prove a sentence, renamed notes apart; a verdict stands on unchanged rows."""
    if sentence.rung != "quoted" or sentence.judge != JUDGE:  # only our own rules can be run again
        return True
    rows = [current[row_id] for row_id in dict.fromkeys(receipt.row_id for receipt in sentence.receipts)]
    cited = [CitedSpan(current[each.row_id], each.start, each.end) for each in sentence.receipts]
    said = (sentence.text, *without_former_place(sentence.text, rows))
    return any(quotations_in(each, rows) for each in said) or is_correct_count(sentence.text, cited, is_renamed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeAudit:
    """Audit result of one turn."""

    exchange_id: str
    session_id: str
    index: int
    timestamp: datetime
    is_private: bool
    is_answer: bool
    """False for a refusal or an error: there is nothing to verify."""
    sentences: tuple[SentenceAudit, ...]

    @property
    def is_grounded(self) -> bool:
        """Whether every audited sentence is still grounded."""
        return all(sentence.status == "still_grounded" for sentence in self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """Audit results of all turns, by session, in order."""

    exchanges: tuple[ExchangeAudit, ...]
    topics: Mapping[str, str] = field(default_factory=dict[str, str])
    """Topic by session id."""

    @property
    def is_grounded(self) -> bool:
        """Whether every audited sentence is still grounded."""
        return all(exchange.is_grounded for exchange in self.exchanges)


def audit_exchange(exchange: DialogueExchange, sentences: tuple[SentenceAudit, ...]) -> ExchangeAudit:
    """Combine a turn with the audit of its sentences."""
    return ExchangeAudit(
        exchange_id=exchange.id,
        session_id=exchange.session_id,
        index=exchange.index,
        timestamp=exchange.timestamp,
        is_private=exchange.is_withheld,
        is_answer=exchange.status == "answered",
        sentences=sentences,
    )


def count_statuses(audits: Iterable[ExchangeAudit]) -> Mapping[AuditStatus, int]:
    """Count sentences per status, in the order of `STATUSES`, zeros included."""
    counted = Counter(sentence.status for audit in audits for sentence in audit.sentences)
    return {status: counted[status] for status in STATUSES}

"""Audit stored answers against today's rows, without a model, and count what was found.

Law: only answers were grounded, so only they are verified again; what was refused is counted and nothing more. One
sentence that no longer stands makes its turn one that does not.

Verify a stored answer again, against today's rows and without a model. A sentence is still grounded when every row it
rests on is there and has the content it had. One that was quoted is found quoted again in today's rows; one that was
verified stands on the words that its verifier named, under the hash they had. Offsets are trusted only under an
unchanged hash. What an earlier judge accepted is audited by its receipts alone. A supersession is not a change: the row
still says what it said, and that it was superseded is told beside the status. What rests on a row that was redacted is
not repeated. A sentence that lost its words because its answer rests on what went cannot be judged: it has the status
of that, and is never said to be unsupported.

Source: DESIGN 6 "Receipts"; promise 9.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from voice.core.grounding.quotations import CitedSpan, is_correct_count, quotations_in
from voice.core.grounding.values import JUDGE, Evidence, GroundingPolicy, Receipt, SentenceVerdict, SourceCitation
from voice.core.session.values import DialogueExchange

AuditStatus = Literal[
    "still_grounded", "source_changed", "source_removed", "source_not_here", "source_redacted", "no_longer_supported"
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
    owner: tuple[str, ...] = ()
    """What the owner of the memory is called."""


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
    today = _Today(rows=current, redacted=redacted, not_here=not_here)
    return tuple(_audit(answer, index, today) for index, sentence in enumerate(answer.sentences) if sentence.is_proven)


def _audit(answer: StoredAnswer, index: int, today: _Today) -> SentenceAudit:
    sentence, current = answer.sentences[index], today.rows
    own: dict[str, AuditStatus] = {r.row_id: _status(r, today) for r in sentence.receipts}
    found, status = own, _worst(own.values())
    is_judged = bool(sentence.text) or status not in ("still_grounded", "no_longer_supported")
    if not is_judged:
        found = _gone_elsewhere(answer, today)
        status = _worst(found.values()) if found else "source_redacted"
    rows = tuple(row_id for row_id, each in found.items() if each == status)
    if status == "still_grounded" and not _still_holds(sentence, current, answer.owner):
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


def _still_holds(sentence: SentenceVerdict, current: Mapping[str, Evidence], owner: Sequence[str]) -> bool:
    """Return whether a sentence that rules proved is proven by them again; another's word stands on unchanged rows."""
    if sentence.rung != "quoted" or sentence.judge != JUDGE:
        return True
    rows = [current[row_id] for row_id in dict.fromkeys(receipt.row_id for receipt in sentence.receipts)]
    cited = [CitedSpan(current[each.row_id], each.start, each.end) for each in sentence.receipts]
    return bool(quotations_in(sentence.text, rows, owner)) or is_correct_count(sentence.text, cited)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeAudit:
    """What became of one answer."""

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
        """Whether everything that was grounded still is."""
        return all(sentence.status == "still_grounded" for sentence in self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """Every audited turn, session by session, each in its own order."""

    exchanges: tuple[ExchangeAudit, ...]
    topics: Mapping[str, str] = field(default_factory=dict[str, str])
    """What each of its sessions is about."""

    @property
    def is_grounded(self) -> bool:
        """Whether everything that was grounded still is."""
        return all(exchange.is_grounded for exchange in self.exchanges)


def stored_answer(exchange: DialogueExchange) -> StoredAnswer:
    """Return what is verified of a turn."""
    return StoredAnswer(
        question=exchange.my_query, sentences=exchange.sentences, sources=exchange.sources, policy=exchange.policy
    )


def audit_exchange(exchange: DialogueExchange, sentences: tuple[SentenceAudit, ...]) -> ExchangeAudit:
    """Return a turn with what became of its sentences."""
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
    """Return how many sentences have each status, in the order of `STATUSES`, zeros included."""
    counted = Counter(sentence.status for audit in audits for sentence in audit.sentences)
    return {status: counted[status] for status in STATUSES}

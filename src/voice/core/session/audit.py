"""What became of the ground of stored answers, counted.

Law: only answers were grounded, so only they are verified again; what was refused is counted and nothing more. One
sentence that no longer stands makes its turn one that does not.

Source: DESIGN 6 "Receipts"; promise 9.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from voice.core.grounding.receipts import STATUSES, AuditStatus, SentenceAudit, StoredAnswer
from voice.core.session.values import DialogueExchange


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


def answer_of(exchange: DialogueExchange) -> StoredAnswer:
    """Return what is verified of a turn."""
    return StoredAnswer(
        question=exchange.my_query, sentences=exchange.sentences, sources=exchange.sources, policy=exchange.policy
    )


def audited(exchange: DialogueExchange, sentences: tuple[SentenceAudit, ...]) -> ExchangeAudit:
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

"""The tables of an in-memory store, and the one way to change them.

Law: the in-memory store keeps every promise of the ports except that it ends with its process. It is written to be
read, not to be fast, and shares nothing with the SurrealDB adapter but the values and their JSON, so that the contract
suite compares two independent implementations.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from voice.adapters.disk.values_json import Metric
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.core.graph.entities.merge import Merge
from voice.core.graph.review.candidates import Candidate
from voice.core.recall.values import Capsule, Pin
from voice.core.records import Row, Tombstone, VectorRow
from voice.core.session.spending_caps import OpenCall
from voice.core.session.values import DialogueExchange, InnerVoiceSession


@dataclass(slots=True, kw_only=True)
class State:
    """The tables of one store."""

    store_id: str
    seq: int = 0
    """The last number that was given out."""
    rows: dict[str, Row] = field(default_factory=dict[str, Row])
    vectors: dict[str, VectorRow] = field(default_factory=dict[str, VectorRow])
    tombstones: dict[str, Tombstone] = field(default_factory=dict[str, Tombstone])
    sessions: dict[str, InnerVoiceSession] = field(default_factory=dict[str, InnerVoiceSession])
    exchanges: dict[str, DialogueExchange] = field(default_factory=dict[str, DialogueExchange])
    metrics: list[Metric] = field(default_factory=list[Metric])
    pins: dict[str, Pin] = field(default_factory=dict[str, Pin])
    capsules: dict[str, Capsule] = field(default_factory=dict[str, Capsule])
    open_calls: dict[str, OpenCall] = field(default_factory=dict[str, OpenCall])
    candidates: dict[str, Candidate] = field(default_factory=dict[str, Candidate])
    merges: dict[str, Merge] = field(default_factory=dict[str, Merge])
    conflicts: dict[str, ConflictRecord] = field(default_factory=dict[str, ConflictRecord])

    def next_seq(self) -> int:
        """Return the next number, which is then used."""
        self.seq += 1
        return self.seq


class Tables:
    """The current state that all stores share."""

    def __init__(self, store_id: str) -> None:
        self.now = State(store_id=store_id)

    def sorted_rows(self) -> list[Row]:
        """Return every row, by id."""
        return [self.now.rows[row_id] for row_id in sorted(self.now.rows)]

    @contextmanager
    def transaction(self) -> Generator[State]:
        """Yield a draft, which becomes the state if the block raises nothing."""
        now = self.now
        draft = replace(
            now,
            rows=dict(now.rows),
            vectors=dict(now.vectors),
            tombstones=dict(now.tombstones),
            sessions=dict(now.sessions),
            exchanges=dict(now.exchanges),
            metrics=list(now.metrics),
            pins=dict(now.pins),
            capsules=dict(now.capsules),
            open_calls=dict(now.open_calls),
            candidates=dict(now.candidates),
            merges=dict(now.merges),
            conflicts=dict(now.conflicts),
        )
        yield draft
        self.now = draft

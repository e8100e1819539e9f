"""Where truth is kept.

Law: a write is one transaction and is on disk when it returns (promise 3); every written row gets a store-wide,
strictly
rising `seq`; reads return values, never cursors of a vendor. Rows come back in the order stated, never in chance order.

Source: DESIGN 4; rulings B, C1, D17, D21, D26, H.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from voice.core.records import Entity, Relation, Row, Table, Tombstone, VectorRow
from voice.core.session.values import DialogueExchange, InnerVoiceSession


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBatch:
    """Rows that become true together or not at all.

    A row whose id exists is replaced (its `revision` must be the stored one plus 1) and gets a new `seq`. `vectors` may
    belong to rows of this batch or to stored rows; writing one sets that row's `embedding_status` to `ready` and gives
    the row a new `seq`, so that the index sees it. `embedding_failed` marks rows `failed` (ruling C17).
    """

    rows: tuple[Row, ...] = ()
    vectors: tuple[VectorRow, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    embedding_failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A row as it now stands, with its vector; `row` is None when it is gone (a tombstone)."""

    seq: int
    row_id: str
    row: Row | None
    vector: VectorRow | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatus:
    """Counts and identity, for `doctor` and the index."""

    store_id: str
    """Fixed when the store was made; an index of another store is thrown away."""
    last_seq: int
    rows: Mapping[Table, int]
    vectors: int
    pending_embeddings: int
    sessions: int
    exchanges: int
    has_scoped_rows: bool
    """Whether any row names a scope dimension (ruling A18)."""


class MemoryStore(Protocol):
    """Thoughts, the knowledge graph, their vectors and tombstones."""

    async def write(self, batch: WriteBatch) -> int:
        """Write the batch in one transaction and return the highest `seq` it got (the current one for an empty batch).

        Raises:
            InvalidParams: a row's revision is not the stored one plus 1, or a row bears a tombstone's id.
            StoreError: nothing of the batch was written.
        """
        ...

    async def fetch(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that exist, by id; unknown ids are absent (ruling B3)."""
        ...

    async def changes(self, after_seq: int, limit: int) -> list[Change]:
        """Return up to `limit` changes with `seq > after_seq`, ascending by `seq`, each row at most once per call."""
        ...

    async def status(self) -> StoreStatus:
        """Return counts taken from the rows themselves."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportKey:
    """What makes an import idempotent: where it came from, and what it says."""

    source_ref: str | None
    content_hash: str


class LedgerStore(Protocol):
    """What is already known: imports, pending vectors, tombstones."""

    async def known_imports(self, keys: Sequence[ImportKey]) -> set[ImportKey]:
        """Return the keys whose thought is already stored with the same `source_ref` and content hash."""
        ...

    async def pending_embeddings(self, limit: int) -> list[Row]:
        """Return up to `limit` rows without a ready vector, oldest `seq` first (pending before failed)."""
        ...

    async def tombstoned(self, keyed_hashes: Sequence[str]) -> set[str]:
        """Return those keyed hashes that a tombstone holds: such a row must not come back (ruling H)."""
        ...


class GraphStore(Protocol):
    """Reading the knowledge graph by its structure."""

    async def entities(self) -> list[Entity]:
        """Return all live entities, by id; names and aliases feed questions and distilling (ruling E)."""
        ...

    async def relations_of(self, entity_ids: Sequence[str]) -> list[Relation]:
        """Return live relations that touch any of the entities, by id."""
        ...

    async def derived_from(self, thought_ids: Sequence[str]) -> list[Row]:
        """Return the KG rows whose provenance names any of the thoughts, by id."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionListItem:
    """One line of a session list."""

    id: str
    thread_topic: str
    status: str
    created_at: datetime
    last_interaction: datetime
    total_exchanges: int


class SessionStore(Protocol):
    """Sessions and exchanges, as rows of their own."""

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        """Write the session row and append `exchanges` in one transaction; return the session with its new `seq`.

        `expected` is the revision the caller loaded; 0 creates the session. `session.revision` must be `expected + 1`.
        `context_window` is not stored.

        Raises:
            SessionConflict: the stored revision is another one; nothing was written (ruling D21).
        """
        ...

    async def load(self, session_id: str, *, window: int) -> InnerVoiceSession | None:
        """Return the session with its newest `window` exchanges not folded into the summary, oldest first."""
        ...

    async def sessions(self, *, limit: int, status: Literal["open", "all"] = "all") -> list[SessionListItem]:
        """Return sessions by `last_interaction` descending, then id."""
        ...

    async def exchanges(
        self, *, session_id: str | None = None, since: datetime | None = None, after_index: int = -1, limit: int = 1000
    ) -> list[DialogueExchange]:
        """Return exchanges by (timestamp, id) ascending, of one session or of all, from `since` on."""
        ...


class MetricsStore(Protocol):
    """Counters and per-turn metrics; never text (ruling D19)."""

    async def record(self, name: str, at: datetime, values: Mapping[str, float | int | str | bool]) -> None:
        """Store one metrics row."""
        ...

    async def count(self, name: str) -> int:
        """Return how many rows of that name are stored."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """What a backup holds, as re-read from disk."""

    path: str
    rows: int
    sha256: str


class StoreMaintenance(Protocol):
    """Backup and verification of everything a store holds (ruling H)."""

    async def backup(self, path: str) -> BackupReport:
        """Write every row to one file (JSON lines, checksummed), re-read it, and only then put it in place."""
        ...

    async def verify(self) -> list[str]:
        """Return a sentence per fault found (missing rows, broken hashes, holes in exchanges); empty = sound."""
        ...

    async def restore(self, path: str) -> BackupReport:
        """Fill this empty store from a backup file.

        Raises:
            DataFileError: the file does not verify; nothing was written.
            StoreError: the store is not empty.
        """
        ...

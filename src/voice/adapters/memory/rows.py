"""The tables of an in-memory store and the one way to change them; its rows, graph, history and ids.

Law: the in-memory store keeps every promise of the ports except that it ends with its process. It is written to be
read, not to be fast, and shares nothing with the SurrealDB adapter but the values and their JSON, so that the
contract suite compares two independent implementations.
"""

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from voice.adapters.disk.values_json import Metric, row_from_json, row_to_json
from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.core.graph.entities.merge import Merge
from voice.core.graph.removal.lifecycle import is_no_longer_held, was_away
from voice.core.graph.review.candidates import Candidate
from voice.core.graph.row_display import named_by
from voice.core.graph.thoughts.vouching import is_declined
from voice.core.recall.values import Capsule, Pin
from voice.core.records import (
    EmbeddingStatus,
    Entity,
    EntityName,
    Observation,
    Relation,
    Row,
    RowStatus,
    Table,
    Thought,
    Tombstone,
    VectorRow,
    table_of,
)
from voice.core.retrieval.passages import Sentence
from voice.core.session.budgets import OpenCall
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.normalise import clean_text, content_hash
from voice.ports.stores import Change, Encoding, ImportKey, StoreHead, StoreStatus, WriteBatch


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


class TransientStore:
    """What each store of one memory is made with."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables


class TransientMemoryStore(TransientStore):
    """`MemoryStore` in memory."""

    async def write(self, batch: WriteBatch) -> int:
        """Write the batch, all of it or nothing; see `MemoryStore.write`."""
        with self._tables.transaction() as draft:
            put_batch(draft, batch)
        return self._tables.now.seq

    async def fetch(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that exist, by id; see `MemoryStore.fetch`."""
        rows = self._tables.now.rows
        return {row_id: rows[row_id] for row_id in ids if row_id in rows}

    async def changes(self, after_seq: int, limit: int) -> list[Change]:
        """Return changes in the order of their `seq`; see `MemoryStore.changes`."""
        now = self._tables.now
        found = [
            Change(seq=row.seq, row_id=row.id, row=row, vector=now.vectors.get(row.id)) for row in now.rows.values()
        ]
        found.extend(
            Change(seq=tombstone.seq, row_id=tombstone.row_id, row=None, vector=None)
            for tombstone in now.tombstones.values()
        )
        later = sorted((change for change in found if change.seq > after_seq), key=lambda change: change.seq)
        return later[: max(limit, 0)]

    async def head(self) -> StoreHead:
        """Return the store's head; see `MemoryStore.head`."""
        return await self.status()

    async def status(self) -> StoreStatus:
        """Return the numbers of all kinds of records; see `MemoryStore.status`."""
        now = self._tables.now
        counts = Counter(table_of(row_id) for row_id in now.rows)
        waiting = (row for row in now.rows.values() if row.embedding_status is not EmbeddingStatus.READY)
        return StoreStatus(
            store_id=now.store_id,
            last_seq=now.seq,
            rows={table: counts[table] for table in Table},
            encodings=Counter((vector.model, vector.dim) for vector in now.vectors.values()),
            pending_embeddings=sum(1 for _ in waiting),
            sessions=len(now.sessions),
            exchanges=len(now.exchanges),
            has_scoped_rows=any(not row.scope.is_empty and not is_declined(row) for row in now.rows.values()),
        )


class TransientLedgerStore(TransientStore):
    """`LedgerStore`, `TombstoneStore` and `RedactedRows` in memory."""

    async def known_imports(self, keys: Sequence[ImportKey]) -> set[ImportKey]:
        """Return the keys that are already stored; see `LedgerStore.known_imports`."""
        thoughts = (row for row in self._tables.now.rows.values() if isinstance(row, Thought))
        stored = {(thought.source_ref, content_hash(thought.content)) for thought in thoughts}
        return {
            key
            for key in keys
            if (None if key.source_ref is None else clean_text(key.source_ref), key.content_hash) in stored
        }

    async def pending_embeddings(self, limit: int) -> list[Row]:
        """Return rows without a ready vector; see `LedgerStore.pending_embeddings`."""
        waiting = [row for row in self._tables.now.rows.values() if row.embedding_status is not EmbeddingStatus.READY]
        waiting.sort(key=lambda row: (row.embedding_status is EmbeddingStatus.FAILED, row.seq))
        return waiting[: max(limit, 0)]

    async def foreign_embeddings(self, encoding: Encoding, *, after: str, limit: int) -> list[Row]:
        """Return rows whose vector is of another encoding; see `LedgerStore.foreign_embeddings`."""
        now = self._tables.now
        others = sorted(
            vector.row_id
            for vector in now.vectors.values()
            if (vector.model, vector.dim) != encoding and vector.row_id > after
        )
        return [now.rows[row_id] for row_id in others[: max(limit, 0)]]

    async def tombstoned(self, keyed_hashes: Sequence[str]) -> set[str]:
        """Return the keyed hashes that have a tombstone; see `TombstoneStore.tombstoned`."""
        known = {tombstone.keyed_hash for tombstone in self._tables.now.tombstones.values()}
        return known.intersection(keyed_hashes)

    async def buried(self, row_ids: Sequence[str]) -> set[str]:
        """Return the ids that have a tombstone; see `TombstoneStore.buried`."""
        return set(row_ids).intersection(self._tables.now.tombstones)

    async def tombstones(self) -> list[Tombstone]:
        """Return every tombstone, by row id; see `TombstoneStore.tombstones`."""
        tombstones = self._tables.now.tombstones
        return [tombstones[row_id] for row_id in sorted(tombstones)]

    async def redacted(self) -> list[Row]:
        """Return every redacted row, newest first; see `RedactedRows.redacted`."""
        found = [row for row in self._tables.now.rows.values() if row.status is RowStatus.REDACTED]
        found.sort(key=lambda row: row.id)
        found.sort(key=lambda row: row.created_at, reverse=True)
        return found


class TransientGraphStore(TransientStore):
    """`GraphStore` in memory."""

    async def names(self) -> list[EntityName]:
        """Return the names of all live entities, by id; see `GraphStore.names`."""
        live = (row for row in self._tables.sorted_rows() if isinstance(row, Entity) and row.status is RowStatus.ACTIVE)
        return [EntityName.of(row) for row in live]

    async def relations_of(self, entity_ids: Sequence[str], *, leaving: bool = False) -> list[Relation]:
        """Return live relations that touch any of the entities, by id; see `GraphStore.relations_of`."""
        asked = set(entity_ids)
        live = (
            row for row in self._tables.sorted_rows() if isinstance(row, Relation) and row.status is RowStatus.ACTIVE
        )
        return [row for row in live if row.source_id in asked or (row.target_id in asked and not leaving)]

    async def observations_of(self, entity_ids: Sequence[str]) -> list[Observation]:
        """Return live observations that name any of the entities, by id; see `GraphStore.observations_of`."""
        asked = set(entity_ids)
        return [
            row
            for row in self._tables.sorted_rows()
            if isinstance(row, Observation) and row.status is RowStatus.ACTIVE and asked.intersection(row.entity_ids)
        ]

    async def derived_from(self, thought_ids: Sequence[str]) -> list[Row]:
        """Return the KG rows whose provenance names any of the thoughts, by id; see `GraphStore.derived_from`."""
        asked = set(thought_ids)
        return [
            row
            for row in self._tables.sorted_rows()
            if not isinstance(row, Thought) and any(span.thought_id in asked for span in row.provenance)
        ]

    async def sentences_of(self, thought_ids: Sequence[str]) -> dict[str, list[Sentence]]:
        """Return the places of observations in thoughts, in the order of the text; see `GraphStore.sentences_of`."""
        found: dict[str, set[Sentence]] = {thought_id: set() for thought_id in thought_ids}
        for row in self._tables.sorted_rows():
            if isinstance(row, Observation) and row.status is RowStatus.ACTIVE:
                for place in row.provenance:
                    if place.thought_id in found:
                        found[place.thought_id].add(Sentence(place.start, place.end, row.id))
        return {thought_id: sorted(places) for thought_id, places in found.items()}


def put_batch(draft: State, batch: WriteBatch) -> None:
    """Write a batch into the draft of a state.

    Raises:
        InvalidParams, UnknownId: it cannot be written; the draft must not be used any more.
    """
    vectors = {vector.row_id: vector for vector in batch.vectors}
    failed = set(batch.embedding_failed)
    for row in batch.rows:
        _put(draft, row, vectors.pop(row.id, None), failed=row.id in failed)
        failed.discard(row.id)
    for vector in batch.vectors:
        if vector.row_id in vectors:
            _embed(draft, vector.row_id, vector, made_of=batch.made_of.get(vector.row_id))
    for row_id in batch.embedding_failed:
        if row_id in failed:
            _embed(draft, row_id, None)
    for tombstone in batch.tombstones:
        draft.rows.pop(tombstone.row_id, None)
        draft.vectors.pop(tombstone.row_id, None)
        draft.tombstones[tombstone.row_id] = replace(tombstone, seq=draft.next_seq())


def _put(draft: State, row: Row, vector: VectorRow | None, *, failed: bool) -> None:
    if row.id in draft.tombstones:
        raise InvalidParams(f"{row.id} was removed for good and cannot come back")
    stored = draft.rows.get(row.id)
    if stored is not None and row.revision != stored.revision + 1:
        raise InvalidParams(f"{row.id} was changed meanwhile: its revision is {stored.revision}; load it again")
    status = EmbeddingStatus.FAILED if failed else row.embedding_status
    if vector is None and status is EmbeddingStatus.READY:
        vector = draft.vectors.get(row.id)
    draft.rows[row.id] = row_from_json(table_of(row.id), row_to_json(row))
    _set_vector(draft, row.id, vector, EmbeddingStatus.PENDING if status is EmbeddingStatus.READY else status)


def _embed(draft: State, row_id: str, vector: VectorRow | None, *, made_of: int | None = None) -> None:
    if row_id not in draft.rows:
        raise UnknownId(f"{row_id} is not stored, so it cannot have a vector")
    if made_of is not None and draft.rows[row_id].revision != made_of:
        raise InvalidParams(f"{row_id} was changed meanwhile: its vector is of other words; load it again")
    _set_vector(draft, row_id, vector, EmbeddingStatus.FAILED)


def _set_vector(draft: State, row_id: str, vector: VectorRow | None, otherwise: EmbeddingStatus) -> None:
    """Set or remove a row's vector, with the next number; without one its status is `otherwise`."""
    draft.vectors.pop(row_id, None)
    if vector is not None:
        draft.vectors[row_id] = replace(vector, model=clean_text(vector.model), data=bytes(vector.data))
    status = otherwise if vector is None else EmbeddingStatus.READY
    draft.rows[row_id] = replace(draft.rows[row_id], seq=draft.next_seq(), embedding_status=status)


class TransientHistoryStore(TransientStore):
    """`HistoryStore` in memory."""

    async def replaced_by(self, row_ids: Sequence[str]) -> list[Row]:
        """Return the rows that these replaced; see `HistoryStore.replaced_by`."""
        asked = set(row_ids)
        superseded = (row for row in self._tables.sorted_rows() if row.status is RowStatus.SUPERSEDED)
        return [row for row in superseded if row.superseded_by in asked]

    async def past_of(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return the superseded rows around the entities; see `HistoryStore.past_of`."""
        asked = set(entity_ids)
        rows = (
            row
            for row in self._tables.sorted_rows()
            if is_no_longer_held(row) and isinstance(row, Observation | Relation)
        )
        return [row for row in rows if asked.intersection(named_by(row))]

    async def not_held_at(self, moment: datetime) -> set[str]:
        """Return what was recorded later or superseded by then; see `HistoryStore.not_held_at`."""
        late = {row.id for row in self._tables.now.rows.values() if row.recorded_at > moment}
        gone = {
            row.id
            for row in self._tables.now.rows.values()
            if (row.superseded_at <= moment if row.superseded_at else row.status is RowStatus.SUPERSEDED)
        }
        away = {row.id for row in self._tables.now.rows.values() if was_away(row.away, moment)}
        return late | gone | away

    async def found_at(self, source_refs: Sequence[str]) -> list[Thought]:
        """Return the live thoughts from these sources; see `HistoryStore.found_at`."""
        asked = {clean_text(each) for each in source_refs}
        rows = (
            row for row in self._tables.sorted_rows() if isinstance(row, Thought) and row.status is RowStatus.ACTIVE
        )
        return [row for row in rows if row.source_ref in asked]


class TransientIdBeginnings(TransientStore):
    """`IdBeginnings` in memory."""

    async def ids_from(self, start: str, *, limit: int) -> list[str]:
        """Return ids that begin with `start`; see `IdBeginnings.ids_from`."""
        now = self._tables.now
        ids = {*now.rows, *now.tombstones, *now.candidates, *now.merges, *now.conflicts, *now.pins}
        return sorted(each for each in ids if ":" in start and each.startswith(start))[: max(limit, 0)]

    async def scoped(self, *, limit: int) -> list[str]:
        """Return ids of rows that belong to a scope; see `IdBeginnings.scoped`."""
        found = [row for row in self._tables.now.rows.values() if not row.scope.is_empty]
        return [row.id for row in sorted(found, key=lambda row: row.seq, reverse=True)][: max(limit, 0)]

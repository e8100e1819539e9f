"""Thoughts, the knowledge graph, vectors and tombstones in SurrealDB; implements `MemoryStore`.

Law: what a batch does to the stamps is decided by a pure function. A removed row does not come back; a replaced row's
revision is the stored one plus 1; every row that the batch touches gets the next `seq`, in the order rows, vectors of
stored rows, failures, tombstones. A row is `ready` exactly if it has a vector.

Source: `voice.ports.stores.WriteBatch`; rulings C17, D21, H.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from voice.adapters.surreal.codec import (
    Embedding,
    Record,
    Stamp,
    decode_count,
    decode_stamp,
    embedding_of,
    encode_row,
    encode_stamp,
    encode_tombstone,
    encode_vector,
    stamp_of,
)
from voice.adapters.surreal.connection import (
    META,
    NOT_RESTORING,
    PAGE,
    REWRITE,
    Connection,
    block,
    epochs_of,
    records,
    row_record,
)
from voice.adapters.surreal.schema import taken
from voice.adapters.surreal.stores.reading import RememberedRows, read_stamps, read_stored
from voice.adapters.surreal.writer import Write, Writer, WritingStore
from voice.core.errors import InvalidParams, UnknownId
from voice.core.records import Row, Table, table_of
from voice.ports.stores import Change, Encoding, StoreHead, StoreStatus, WriteBatch


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlan:
    """The stamps that a batch leaves, and which records it replaces and removes."""

    stamps: tuple[Stamp, ...]
    stored: frozenset[str]
    """Touched rows that have a stamp already: a row, or a tombstone if they are in `gone`."""
    with_vector: frozenset[str]
    """Touched rows that have a vector already."""
    gone: frozenset[str]
    """Touched rows that have a tombstone already."""
    dropped_rows: tuple[str, ...]
    dropped_vectors: tuple[str, ...]
    """Vectors of a row's earlier text, or of a row that is removed."""


def touched_ids(batch: WriteBatch) -> list[str]:
    """Return the ids of all rows that the batch touches, once each, in the order of their `seq`."""
    rows = [row.id for row in batch.rows]
    vectors = [vector.row_id for vector in batch.vectors]
    gone = [tombstone.row_id for tombstone in batch.tombstones]
    return list(dict.fromkeys([*rows, *vectors, *batch.embedding_failed, *gone]))


def plan_batch(batch: WriteBatch, stored: Mapping[str, Stamp], last_seq: int) -> BatchPlan:
    """Return what `batch` does to a store in which the touched rows have the stamps `stored`. Raises InvalidParams: a
    revision does not follow, a row is gone, or a vector was made of other words than its row's; UnknownId: a vector or
    a failure names a row that is not stored."""
    vectors = {vector.row_id for vector in batch.vectors}
    failed = set(batch.embedding_failed)
    stamps = [
        _row_stamp(row, stored.get(row.id), has_vector=row.id in vectors, has_failed=row.id in failed)
        for row in batch.rows
    ]
    written = {stamp.row_id for stamp in stamps}
    stamps.extend(_stored_stamps(vectors - written, batch, stored, "ready"))
    stamps.extend(_stored_stamps(failed - written, batch, stored, "failed"))
    for tombstone in batch.tombstones:
        held = stored.get(tombstone.row_id)
        stamps.append(Stamp(row_id=tombstone.row_id, seq=0, revision=held.revision if held else 0, embedding="gone"))
    numbered = tuple(replace(stamp, seq=last_seq + place) for place, stamp in enumerate(stamps, start=1))
    gone = frozenset(row_id for row_id, stamp in stored.items() if stamp.embedding == "gone")
    with_vector = frozenset(row_id for row_id, stamp in stored.items() if stamp.embedding == "ready")
    return BatchPlan(
        stamps=numbered,
        stored=frozenset(stored),
        with_vector=with_vector,
        gone=gone,
        dropped_rows=tuple(each.row_id for each in batch.tombstones if each.row_id in stored.keys() - gone),
        dropped_vectors=tuple(
            stamp.row_id for stamp in numbered if stamp.row_id in with_vector and stamp.embedding != "ready"
        ),
    )


def _row_stamp(row: Row, held: Stamp | None, *, has_vector: bool, has_failed: bool) -> Stamp:
    if held is not None and held.embedding == "gone":
        raise InvalidParams(f"{row.id} was removed for good and cannot come back")
    if held is not None and row.revision != held.revision + 1:
        raise InvalidParams(f"{row.id} was changed meanwhile: its revision is {held.revision}; load it again")
    embedding = _embedding(row, held, has_vector=has_vector, has_failed=has_failed)
    return stamp_of(row, 0, embedding)  # numbered by `plan_batch`


def _embedding(row: Row, held: Stamp | None, *, has_vector: bool, has_failed: bool) -> Embedding:
    if has_vector:
        return "ready"
    if has_failed:
        return "failed"
    said = embedding_of(row.embedding_status)
    # A row that says `ready` has a vector only if the store held it.
    return "pending" if said == "ready" and (held is None or held.embedding != "ready") else said


def _stored_stamps(
    ids: set[str], batch: WriteBatch, stored: Mapping[str, Stamp], embedding: Embedding
) -> Iterator[Stamp]:
    for row_id in (row_id for row_id in touched_ids(batch) if row_id in ids):
        held = stored.get(row_id)
        if held is None or held.embedding == "gone":
            raise UnknownId(f"{row_id} is not stored, so it cannot have a vector")
        if batch.made_of.get(row_id, held.revision) != held.revision:
            raise InvalidParams(f"{row_id} was changed meanwhile: its vector is of other words; load it again")
        yield replace(held, embedding=embedding)


MAX_STATEMENT_BYTES = 64 * 1024 * 1024
"""The most text and vectors in one batch; more would hold the interpreter for seconds."""

# During a restore numbers do not come in order, so a reader that follows them would miss rows.
_CHANGES = block(NOT_RESTORING, result="(SELECT * FROM stamps WHERE seq > $after ORDER BY seq LIMIT $limit)")
# A row that makes the memory a scoped one: a note that was declined is read by nobody, and is none.
_SCOPED = (
    "(SELECT VALUE id FROM stamps WHERE scoped = true AND !(string::starts_with(record::id(id), 't:')"
    " AND type::record('thoughts', string::slice(record::id(id), 2)).vouched = 'declined') LIMIT 1)"  # without "t:"
)
_COUNTS = (
    *(f"LET $c_{table} = (SELECT count() FROM {table} GROUP ALL);" for table in Table),  # noqa: S608 - our tables
    "LET $vectors = (SELECT model, dim, count() FROM vectors GROUP BY model, dim);",
    "LET $pending = (SELECT count() FROM stamps WHERE embedding = 'pending' GROUP ALL);",
    "LET $failed = (SELECT count() FROM stamps WHERE embedding = 'failed' GROUP ALL);",
    "LET $sessions = (SELECT count() FROM sessions GROUP ALL);",
    "LET $exchanges = (SELECT count() FROM exchanges GROUP ALL);",
    f"LET $scoped = {_SCOPED};",
    "LET $self = (SELECT store_id, seq FROM $meta);",
)
# One value of two, because it is read before every read, and a block with variables takes half as long again.
_HEAD = f"RETURN [{_SCOPED}, $meta.{{store_id, seq}}]"
_STATUS = block(
    *_COUNTS,
    result="{ rows: [" + ", ".join(f"$c_{table}" for table in Table) + "], vectors: $vectors, pending: $pending,"
    " failed: $failed, sessions: $sessions, exchanges: $exchanges, scoped: array::len($scoped), self: $self }",
)


class SurrealMemoryStore(WritingStore):
    """`MemoryStore` over a connection; writes go through the store's one writer."""

    def __init__(self, connection: Connection, writer: Writer, rows: RememberedRows | None = None) -> None:
        super().__init__(connection, writer)
        self._rows = rows or RememberedRows(connection)
        self._epoch = epochs_of(connection)
        self._head: tuple[object, StoreHead] | None = None  # epoch and the value of the last read of the head

    async def write(self, batch: WriteBatch) -> int:
        """Write the batch in one transaction; see `MemoryStore.write`."""
        ids = touched_ids(batch)
        if not ids:
            return await self._writer.last_seq()
        encoded = encode_batch(batch)

        async def decide(last_seq: int) -> Write:
            return await decide_rows(self._connection, batch, encoded, last_seq)

        return await self._writer.commit("write rows", decide)

    async def fetch(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that exist, by id; see `MemoryStore.fetch`."""
        return await self._rows.read(ids)

    async def changes(self, after_seq: int, limit: int) -> list[Change]:
        """Return changes in the order of their `seq`; see `MemoryStore.changes`."""
        found: list[Change] = []
        while len(found) < limit:
            wanted = limit - len(found)
            asked = {"meta": META, "after": after_seq, "limit": wanted}
            result = await self._connection.run("read changes", _CHANGES, asked)
            page = [decode_stamp(record) for record in cast("list[Record]", result)]
            stored = await read_stored(self._connection, [stamp.row_id for stamp in page], vectors=True)
            for stamp in page:
                held = stored.get(stamp.row_id)
                # A row that was written again since the page was read comes later, under its newest seq.
                if held is not None and held.stamp.seq == stamp.seq:
                    found.append(Change(seq=stamp.seq, row_id=stamp.row_id, row=held.row, vector=held.vector))
            if len(page) < wanted:
                break
            after_seq = page[-1].seq
        return found

    async def head(self) -> StoreHead:
        """Return the store's head, read again only if something was written since; see `MemoryStore.head`."""
        epoch = self._epoch()
        if self._head is not None and self._head[0] is epoch:
            return self._head[1]
        found = cast("list[object]", await self._connection.run("read its state", _HEAD, {"meta": META}))
        itself = cast("Record", found[1])
        head = StoreHead(
            store_id=cast("str", itself["store_id"]),
            last_seq=cast("int", itself["seq"]),
            has_scoped_rows=bool(found[0]),
        )
        self._head = None if epoch is None else (epoch, head)
        self._rows.begin_at(head.last_seq)
        return head

    async def status(self) -> StoreStatus:
        """Return counts taken from the rows; see `MemoryStore.status`."""
        found = cast("Mapping[str, object]", await self._connection.run("count rows", _STATUS, {"meta": META}))
        itself = cast("list[Record]", found["self"])[0]
        counts = cast("list[object]", found["rows"])
        return StoreStatus(
            store_id=cast("str", itself["store_id"]),
            last_seq=cast("int", itself["seq"]),
            rows={table: decode_count(each) for table, each in zip(Table, counts, strict=True)},
            encodings=_encodings(found["vectors"]),
            pending_embeddings=decode_count(found["pending"]) + decode_count(found["failed"]),
            sessions=decode_count(found["sessions"]),
            exchanges=decode_count(found["exchanges"]),
            has_scoped_rows=found["scoped"] != 0,
            schema=(await taken(self._connection))[-1][0],
        )


class EncodedBatch:
    """A batch's records, made once although the write may be decided several times."""

    def __init__(self, batch: WriteBatch) -> None:
        self.rows = {row.id: encode_row(row) for row in batch.rows}
        self.vectors = {vector.row_id: encode_vector(vector) for vector in batch.vectors}
        self.tombstones = {tombstone.row_id: encode_tombstone(tombstone) for tombstone in batch.tombstones}

    def size(self) -> int:
        """Return the bytes of its texts and vectors together."""
        found = (*self.rows.values(), *self.vectors.values())
        return sum(_bytes_of(value) for each in found for value in each.values())


def _bytes_of(value: object) -> int:
    if isinstance(value, list):
        return sum(map(_bytes_of, cast("list[object]", value)))
    data = value.encode() if isinstance(value, str) else value
    return len(data) if isinstance(data, bytes) else 0


def encode_batch(batch: WriteBatch) -> EncodedBatch:
    """Return the records of a batch. Raises InvalidParams: they are longer than one statement may be."""
    encoded = EncodedBatch(batch)
    if encoded.size() > MAX_STATEMENT_BYTES:
        raise InvalidParams(f"a batch holds at most {MAX_STATEMENT_BYTES >> 20} MiB; write several")
    return encoded


async def decide_rows(connection: Connection, batch: WriteBatch, encoded: EncodedBatch, last_seq: int) -> Write:
    """Return the write of a batch, decided on the stamps that its rows have now; an empty one takes no number."""
    stamps = await read_stamps(connection, touched_ids(batch))
    return row_write(encoded, plan_batch(batch, stamps, last_seq))


def row_write(encoded: EncodedBatch, decided: BatchPlan) -> Write:
    """Return the steps that carry out the plan of a batch, as part of one transaction."""
    steps: list[str] = []
    params: dict[str, object] = {}
    dropped = [*map(row_record, decided.dropped_rows), *records("vectors", decided.dropped_vectors)]
    if dropped:
        steps.append("DELETE $dropped;")
        params["dropped"] = dropped
    rewritten: list[Record] = []
    for table, found, is_stored in _per_table(encoded, decided):
        rewritten.extend(found[key] for key in found if key in is_stored)
        fresh = [found[key] for key in found if key not in is_stored]
        if fresh:
            # INSERT is the cheaper one, but the engine in memory keeps a copy of the whole transaction for each record.
            insert = f"INSERT INTO {table} ${table} RETURN NONE;"
            create = f"FOR $each IN ${table} {{ CREATE $each.id CONTENT $each RETURN NONE }};"
            steps.append(insert if len(fresh) <= PAGE else create)
            params[table] = fresh
    if rewritten:
        steps.append(REWRITE)
        params["rewritten"] = rewritten
    return Write(steps=tuple(steps), params=params, numbers=len(decided.stamps))


def _per_table(encoded: EncodedBatch, decided: BatchPlan) -> Iterator[tuple[str, Mapping[str, Record], frozenset[str]]]:
    """Yield each table's records by row id, with the ids that the table already holds."""
    for table, rows in _by_table(encoded.rows).items():
        yield table, rows, decided.stored
    yield "vectors", encoded.vectors, decided.with_vector
    yield "tombstones", encoded.tombstones, decided.gone
    yield "stamps", {stamp.row_id: encode_stamp(stamp) for stamp in decided.stamps}, decided.stored


def _by_table(rows: Mapping[str, Record]) -> dict[str, dict[str, Record]]:
    by_table: dict[str, dict[str, Record]] = {}
    for row_id, record in rows.items():
        by_table.setdefault(str(table_of(row_id)), {})[row_id] = record
    return by_table


def _encodings(found: object) -> dict[Encoding, int]:
    groups = cast("list[Record]", found)
    return {(cast("str", each["model"]), cast("int", each["dim"])): cast("int", each["count"]) for each in groups}

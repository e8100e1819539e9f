"""What a batch does to the stamps: the decision of a write, without a store.

Law: a row that is gone does not come back; a replaced row's revision is the stored one plus 1; every row the batch
touches gets the next `seq`, in the order rows, vectors of stored rows, failures, tombstones. A row is `ready` exactly
when it has a vector.

Source: `voice.ports.stores.WriteBatch`; rulings C17, D21, H.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from voice.adapters.surreal.codec import Embedding, Stamp, embedding_of
from voice.core.errors import InvalidParams, UnknownId
from voice.core.records import Row
from voice.ports.stores import WriteBatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The stamps a batch leaves, what of it replaces stored records, and which records it takes away."""

    stamps: tuple[Stamp, ...]
    stored: frozenset[str]
    """Touched rows that have a stamp already; those that are gone have a tombstone, the others a row."""
    with_vector: frozenset[str]
    """Touched rows that have a vector already."""
    gone: frozenset[str]
    """Touched rows that have a tombstone already."""
    dropped_rows: tuple[str, ...]
    dropped_vectors: tuple[str, ...]
    """Vectors that no longer belong to their row's text, or whose row goes."""


def touched(batch: WriteBatch) -> list[str]:
    """Return the ids of every row that the batch says something about, once each, in the order of their `seq`."""
    rows = [row.id for row in batch.rows]
    vectors = [vector.row_id for vector in batch.vectors]
    gone = [tombstone.row_id for tombstone in batch.tombstones]
    return list(dict.fromkeys([*rows, *vectors, *batch.embedding_failed, *gone]))


def plan(batch: WriteBatch, stored: Mapping[str, Stamp], last_seq: int) -> Plan:
    """Decide what `batch` does to a store whose stamps of the touched rows are `stored`.

    Raises:
        InvalidParams: a revision does not follow, a row is gone, or a vector is of other words than its row.
        UnknownId: a vector or a failure names a row that is not stored.
    """
    vectors = {vector.row_id for vector in batch.vectors}
    failed = set(batch.embedding_failed)
    stamps = [
        _of_row(row, stored.get(row.id), has_vector=row.id in vectors, has_failed=row.id in failed)
        for row in batch.rows
    ]
    written = {stamp.row_id for stamp in stamps}
    stamps.extend(_of_stored(vectors - written, batch, stored, "ready"))
    stamps.extend(_of_stored(failed - written, batch, stored, "failed"))
    for tombstone in batch.tombstones:
        held = stored.get(tombstone.row_id)
        stamps.append(Stamp(row_id=tombstone.row_id, seq=0, revision=held.revision if held else 0, embedding="gone"))
    numbered = tuple(replace(stamp, seq=last_seq + place) for place, stamp in enumerate(stamps, start=1))
    gone = frozenset(row_id for row_id, stamp in stored.items() if stamp.embedding == "gone")
    with_vector = frozenset(row_id for row_id, stamp in stored.items() if stamp.embedding == "ready")
    return Plan(
        stamps=numbered,
        stored=frozenset(stored),
        with_vector=with_vector,
        gone=gone,
        dropped_rows=tuple(each.row_id for each in batch.tombstones if each.row_id in stored.keys() - gone),
        dropped_vectors=tuple(
            stamp.row_id for stamp in numbered if stamp.row_id in with_vector and stamp.embedding != "ready"
        ),
    )


def _of_row(row: Row, held: Stamp | None, *, has_vector: bool, has_failed: bool) -> Stamp:
    if held is not None and held.embedding == "gone":
        raise InvalidParams(f"{row.id} was removed for good and cannot come back")
    if held is not None and row.revision != held.revision + 1:
        raise InvalidParams(f"{row.id} was changed meanwhile: its revision is {held.revision}; load it again")
    return Stamp(
        row_id=row.id,
        seq=0,
        revision=row.revision,
        embedding=_embedding(row, held, has_vector=has_vector, has_failed=has_failed),
        scoped=not row.scope.is_empty,
    )


def _embedding(row: Row, held: Stamp | None, *, has_vector: bool, has_failed: bool) -> Embedding:
    if has_vector:
        return "ready"
    if has_failed:
        return "failed"
    said = embedding_of(row.embedding_status)
    return "pending" if said == "ready" and (held is None or held.embedding != "ready") else said


def _of_stored(ids: set[str], batch: WriteBatch, stored: Mapping[str, Stamp], embedding: Embedding) -> Iterator[Stamp]:
    for row_id in (row_id for row_id in touched(batch) if row_id in ids):
        held = stored.get(row_id)
        if held is None or held.embedding == "gone":
            raise UnknownId(f"{row_id} is not stored, so it cannot have a vector")
        if batch.made_of.get(row_id, held.revision) != held.revision:
            raise InvalidParams(f"{row_id} was changed meanwhile: its vector is of other words; load it again")
        yield replace(held, embedding=embedding)

"""Rows as the store's records, both ways.

Law: a stored row comes back equal in every field (ruling B8), except NUL and lone surrogates, which no text may hold.
`None` and `()` are absent, never NULL (ruling B9); integers fit 64 bits; numbers are finite; datetimes are aware UTC.
What is read is validated; a record that cannot be read is damage, and is reported by its id alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final, Literal, cast

from voice.adapters.disk.values_json import from_json, storable
from voice.adapters.surreal.connection import key_of, record, row_id_of, row_record
from voice.core.errors import InvalidParams, StoreDamaged
from voice.core.records import (
    PREFIX_OF_TABLE,
    EmbeddingStatus,
    Entity,
    EntityName,
    Observation,
    Provenance,
    Row,
    Table,
    Thought,
    Tombstone,
    VectorRow,
    table_of,
)
from voice.core.text.normalise import clean_text, content_hash
from voice.ports.stores import TYPE_OF_TABLE

Record = dict[str, object]
NameRecord = tuple[object, str, str, list[str] | None, bool]
"""The record, name, type, aliases and privacy of an entity."""
Embedding = Literal["pending", "ready", "failed", "gone"]

_ENTITY_ID: Final = PREFIX_OF_TABLE[Table.ENTITIES] + ":"
SCOPE_COLUMNS: Final = ("session_id", "repo_id", "agent_id", "user_id")
_INSTANTS: Final = frozenset({
    "created_at", "recorded_at", "last_accessed", "removal_marked_at", "valid_from", "valid_until", "superseded_at",
    "vouched_at",
})  # fmt: skip
# In the stamp, or spread over columns of their own.
_ELSEWHERE: Final = frozenset({"id", "seq", "embedding_status", "scope", "provenance"})
_COLUMNS: Final[Mapping[Table, tuple[str, ...]]] = {
    table: tuple(each.name for each in fields(TYPE_OF_TABLE[table]) if each.name not in _ELSEWHERE) for table in Table
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """The change log's entry for a row: its numbers and the state of its vector."""

    row_id: str
    seq: int
    revision: int
    embedding: Embedding
    scoped: bool = False


def stamp_of(row: Row, seq: int, embedding: Embedding) -> Stamp:
    """Return the stamp of a row that is written under `seq`."""
    scoped = not row.scope.is_empty
    return Stamp(row_id=row.id, seq=seq, revision=row.revision, embedding=embedding, scoped=scoped)


def text_of(row: Row) -> str:
    """Return the text that a row's content hash is computed from."""
    if isinstance(row, Thought):
        return row.content
    if isinstance(row, Observation):
        return row.text
    if isinstance(row, Entity):
        return "\n".join((row.name, row.entity_type, row.description, *row.aliases))
    return f"{row.source_id}\n{row.rel_type}\n{row.target_id}\n{row.description}"


def encode_row(row: Row) -> Record:
    """Return the record of a row, without the fields that its stamp holds. Raises InvalidParams: a number does not fit,
    or the id cannot be stored."""
    # Hashed as it will be stored, without NUL and lone surrogates, so that `verify` computes the same.
    found: Record = {"id": row_record(row.id), "content_hash": content_hash(clean_text(text_of(row)))}
    for name in _COLUMNS[table_of(row.id)]:
        _put(found, name, cast("object", getattr(row, name)))
    for name in SCOPE_COLUMNS:
        _put(found, name, cast("object", getattr(row.scope, name)))
    provenance: tuple[Provenance, ...] = () if isinstance(row, Thought) else row.provenance
    # Ids apart from spans, because an index finds rows by their thoughts.
    _put(found, "thought_ids", tuple(span.thought_id for span in provenance))
    _put(found, "spans", tuple(edge for span in provenance for edge in (span.start, span.end)))
    return found


def decode_row(found: Record, stamp: Stamp) -> Row:
    """Return the row of a record and its stamp. Raises StoreDamaged: it is not a valid row, or its text was altered."""
    row_id = row_id_of(found["id"])
    members = found | {"id": row_id, "seq": stamp.seq, "embedding_status": stamp.embedding}
    for name in _INSTANTS & found.keys():
        members[name] = decode_instant(found[name])
    if "away" in found:
        members["away"] = [decode_instant(each) for each in cast("list[object]", found["away"])]
    if not found.keys().isdisjoint(SCOPE_COLUMNS):
        members["scope"] = {name: found.get(name) for name in SCOPE_COLUMNS}
    if "thought_ids" in found:
        members["provenance"] = _provenance(found)
    try:
        row = from_json(TYPE_OF_TABLE[table_of(row_id)], members)
    except ValueError:
        raise StoreDamaged(f"the row {row_id} cannot be read; run `voice maintain verify`") from None
    if content_hash(text_of(row)) != found.get("content_hash"):
        raise StoreDamaged(f"{row_id}: its text is not the one that was stored; restore a backup")
    return row


def decode_count(result: object) -> int:
    """Return the number in the result of `SELECT count() … GROUP ALL`, which is empty for no records."""
    groups = cast("list[Mapping[str, int]]", result)
    return groups[0]["count"] if groups else 0


def unreadable_record(found: Record) -> StoreDamaged:
    """Return the error of a record that is keyed by a whole id of ours and cannot be read."""
    return StoreDamaged(f"{key_of(found['id'])} cannot be read; run `voice maintain verify`")


def decode_name(found: NameRecord) -> EntityName:
    """Return the names of an entity."""
    entity, name, entity_type, aliases, is_private = found
    return EntityName(
        id=_ENTITY_ID + key_of(entity),
        name=name,
        entity_type=entity_type,
        aliases=tuple(aliases or ()),
        is_private=is_private,
    )


def encode_stamp(stamp: Stamp) -> Record:
    """Return the record of a stamp."""
    return {
        "id": record("stamps", stamp.row_id),
        "seq": stamp.seq,
        "revision": stamp.revision,
        "embedding": str(stamp.embedding),
        **({"scoped": True} if stamp.scoped else {}),  # absent means false
    }


def decode_stamp(found: Record) -> Stamp:
    """Return the stamp of a record."""
    return Stamp(
        row_id=key_of(found["id"]),
        seq=cast("int", found["seq"]),
        revision=cast("int", found["revision"]),
        embedding=cast("Embedding", found["embedding"]),
        scoped=bool(found.get("scoped")),
    )


def encode_vector(vector: VectorRow) -> Record:
    """Return the record of a vector."""
    return {
        "id": record("vectors", vector.row_id),
        "model": clean_text(vector.model),
        "dim": vector.dim,
        "data": bytes(vector.data),
    }


def decode_vector(found: Record) -> VectorRow:
    """Return the vector of a record. Raises StoreDamaged: its bytes are not `dim` numbers, or all zero."""
    row_id = key_of(found["id"])
    try:
        return VectorRow(
            row_id=row_id,
            model=cast("str", found["model"]),
            dim=cast("int", found["dim"]),
            data=cast("bytes", found["data"]),
        )
    except InvalidParams:
        raise StoreDamaged(f"the vector of {row_id} cannot be read; run `voice maintain rebuild vectors`") from None


def encode_tombstone(tombstone: Tombstone) -> Record:
    """Return the record of a tombstone, without the seq that its stamp holds."""
    return {
        "id": record("tombstones", tombstone.row_id),
        "keyed_hash": clean_text(tombstone.keyed_hash),
        "reason": tombstone.reason,
        "at": encode_instant(tombstone.at),
    }


def decode_tombstone(found: Record, seq: int) -> Tombstone:
    """Return the tombstone of a record, with the seq of its stamp."""
    return Tombstone(
        row_id=key_of(found["id"]),
        keyed_hash=cast("str", found["keyed_hash"]),
        reason=cast("Literal['forgotten', 'finalised', 'redacted']", found["reason"]),
        at=decode_instant(found["at"]),
        seq=seq,
    )


def encode_money(amount: Decimal) -> str:
    """Return `amount` as digits: engine 3.0 does not understand `1E-9`."""
    return format(amount, "f")


def encode_instant(moment: datetime) -> datetime:
    """Return `moment` in UTC. Raises InvalidParams: it is naive (ruling B10)."""
    if moment.tzinfo is None:
        raise InvalidParams("an instant without a time zone cannot be stored")
    return moment.astimezone(UTC)


def decode_instant(found: object) -> datetime:
    """Return a plain aware UTC datetime; the SDK's own subclass does not leave this package."""
    moment = cast("datetime", found)
    return moment if type(moment) is datetime else datetime.combine(moment.date(), moment.time(), UTC)


def _put(found: Record, name: str, value: object) -> None:
    if value is not None and value != ():
        found[name] = _storable(value)


def _storable(value: object) -> object:
    if isinstance(value, datetime):
        return encode_instant(value)
    if isinstance(value, tuple):
        return [_storable(each) for each in cast("tuple[object, ...]", value)]
    return storable(str(value) if isinstance(value, str) else value)  # of an enumeration its text


def _provenance(found: Record) -> list[Record]:
    thoughts, spans = cast("list[str]", found["thought_ids"]), cast("list[int]", found.get("spans") or [])
    if len(spans) != 2 * len(thoughts):
        return [{}]  # validates as no provenance at all, so the row is reported as damaged
    return [
        {"thought_id": thought, "start": spans[2 * at], "end": spans[2 * at + 1]} for at, thought in enumerate(thoughts)
    ]


def embedding_of(status: EmbeddingStatus) -> Embedding:
    """Return a row's embedding status as its stamp writes it."""
    return cast("Embedding", str(status))

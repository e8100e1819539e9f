"""A change, as the index keeps it.

Law: what the index knows of a row is computed here, once, from the change alone and the names it mentions: so a fold
and a rebuild agree. Redacted rows, what the inner voice wrote, and links and titles without a word about them are
kept as a count and an id, without words and without a vector: nothing can find them (rulings A13, I5; promise 6).

Source: DESIGN 4 and 5; rulings A13, A18, C10.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntFlag
from typing import Final

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from voice.adapters.index.terms import Term, row_terms
from voice.core.graph.entity_names import is_bare_note
from voice.core.graph.removal.lifecycle import is_no_longer_held
from voice.core.graph.thoughts.vouching import is_declined
from voice.core.records import TRUST_RANK, Entity, Observation, Row, RowStatus, Scope, Table, Thought, table_of
from voice.core.retrieval.indexed_text import indexed_text, mentioned_days, mentioned_entities
from voice.core.retrieval.selection_rules import text_key
from voice.core.text.instants import has_date
from voice.core.text.normalise import content_hash
from voice.ports.stores import Change

Key = int
"""64 bits of a hash; 0 stands for "none"."""

_TABLE_BITS: Final = 2
OWNERS_OF_A_TABLE: Final = 1 << (64 - _TABLE_BITS)
OWNER_BASE: Final[dict[Table, Key]] = {table: number * OWNERS_OF_A_TABLE for number, table in enumerate(sorted(Table))}
"""Owners of a table begin here."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_BETWEEN_NOTES_US: Final = timedelta(days=2) // _MICROSECOND


class Flag(IntFlag):
    """One byte per row; a row is admitted when none of the forbidden bits is set."""

    THOUGHT = 1
    ENTITY = 2
    OBSERVATION = 4
    RELATION = 8
    PRIVATE = 16
    SUPERSEDED = 32
    """What was replaced, or left with its note; found as of before."""
    HIDDEN = 64
    """Marked for removal, redacted, written by the inner voice, or a mere link."""
    DEAD = 128
    """Replaced or gone."""


FLAG_OF_TABLE: Final[dict[Table, Flag]] = {
    Table.THOUGHTS: Flag.THOUGHT,
    Table.ENTITIES: Flag.ENTITY,
    Table.OBSERVATIONS: Flag.OBSERVATION,
    Table.RELATIONS: Flag.RELATION,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A row's facts for filtering and ranking."""

    row_id: str
    key: Key
    seq: int
    flags: Flag
    created_us: int
    """When it was told (`moment_of`)."""
    scope: tuple[Key, Key, Key, Key]
    speaker: Key
    name: Key
    """For an entity: its name and privacy, so that a change of either is noticed; else 0."""
    tags: tuple[Key, ...]
    spoken: tuple[int, ...]
    """First and last day, in turn, of each time its words speak of, counted from 1970."""
    mentions: tuple[Key, ...]
    """Entities whose names are part of the indexed text."""
    owner: Key
    """Its table and scope, table first: the rows of one owner stand on one line by time, then id; 0 for a row that
    nothing may find."""
    says: Key
    """What it says (`voice.core.retrieval.selection_rules.text_key`); 0 where its text says more than its own words."""
    trust: int
    """How far it can be trusted (`TRUST_RANK`)."""
    terms: Mapping[Term, int]
    vector: bytes | None


def key_of(text: str | None) -> Key:
    """Return the key of `text`; 0 for None."""
    if text is None:
        return 0
    return int.from_bytes(blake3(text.encode("utf-8", "surrogatepass")).digest(length=8), "little") or 1


def keys_of(texts: Iterable[str]) -> NDArray[np.uint64]:
    """Return the key of each text."""
    return np.array([key_of(text) for text in texts], dtype=np.uint64)


def speaker_key(name: str | None) -> Key:
    """Return the key of a speaker's name, whatever its case and spacing."""
    folded = " ".join((name or "").casefold().split())
    return key_of(folded) if folded else 0


def name_key(entity: Entity | None) -> Key:
    """Return what must change for the texts that mention `entity` to change."""
    if entity is None or entity.status is RowStatus.REDACTED:
        return 0
    return key_of(f"{entity.is_private:d}{entity.name}")


def to_micros(moment: datetime) -> int:
    """Return microseconds since 1970, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


def moment_of(row: Row) -> int:
    """Return where a row stands in time; an undated one before all that is told, by its note and its place in that.

    Notes stand more than a day apart, so that only sentences of one note are neighbours.
    """
    if has_date(row.created_at):
        return to_micros(row.created_at)
    note, start = row.id, 0
    if not isinstance(row, Thought) and row.provenance:
        note, start = row.provenance[0].thought_id, row.provenance[0].start
    return -(1 << 62) + (key_of(note) >> 40) * _BETWEEN_NOTES_US + start


def scope_keys(scope: Scope) -> tuple[Key, Key, Key, Key]:
    """Return a key per scope dimension; 0 where none is named."""
    return key_of(scope.session_id), key_of(scope.repo_id), key_of(scope.agent_id), key_of(scope.user_id)


def entry_of(change: Change, row: Row, entities: Mapping[str, Entity], *, model: str, dim: int) -> Entry:
    """Return what the index keeps of `row`, which is `change.row`.

    Args:
        entities: the entities that the row mentions, as far as they exist.
        model: the active embedding model; a vector of another model or dimension is not kept (promise 5).
    """
    flags = _flags(row)
    is_silent = bool(flags & Flag.HIDDEN)
    names = {
        entity_id: entity.name
        for entity_id, entity in entities.items()
        if name_key(entity) and (row.is_private or not entity.is_private)
    }
    vector = change.vector
    is_comparable = vector is not None and vector.model == model and vector.dim == dim
    return Entry(
        row_id=row.id,
        key=key_of(row.id),
        seq=change.seq,
        flags=flags,
        created_us=moment_of(row),
        scope=scope_keys(row.scope),
        speaker=speaker_key(row.speaker if isinstance(row, Thought | Observation) else None),
        name=name_key(row) if isinstance(row, Entity) else 0,
        tags=tuple(sorted(key_of(tag) for tag in row.tags)),
        spoken=() if is_silent else tuple(day for days in mentioned_days(row) for day in days),
        mentions=tuple(sorted({key_of(entity_id) for entity_id in mentioned_entities(row)})),
        owner=0 if is_silent else _owner(row),
        says=0 if is_silent else _says(row),
        trust=TRUST_RANK[row.trust],
        terms={} if is_silent else row_terms(indexed_text(row, names)),
        vector=vector.data if vector is not None and is_comparable and not is_silent else None,
    )


def _flags(row: Row) -> Flag:
    flags = FLAG_OF_TABLE[table_of(row.id)]
    if row.is_private:
        flags |= Flag.PRIVATE
    if is_no_longer_held(row):
        flags |= Flag.SUPERSEDED
    is_marked = row.status is RowStatus.REMOVAL and not is_no_longer_held(row)
    is_gone = is_marked or row.status is RowStatus.REDACTED or is_declined(row)
    if is_gone or (isinstance(row, Thought) and row.is_synthesis) or is_bare_note(row):
        flags |= Flag.HIDDEN
    return flags


def _says(row: Row) -> Key:
    """Return the key of what the row says; 0 where others are named in it, or nothing is said."""
    if not isinstance(row, Thought | Observation):
        return 0
    text = row.content if isinstance(row, Thought) else row.text
    return text_key(content_hash(text)) if text.strip() else 0


def _owner(row: Row) -> Key:
    table = table_of(row.id)
    return OWNER_BASE[table] | (key_of(f"{table} {row.scope}") >> _TABLE_BITS) | 1

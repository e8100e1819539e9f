"""What the index keeps of a changed row, and the columns of a segment: facts, ragged lists, postings of terms.

Law: rows of one term ascend; equal rows give equal arrays. BM25 scores are not stored: statistics are those of all live
rows at query time, so they do not depend on the index's history.

Computed only here, from the change and the names it mentions, so a fold and a rebuild agree. Redacted rows, the inner
voice's own and bare links have an id but no words or vector, so that no search finds them (rulings A13, I5; promise 6).

Source: DESIGN 4 and 5; rulings A13, A18, C10.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import IntFlag
from itertools import chain
from typing import Any, Final, Generic, Self, TypeVar

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from voice.adapters.index.terms import Term, row_terms
from voice.core.graph.entity_names import is_bare_note
from voice.core.graph.removal.lifecycle import is_no_longer_held
from voice.core.graph.thoughts.vouching import is_declined
from voice.core.records import TRUST_RANK, Entity, Observation, Row, RowStatus, Scope, Table, Thought, table_of
from voice.core.retrieval.searchable_text import indexed_text, mentioned_days, mentioned_entities
from voice.core.retrieval.selection_rules import text_key
from voice.core.text.instants import has_date
from voice.core.text.normalise import content_hash
from voice.ports.stores import Change

Key = int
"""64-bit hash; 0 means none."""

_TABLE_BITS: Final = 2  # four tables
OWNERS_OF_A_TABLE: Final = 1 << (64 - _TABLE_BITS)
OWNER_BASE: Final[dict[Table, Key]] = {table: number * OWNERS_OF_A_TABLE for number, table in enumerate(sorted(Table))}
"""First owner key of each table."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_BETWEEN_NOTES_US: Final = timedelta(days=2) // _MICROSECOND  # more than `MAX_GAP`


class Flag(IntFlag):
    """One byte per row; a row is admitted if none of the forbidden bits is set."""

    THOUGHT = 1
    ENTITY = 2
    OBSERVATION = 4
    RELATION = 8
    PRIVATE = 16
    SUPERSEDED = 32
    """Superseded, or gone with its note; visible in the past."""
    HIDDEN = 64
    """Marked for removal, redacted, the inner voice's own, or a bare link."""
    DEAD = 128
    """Replaced or deleted."""


FLAG_OF_TABLE: Final[dict[Table, Flag]] = {
    Table.THOUGHTS: Flag.THOUGHT,
    Table.ENTITIES: Flag.ENTITY,
    Table.OBSERVATIONS: Flag.OBSERVATION,
    Table.RELATIONS: Flag.RELATION,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A row's data for filtering and ranking."""

    row_id: str
    key: Key
    seq: int
    flags: Flag
    created_us: int
    """See `moment_of`."""
    scope: tuple[Key, Key, Key, Key]
    speaker: Key
    name: Key
    """Of an entity: hash of name and privacy, to detect changes; else 0."""
    tags: tuple[Key, ...]
    spoken: tuple[int, ...]
    """Alternating first and last day of each mentioned time, from 1970."""
    mentions: tuple[Key, ...]
    """Entities whose names are in the indexed text."""
    owner: Key
    """Table (high bits) and scope: rows of one owner form a timeline by time, then id; 0 for an unsearchable row."""
    says: Key
    """Text key (`voice.core.retrieval.selection_rules.text_key`); 0 if its text contains more than its own words."""
    trust: int
    """`TRUST_RANK`."""
    terms: Mapping[Term, int]
    vector: bytes | None


def key_of(text: str | None) -> Key:
    """Hash a text to a key; 0 for None."""
    if text is None:
        return 0
    return int.from_bytes(blake3(text.encode("utf-8", "surrogatepass")).digest(length=8), "little") or 1  # 0 means none


def keys_of(texts: Iterable[str]) -> NDArray[np.uint64]:
    """Return the key of each text."""
    return np.array([key_of(text) for text in texts], dtype=np.uint64)


def speaker_key(name: str | None) -> Key:
    """Return a speaker's key, ignoring case and spacing."""
    folded = " ".join((name or "").casefold().split())
    return key_of(folded) if folded else 0


def name_key(entity: Entity | None) -> Key:
    """Hash what the texts that mention `entity` depend on."""
    if entity is None or entity.status is RowStatus.REDACTED:
        return 0
    return key_of(f"{entity.is_private:d}{entity.name}")


def to_micros(moment: datetime) -> int:
    """Return exact microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


def moment_of(row: Row) -> int:
    """Return a row's time in µs; undated rows precede all others, ordered by note and position."""
    # Undated notes are more than `MAX_GAP` apart, so only sentences of one note are neighbours.
    if has_date(row.created_at):
        return to_micros(row.created_at)
    note, start = row.id, 0
    if not isinstance(row, Thought) and row.provenance:
        note, start = row.provenance[0].thought_id, row.provenance[0].start
    # 24 bits of the note's hash: the sum fits 64 bits and stays below every date.
    return -(1 << 62) + (key_of(note) >> 40) * _BETWEEN_NOTES_US + start


def scope_keys(scope: Scope) -> tuple[Key, Key, Key, Key]:
    """Return a key per scope dimension; 0 if unset."""
    return key_of(scope.session_id), key_of(scope.repo_id), key_of(scope.agent_id), key_of(scope.user_id)


def entry_of(change: Change, row: Row, entities: Mapping[str, Entity], *, model: str, dim: int) -> Entry:
    """Build the entry of `row` (`change.row`); vectors of another model or dimension are dropped (promise 5)."""
    flags = _flags(row)
    is_silent = bool(flags & Flag.HIDDEN)
    names = {
        entity_id: entity.name
        for entity_id, entity in entities.items()
        if name_key(entity) and (row.is_private or not entity.is_private)  # a private name finds private rows only
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
    """Return the text key; 0 for graph rows with names and for empty text."""
    if not isinstance(row, Thought | Observation):
        return 0
    text = row.content if isinstance(row, Thought) else row.text
    return text_key(content_hash(text)) if text.strip() else 0


def _owner(row: Row) -> Key:
    table = table_of(row.id)
    # `| 1`: 0 is the owner of unsearchable rows.
    return OWNER_BASE[table] | (key_of(f"{table} {row.scope}") >> _TABLE_BITS) | 1


Value = TypeVar("Value", bound=np.generic)
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Ragged(Generic[Value]):
    """Ragged array: list `i` is `values[starts[i]:starts[i + 1]]`."""

    starts: NDArray[np.uint64]
    values: NDArray[Value]

    def of(self, number: int) -> NDArray[Value]:
        """Return list `number`."""
        return self.values[int(self.starts[number]) : int(self.starts[number + 1])]

    def owners(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return for each index into `values` the list it belongs to."""
        return np.searchsorted(self.starts, places.astype(np.uint64), "right") - 1

    def kept(self, mask: Mask) -> "Ragged[Value]":
        """Return the lists selected by `mask`."""
        lengths = np.diff(self.starts.astype(np.int64))  # signed: `np.repeat` takes no uint64
        return Ragged(starts_of(lengths[mask]), self.values[np.repeat(mask, lengths)])


def ragged(lists: Sequence[Sequence[int]], dtype: type[Value]) -> Ragged[Value]:
    """Flatten lists into a ragged array."""
    flat = [value for values in lists for value in values]
    return Ragged(starts_of([len(values) for values in lists]), np.array(flat, dtype=dtype))


def joined(parts: Iterable[Ragged[Value]]) -> Ragged[Value]:
    """Concatenate at least one ragged array."""
    several = list(parts)
    lengths = np.concatenate([np.diff(part.starts.astype(np.int64)) for part in several])
    return Ragged(starts_of(lengths), np.concatenate([part.values for part in several]))


def starts_of(lengths: Sequence[int] | NDArray[Any]) -> NDArray[np.uint64]:
    """Return the start of each list, and the end of the last."""
    starts = np.zeros(len(lengths) + 1, dtype=np.uint64)
    np.cumsum(lengths, out=starts[1:])
    return starts


Keys = NDArray[np.uint64]
SCOPE_DIMENSIONS = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Facts:
    """Columns over the rows of a segment."""

    flags: NDArray[np.uint8]
    created_us: NDArray[np.int64]
    seq: NDArray[np.int64]
    scope: Keys
    """One row per scope dimension."""
    speaker: Keys
    name: Keys
    owner: Keys
    """Timeline of the row: table and scope; 0 for an unsearchable row."""
    length: NDArray[np.uint32]
    """Number of terms, with repetitions; 0 if not searchable by words."""
    key: Keys
    says: Keys
    """Text key; 0 if unknown."""
    trust: NDArray[np.uint8]
    """Rank of its trust."""

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Self:
        """Build the facts of `entries`, in order."""
        scope = np.array([entry.scope for entry in entries], dtype=np.uint64).reshape(-1, SCOPE_DIMENSIONS)
        return cls(
            flags=np.array([entry.flags for entry in entries], dtype=np.uint8),
            created_us=np.array([entry.created_us for entry in entries], dtype=np.int64),
            seq=np.array([entry.seq for entry in entries], dtype=np.int64),
            scope=np.ascontiguousarray(scope.T),  # a search compares one dimension at a time
            speaker=np.array([entry.speaker for entry in entries], dtype=np.uint64),
            name=np.array([entry.name for entry in entries], dtype=np.uint64),
            owner=np.array([entry.owner for entry in entries], dtype=np.uint64),
            length=np.array([sum(entry.terms.values()) for entry in entries], dtype=np.uint32),
            key=np.array([entry.key for entry in entries], dtype=np.uint64),
            says=np.array([entry.says for entry in entries], dtype=np.uint64),
            trust=np.array([entry.trust for entry in entries], dtype=np.uint8),
        )

    @classmethod
    def joined(cls, parts: Sequence["Facts"], kept: Sequence[Mask]) -> Self:
        """Concatenate the kept rows of all parts."""
        pairs = list(zip(parts, kept, strict=True))
        return cls(
            **{
                # `...`, because `scope` has two axes, of which the rows are the last.
                field.name: np.concatenate([getattr(part, field.name)[..., mask] for part, mask in pairs], axis=-1)
                for field in fields(cls)
            }
        )


MAX_COUNT: Final = 65_535


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Postings in CSR form: term `i` is in `rows[starts[i]:starts[i + 1]]`, with `counts`."""

    terms: NDArray[np.uint64]
    """Ascending."""
    starts: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    counts: NDArray[np.uint16]

    def of(self, term: Term) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
        """Return the rows with `term`, ascending, and their counts."""
        wanted = np.uint64(term)
        place = int(self.terms.searchsorted(wanted))
        if place == len(self.terms) or self.terms[place] != wanted:
            return self.rows[:0], self.counts[:0]  # empty, of the same types
        start, end = int(self.starts[place]), int(self.starts[place + 1])
        return self.rows[start:end], self.counts[start:end]

    def spans(self, terms: NDArray[np.uint64]) -> list[tuple[int, int]]:
        """Return the span of each term in `rows`; empty if absent."""
        if not len(self.terms):
            return [(0, 0)] * len(terms)
        place = self.terms.searchsorted(terms)
        # `clip`: a term may sort after the last.
        is_there: NDArray[np.bool_] = self.terms.take(place, mode="clip") == terms
        # Of an absent term the span ends where it starts.
        starts, ends = self.starts.take(place), self.starts.take(place + is_there.astype(np.intp))
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def loose(self) -> "UngroupedPostings":
        """Return one (term, row, count) per posting."""
        lengths = np.diff(self.starts.astype(np.int64))
        return UngroupedPostings(np.repeat(self.terms, lengths), self.rows, self.counts)


@dataclass(frozen=True, slots=True, eq=False)
class UngroupedPostings:
    """Postings not yet grouped; the rows of each term ascend."""

    terms: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    counts: NDArray[np.uint16]

    def kept(self, mask: Mask, numbers: NDArray[np.uint32]) -> "UngroupedPostings":
        """Return the postings of rows in `mask`, with row `r` renumbered to `numbers[r]`."""
        keep = mask[self.rows]
        return UngroupedPostings(self.terms[keep], numbers[self.rows[keep]], self.counts[keep])


def postings_of(entries: Sequence[Entry]) -> Postings:
    """Build the postings of rows 0, 1, 2 …"""
    sizes = [len(entry.terms) for entry in entries]
    total = sum(sizes)
    terms = np.fromiter(chain.from_iterable(entry.terms for entry in entries), np.uint64, total)
    counts = np.fromiter(chain.from_iterable(entry.terms.values() for entry in entries), np.int64, total)
    rows = np.repeat(np.arange(len(entries), dtype=np.uint32), sizes)
    return grouped([UngroupedPostings(terms, rows, np.minimum(counts, MAX_COUNT).astype(np.uint16))])


def grouped(parts: Sequence[UngroupedPostings]) -> Postings:
    """Group postings by term; rows must ascend from part to part."""
    terms = np.concatenate([part.terms for part in parts])
    order = np.argsort(terms, kind="stable")  # stable: rows of a term stay ascending
    terms = terms[order]
    is_first = np.ones(len(terms), dtype=np.bool_)
    is_first[1:] = terms[1:] != terms[:-1]
    firsts = np.flatnonzero(is_first)
    return Postings(
        terms=terms[firsts],
        starts=np.append(firsts, len(terms)).astype(np.uint64),
        rows=np.concatenate([part.rows for part in parts])[order],
        counts=np.concatenate([part.counts for part in parts])[order],
    )

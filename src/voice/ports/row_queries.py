"""Reads of rows other than by id: all words, ids by prefix, redacted, dependent and superseded rows; the log of merges.

Law: reads everything there is of a kind, page by page, each at most once, and of each no more than its words and what
decides who may see them: it costs a tenth of reading the values. What was redacted or forgotten has no words left.

Rows that rest on thoughts, and rows that name entities, whatever their place in life. Nothing is left out because it is
marked, superseded or redacted: what may leave is decided by whoever asks (`voice.core.graph.consequences`).

Of what the memory held before, superseded rows are told; what was forgotten or redacted is no history. A merge is in
the log exactly when its rows are in the graph; the log names rows and spans and holds no words.

Source: spec retrieval-contract, Redaction Handling; DESIGN 4 (`recorded_at`); rulings C10, F.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, Self, assert_never

from voice.core.graph.entities.merge import Merge
from voice.core.records import Entity, Observation, Relation, Row, RowStatus, Table, Thought
from voice.core.usage import Total
from voice.ports.stores import WriteBatch


@dataclass(frozen=True, slots=True, kw_only=True)
class RowWords:
    """The words of one row."""

    id: str
    words: tuple[str, ...] = field(repr=False)
    """Its texts; of a relation without the names of its ends."""
    status: RowStatus
    is_private: bool
    tags: tuple[str, ...] = ()
    place: str | None = None
    """Of a thought: where an import found it."""
    thought_id: str | None = None
    """Of what was made of thoughts: the first of them."""
    ends: tuple[str, ...] = ()

    @classmethod
    def of(cls, row: Row) -> Self:
        """Return what is told of a row."""
        words, ends, place = _searchable_parts(row)
        first = None if isinstance(row, Thought) or not row.provenance else row.provenance[0].thought_id
        return cls(
            id=row.id,
            words=tuple(filter(None, words)),  # a description may be empty
            status=row.status,
            is_private=row.is_private,
            tags=row.tags,
            place=place,
            thought_id=first,
            ends=ends,
        )


def _searchable_parts(row: Row) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    """Return the words of a row, the entities it joins, and where it was found."""
    match row:
        case Thought():
            return (row.content,), (), row.source_ref
        case Observation():
            return (row.text,), (), None
        case Entity():
            return (row.name, row.description, *row.aliases), (), None  # aliases are names, too
        case Relation():
            return (row.rel_type, row.description), (row.source_id, row.target_id), None
        case _:
            assert_never(row)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWords:
    """The words of one turn."""

    id: str
    at: datetime
    question: str = field(repr=False)  # what a person said is not printed
    answer: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFigures:
    """What one session came to."""

    id: str
    turns: int
    """Its own; those that a fork shares are of the session that holds them."""
    refused: int
    errors: int
    """Those that were stopped or failed."""
    tokens: int
    cost: Total  # what is known, and how many are not


class StoreScan(Protocol):
    """Reads the words of everything."""

    def rows(self, table: Table) -> AsyncIterator[Sequence[RowWords]]:  # not async: iterate over it
        """Yield the rows of a table, in pages, by id. Raises StoreError: they cannot be read; here and below."""
        ...

    def turns(self) -> AsyncIterator[Sequence[TurnWords]]:
        """Yield the turns of all sessions, in pages, each once; those of deleted sessions have no words."""
        ...

    def sessions(self) -> AsyncIterator[Sequence[SessionFigures]]:
        """Yield what each session came to, in pages, by id."""
        ...


class IdPrefixes(Protocol):
    """Ids of what is named one by one: rows, candidates, pins, merges and conflicts."""

    async def ids_from(self, start: str, *, limit: int) -> list[str]:
        """Return up to `limit` ids, rising, that begin with `start`: a kind with its colon, and what follows. Ids of
        rows that went for good are among them: they can still be named."""
        ...

    async def scoped(self, *, limit: int) -> list[str]:
        """Return the ids of up to `limit` rows that belong to a scope, the latest written first."""
        ...


class RedactedRows(Protocol):
    """Finds what was redacted: for an audit, which asks rarely and wants all of it."""

    async def redacted(self) -> list[Row]:
        """Return every redacted row of every table, by `created_at` descending, then id."""
        ...


class DependentRowStore(Protocol):
    """Reads what removal takes along."""

    async def resting_on(self, thought_ids: Sequence[str]) -> list[Row]:
        """Return the KG rows whose provenance names any of the thoughts, and the thoughts that sum any up, by id."""
        ...

    async def naming(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return the observations and relations that name any of the entities, by id."""
        ...


class HistoryStore(Protocol):
    """Reads what was superseded."""

    async def replaced_by(self, row_ids: Sequence[str]) -> list[Row]:
        """Return the superseded rows whose place one of these took, directly, by id."""
        ...

    async def past_of(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return the rows that were superseded, or left with their notes, and name or touch an entity, by id."""
        ...

    async def not_held_at(self, moment: datetime) -> set[str]:
        """Return the ids of the rows that the memory did not hold then: recorded later, superseded or left by then, or
        away then, and back since. A superseded row of which it was not kept when counts as superseded by then."""
        ...

    async def found_at(self, source_refs: Sequence[str]) -> list[Thought]:
        """Return the live thoughts that an import found at any of these places, by id."""
        ...


class MergeLog(Protocol):
    """Merges, those that were taken back too."""

    async def record(self, merge: Merge, *, rows: WriteBatch) -> Merge:
        """Write a merge, or that it was taken back, with its rows in one transaction; return it with its `seq`. Raises
        InvalidParams: a row was changed by somebody else meanwhile, or cannot be written (`MemoryStore.write`)."""
        ...

    async def merge(self, merge_id: str) -> Merge | None:
        """Return the merge, or None."""
        ...

    async def merges(self) -> list[Merge]:
        """Return all of them, the latest first, then by id."""
        ...

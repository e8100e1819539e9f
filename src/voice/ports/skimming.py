"""What rows, turns and sessions say and cost, without the rest of them.

Law: reads everything there is of a kind, page by page, each at most once, and of each no more than its words and what
decides who may see them: it costs a tenth of reading the values. What was redacted or forgotten has no words left.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, Self, assert_never

from voice.core.records import Entity, Observation, Relation, Row, RowStatus, Table, Thought
from voice.core.usage import Total


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidRow:
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
    """Of a relation: the entities that it joins."""

    @classmethod
    def of(cls, row: Row) -> Self:
        """Return what is told of a row."""
        words, ends, place = _said(row)
        first = None if isinstance(row, Thought) or not row.provenance else row.provenance[0].thought_id
        return cls(
            id=row.id,
            words=tuple(filter(None, words)),
            status=row.status,
            is_private=row.is_private,
            tags=row.tags,
            place=place,
            thought_id=first,
            ends=ends,
        )


def _said(row: Row) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    """Return the words of a row, the entities it joins, and where it was found."""
    match row:
        case Thought():
            return (row.content,), (), row.source_ref
        case Observation():
            return (row.text,), (), None
        case Entity():
            return (row.name, row.description, *row.aliases), (), None
        case Relation():
            return (row.rel_type, row.description), (row.source_id, row.target_id), None
        case _:
            assert_never(row)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidTurn:
    """The words of one turn."""

    id: str
    at: datetime
    question: str = field(repr=False)
    answer: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFigures:
    """What one session came to."""

    id: str
    turns: int
    """Its own; those that a fork shares are of the session that holds them."""
    refused: int
    tokens: int
    cost: Total


class Skimming(Protocol):
    """Reads the words of everything."""

    def rows(self, table: Table) -> AsyncIterator[Sequence[SaidRow]]:
        """Yield the rows of a table, in pages, by id.

        Raises:
            StoreError: they cannot be read; here and below.
        """
        ...

    def turns(self) -> AsyncIterator[Sequence[SaidTurn]]:
        """Yield the turns of all sessions, in pages, each once; those of deleted sessions have no words."""
        ...

    def sessions(self) -> AsyncIterator[Sequence[SessionFigures]]:
        """Yield what each session came to, in pages, by id."""
        ...

"""Incoming thoughts and rows, and the report of storing them.

Source: rulings A21, F, H, C17.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from voice.core.graph.entity_names import KnownNames
from voice.core.records import GraphRow, Origin, Scope, Thought


@dataclass(frozen=True, slots=True, kw_only=True)
class NewThought:
    """A thought to remember; ids and times that are None are given when it is stored."""

    content: str = field(repr=False)
    origin: Origin
    id: str | None = None
    created_at: datetime | None = None
    kind: str = "note"
    tags: tuple[str, ...] = ()
    is_private: bool = False
    scope: Scope = Scope()
    speaker: str | None = None
    thread: str | None = None
    source_ref: str | None = None
    noted_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """Which of some thoughts are new."""

    fresh: tuple[Thought, ...]
    known: int
    forgotten: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingRows:
    """Rows that come in together with thoughts."""

    rows: Mapping[str, tuple[GraphRow, ...]] = field(default_factory=dict[str, tuple[GraphRow, ...]])
    """By thought id, what is written in the transaction of that thought."""
    undistilled: frozenset[str] = frozenset()
    """Thoughts whose observations come along."""
    names: KnownNames | None = None
    """What texts may name; None: what the store knows."""
    again: bool = False
    """Whether what was held before in these words, is no more and was not forgotten comes in anew, under a new id."""
    ids: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", frozenset(row.id for rows in self.rows.values() for row in rows))


NOTHING_BROUGHT: Final = IncomingRows()


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """The report of storing; every number is a count of rows."""

    stored: tuple[str, ...] = ()
    observations: int = 0
    already_known: int = 0
    forgotten: int = 0
    unembedded: int = 0
    """Stored without a vector; `voice maintain rebuild vectors` tries again (ruling C17)."""
    embedder_fault: str | None = None

    def __add__(self, other: "IngestReport") -> "IngestReport":
        return IngestReport(
            stored=(*self.stored, *other.stored),
            observations=self.observations + other.observations,
            already_known=self.already_known + other.already_known,
            forgotten=self.forgotten + other.forgotten,
            unembedded=self.unembedded + other.unembedded,
            embedder_fault=self.embedder_fault or other.embedder_fault,
        )

"""The layout of an answer with more than one passage: parts, each made of spans of rows.

Law: a layout names spans and says nothing of its own except what it counts, what a part is about, and how much more
there is. The answer gives each span word for word, or not at all.

Source: DESIGN 5; rulings A2, D1.
"""

from dataclasses import dataclass
from typing import NamedTuple

from voice.core.grounding.quotations import CountOf


class RowSpan(NamedTuple):
    """A part of a row's text, half-open."""

    row_id: str
    start: int
    end: int
    goes_on: bool = False
    """Whether it continues the item before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Spans that belong together, in order."""

    stretches: tuple[RowSpan, ...]
    head: str = ""
    counted: CountOf | None = None
    """What it counts, for the line above it; None if it counts nothing."""
    counting: tuple[RowSpan, ...] = ()
    """The spans it counts; empty if it counts all."""
    is_list: bool = False
    """Whether its spans are items of one list."""


class ReadRow(NamedTuple):
    """A row as it was read for one question: the number of its passage, and whether that was found for this row."""

    row_id: str
    passage: int | None
    is_hit: bool
    is_relevant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PartAnswer:
    """What answers one of several questions that were asked at once."""

    question: str
    rows: tuple[ReadRow, ...]
    parts: tuple[Part, ...] = ()
    """Of its answer; none: as passages."""
    more: str = ""
    """The line that says how much more there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """An answer's parts, in order."""

    parts: tuple[Part, ...]
    answers: tuple[PartAnswer, ...] = ()
    """What answers each of several questions, where several were asked at once; then it has no parts of its own."""
    more: str = ""
    """The line that says how much more there is; empty if nothing is left out."""

    @property
    def row_ids(self) -> tuple[str, ...]:
        """The ids of its rows, each once, in order."""
        return tuple(dict.fromkeys(each.row_id for part in self.parts for each in part.stretches))

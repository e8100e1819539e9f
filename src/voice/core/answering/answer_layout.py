"""The layout of an answer with more than one passage: parts, each made of spans of rows.

Law: a layout names spans and says nothing of its own except what it counts, what a part is about, and how much more
there is. The answer gives each span word for word, or not at all.

Source: DESIGN 5; rulings A2, D1.
"""

from collections.abc import Sequence
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
    """Its heading; empty if it has none."""
    counted: CountOf | None = None
    """What it counts, for the line above it; None if it counts nothing."""
    counting: tuple[RowSpan, ...] = ()
    """The spans it counts; empty if it counts all."""
    is_list: bool = False
    """Whether its spans are items of one list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """An answer's parts, in order."""

    parts: tuple[Part, ...]
    more: str = ""
    """The line that says how much more there is; empty if nothing is left out."""

    @property
    def row_ids(self) -> tuple[str, ...]:
        """The ids of its rows, each once, in order."""
        return tuple(dict.fromkeys(each.row_id for part in self.parts for each in part.stretches))


def whole_row(row_id: str, text: str) -> RowSpan:
    """Return a whole row as a span."""
    return RowSpan(row_id, 0, len(text))


def part_of_rows(rows: Sequence[tuple[str, str]], *, head: str = "") -> Part:
    """Return rows, each by its id and text, as one part."""
    return Part(stretches=tuple(whole_row(row_id, text) for row_id, text in rows), head=head)

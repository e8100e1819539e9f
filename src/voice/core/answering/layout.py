"""How an answer is laid out that is more than one passage: in parts, each of stretches of rows.

Law: a layout names stretches and says nothing of its own but what is counted, what a part is about, and how much more
there is; what it names is given word for word, or not at all.

Source: DESIGN 5; rulings A2, D1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from voice.core.grounding.quotation.counted import CountOf


class Stretch(NamedTuple):
    """A part of a row's text, half-open."""

    row_id: str
    start: int
    end: int
    goes_on: bool = False
    """Whether it is a further sentence of the item before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Stretches that are given together, in their order."""

    stretches: tuple[Stretch, ...]
    head: str = ""
    """What it is about, where that is to be said above it."""
    counted: CountOf | None = None
    """What is counted, where that is to be said above it."""
    counting: tuple[Stretch, ...] = ()
    """What of it is counted; empty where all of it is."""
    is_list: bool = False
    """Whether its stretches are the items of one list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What is given, part by part."""

    parts: tuple[Part, ...]
    more: str = ""
    """What is said of what there is besides; empty where that is all."""

    @property
    def row_ids(self) -> tuple[str, ...]:
        """The rows that are given, each once, in order."""
        return tuple(dict.fromkeys(each.row_id for part in self.parts for each in part.stretches))


def whole(row_id: str, text: str) -> Stretch:
    """Return all of a row."""
    return Stretch(row_id, 0, len(text))


def of_rows(rows: Sequence[tuple[str, str]], *, head: str = "") -> Part:
    """Return rows, each by its id and text, as one part."""
    return Part(stretches=tuple(whole(row_id, text) for row_id, text in rows), head=head)

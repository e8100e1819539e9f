"""A stored text as pieces that a page shows one after the other.

Law: the pieces put together are the text, character for character, so that offsets into the text are offsets into what
is shown (ruling C13). A character that would turn the reading direction, hide something or steer a program becomes a
piece of its own, to be shown by its number: it is seen and does nothing. A long text is cut at a place that is told.

Source: rulings C13, D22; DESIGN 8 Web.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

from voice.core.text.escaping import is_control_char

MOST_SHOWN: Final = 2_400
"""Characters of a text that are shown before somebody asks for all of it."""
_KEPT: Final = frozenset("\n\t")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some characters that are shown alike."""

    text: str
    marked: int | None = None
    """Which of the spans they lie in, counted from 1; None: in none."""
    is_first: bool = False
    """Whether the span begins here."""
    is_control_char: str = ""
    """What is shown in its place where it would steer the reader: its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedText:
    """A text in pieces, and how much of it that is."""

    pieces: tuple[Piece, ...]
    shown: int
    whole: int

    @property
    def left_out(self) -> int:
        """How many characters are not shown."""
        return self.whole - self.shown


def marked_text(text: str, spans: Sequence[Span] = (), *, most: int | None = MOST_SHOWN) -> MarkedText:
    """Return `text` in pieces.

    Args:
        text: as it is stored.
        spans: half-open places to mark; what lies outside the text is passed over, of two that overlap the first wins.
        most: how many characters are shown; None: all. It is extended so that every marked place is shown.
    """
    places = list(_places(spans, len(text)))
    last = max((end for _, end, _ in places), default=0)
    end = len(text) if most is None else min(len(text), max(most, last))
    return MarkedText(pieces=tuple(_pieces(text[:end], places)), shown=end, whole=len(text))


def steering_in(text: str) -> tuple[str, ...]:
    """Return the numbers of the characters of a text that would steer the reader, each once, in their order."""
    return tuple(dict.fromkeys(filter(None, map(_steering, text))))


def _places(spans: Sequence[Span], length: int) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, number) in the order of the text, none reaching into another."""
    free = 0
    for start, end, number in sorted((max(0, span[0]), min(span[1], length), at) for at, span in enumerate(spans, 1)):
        if max(start, free) < end:
            yield max(start, free), end, number
            free = end


def _pieces(text: str, places: Sequence[tuple[int, int, int]]) -> Iterator[Piece]:
    edges = sorted({0, len(text), *(edge for start, end, _ in places for edge in (start, end))})
    number_at = {start: number for start, _, number in places}
    for start, end in pairwise(edges):
        marked = number_at.get(start)
        for at, (number, run) in enumerate(_runs(text[start:end])):
            yield Piece(text=run, marked=marked, is_first=marked is not None and at == 0, steers=number)


def _runs(text: str) -> Iterable[tuple[str, str]]:
    """Yield stretches of text that can be shown, and each character that cannot."""
    for number, run in groupby(text, key=_steering):
        chars = "".join(run)
        yield from ((number, char) for char in chars) if number else [("", chars)]


def _steering(char: str) -> str:
    return f"U+{ord(char):04X}" if char not in _KEPT and is_control_char(char) else ""

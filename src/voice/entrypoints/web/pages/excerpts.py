"""Cited words in the text they were cut from.

Law: the pieces are cut from the stored text at its own offsets (ruling C13); what was cited is whole, however long, and
of the rest only what lies near it is shown.

Source: rulings C13, D1.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

AROUND = 220
"""Characters shown before and after what was cited."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some of a text."""

    text: str
    is_cited: bool = False
    is_gap: bool = False
    """Whether text was left out here; it has none of its own then."""


def excerpt(text: str, spans: Iterable[Span], *, around: int = AROUND) -> tuple[Piece, ...]:
    """Return what was cited of a text, with what stands around it.

    Args:
        text: the whole stored text.
        spans: half-open code-point offsets; those that touch are one, those outside of the text count as far as they
            lie in it.
        around: how many characters of the rest are shown on each side.
    """
    merged = _merged(spans, len(text))
    return tuple(piece for piece in _pieces(text, merged, around) if piece.text or piece.is_gap)


def _merged(spans: Iterable[Span], length: int) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted((max(0, start), min(length, end)) for start, end in spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged


def _pieces(text: str, spans: list[Span], around: int) -> Iterator[Piece]:
    at = 0
    for start, end in spans:
        yield from _between(text, (at, start), (0 if at == 0 else around, around))
        yield Piece(text=text[start:end], is_cited=True)
        at = end
    yield from _between(text, (at, len(text)), (around, 0))


def _between(text: str, rest: Span, shown: tuple[int, int]) -> Iterator[Piece]:
    """Yield what is shown of the text between two citations: so much of its beginning, and so much of its end."""
    start, end = rest
    head, tail = shown
    if end - start <= head + tail:
        yield Piece(text=text[start:end])
        return
    yield Piece(text=text[start : _back_to_space(text, start, start + head)])
    yield Piece(text="", is_gap=True)
    yield Piece(text=text[_on_to_space(text, end - tail, end) : end])


def _back_to_space(text: str, start: int, end: int) -> int:
    """Return where the last whole word before `end` ends; `end` where there is no space."""
    place = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
    return end if place < start else place


def _on_to_space(text: str, start: int, end: int) -> int:
    """Return where the first whole word after `start` begins; `start` where there is no space."""
    places = [place for place in (text.find(" ", start, end), text.find("\n", start, end)) if place >= 0]
    return min(places) + 1 if places else start

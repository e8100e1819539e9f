"""Text in pieces that a page shows one after the other: excerpts around cited words, and marked text.

Law: the pieces are cut from the text at its own offsets (ruling C13). In an excerpt what was cited is whole, and of the
rest what lies near it is shown, with the headings and bullets above it. In marked text the pieces put together are the
text, character for character; what would steer the reader is shown by its number, and a cut is told.
Source: rulings C13, D1, D22, I1; DESIGN 8 Web.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

from voice.core.text.display import is_control_char
from voice.core.text.markdown import outline_of

AROUND = 220
"""Characters shown before and after what was cited."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some of a text."""

    text: str
    is_cited: bool = False
    is_gap: bool = False


def excerpt(text: str, spans: Iterable[Span], *, around: int = AROUND, above: Sequence[Span] = ()) -> tuple[Piece, ...]:
    """Return what was cited of a text, with what stands around it.

    Args:
        spans: half-open code-point offsets; those that touch are one, what lies outside of the text does not count.
        around: how many characters of the rest are shown on each side.
        above: lines before all of it that are shown, too, in their order.
    """
    merged = _merged(spans, len(text))
    return tuple(piece for piece in _pieces(text, merged, around, above) if piece.text or piece.is_gap)


def lines_above(text: str, start: int, end: int) -> tuple[Span, ...]:
    """Return the lines that a stretch of a note stands under, whole: headings, and the bullets above it."""
    outline = outline_of(text)
    for number in outline.at(start, end)[:1]:
        over = sorted(line.start for line in outline.over(number))
        return tuple((text.rfind("\n", 0, at) + 1, _line_end(text, at)) for at in over)
    return ()


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _merged(spans: Iterable[Span], length: int) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted((max(0, start), min(length, end)) for start, end in spans):  # an address may say anything
        if merged and start <= merged[-1][1]:  # touching ones are one
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:  # clipped, it may be empty
            merged.append((start, end))
    return merged


def _pieces(text: str, spans: list[Span], around: int, above: Sequence[Span]) -> Iterator[Piece]:
    at = 0
    for start, end in spans:
        if at == 0:
            yield from _before(text, start, around, above)
        else:
            yield from _between(text, (at, start), (around, around))
        yield Piece(text=text[start:end], is_cited=True)
        at = end
    yield from _between(text, (at, len(text)), (around, 0))  # behind the last


def _before(text: str, start: int, around: int, above: Sequence[Span]) -> Iterator[Piece]:
    """Yield what is shown before the first citation: the lines that it stands under, and what is near it."""
    begin = 0 if start <= around else _on_to_space(text, start - around, start)  # words are not cut
    at = 0
    for first, last in above:
        if at <= first and last <= begin:
            yield Piece(text="", is_gap=at < first)  # something lies between
            yield Piece(text=text[first:last])
            at = last
    yield Piece(text="", is_gap=at < begin)
    yield Piece(text=text[begin:start])


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
    place = max(text.rfind(" ", start, end), text.rfind("\n", start, end))  # a line's end is as good
    return end if place < start else place


def _on_to_space(text: str, start: int, end: int) -> int:
    """Return where the first whole word after `start` begins; `start` where there is no space."""
    places = [place for place in (text.find(" ", start, end), text.find("\n", start, end)) if place >= 0]
    return min(places) + 1 if places else start


MOST_SHOWN: Final = 2_400
"""Characters of a text that are shown before somebody asks for all of it."""
_KEPT: Final = frozenset("\n\t")  # they lay out the text and steer nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPiece:
    """Some characters that are shown alike."""

    text: str
    marked: int | None = None
    """Which of the spans they lie in, counted from 1; None: in none."""
    is_first: bool = False
    steers: str = ""
    """What is shown in its place where it would steer the reader: its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedText:
    """A text in pieces, and how much of it that is."""

    pieces: tuple[MarkedPiece, ...]
    left_out: int
    whole: int


def marked_text(text: str, spans: Sequence[Span] = (), *, most: int | None = MOST_SHOWN) -> MarkedText:
    """Return `text` in pieces.

    Args:
        spans: half-open places to mark; what lies outside the text is passed over, of two that overlap the first wins.
        most: how many characters are shown; None: all. It is extended so that every marked place is shown.
    """
    places = list(_places(spans, len(text)))
    last = max((end for _, end, _ in places), default=0)  # a marked place far behind is shown whatever `most` says
    end = len(text) if most is None else min(len(text), max(most, last))
    return MarkedText(pieces=tuple(_marked_pieces(text[:end], places)), left_out=len(text) - end, whole=len(text))


def steering_in(text: str) -> tuple[str, ...]:
    """Return the numbers of the characters of a text that would steer the reader, each once, in their order."""
    return tuple(dict.fromkeys(filter(None, map(_steering, text))))


def _places(spans: Sequence[Span], length: int) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, number) in the order of the text, none reaching into another."""
    free = 0
    for start, end, number in sorted((max(0, span[0]), min(span[1], length), at) for at, span in enumerate(spans, 1)):
        if max(start, free) < end:  # of two that overlap the first keeps its place
            yield max(start, free), end, number
            free = end


def _marked_pieces(text: str, places: Sequence[tuple[int, int, int]]) -> Iterator[MarkedPiece]:
    edges = sorted({0, len(text), *(edge for start, end, _ in places for edge in (start, end))})
    number_at = {start: number for start, _, number in places}
    for start, end in pairwise(edges):
        marked = number_at.get(start)
        for at, (number, run) in enumerate(_runs(text[start:end])):
            yield MarkedPiece(text=run, marked=marked, is_first=marked is not None and at == 0, steers=number)


def _runs(text: str) -> Iterable[tuple[str, str]]:
    """Yield stretches of text that can be shown, and each character that cannot."""
    for number, run in groupby(text, key=_steering):
        chars = "".join(run)
        yield from ((number, char) for char in chars) if number else [("", chars)]  # each control char on its own


def _steering(char: str) -> str:
    return f"U+{ord(char):04X}" if char not in _KEPT and is_control_char(char) else ""

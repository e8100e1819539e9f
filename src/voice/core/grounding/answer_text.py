"""The text of an answer, made of its sentences, with the place of each.

Law: offsets are half-open code points of the joined text; items of a list and lines that were lines stay lines. A
sentence that is not proven has its mark around it, outside its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from voice.core.grounding.marks import CLOSING, opening_of_mark
from voice.core.grounding.values import Rung
from voice.core.text.lazy import late_pattern

_LINE = late_pattern(r"(?:[-*+•‣◦>|]|#{1,6}|\(?\d{1,3}[.)])[ \t]|\|")


class Placed(NamedTuple):
    """One sentence in the joined text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Joined:
    """An answer's text with the places of its sentences."""

    text: str
    places: tuple[Placed, ...]


def joined(sentences: Sequence[tuple[str, str]], rungs: Sequence[Rung] = ()) -> Joined:
    """Return sentences as one text.

    Args:
        sentences: what stood before each (its white space), and its words; a line end stays one, and what is a line of
            its own (an item, a row of a table, a heading) stands on one.
        rungs: the rung of each: what is not proven has its mark around it. None given: no marks.
    """
    parts: list[str] = []
    places: list[Placed] = []
    at = 0
    last = ""
    for number, (before, text) in enumerate(sentences):
        opening = opening_of_mark(rungs[number]) if rungs else ""
        closing = CLOSING if opening else ""
        glue = _glue(before, is_line=_is_line(text) or _is_line(last) or "\n" in text) if places else ""
        start = at + len(glue) + len(opening)
        places.append(Placed(start, start + len(text), text))
        parts += [glue, opening, text, closing]
        at, last = start + len(text) + len(closing), text
    return Joined("".join(parts), tuple(places))


def _glue(before: str, *, is_line: bool) -> str:
    ends = before.count("\n")
    if ends > 1:
        return "\n\n"
    return "\n" if ends or is_line else " "


def _is_line(text: str) -> bool:
    return _LINE.match(text) is not None

"""Join an answer's sentences into text, with their places and the marks of unproven ones.

Law: offsets are half-open code points of the joined text; items of a list and lines that were lines stay lines. A
sentence that is not proven has its mark around it, outside its place, inside the text: so nobody who passes the text on
can pass it on without. A sentence that is proven, and one that states nothing, bears none.

Source: DESIGN 6; ruling D1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from voice.core.grounding.values import PROVEN, Rung
from voice.core.messages import showing as messages
from voice.core.text.lazy import late_pattern

_LINE = late_pattern(r"(?:[-*+•‣◦>|]|#{1,6}|\(?\d{1,3}[.)])[ \t]|\|")


class PlacedSentence(NamedTuple):
    """One sentence in the joined text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class JoinedText:
    """An answer's text with the places of its sentences."""

    text: str
    places: tuple[PlacedSentence, ...]


def join_sentences(sentences: Sequence[tuple[str, str]], rungs: Sequence[Rung] = ()) -> JoinedText:
    """Return sentences as one text.

    Args:
        sentences: what stood before each (its white space), and its words; a line end stays one, and what is a line of
            its own (an item, a row of a table, a heading) stands on one.
        rungs: the rung of each: what is not proven has its mark around it. None given: no marks.
    """
    parts: list[str] = []
    places: list[PlacedSentence] = []
    at = 0
    last = ""
    for number, (before, text) in enumerate(sentences):
        opening = opening_of_mark(rungs[number]) if rungs else ""
        closing = MARK_CLOSING if opening else ""
        glue = _glue(before, is_line=_is_line(text) or _is_line(last) or "\n" in text) if places else ""
        start = at + len(glue) + len(opening)
        places.append(PlacedSentence(start, start + len(text), text))
        parts += [glue, opening, text, closing]
        at, last = start + len(text) + len(closing), text
    return JoinedText("".join(parts), tuple(places))


def _glue(before: str, *, is_line: bool) -> str:
    ends = before.count("\n")
    if ends > 1:
        return "\n\n"
    return "\n" if ends or is_line else " "


def _is_line(text: str) -> bool:
    return _LINE.match(text) is not None


SIGN_OF_RUNG: Mapping[Rung, str] = {
    "quoted": "✓",
    "verified": "✓",
    "unverified": "~",
    "unsupported": "✗",
    "contradicted": "✗",
    "remark": "·",
}
MARK_CLOSING = "]"


def mark_of(rung: Rung) -> str | None:
    """Return the mark of a sentence on this rung, such as "✗ not supported"; None where it bears none."""
    if rung in PROVEN or rung == "remark":
        return None
    return f"{SIGN_OF_RUNG[rung]} {messages.RUNGS[rung]}"


def opening_of_mark(rung: Rung) -> str:
    """Return what stands before a sentence on this rung; empty where it bears no mark."""
    mark = mark_of(rung)
    return "" if mark is None else f"[{mark}: "


def marked(text: str, rung: Rung) -> str:
    """Return a sentence with its mark around it: "[✗ not supported: She sold it.]"; bare where it bears none."""
    opening = opening_of_mark(rung)
    return f"{opening}{text}{MARK_CLOSING}" if opening else text

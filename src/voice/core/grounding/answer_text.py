"""Join an answer's sentences into text, with their offsets and warning marks.

Law: offsets are half-open code points of the joined text and exclude the marks. Every unproven sentence carries its
mark inside the text, so copying the text cannot lose it. List items and separate lines stay on their own lines.
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
    """One sentence in the joined text; `start:end` exclude its mark."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class JoinedText:
    """An answer's text with the offsets of its sentences."""

    text: str
    places: tuple[PlacedSentence, ...]


def join_sentences(sentences: Sequence[tuple[str, str]], rungs: Sequence[Rung] = ()) -> JoinedText:
    """Join sentences into one text.

    Args:
        sentences: the white space before each, and its words.
        rungs: the rung of each; empty: no marks.
    """
    parts: list[str] = []
    places: list[PlacedSentence] = []
    at = 0
    last = ""
    for number, (before, text) in enumerate(sentences):
        opening = opening_of_mark(rungs[number]) if rungs else ""
        closing = MARK_CLOSING if opening else ""
        is_on_own_line = "\n" in before or _is_line(text) or _is_line(last) or "\n" in text
        glue = "\n\n" if before.count("\n") > 1 else "\n" if is_on_own_line else " "
        glue = glue if places else ""
        start = at + len(glue) + len(opening)
        places.append(PlacedSentence(start, start + len(text), text))
        parts += [glue, opening, text, closing]
        at, last = start + len(text) + len(closing), text
    return JoinedText("".join(parts), tuple(places))


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
    """Return the mark of a rung, such as "✗ not supported"; None if it has none."""
    if rung in PROVEN or rung == "remark":
        return None
    return f"{SIGN_OF_RUNG[rung]} {messages.RUNGS[rung]}"


def opening_of_mark(rung: Rung) -> str:
    """Return the text before a sentence on this rung; empty if it has no mark."""
    mark = mark_of(rung)
    return "" if mark is None else f"[{mark}: "


def marked(text: str, rung: Rung) -> str:
    """Return a sentence in its mark: "[✗ not supported: She sold it.]"."""
    opening = opening_of_mark(rung)
    return f"{opening}{text}{MARK_CLOSING}" if opening else text

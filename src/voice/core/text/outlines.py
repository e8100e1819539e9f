"""The lines of a note, each with the line that it stands under: headings, lines that lead in, bullets, rows of tables.

Law: what stands under what is decided by marks and indentation alone. Offsets are those of the text as it was written;
nothing is left out but blank lines, fenced code and the rules and heads of tables. Takes time in proportion to the
text.

Source: ruling I1; DESIGN 5 "A line is nothing without its place".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

from voice.core.text.checklists import item_of
from voice.core.text.sentences import sentence_spans
from voice.core.text.tables import cells_of, header_above, is_header

LineKind = Literal["heading", "lead", "item", "row", "text"]
_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE: Final = re.compile(r"[ \t]*(```|~~~)")
_FRONT: Final = "---"
_TAB: Final = 4
_LEADS: Final = (":", "：", ":**", ":*", ":_")
_ROOT: Final = -1
_LEAD_DEPTH: Final = 10
"""A line that leads in stands under any heading, and over any bullet…"""
_ITEM_DEPTH: Final = 20
"""…which stand under one another by their indentation."""


class Line(NamedTuple):
    """One line of a note."""

    start: int
    """Where its words begin, its mark and indentation left out; of a row of a table, where the row begins."""
    end: int
    kind: LineKind
    said: str
    """Its words without marks; of a row, its cells; of a line that leads in, its last sentence."""
    parent: int
    """The number of the line that it stands under; -1 where it stands under none."""


@dataclass(frozen=True)
class Outline:
    """A note's lines in their order."""

    lines: tuple[Line, ...]

    @cached_property
    def _under(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = {}
        for place, each in enumerate(self.lines):
            if each.kind in ("item", "row"):
                found.setdefault(each.parent, []).append(place)
        return found

    def under(self, number: int) -> Sequence[int]:
        """Return the items and rows that stand right under a line, in their order."""
        return self._under.get(number, [])

    def below(self, *numbers: int) -> list[int]:
        """Return every item and row that stands somewhere under one of some lines, in their order."""
        inside = set(numbers)
        found: list[int] = []
        for place, each in enumerate(self.lines):
            if each.parent in inside and each.kind in ("item", "row"):
                inside.add(place)
                found.append(place)
        return found

    def over(self, number: int) -> Iterator[Line]:
        """Yield the lines over a line, the nearest first."""
        at = self.lines[number].parent
        while at != _ROOT:
            yield self.lines[at]
            at = self.lines[at].parent

    def at(self, start: int, end: int) -> list[int]:
        """Return the lines that a stretch touches."""
        return [place for place, each in enumerate(self.lines) if each.start < end and start < each.end]


def outline_of(content: str) -> Outline:
    """Return the lines of a note with what each stands under."""
    lines: list[Line] = []
    opened: list[tuple[int, int]] = []
    for begins, text in _plain_lines(content):
        kind, depth, at, said = _read(content, begins, text)
        if kind is None:
            continue
        while opened and opened[-1][0] >= depth:
            opened.pop()
        if opened and _leads_another_list(lines, opened[-1][1], kind):
            opened.pop()
        parent = opened[-1][1] if opened else _ROOT
        if kind in ("heading", "lead", "item"):
            opened.append((depth, len(lines)))
        lines.append(Line(begins + at, begins + len(text.rstrip()), kind, said, parent))
    return Outline(tuple(lines))


def _leads_another_list(lines: Sequence[Line], lead: int, kind: LineKind) -> bool:
    """Return whether a line leads in a list of items, and this is a row of a table behind it, or the reverse."""
    led = next((each.kind for each in lines[lead + 1 :] if each.parent == lead), kind)
    return lines[lead].kind == "lead" and led != kind


def _plain_lines(content: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something outside front matter and fenced code, with where they begin."""
    fence: str | None = None
    begins, lines = 0, content.split("\n")
    front = _front_matter(lines)
    for number, text in enumerate(lines):
        mark = _FENCE.match(text)
        if number >= front and mark is not None and fence in (None, mark[1]):
            fence = mark[1] if fence is None else None
        elif number >= front and fence is None and text.strip():
            yield begins, text
        begins += len(text) + 1


def _front_matter(lines: Sequence[str]) -> int:
    """Return how many lines at the head of a note are front matter."""
    if lines[0].rstrip() != _FRONT:
        return 0
    return next((number + 1 for number, text in enumerate(lines[1:], start=1) if text.rstrip() == _FRONT), 0)


def _read(content: str, begins: int, text: str) -> tuple[LineKind | None, int, int, str]:
    """Return what a line is, how deep it stands, where its words begin in it, and what it says; None: nothing."""
    indent = len(text) - len(text.lstrip())
    if heading := _HEADING.fullmatch(text.rstrip()):
        return "heading", len(heading[1]), heading.start(2), heading[2].strip(" \t#")
    if item := item_of(text):
        return "item", _ITEM_DEPTH + _width(text[:indent]), item.start, item.text
    if text.lstrip().startswith("|") and (cells := cells_of(text)) is not None:
        is_head = is_header(content, begins + len(text)) or header_above(content, begins) is None
        return (None if is_head else "row"), _ITEM_DEPTH, indent, ", ".join(filter(None, cells))
    if not text.strip().strip("|-: "):
        return None, 0, 0, ""
    said = text.strip()
    if said.endswith(_LEADS):
        leading = said[sentence_spans(said)[-1][0] :].strip(":：*_ ")
        return "lead", _LEAD_DEPTH if not indent else _ITEM_DEPTH + _width(text[:indent]), indent, leading
    return "text", _LEAD_DEPTH if not indent else _ITEM_DEPTH + _width(text[:indent]), indent, said


def _width(indent: str) -> int:
    return len(indent.expandtabs(_TAB))

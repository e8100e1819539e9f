"""Markdown structure of a note: headings, list items, table rows.

Law: nesting follows marks and indentation; a text owns the bullets indented right below it. Offsets are those of the
written text; blank lines, fenced code, rules and table heads are omitted. Items lose bullet, number and box.
Linear time.
Source: ruling I1; DESIGN 5 "A line is nothing without its place"; rulings C13, D1.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest
from textwrap import dedent
from typing import Final, Literal, NamedTuple

from voice.core.text.lazy import late_pattern
from voice.core.text.markup import FENCE, fence_after, fenced_code
from voice.core.text.sentences import sentence_spans, span_at

LineKind = Literal["heading", "lead", "item", "row", "text"]
HEADING: Final = re.compile(r"(#{1,6})[ \t]+(\S.*)")
# Indented code: below a line that leads it in, or behind a shell's prompt. Prose may have its first line indented.
_INDENTED: Final = re.compile(
    r"(?:^(?! {4}|\t)[^\n]*[:：][*_ \t]*+\n[ \t]*+\n(?= {4}|\t)|^[ \t]*+\n(?=(?: {4}|\t)[ \t]*+[$%] ))"
    r"((?:(?: {4}|\t)[^\n]*+(?:\n|\Z)|[ \t]*+\n(?=[ \t]*+\n| {4}|\t))++)",
    re.MULTILINE,
)
_FRONT: Final = "---"
_TAB: Final = 4
_ROOT: Final = -1  # no parent
_LEAD_DEPTH: Final = 10  # below any heading (1 to 6), above any bullet…
_ITEM_DEPTH: Final = 20  # …and bullets nest by indentation


class Line(NamedTuple):
    """One line of a note."""

    start: int
    """Start of its words after mark and indentation; of a table row, its start."""
    end: int
    kind: LineKind
    said: str
    """Its words without marks; of a row its cells, of a lead-in its last sentence."""
    parent: int
    """Index of its parent line; -1 for none."""


@dataclass(frozen=True)
class Outline:
    """A note's lines in order."""

    lines: tuple[Line, ...]

    @cached_property
    def _under(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = {}
        for place, each in enumerate(self.lines):
            if each.kind in ("item", "row"):
                found.setdefault(each.parent, []).append(place)
        return found

    def under(self, number: int) -> Sequence[int]:
        """Return the items and rows directly below a line, in order."""
        return self._under.get(number, [])

    def below(self, *numbers: int) -> list[int]:
        """Return all items and rows below the lines, in order."""
        inside = set(numbers)
        found: list[int] = []
        for place, each in enumerate(self.lines):
            if each.parent in inside and each.kind in ("item", "row"):
                inside.add(place)
                found.append(place)
        return found

    def over(self, number: int) -> Iterator[Line]:
        """Yield the ancestors of a line, nearest first; none where there is no such line."""
        at = self.lines[number].parent if number < len(self.lines) else _ROOT
        while at != _ROOT:
            yield self.lines[at]
            at = self.lines[at].parent

    def at(self, start: int, end: int) -> list[int]:
        """Return the indexes of lines that overlap a span."""
        return [place for place, each in enumerate(self.lines) if each.start < end and start < each.end]


def outline_of(content: str) -> Outline:
    """Parse a note into lines with parents."""
    lines: list[Line] = []
    opened: list[tuple[int, int]] = []  # (depth, index) of the lines that may get children
    plain = list(_plain_lines(content))
    for (begins, text), (_, after) in zip_longest(plain, plain[1:], fillvalue=(0, "")):
        kind, depth, at, said = _parse_line(content, begins, text)
        if kind is None:
            continue
        if kind == "text" and _owns(text, after):
            kind, depth = "lead", _ITEM_DEPTH + indent_width(text)
        while opened and opened[-1][0] >= depth:
            opened.pop()
        if opened and _leads_another_list(lines, opened[-1][1], kind):
            opened.pop()
        parent = opened[-1][1] if opened else _ROOT
        if kind in ("heading", "lead", "item"):
            opened.append((depth, len(lines)))
        lines.append(Line(begins + at, begins + len(text.rstrip()), kind, said, parent))
    return Outline(tuple(lines))


def _owns(text: str, after: str) -> bool:
    """Return whether the line after a text is a bullet that is indented below it."""
    return indent_width(after) > indent_width(text) and list_item_of(after) is not None


def _leads_another_list(lines: Sequence[Line], lead: int, kind: LineKind) -> bool:
    """Return whether a lead-in already has children of another kind (items or rows)."""
    led = next((lines[at].kind for at in range(lead + 1, len(lines)) if lines[at].parent == lead), kind)
    return lines[lead].kind == "lead" and led != kind


def _plain_lines(content: str) -> Iterator[tuple[int, str]]:
    """Yield non-empty lines outside front matter and fenced code, with offsets."""
    fence: str | None = None
    begins, lines = 0, content.split("\n")
    front = _front_matter(lines)
    for number, text in enumerate(lines):
        before, fence = fence, fence_after(text, fence) if number >= front else None
        if number >= front and before is None and fence is None and text.strip():
            yield begins, text
        begins += len(text) + 1


def code_blocks(text: str) -> list[tuple[int, int]]:
    """Return the half-open spans of code, in order: fenced, from its bullet or first mark to its last; and indented."""
    fenced = [(at - len(text[text.rfind("\n", 0, at) + 1 : at].lstrip()), end) for at, end in fenced_code(text)]
    indented = (
        (found.start(1) + len(found[1]) - len(found[1].lstrip()), found.start(1) + len(found[1].rstrip()))
        for found in _INDENTED.finditer(text)
        if list_item_of(found[1].split("\n", 1)[0]) is None  # else a nested list
    )
    outside = (span for span in indented if span_at(fenced, span[0]) is None)
    return sorted((*fenced, *outside))


def with_code_whole(text: str) -> list[tuple[int, int]]:
    """Return the sentence spans of `text`; a block of code is one, with what leads it in ("Run:")."""
    blocks = code_blocks(text)
    found: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        block = span_at(blocks, start)
        # The sentence goes on in the block, or leads it in.
        if block and found and (found[-1][1] > block[0] or is_lead_in(text[slice(*found[-1])])):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def code_apart(text: str, sentence: tuple[int, int]) -> tuple[str, str]:
    """Return a sentence of `text` (`with_code_whole`) before its block of code, and the block in fences; "" if none."""
    first, last = sentence
    start, end = next((each for each in code_blocks(text) if first <= each[0] < last), (last, last))
    code = dedent(text[text.rfind("\n", 0, start) + 1 : end]) if start < last else ""
    mark = FENCE.match(code)
    code = dedent(" " * mark.start(1) + code[mark.start(1) :]) if mark else code
    opens = "```\n" if code and mark is None else ""
    still = fence_after(code[mark.end() :].rpartition("\n")[2], mark[1]) if mark else opens and "```"
    closes = f"\n{still}" if still else ""
    return text[first:start].rstrip() if code else text[first:last], f"{opens}{code}{closes}"


def is_lead_in(text: str) -> bool:
    """Return whether a line leads in what follows, as "Reasons:" does."""
    return text.rstrip("*_ \t\n").endswith((":", "："))


def _front_matter(lines: Sequence[str]) -> int:
    """Return the number of front matter lines."""
    if lines[0].rstrip() != _FRONT:
        return 0
    return next((number + 1 for number, text in enumerate(lines[1:], start=1) if text.rstrip() == _FRONT), 0)


def _parse_line(content: str, begins: int, text: str) -> tuple[LineKind | None, int, int, str]:
    """Return a line's kind (None: skip), depth, offset of its words, and words."""
    indent = indent_of(text)
    if heading := HEADING.fullmatch(text.rstrip()):
        return "heading", len(heading[1]), heading.start(2), heading[2].strip(" \t#")
    if item := list_item_of(text):
        return "item", _ITEM_DEPTH + indent_width(text), item.start, item.text
    if text.lstrip().startswith("|") and (cells := cells_of(text)) is not None:
        is_head = is_header(content, begins + len(text)) or header_above(content, begins) is None
        return (None if is_head else "row"), _ITEM_DEPTH, indent, ", ".join(filter(None, cells))
    if not text.strip().strip("|-: "):  # a rule, or a row without words
        return None, 0, 0, ""
    said = text.strip()
    depth = _ITEM_DEPTH + indent_width(text) if indent else _LEAD_DEPTH
    if is_lead_in(said):
        return "lead", depth, indent, said[sentence_spans(said)[-1][0] :].strip(":：*_ ")
    return "text", depth, indent, said


def indent_of(line: str) -> int:
    """Return the number of a line's leading blanks."""
    return len(line) - len(line.lstrip())


def indent_width(line: str) -> int:
    """Return the columns of a line's leading blanks."""
    return len(line[: indent_of(line)].expandtabs(_TAB))


# Takes the lines that an editor wrapped, up to the next item, code or blank line.
_ITEM = late_pattern(
    r"[ \t]*(?:(?:[-*+•‣◦–]|\d{1,3}[.)])[ \t]+"
    r"(?:\[(?P<box>[ xX✓✔])\][ \t]+)?|(?P<sign>[☐☑☒✅])[ \t]*)"
    r"(?P<said>\S(?:(?:.|\n(?!\s*+(?:```|~~~|(?:[-*+•‣◦–]|\d{1,3}[.)])[ \t])|[ \t]*\n))*\S)?)\s*+"
)


class ListItem(NamedTuple):
    """One item of a list."""

    start: int
    """Offset of its words in the line."""
    text: str
    is_done: bool | None
    """State of its box; None without one."""


def list_item_of(line: str) -> ListItem | None:
    """Parse a line, or one that an editor wrapped, as a list item; None if it is not one."""
    found = _ITEM.fullmatch(line)
    if found is None:
        return None
    box = found["box"] or found["sign"]
    said = " ".join(found["said"].split()) if "\n" in found["said"] else found["said"]
    return ListItem(found.start("said"), said, None if box is None else box not in (" ", "☐"))


def heading_above(text: str, start: int) -> str:
    """Return the line above the list or table of the item at `start`; "" if none."""
    lines = [line for line in text[: text.rfind("\n", 0, start) + 1].split("\n") if line.strip()]
    while lines:
        line = lines.pop()
        if list_item_of(line) is not None or line.lstrip().startswith("|"):
            continue
        first = len(lines)
        while first and line[0].isspace() and indent_of(lines[first - 1]) == indent_of(line):
            first -= 1
        if not (first and list_item_of(lines[first - 1]) and indent_of(lines[first - 1]) < indent_of(line)):
            return line.strip(" \t#*_:")
        del lines[first:]  # the further lines of an item that an editor wrapped
    return ""


_RULE = late_pattern(r"\s*+\|(?:\s*+:?-++:?\s*+\|)++\s*+")  # "|---|:-:|"
_LONG_RULE = late_pattern(r"\s*+\|(?:\s*+:?-{3,}+:?\s*+\|)++\s*+")  # below a header "|-|" may be data
_CELL_END = late_pattern(r"(?<!\\)\|")  # "\|" is a bar within a cell

Cells = tuple[str, ...]


def cells_of(line: str) -> Cells | None:
    """Return the cells of a table row; None for other lines and for the rule below a header."""
    row = line.strip()
    if len(row) < 2 or row[0] != "|" or row[-1] != "|" or "\n" in row or _RULE.fullmatch(row) is not None:
        return None
    return tuple(cell.strip().replace("\\|", "|") for cell in _CELL_END.split(row[1:-1]))


def is_header(text: str, end: int) -> bool:
    """Return whether the row that ends at `end` is a header, followed by a rule."""
    line_end = text.find("\n", end)
    if line_end < 0 or text[end:line_end].strip():
        return False
    after = text.find("\n", line_end + 1)
    return _is_rule(text[line_end + 1 : after if after >= 0 else len(text)], header_above(text, end))


def header_above(text: str, start: int) -> Cells | None:
    """Return the header of the table row at `start`; None if none."""
    return _table_headers(text).get(text.rfind("\n", 0, start) + 1)


@lru_cache(maxsize=64)  # asked for every row of a note
def _table_headers(text: str) -> Mapping[int, Cells]:
    """Return the header above each table row, by line offset."""
    found: dict[int, Cells] = {}
    header: Cells | None = None
    before: Cells | None = None
    begins = 0
    for line in text.split("\n"):
        cells = cells_of(line)
        if cells is None and _RULE.fullmatch(line) is None:
            header = None
        elif cells is not None and header is not None:
            found[begins] = header
        elif before is not None and _is_rule(line, header):
            header = before
        before = cells
        begins += len(line) + 1
    return found


def _is_rule(line: str, header: Cells | None) -> bool:
    """Return whether a line is a header rule; below a header a row of single dashes is data."""
    return (_RULE if header is None else _LONG_RULE).fullmatch(line) is not None


def tables_as_text(text: str, header: Cells | None = None) -> str:
    """Write table rows in words ("item: mount; cost: 1200"), under `header` where the text starts inside a table."""
    return text if "|" not in text else "\n".join(_lines(text.split("\n"), header))


def _lines(lines: Sequence[str], header: Cells | None) -> Iterator[str]:
    for line, after, last in zip(lines, [*lines[1:], ""], [*lines[2:], "", ""], strict=False):
        cells = cells_of(line)
        if cells is not None and _is_rule(after, header):
            header = cells
            if cells_of(last) is None:  # a head without rows is all that the table says
                yield ", ".join(filter(None, cells))
        elif cells is not None:
            yield "; ".join(_named(cells, header or ()))
        elif _RULE.fullmatch(line) is None:
            yield line
            header = None


def _named(cells: Cells, header: Cells) -> Iterator[str]:
    names = (*header, *("" for _ in cells[len(header) :]))
    for name, cell in zip(names, cells, strict=False):
        if cell:
            yield f"{name}: {cell}" if name else cell

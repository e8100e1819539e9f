"""Rows of Markdown tables as a person reads them.

Law: a row is its cells, and what a cell is stands in the header above it; rules between them say nothing. How a row is
shown changes nothing of what is stored: spans and offsets are those of the text as it was written.

Source: rulings C13, D1.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from voice.core.text.patterns import late_pattern

_RULE = late_pattern(r"\s*+\|(?:\s*+:?-++:?\s*+\|)++\s*+")
_LONG_RULE = late_pattern(r"\s*+\|(?:\s*+:?-{3,}+:?\s*+\|)++\s*+")
_CELL_END = late_pattern(r"(?<!\\)\|")

Cells = tuple[str, ...]


def cells_of(line: str) -> Cells | None:
    """Return the cells of a table's row; None for any other line, and for the rule under a header."""
    row = line.strip()
    if len(row) < 2 or row[0] != "|" or row[-1] != "|" or "\n" in row or _RULE.fullmatch(row) is not None:
        return None
    return tuple(cell.strip().replace("\\|", "|") for cell in _CELL_END.split(row[1:-1]))


def is_header(text: str, end: int) -> bool:
    """Return whether the row that ends at `end` of `text` is a header: a rule stands under it."""
    line_end = text.find("\n", end)
    if line_end < 0 or text[end:line_end].strip():
        return False
    after = text.find("\n", line_end + 1)
    return _is_rule(text[line_end + 1 : after if after >= 0 else len(text)], header_above(text, end))


def header_above(text: str, start: int) -> Cells | None:
    """Return the header of the table whose row begins at `start` of `text`; None where there is none."""
    return _headers(text).get(text.rfind("\n", 0, start) + 1)


@lru_cache(maxsize=64)
def _headers(text: str) -> Mapping[int, Cells]:
    """Return the header over each row of the tables of `text`, by where the row's line begins."""
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
    """Return whether a line makes the row over it a header; under another one a row of single dashes is a row."""
    return (_RULE if header is None else _LONG_RULE).fullmatch(line) is not None


def readable(text: str, header: Cells | None = None) -> str:
    """Return `text` with each row of a table in words: "item: mount; cost: 1200"; all other lines as they are.

    Args:
        text: any text, or a part of one.
        header: the header of the table that the text begins in, where it is known.
    """
    return text if "|" not in text else "\n".join(_lines(text.split("\n"), header))


def _lines(lines: Sequence[str], header: Cells | None) -> Iterator[str]:
    for line, after, last in zip(lines, [*lines[1:], ""], [*lines[2:], "", ""], strict=False):
        cells = cells_of(line)
        if cells is not None and _is_rule(after, header):
            header = cells
            if cells_of(last) is None:
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

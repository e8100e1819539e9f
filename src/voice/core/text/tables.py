"""Rows of Markdown tables as a person reads them.

Law: a row is its cells, and what a cell is stands in the header above it; rules between them say nothing. How a row is
shown changes nothing of what is stored: spans and offsets are those of the text as it was written.

Source: rulings C13, D1.
"""

from collections.abc import Iterator, Sequence

import regex

_ROW = regex.compile(r"\s*\|.*\|\s*")
_RULE = regex.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*")
_CELL_END = regex.compile(r"(?<!\\)\|")

Cells = tuple[str, ...]


def cells_of(line: str) -> Cells | None:
    """Return the cells of a table's row; None for any other line, and for the rule under a header."""
    if _ROW.fullmatch(line) is None or _RULE.fullmatch(line) is not None:
        return None
    inner = line.strip()[1:-1]
    return tuple(cell.strip().replace("\\|", "|") for cell in _CELL_END.split(inner))


def is_header(text: str, end: int) -> bool:
    """Return whether the row that ends at `end` of `text` is a header: a rule stands under it."""
    following = text[end:].lstrip(" \t").removeprefix("\r").removeprefix("\n").split("\n", 1)[0]
    return _RULE.fullmatch(following) is not None


def header_above(text: str, start: int) -> Cells | None:
    """Return the header of the table whose row begins at `start` of `text`; None where there is none."""
    above = text[:start].split("\n")[:-1]
    is_under_rule = False
    for line in reversed(above):
        if is_under_rule:
            return cells_of(line)
        is_under_rule = _RULE.fullmatch(line) is not None
        if not is_under_rule and cells_of(line) is None:
            return None
    return None


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
        if cells is not None and _RULE.fullmatch(after) is not None:
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

"""A database of Notion: which of its rows have a page of their own, and how a row reads.

Law: a row is its page where it has one: what the page does not say of it is added to the page's properties, and the row
is nothing else besides. A row without a page reads as the page it would be. A page is a row's by its name alone, for
Notion writes no ids of rows: the names of files are cut and lack signs that files may not have. Each page is one row's.

Source: docs/import.md.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

Row = tuple[tuple[str, str], ...]
"""Columns and values, in order; the first is the row's title. What is empty is not there, but for the title."""
_ID: Final = re.compile(r" [0-9a-f]{32}(?:_all)?\Z")
_LONGEST_NAME: Final = 20
"""Signs of a name that may have been cut there; a shorter one is whole."""
_UNTITLED: Final = "untitled"


def without_id(stem: str) -> str:
    """Return what a page or database is called, from the name of its file."""
    return _ID.sub("", stem)


def row_of(columns: Sequence[str], values: Sequence[str]) -> Row:
    """Return a row of a table; values beyond its columns are no part of it."""
    told = [(column.strip(), value.strip()) for column, value in zip(columns, values, strict=False)]
    return (*told[:1], *(pair for pair in told[1:] if pair[1]))


def with_pages(rows: Iterable[Row], pages: Iterable[str]) -> tuple[dict[str, Row], list[Row]]:
    """Return the row of each page that is one's, and the rows that have no page.

    Args:
        rows: of one database, in order.
        pages: the names of the files that may be their pages, without ending.
    """
    free = defaultdict[str, list[str]](list)
    for page in sorted(pages, reverse=True):
        free[_key(without_id(page))].append(page)
    found: dict[str, Row] = {}
    unnamed: list[Row] = []
    for row in rows:
        named = free.get(_key(row[0][1]) or _UNTITLED)
        if named:
            found[named.pop()] = row
        else:
            unnamed.append(row)
    cut = [(called, page) for called, names in free.items() if len(called) >= _LONGEST_NAME for page in names]
    left: list[Row] = []
    for row in unnamed:
        key = _key(row[0][1])
        match = next((each for each in cut if key.startswith(each[0])), None)
        if match is None:
            left.append(row)
        else:
            found[match[1]] = row
            cut.remove(match)
    return found, left


def as_page(row: Row) -> str:
    """Return a row as the page it would be; empty where it says nothing."""
    (column, title), *rest = row
    lines = [f"{name}: {value}" for name, value in rest] or [f"{column}: {title}"]
    head = f"# {title}\n\n" if title else ""
    return head + "\n".join(lines) if title or rest else ""


def with_row(text: str, told: Iterable[str], row: Row) -> str:
    """Return a page with what its row says besides.

    Args:
        text: the page: its title, a blank line, its properties as one paragraph where it has any, its words.
        told: the names of the properties that it shows, casefolded.
        row: its row.
    """
    there = set(told)
    more = "\n".join(f"{name}: {value}" for name, value in row[1:] if name.casefold() not in there)
    if not more:
        return text
    title, _, rest = (text or f"# {row[0][1]}").partition("\n\n")
    if not there:
        return "\n\n".join(filter(None, (title, more, rest)))
    properties, _, words = rest.partition("\n\n")
    return "\n\n".join(filter(None, (title, f"{properties}\n{more}", words)))


def _key(title: str) -> str:
    """Return a title without what the name of a file may lack."""
    return "".join(sign for sign in title.casefold() if sign.isalnum())

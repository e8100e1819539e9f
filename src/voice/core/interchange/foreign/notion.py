"""An export of Notion: how its files are called, and which rows of a database have a page of their own.

Law: a row is its page where it has one: what the page does not say of it is added to the page's properties, and the row
is nothing else besides. A row without a page reads as the page it would be. Notion writes no ids of rows, so a page is
a row's by its title alone; each page is one row's. A table does not say which column holds the titles: it is the one
that names most pages, else the one called so, else the first.

Source: docs/import.md.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Final

Row = tuple[tuple[str, str], ...]
"""Columns and values; the first is the row's title, the others stand in order. What is empty is not there, but for the
title."""
_ID: Final = re.compile(r" [0-9a-f]{32}(?:_all)?\Z")
_SHORT_ID: Final = re.compile(r" [0-9a-f]{5}(?:_all)?\Z")
"""Where paths would be long, Notion cuts its names to ten signs and its ids to five."""
_TITLES: Final = frozenset({"name", "title", "titel", "nombre", "título", "nom", "titre"})
_UNTITLED: Final = "untitled"


def without_id(stem: str) -> str:
    """Return what a page or database is called, from the name of its file."""
    return _ID.sub("", stem)


def without_short_id(stem: str) -> str:
    """Return the same for an export that is known to be Notion's, where ids may be cut."""
    return _SHORT_ID.sub("", without_id(stem))


def are_cut(stems: Iterable[str]) -> bool:
    """Return whether files of such names are pages and databases of Notion with names that were cut.

    One such name may be anybody's ("Invoice 20245"); all of a folder, most of them with letters in what would be an id,
    are nobody else's.
    """
    found = [_SHORT_ID.search(stem) for stem in stems if _ID.search(stem) is None]
    with_letters = sum(bool(each) and not each[0].strip().isdigit() for each in found if each)
    return len(found) > 1 and all(found) and 2 * with_letters >= len(found)


def rows_with_pages(
    columns: Sequence[str], lines: Sequence[Sequence[str]], pages: Mapping[str, str]
) -> tuple[dict[str, Row], list[Row]]:
    """Return the row of each page that is one's, and the rows that have no page.

    Args:
        columns: the head of a table.
        lines: its rows, in order.
        pages: the titles of the pages that may be its rows', by any name of them.
    """
    free = defaultdict[str, list[str]](list)
    for name in sorted(pages, reverse=True):
        free[_key(pages[name])].append(name)
    title = _title_column(columns, lines, free)
    found: dict[str, Row] = {}
    left: list[Row] = []
    for line in lines:
        row = _row(columns, line, title)
        named = free.get(_key(row[0][1]))
        if named:
            found[named.pop()] = row
        else:
            left.append(row)
    return found, left


def _title_column(columns: Sequence[str], lines: Sequence[Sequence[str]], titles: Mapping[str, object]) -> int:
    def named(column: int) -> tuple[int, bool]:
        values = [line[column] for line in lines if column < len(line) and line[column].strip()]
        return sum(_key(value) in titles for value in values), columns[column].strip().casefold() in _TITLES

    return max(range(len(columns)), key=named, default=0)


def _row(columns: Sequence[str], line: Sequence[str], title: int) -> Row:
    """Return a row of a table; values beyond its columns are no part of it."""
    told = [
        (column.strip(), value.strip()) for column, value in zip_longest(columns, line[: len(columns)], fillvalue="")
    ]
    return (told[title], *(pair for number, pair in enumerate(told) if pair[1] and number != title))


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
    return "".join(sign for sign in title.casefold() if sign.isalnum()) or _UNTITLED

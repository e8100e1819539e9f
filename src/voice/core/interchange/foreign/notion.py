"""Read pages and databases of a Notion export.

Law: a row is its page where it has one: what the page does not say of it is added to the page's properties, and the row
is nothing else besides. A row without a page reads as the page it would be. Notion writes no ids of rows, so a page is
a row's by its title alone; each page is one row's. A table does not say which column holds the titles: it is the one
that names most pages, else the one called so, else the first.

A page of Notion exported as HTML → the page as it would stand in Markdown. The title, the properties one a line, the
words. Icons are no words; what is ticked says so. A row of a database that is shown in the page and comes in by itself
is left out here.

Source: docs/import.md.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import zip_longest
from typing import Final, NamedTuple
from urllib.parse import unquote

from voice.core.interchange.foreign.html_text import html_words

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


_TITLE: Final = re.compile(r'<h1\s{1,20}class="page-title"[^<>]{0,500}>')
_PROPERTIES: Final = re.compile(r'<table class="properties">')
_NAME: Final = re.compile(r"<th(?:\s[^<>]{0,500})?>")
_VALUE: Final = re.compile(r"\s{0,20}<td(?:\s[^<>]{0,500})?>")
_ICON: Final = re.compile(r'<span class="icon[^"<>]{0,200}">')
_BOX: Final = re.compile(r'<div class="checkbox checkbox-(on|off)"></div>')
_COLLECTION: Final = re.compile(r'<table\s{1,20}class="collection-content"')
_ROW: Final = re.compile(r"<tr\s{1,20}id=")
_TITLE_CELL: Final = re.compile(r'<td\s{1,20}class="cell-title"\s{0,20}>\s{0,20}<a\s{1,20}href="([^"]{1,2000})"')


class _Part(NamedTuple):
    """A part of a source, its tags included; `inner:closed` are the bounds of what stands between them."""

    start: int
    inner: int
    closed: int
    end: int


def _parts(source: str, opening: re.Pattern[str], closing: str) -> Iterator[_Part]:
    """Yield the parts that begin as `opening` does and end with the next `closing`."""
    at = 0
    while found := opening.search(source, at):
        closed = source.find(closing, found.end())
        if closed < 0:
            return
        at = closed + len(closing)
        yield _Part(found.start(), found.end(), closed, at)


def _replaced(source: str, opening: re.Pattern[str], closing: str, by: Callable[[str], str]) -> str:
    """Return the source with each such part told otherwise."""
    told: list[str] = []
    at = 0
    for part in _parts(source, opening, closing):
        told += (source[at : part.start], by(source[part.start : part.end]))
        at = part.end
    return "".join((*told, source[at:]))


def _without_icons(source: str) -> str:
    return _replaced(source, _ICON, "</span>", lambda _: "")


def title_in(source: str) -> str:
    """Return the title of a page; empty where it shows none."""
    found = next(_parts(source, _TITLE, "</h1>"), None)
    return "" if found is None else html_words(_without_icons(source[found.inner : found.closed])).strip()


def page_of_html(source: str, is_told: Callable[[str], bool]) -> str:
    """Return a page as it would stand in Markdown.

    Args:
        source: the file's text.
        is_told: whether a row of a database comes in by itself, by the link to its page; empty where it has none.
    """
    plain = _without_icons(source)
    found = next(_parts(plain, _PROPERTIES, "</table>"), None)
    before, after = (plain[: found.start], plain[found.end :]) if found else (plain, "")
    properties = _properties(plain[found.inner : found.closed]) if found else ""
    parts = (_words(before, is_told), properties, _words(after, is_told))
    return "\n\n".join(part for part in parts if part)


def _properties(table: str) -> str:
    ticked = _BOX.sub(lambda box: "Yes" if box[1] == "on" else "No", table)
    told: list[str] = []
    for name in _parts(ticked, _NAME, "</th>"):
        value = _VALUE.match(ticked, name.end)
        closed = ticked.find("</td>", value.end()) if value else -1
        if value and closed >= 0 and (words := _one_paragraph(ticked[value.end() : closed]).removeprefix("@")):
            told.append(f"{_one_paragraph(ticked[name.inner : name.closed])}: {words}")
    return "\n".join(told)


def _one_paragraph(source: str) -> str:
    """Return the words of a cell, without blank lines and wide gaps."""
    return "\n".join(" ".join(line.split()) for line in html_words(source).split("\n") if line.strip())


def _words(source: str, is_told: Callable[[str], bool]) -> str:
    def shown(row: str) -> str:
        link = _TITLE_CELL.search(row)
        return "" if is_told("" if link is None else unquote(unescape(link[1]))) else row

    def left(table: str) -> str:
        rows = _replaced(table, _ROW, "</tr>", shown)
        return rows if "<td" in rows else ""

    told = _replaced(source, _COLLECTION, "</table>", left)
    return html_words(_BOX.sub(lambda box: "[x]" if box[1] == "on" else "[ ]", told))

"""A page of Notion exported as HTML → the page as it would stand in Markdown.

Law: the title, the properties one a line, the words. Icons are no words; what is ticked says so. A row of a database
that is shown in the page and comes in by itself is left out here.

Source: docs/import.md.
"""

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Final, NamedTuple
from urllib.parse import unquote

from voice.core.interchange.foreign.hypertext import html_words

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

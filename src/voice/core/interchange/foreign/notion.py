"""Read pages and databases of a Notion export.

Law: a database row is merged into its page's properties; without a page it becomes one. Rows have no ids, so pages
match by title, each once. The title column is the one naming most pages, else the one named so, else the first. HTML
pages become Markdown; rows that are imported on their own are dropped from the page.
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
from voice.core.text.note_context import NOTION_ID

Row = tuple[tuple[str, str], ...]
"""(column, value) pairs, title first; empty values omitted, except the title."""
# In long paths Notion cuts names to ten characters and ids to five.
_SHORT_ID: Final = re.compile(r" [0-9a-f]{5}(?:_all)?\Z")
_TITLES: Final = frozenset({"name", "title", "titel", "nombre", "título", "nom", "titre"})
_UNTITLED: Final = "untitled"


def without_id(stem: str) -> str:
    """Return a page's name from its file name."""
    return NOTION_ID.sub("", stem)


def without_short_id(stem: str) -> str:
    """The same for a known Notion export, whose ids may be cut."""
    return _SHORT_ID.sub("", without_id(stem))


def are_cut(stems: Iterable[str]) -> bool:
    """Return whether these are Notion's file names with cut ids: a whole folder, mostly with letters in them."""
    found = [_SHORT_ID.search(stem) for stem in stems if NOTION_ID.search(stem) is None]  # a whole id says nothing
    with_letters = sum(bool(each) and not each[0].strip().isdigit() for each in found if each)  # "Walk 12345": a number
    return len(found) > 1 and all(found) and 2 * with_letters >= len(found)


def rows_with_pages(
    columns: Sequence[str], lines: Sequence[Sequence[str]], pages: Mapping[str, str]
) -> tuple[dict[str, Row], list[Row]]:
    """Match rows with pages by title; return rows by page's file name, and rows without a page."""
    free = defaultdict[str, list[str]](list)
    for name in sorted(pages, reverse=True):  # reversed: `pop` below takes the first name first
        free[_key(pages[name])].append(name)
    title = _title_column(columns, lines, free)
    found: dict[str, Row] = {}
    left: list[Row] = []
    for line in lines:
        row = _row(columns, line, title)
        named = free.get(_key(row[0][1]))
        if named:  # several rows of one title take its pages in order
            found[named.pop()] = row
        else:
            left.append(row)
    return found, left


def _title_column(columns: Sequence[str], lines: Sequence[Sequence[str]], titles: Mapping[str, object]) -> int:
    def named(column: int) -> tuple[int, bool]:
        values = [line[column] for line in lines if column < len(line) and line[column].strip()]
        return sum(_key(value) in titles for value in values), columns[column].strip().casefold() in _TITLES

    return max(range(len(columns)), key=named, default=0)  # the first of equals


def _row(columns: Sequence[str], line: Sequence[str], title: int) -> Row:
    """Build a row; values beyond the columns are dropped."""
    values = zip_longest(columns, line[: len(columns)], fillvalue="")  # a short line lacks values
    pairs = [(column.strip(), value.strip()) for column, value in values]
    return (pairs[title], *(pair for number, pair in enumerate(pairs) if pair[1] and number != title))


def as_page(row: Row) -> str:
    """Render a row as a page; "" if it is empty."""
    (column, title), *rest = row
    lines = [f"{name}: {value}" for name, value in rest] or [f"{column}: {title}"]  # a title alone is shown as a column
    head = f"# {title}\n\n" if title else ""
    return head + "\n".join(lines) if title or rest else ""


def with_row(text: str, names: Iterable[str], row: Row) -> str:
    """Add a row's properties to its page.

    Args:
        text: title, blank line, optional paragraph of properties, text.
        names: casefolded names of properties already shown.
    """
    shown = set(names)
    more = "\n".join(f"{name}: {value}" for name, value in row[1:] if name.casefold() not in shown)
    if not more:
        return text
    title, _, rest = (text or f"# {row[0][1]}").partition("\n\n")
    if not shown:
        return "\n\n".join(filter(None, (title, more, rest)))
    properties, _, words = rest.partition("\n\n")
    return "\n\n".join(filter(None, (title, f"{properties}\n{more}", words)))


def _key(title: str) -> str:
    """Normalise a title, ignoring characters that file names lack."""
    return "".join(sign for sign in title.casefold() if sign.isalnum()) or _UNTITLED  # as Notion names such a page


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
    """A source element with its inner bounds `inner:closed`."""

    start: int
    inner: int
    closed: int
    end: int


def _parts(source: str, opening: re.Pattern[str], closing: str) -> Iterator[_Part]:
    """Yield the elements from `opening` to the next `closing`."""
    at = 0
    while found := opening.search(source, at):
        closed = source.find(closing, found.end())  # no pattern reaches across: linear in the page
        if closed < 0:
            return
        at = closed + len(closing)
        yield _Part(found.start(), found.end(), closed, at)


def _replaced(source: str, opening: re.Pattern[str], closing: str, by: Callable[[str], str]) -> str:
    pieces: list[str] = []
    at = 0
    for part in _parts(source, opening, closing):
        pieces += (source[at : part.start], by(source[part.start : part.end]))
        at = part.end
    return "".join((*pieces, source[at:]))


def _without_icons(source: str) -> str:
    return _replaced(source, _ICON, "</span>", lambda _: "")


def title_in(source: str) -> str:
    """Return a page's title; "" if it has none."""
    found = next(_parts(source, _TITLE, "</h1>"), None)
    return "" if found is None else html_words(_without_icons(source[found.inner : found.closed])).strip()


def page_of_html(source: str, is_imported: Callable[[str], bool]) -> str:
    """Convert an HTML page to Markdown; `is_imported`: by its link, whether a row comes on its own."""
    plain = _without_icons(source)
    found = next(_parts(plain, _PROPERTIES, "</table>"), None)
    before, after = (plain[: found.start], plain[found.end :]) if found else (plain, "")
    properties = _properties(plain[found.inner : found.closed]) if found else ""
    parts = (_words(before, is_imported), properties, _words(after, is_imported))
    return "\n\n".join(part for part in parts if part)


def _properties(table: str) -> str:
    ticked = _BOX.sub(lambda box: "Yes" if box[1] == "on" else "No", table)
    lines: list[str] = []
    for name in _parts(ticked, _NAME, "</th>"):
        value = _VALUE.match(ticked, name.end)  # the cell that follows the name
        closed = ticked.find("</td>", value.end()) if value else -1
        if value and closed >= 0 and (words := _one_paragraph(ticked[value.end() : closed]).removeprefix("@")):
            lines.append(f"{_one_paragraph(ticked[name.inner : name.closed])}: {words}")
    return "\n".join(lines)


def _one_paragraph(source: str) -> str:
    """Return a cell's text without blank lines."""
    return "\n".join(" ".join(line.split()) for line in html_words(source).split("\n") if line.strip())


def _words(source: str, is_imported: Callable[[str], bool]) -> str:
    def shown_row(row: str) -> str:
        link = _TITLE_CELL.search(row)
        return "" if is_imported("" if link is None else unquote(unescape(link[1]))) else row

    def shown_table(table: str) -> str:
        rows = _replaced(table, _ROW, "</tr>", shown_row)
        return rows if "<td" in rows else ""  # no row left: no table

    shown = _replaced(source, _COLLECTION, "</table>", shown_table)
    return html_words(_BOX.sub(lambda box: "[x]" if box[1] == "on" else "[ ]", shown))

"""The reader of Notion exports: pages, as Markdown or HTML, and databases.

Law: a page is one thought: its title, its properties as they stand, its text. A link to another page reads as its
words, and a picture as none. When it was made is the property that says so, of a span its first day. A row of a
database is its page where it has one; else it is read as the page it would be, at the place of the database and its own
title.

Source: docs/import.md.
"""

import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Final
from urllib.parse import unquote

from voice.adapters.files.markdown import NoteWords, Understand, read_note_stream
from voice.adapters.files.notion_databases import HTML_SUFFIXES, TABLE_SUFFIX, Databases, place_of
from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.foreign.notion import Row, as_page, page_of_html, with_row
from voice.core.interchange.memory_lines import BadLine, FileLine, LeftOut

if TYPE_CHECKING:
    from voice.adapters.files.front_matter import FrontMatter

WORDLESS: Final = "pages without text"
EMPTY_ROWS: Final = "rows of databases without text"
_OF_THE_EXPORT: Final = re.compile(r"%20(?:[0-9a-f]{32}|[0-9a-f]{5})(?:_all)?[./]")
"""The id at the end of a page's or a folder's name."""
_LINK: Final = re.compile(r"!?\[([^\[\]\n]{0,500})\]\(([^()\s]{0,1000}(?:\([^()\s]{0,200}\))?[^()\s]{0,1000})\)")
_PATH: Final = re.compile(r"(?<![^\s])[^\s,]{1,2000}/([^\s,/]{1,300})(?![^\s,])")
_PROPERTY: Final = re.compile(r"([^:\n]{1,60}): (.{1,1000})")
_MADE: Final = frozenset({"created", "created time", "date", "datum", "erstellt", "erstellt am", "creado", "fecha"})
_TAGS: Final = frozenset({"tags", "labels"})


def read_notion(stream: BinaryIO, where: str, dates: DateReading, databases: Databases) -> Iterator[FileLine]:
    """Yield the record of a page, or the rows of a database that have no page.

    Args:
        stream: the file's bytes.
        where: its path within the export.
        dates: how dates are read.
        databases: what the databases of the export say.

    Raises:
        OSError: the stream cannot be read.
    """
    suffix = PurePosixPath(where).suffix.lower()
    if suffix == TABLE_SUFFIX:
        yield from _rows(where, dates, databases)
        return
    row = databases.row_of.get(where)
    understand = _as_html(where, databases, row) if suffix in HTML_SUFFIXES else _as_markdown(row)
    yield read_note_stream(stream, where, dates, understand)


def _rows(where: str, dates: DateReading, databases: Databases) -> Iterator[FileLine]:
    if where in databases.broken:
        yield BadLine(where=where, reason=databases.broken[where])
    called = Counter[str]()
    for row in databases.rows.get(where, ()):
        page, title = as_page(row), row[0][1]
        if not page:
            yield LeftOut(where=where, reason=EMPTY_ROWS)
            continue
        called[title] += 1
        number = f" ({called[title]})" if called[title] > 1 else ""
        place = f"{place_of(where)}#{title}{number}"
        yield read_note_stream(io.BytesIO(page.encode()), place, dates, _as_markdown(None))


def _as_markdown(row: Row | None) -> Understand:
    return lambda stem, front, body: _of_page(stem, front, body, row)


def _as_html(where: str, databases: Databases, row: Row | None) -> Understand:
    def understand(stem: str, front: "FrontMatter", body: str) -> NoteWords | LeftOut:
        return _of_page(stem, front, page_of_html(body, lambda link: databases.tells(where, link)), row)

    return understand


def _of_page(stem: str, front: "FrontMatter", body: str, row: Row | None) -> NoteWords | LeftOut:
    text = _LINK.sub(_link_told, body).strip("\n").rstrip()
    if row is not None:
        text = with_row(text, dict(_properties(text)), row)
    text = _PATH.sub(_file_told, text)
    if not text.strip():
        return LeftOut(where=stem, reason=WORDLESS)
    told = dict(_properties(text))
    made = next((value for key, value in told.items() if key in _MADE), "")
    tags = next((value for key, value in told.items() if key in _TAGS), "")
    begun = made.partition(" → ")[0]
    return NoteWords(content=text, front=front.with_fields({"created": begun, "tags": tags}))


def _link_told(link: re.Match[str]) -> str:
    """Return the words of a link into the export, nothing of a picture, and any other link as it is."""
    if _OF_THE_EXPORT.search(link[2]) is None:
        return link[0]
    return "" if link[0].startswith("!") else link[1]


def _file_told(path: re.Match[str]) -> str:
    """Return the name of a file that a property names by its path in the export; any other path as it is."""
    return unquote(path[1]) if _OF_THE_EXPORT.search(path[0]) else path[0]


def _properties(text: str) -> list[tuple[str, str]]:
    """Return the properties of a page: the lines between its title and the first blank line after them."""
    _, _, rest = text.partition("\n\n")
    found = [_PROPERTY.fullmatch(line) for line in rest.partition("\n\n")[0].split("\n")[:50]]
    return [(each[1].strip().casefold(), each[2].strip()) for each in found if each]

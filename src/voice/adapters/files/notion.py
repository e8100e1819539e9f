"""The reader of Notion exports: pages, as Markdown or HTML, and databases.

Law: a page is one thought: its title, its properties, its text. A link to another page becomes its words, a picture
nothing. The page's date is the property that holds one, of a span the first day. A row of a database is read from its
page if it has one; otherwise as the page it would be, with the database's place and its own title.

Databases are read before the pages. Of a database and its view (`_all.csv` and `.csv`) only the first is read. A table
that cannot be read costs no page.

Source: docs/import.md.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Final
from urllib.parse import unquote

from voice.adapters.files.entries import NOTE_SUFFIXES, UNREADABLE, Entry, why_unreadable
from voice.adapters.files.file_kinds import HEAD_BYTES
from voice.adapters.files.markdown import NoteWords, Understand, read_note_stream
from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.foreign.notion import (
    Row,
    as_page,
    page_of_html,
    rows_with_pages,
    title_in,
    with_row,
    without_id,
    without_short_id,
)
from voice.core.interchange.memory_lines import BadLine, FileLine, Omission

if TYPE_CHECKING:
    from voice.adapters.files.front_matter import FrontMatter


HTML_SUFFIXES: Final = frozenset({".html", ".htm"})
TABLE_SUFFIX: Final = ".csv"
_PAGES: Final = NOTE_SUFFIXES | HTML_SUFFIXES
_COMPLETE: Final = "_all"  # ends the name of a database's file, beside that of its view


@dataclass(frozen=True, slots=True, kw_only=True)
class Databases:
    """The databases of an export, by file name."""

    pages: frozenset[str] = frozenset()
    """All files of the export."""
    row_of: Mapping[str, Row] = field(default_factory=dict[str, Row])
    """The row of each page that has one."""
    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict[str, Sequence[Row]])
    """The rows without a page, by database."""
    broken: Mapping[str, str] = field(default_factory=dict[str, str])
    """Why a database cannot be read, by name."""

    def has_row(self, place: str, link: str) -> bool:
        """Return whether a row that the page at `place` links to is imported itself, as a page or from a table."""
        page = PurePosixPath(place)
        tables = (page.with_suffix(TABLE_SUFFIX), page.with_name(f"{page.stem}{_COMPLETE}{TABLE_SUFFIX}"))
        return str(page.parent / link) in self.pages or any(str(table) in self.pages for table in tables)


def read_databases(entries: Sequence[Entry]) -> Databases:
    """Return the databases among the files of an export."""
    names = frozenset(entry.name for entry in entries)
    in_folder: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.suffix in _PAGES:
            in_folder.setdefault(str(PurePosixPath(entry.name).parent), []).append(entry)
    row_of: dict[str, Row] = {}
    left: dict[str, Sequence[Row]] = {}
    broken: dict[str, str] = {}
    for table in entries:
        if table.suffix != TABLE_SUFFIX or _is_view(table.name, names):
            continue
        # A page is the row of one database only.
        beside = [page for page in _possible_pages(table.name, in_folder) if page.name not in row_of]
        try:
            columns, lines = _read_table(table)
        except (*UNREADABLE, UnicodeDecodeError, csv.Error) as error:
            broken[table.name] = _reason(error)
            continue
        found, left[table.name] = rows_with_pages(columns, lines, {page.name: _title(page) for page in beside})
        row_of |= found
    return Databases(pages=names, row_of=row_of, rows=left, broken=broken)


def place_of(table: str) -> str:
    """Return the place of a database, the same for its file and its view's."""
    path = PurePosixPath(table)
    return str(path.with_stem(path.stem.removesuffix(_COMPLETE)))


def _is_view(name: str, names: frozenset[str]) -> bool:
    """Return whether a file is a view of a database whose own file is in the export."""
    path = PurePosixPath(name)
    return not path.stem.endswith(_COMPLETE) and str(path.with_stem(path.stem + _COMPLETE)) in names


def _possible_pages(table: str, in_folder: Mapping[str, Sequence[Entry]]) -> Sequence[Entry]:
    """Return the pages that may be a database's rows: those in the folder of its name, else those beside it."""
    own = PurePosixPath(place_of(table)).with_suffix("")
    # Folders of old and new exports, and of pages beside the table.
    folders = (own, own.with_name(without_id(own.name)), own.parent)
    return next((in_folder[str(folder)] for folder in folders if str(folder) in in_folder), ())


def _title(page: Entry) -> str:
    """Return a page's own title; its file's name may be cut and lacks some characters."""
    try:
        with page.open() as stream:
            head = stream.read(HEAD_BYTES).decode("utf-8-sig", "replace")
    except UNREADABLE:
        head = ""
    if page.suffix in HTML_SUFFIXES:
        title = title_in(head)
    else:
        first = head.lstrip().partition("\n")[0]
        title = first.removeprefix("# ").strip() if first.startswith("# ") else ""
    return title or without_short_id(page.stem)  # a file's name as the last resort


def _read_table(table: Entry) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    with io.TextIOWrapper(table.open(), encoding="utf-8-sig", newline="") as text:
        lines = list(csv.reader(text, strict=True))  # strict: prose is no table
    return (lines[0], [line for line in lines[1:] if line]) if lines and lines[0] else ((), ())


def _reason(error: BaseException) -> str:
    if isinstance(error, csv.Error):
        return "is not a table; export it again"
    return "is not UTF-8 text; save it as UTF-8" if isinstance(error, UnicodeDecodeError) else why_unreadable(error)


WORDLESS: Final = "pages without text"
EMPTY_ROWS: Final = "rows of databases without text"
# The id at the end of a page's or folder's name.
_ID_IN_PATH: Final = re.compile(r"%20(?:[0-9a-f]{32}|[0-9a-f]{5})(?:_all)?[./]")
# "[words](path)" or "![picture](path)"; the path may hold one pair of brackets.
_LINK: Final = re.compile(r"!?\[([^\[\]\n]{0,500})\]\(([^()\s]{0,1000}(?:\([^()\s]{0,200}\))?[^()\s]{0,1000})\)")
# A path between spaces or commas, as a property holds it: "Folder/Page%20<id>.md".
_PATH: Final = re.compile(r"(?<![^\s])[^\s,]{1,2000}/([^\s,/]{1,300})(?![^\s,])")
_PROPERTY: Final = re.compile(r"([^:\n]{1,60}): (.{1,1000})")  # "Status: Done"
_CREATED: Final = frozenset({"created", "created time", "date", "datum", "erstellt", "erstellt am", "creado", "fecha"})
_TAGS: Final = frozenset({"tags", "labels"})


def read_notion(stream: BinaryIO, where: str, dates: DateReading, databases: Databases) -> Iterator[FileLine]:
    """Yield the record of the page at `where` in the export, or those of the database rows that have no page. Raises
    OSError: the stream cannot be read."""
    suffix = PurePosixPath(where).suffix.lower()
    if suffix == TABLE_SUFFIX:
        yield from _rows(where, dates, databases)
        return
    row = databases.row_of.get(where)
    understand = _as_html(where, databases, row) if suffix in HTML_SUFFIXES else partial(_page_words, row=row)
    yield read_note_stream(stream, where, dates, understand)


def _rows(where: str, dates: DateReading, databases: Databases) -> Iterator[FileLine]:
    if where in databases.broken:
        yield BadLine(where=where, reason=databases.broken[where])
    titles = Counter[str]()
    for row in databases.rows.get(where, ()):
        page, title = as_page(row), row[0][1]  # a row's first column is its title
        if not page:
            yield Omission(where=where, reason=EMPTY_ROWS)
            continue
        titles[title] += 1
        number = f" ({titles[title]})" if titles[title] > 1 else ""  # equal titles need places of their own
        place = f"{place_of(where)}#{title}{number}"
        yield read_note_stream(io.BytesIO(page.encode()), place, dates, _page_words)


def _as_html(where: str, databases: Databases, row: Row | None) -> Understand:
    def understand(stem: str, front: "FrontMatter", body: str) -> NoteWords | Omission:
        return _page_words(stem, front, page_of_html(body, lambda link: databases.has_row(where, link)), row)

    return understand


def _page_words(stem: str, front: "FrontMatter", body: str, row: Row | None = None) -> NoteWords | Omission:
    text = _LINK.sub(_link_words, body).strip("\n").rstrip()
    if row is not None:
        text = with_row(text, dict(_properties(text)), row)
    text = _PATH.sub(lambda path: unquote(path[1]) if _ID_IN_PATH.search(path[0]) else path[0], text)
    if not text.strip():
        return Omission(where=stem, reason=WORDLESS)
    properties = dict(_properties(text))
    # The first day of "2024-03-05 → 2024-03-08".
    created = next((value for key, value in properties.items() if key in _CREATED), "").partition(" → ")[0]
    tags = next((value for key, value in properties.items() if key in _TAGS), "")
    return NoteWords(content=text, front=front.with_fields({"created": created, "tags": tags}))


def _link_words(link: re.Match[str]) -> str:
    """Return the words of a link into the export, nothing for a picture, and any other link unchanged."""
    if _ID_IN_PATH.search(link[2]) is None:
        return link[0]
    return "" if link[0].startswith("!") else link[1]


def _properties(text: str) -> list[tuple[str, str]]:
    """Return the properties of a page: the lines between its title and the next blank line but one."""
    _, _, rest = text.partition("\n\n")
    # More lines than any page has properties.
    found = [_PROPERTY.fullmatch(line) for line in rest.partition("\n\n")[0].split("\n")[:50]]
    return [(each[1].strip().casefold(), each[2].strip()) for each in found if each]

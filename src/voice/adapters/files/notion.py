"""Reading an export of Notion: pages, as Markdown or HTML, and databases.

Law: a page is one thought: its title, its properties as they stand, its text. A link to another page reads as its
words. When it was made is the property that says so. A row of a database is its page where it has one; else it is
read as the page it would be, at the place of the database and its own title. Of a database and its view (`_all.csv`
and `.csv`) the first counts.

Source: docs/import.md.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Final

from voice.adapters.files.entries import NOTE_SUFFIXES, Entry
from voice.adapters.files.markdown import NoteWords, Understand, read_note_stream
from voice.core.interchange.foreign.hypertext import html_words
from voice.core.interchange.foreign.notion import Row, as_page, row_of, with_pages, with_row, without_id
from voice.core.interchange.foreign.told import DateReading
from voice.core.interchange.lines import BadLine, FileLine, LeftOut

if TYPE_CHECKING:
    from voice.adapters.files.front_matter import FrontMatter

WORDLESS: Final = "pages without words"
EMPTY_ROWS: Final = "rows of databases without words"
_HTML: Final = frozenset({".html", ".htm"})
_PAGES: Final = NOTE_SUFFIXES | _HTML
_TABLE: Final = ".csv"
_WHOLE: Final = "_all"
_LINK: Final = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\s]{0,1000}%20[0-9a-f]{32}[^()\s]{0,200}\)")
_PROPERTY: Final = re.compile(r"([^:\n]{1,60}): (.{1,1000})")
_HTML_PROPERTIES: Final = re.compile(r'<table class="properties">(.*?)</table>', re.DOTALL)
_BETWEEN_CELLS: Final = re.compile(r"</th>\s*<td[^>]*>")
_NO_PAGES: Final[Mapping[str, str]] = {}
_NO_COLUMNS: Final[list[str]] = []
_MADE: Final = frozenset({"created", "created time", "date", "datum", "erstellt", "erstellt am", "creado", "fecha"})
_TAGS: Final = frozenset({"tags", "labels"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Databases:
    """What the databases of an export say, by the names of its files."""

    row_of: Mapping[str, Row] = field(default_factory=dict[str, Row])
    """Of each page that is a row's."""
    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict[str, Sequence[Row]])
    """Of each database: the rows without a page."""
    broken: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of each that cannot be read, why."""


def read_databases(entries: Sequence[Entry]) -> Databases:
    """Return what the databases among the files of an export say."""
    names = {entry.name for entry in entries}
    tables = [each for each in entries if each.suffix == _TABLE and not _has_whole(each.name, names)]
    pages: dict[str, dict[str, str]] = {}
    for entry in entries:
        if entry.suffix in _PAGES:
            pages.setdefault(str(PurePosixPath(entry.name).parent), {})[entry.stem] = entry.name
    row_of_page: dict[str, Row] = {}
    left: dict[str, Sequence[Row]] = {}
    broken: dict[str, str] = {}
    for table in tables:
        try:
            rows = _rows(table)
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            broken[table.name] = _why(error)
            continue
        beside = _pages_of(table.name, pages)
        found, left[table.name] = with_pages(rows, [name for name in beside if beside[name] not in row_of_page])
        row_of_page |= {beside[name]: row for name, row in found.items()}
    return Databases(row_of=row_of_page, rows=left, broken=broken)


def read_notion(stream: BinaryIO, where: str, dates: DateReading, databases: Databases) -> Iterator[FileLine]:
    """Yield what a page says, or the rows of a database that have no page.

    Args:
        stream: the file's bytes.
        where: its path within the export.
        dates: how dates are read.
        databases: what the databases of the export say.

    Raises:
        OSError: the stream cannot be read.
    """
    suffix = PurePosixPath(where).suffix.lower()
    if suffix != _TABLE:
        yield read_note_stream(stream, where, dates, _understanding(databases.row_of.get(where), suffix in _HTML))
        return
    if where in databases.broken:
        yield BadLine(where=where, reason=databases.broken[where])
    path = PurePosixPath(where)
    database = str(path.with_stem(path.stem.removesuffix(_WHOLE)))
    called: dict[str, int] = {}
    for row in databases.rows.get(where, ()):
        title = row[0][1]
        called[title] = called.get(title, 0) + 1
        place = f"{database}#{title}" if called[title] == 1 else f"{database}#{title} ({called[title]})"
        page = as_page(row)
        yield (
            read_note_stream(io.BytesIO(page.encode()), place, dates, _understanding(None, is_html=False))
            if page
            else LeftOut(where=where, reason=EMPTY_ROWS)
        )


def _has_whole(name: str, names: set[str]) -> bool:
    """Return whether the database that a file is a view of is there, too."""
    path = PurePosixPath(name)
    return not path.stem.endswith(_WHOLE) and str(path.with_stem(path.stem + _WHOLE)) in names


def _pages_of(table: str, pages: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    """Return the pages that may be a database's rows: in the folder of its name, else beside it."""
    path = PurePosixPath(table)
    own = path.with_name(path.stem.removesuffix(_WHOLE))
    folders = (str(own), str(own.with_name(without_id(own.name))), str(path.parent))
    return next((pages[folder] for folder in folders if folder in pages), _NO_PAGES)


def _rows(table: Entry) -> list[Row]:
    """Return the rows of a table.

    Raises:
        Error: it is no table.
        OSError: it cannot be read.
        UnicodeDecodeError: it is not UTF-8.
    """
    with table.open() as stream:
        lines = csv.reader(io.TextIOWrapper(stream, encoding="utf-8-sig", newline=""), strict=True)
        columns = next(lines, _NO_COLUMNS)
        return [row_of(columns, values) for values in lines if values and columns]


def _why(error: OSError | UnicodeDecodeError | csv.Error) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8 text; save it as UTF-8"
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or 'unknown reason'}"
    return f"is no table ({error}); export it again"


def _understanding(row: Row | None, is_html: bool) -> Understand:  # noqa: FBT001 - two forms of one page
    def understand(stem: str, front: "FrontMatter", body: str) -> NoteWords | LeftOut:
        return _of_page(stem, front, _of_html(body) if is_html else body, row)

    return understand


def _of_html(source: str) -> str:
    """Return a page in HTML as it would stand in Markdown: its title, its properties line by line, its words."""
    found = _HTML_PROPERTIES.search(source)
    if found is None:
        return html_words(source)
    properties = html_words(f"<table>{_BETWEEN_CELLS.sub(': ', found[1])}</table>").replace(": @", ": ")
    parts = (html_words(source[: found.start()]), properties, html_words(source[found.end() :]))
    return "\n\n".join(part for part in parts if part)


def _of_page(stem: str, front: "FrontMatter", body: str, row: Row | None) -> NoteWords | LeftOut:
    text = _LINK.sub(r"\1", body).strip("\n").rstrip()
    if row is not None:
        text = with_row(text, dict(_properties(text)), row)
    if not text.strip():
        return LeftOut(where=stem, reason=WORDLESS)
    told = dict(_properties(text))
    made = next((value for key, value in told.items() if key in _MADE), "")
    tags = next((value for key, value in told.items() if key in _TAGS), "")
    return NoteWords(content=text, front=front.with_fields({"created": made, "tags": tags}))


def _properties(text: str) -> list[tuple[str, str]]:
    """Return the properties of a page: the lines between its title and the first blank line after them."""
    _, _, rest = text.partition("\n\n")
    found = [_PROPERTY.fullmatch(line) for line in rest.partition("\n\n")[0].split("\n")[:50]]
    return [(each[1].strip().casefold(), each[2].strip()) for each in found if each]

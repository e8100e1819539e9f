"""The databases of a Notion export, read before its pages.

Law: of a database and its view (`_all.csv` and `.csv`) the first counts. A table that cannot be read costs no page.

Source: docs/import.md.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from voice.adapters.files.entries import NOTE_SUFFIXES, UNREADABLE, Entry, why_unreadable
from voice.adapters.files.marks import HEAD_BYTES
from voice.core.interchange.foreign.notion import Row, rows_with_pages, title_in, without_id, without_short_id

HTML_SUFFIXES: Final = frozenset({".html", ".htm"})
TABLE_SUFFIX: Final = ".csv"
_PAGES: Final = NOTE_SUFFIXES | HTML_SUFFIXES
_WHOLE: Final = "_all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Databases:
    """The databases of an export, by file name."""

    pages: frozenset[str] = frozenset()
    """The files of the export."""
    row_of: Mapping[str, Row] = field(default_factory=dict[str, Row])
    """The row of each page that has one."""
    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict[str, Sequence[Row]])
    """The rows without a page, by database."""
    broken: Mapping[str, str] = field(default_factory=dict[str, str])
    """Why a database cannot be read, by name."""

    def tells(self, place: str, link: str) -> bool:
        """Return whether a row that the page at a place shows comes in by itself: as its page, or from a table."""
        page = PurePosixPath(place)
        tables = (page.with_suffix(TABLE_SUFFIX), page.with_name(f"{page.stem}{_WHOLE}{TABLE_SUFFIX}"))
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
        if table.suffix != TABLE_SUFFIX or _has_whole(table.name, names):
            continue
        beside = [page for page in _beside(table.name, in_folder) if page.name not in row_of]
        try:
            columns, lines = _read(table)
        except (*UNREADABLE, UnicodeDecodeError, csv.Error) as error:
            broken[table.name] = _why(error)
            continue
        found, left[table.name] = rows_with_pages(columns, lines, {page.name: _title(page) for page in beside})
        row_of |= found
    return Databases(pages=names, row_of=row_of, rows=left, broken=broken)


def place_of(table: str) -> str:
    """Return the place of a database, whether its file holds a view of it or all of it."""
    path = PurePosixPath(table)
    return str(path.with_stem(path.stem.removesuffix(_WHOLE)))


def _has_whole(name: str, names: frozenset[str]) -> bool:
    """Return whether the database that a file is a view of is there, too."""
    path = PurePosixPath(name)
    return not path.stem.endswith(_WHOLE) and str(path.with_stem(path.stem + _WHOLE)) in names


def _beside(table: str, in_folder: Mapping[str, Sequence[Entry]]) -> Sequence[Entry]:
    """Return the pages that may be a database's rows: those in the folder of its name, else those beside it."""
    own = PurePosixPath(place_of(table)).with_suffix("")
    folders = (own, own.with_name(without_id(own.name)), own.parent)
    return next((in_folder[str(folder)] for folder in folders if str(folder) in in_folder), ())


def _title(page: Entry) -> str:
    """Return what a page is called: by its own title, for the name of its file may be cut and lacks signs."""
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
    return title or without_short_id(page.stem)


def _read(table: Entry) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return the head and the rows of a table.

    Raises:
        Error: it is no table.
        OSError: it cannot be read.
        UnicodeDecodeError: it is not UTF-8.
    """
    with io.TextIOWrapper(table.open(), encoding="utf-8-sig", newline="") as text:
        lines = list(csv.reader(text, strict=True))
    return (lines[0], [line for line in lines[1:] if line]) if lines and lines[0] else ((), ())


def _why(error: BaseException) -> str:
    if isinstance(error, csv.Error):
        return "is not a table; export it again"
    return "is not UTF-8 text; save it as UTF-8" if isinstance(error, UnicodeDecodeError) else why_unreadable(error)

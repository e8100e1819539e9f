"""The records at a path, read by the reader of its format.

Law: one reader per format; whatever is opened here is closed by whoever asked.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from errno import EISDIR
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final

from voice.adapters.files.chat_logs import read_whatsapp
from voice.adapters.files.chats import read_activity, read_chats, read_evernote, read_owner, read_titles
from voice.adapters.files.entries import UNREADABLE, Entry, why_unreadable
from voice.adapters.files.exports import export_at, is_packed, of_kind, others
from voice.adapters.files.foreign_jsonl import read_foreign_jsonl
from voice.adapters.files.logseq import read_graph
from voice.adapters.files.markdown import as_it_stands, read_note_as
from voice.adapters.files.mbox import read_mbox
from voice.adapters.files.memory_bench import load_memory_bench
from voice.adapters.files.notes_at import notes_in, notes_packed
from voice.adapters.files.notion import read_notion
from voice.adapters.files.notion_databases import Databases, read_databases
from voice.adapters.files.own_jsonl import read_own_jsonl
from voice.adapters.files.plain_text import read_plain_text, source_of
from voice.adapters.files.sniff import detect_format
from voice.adapters.files.vault import read_vault
from voice.core.errors import DataFileError
from voice.core.interchange.foreign.titles import UNLOOKED, SharedTitles
from voice.core.interchange.lines import BadLine, FileLine, ParsedLine
from voice.ports.files import FileFormat, ReadRequest

STANDARD_STREAM: Final = "-"
_FROM_FILES: Final = frozenset(
    {FileFormat.MARKDOWN, FileFormat.OBSIDIAN, FileFormat.MEMORY_BENCH, FileFormat.LOGSEQ, FileFormat.NOTION}
)
_ONE_FILE: Final = frozenset({FileFormat.OWN, FileFormat.JSONL})
_NAMES_ITS_PLACES: Final = frozenset({FileFormat.TEXT, FileFormat.WHATSAPP, FileFormat.NOTION})
"""Formats whose places name the file already."""


def _nothing() -> None:
    """A stream that is not ours stays open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A file being read: its records and the progress."""

    lines: Iterator[FileLine]
    total: int | None
    close: Callable[[], None] = _nothing
    position: Callable[[], int] | None = None
    """None: the number of records read is the position."""


def open_reading(request: ReadRequest) -> Reading:
    """Open a path with the reader of its format.

    Raises:
        DataFileError: it cannot be read or imported.
    """
    if request.path == STANDARD_STREAM:
        return _open_standard(request)
    path = Path(request.path)
    kind = request.format or detect_format(path)
    try:
        match kind:
            case FileFormat.MARKDOWN | FileFormat.OBSIDIAN | FileFormat.LOGSEQ:
                return _open_notes(path, kind, request)
            case FileFormat.MEMORY_BENCH:
                bench = load_memory_bench(path, corpus=request.corpus)
                return Reading(lines=bench.lines(zone=request.zone), total=bench.items)
            case _:
                return _open_export(path, kind, request)
    except OSError as error:
        raise unreadable(request.path, error) from error


def unreadable(path: str, error: OSError) -> DataFileError:
    """Return the error for a path that the system cannot read."""
    return DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}")


def _open_standard(request: ReadRequest) -> Reading:
    kind = request.format or FileFormat.OWN
    if kind in _FROM_FILES:
        raise DataFileError(f"{kind} needs a file or folder, not a pipe")
    return Reading(lines=_of_stream(sys.stdin.buffer, kind, request, Source()), total=None)


def _open_notes(path: Path, kind: FileFormat, request: ReadRequest) -> Reading:
    """Open the notes of a folder or archive, or one note."""
    notes = notes_packed(path) if is_packed(path) else notes_in(path, kind)
    wanted = tuple(note for note in notes.files if request.only is None or note.name in request.only)
    match kind:
        case FileFormat.OBSIDIAN:
            lines = read_vault(replace(notes, files=wanted), request.dates)
        case FileFormat.LOGSEQ:
            lines = read_graph(notes, request.dates, request.only)
        case _:
            lines = (read_note_as(as_it_stands, note, request.dates) for note in wanted)
    sizes = {note.name: note.size for note in wanted}
    way = _Weighed(lines=chain(lines, notes.rest), sizes=sizes)
    return Reading(lines=iter(way), total=sum(sizes.values()), close=notes.close, position=lambda: way.done)


@dataclass(slots=True, kw_only=True)
class _Weighed:
    """Notes that are read, with how much of their bytes that is: a long one takes longer to store than a short one."""

    lines: Iterator[FileLine]
    sizes: Mapping[str, int]
    done: int = 0

    def __iter__(self) -> Iterator[FileLine]:
        """Yield the lines."""
        for line in self.lines:
            self.done += self.sizes.get(line.where, 0)
            yield line


def _open_export(path: Path, kind: FileFormat, request: ReadRequest) -> Reading:
    """Open those files of a file, folder or archive that are of a kind; a file that was named itself is of it."""
    if kind in _ONE_FILE and path.is_dir():
        raise IsADirectoryError(EISDIR, "it is a folder")
    export = export_at(path)
    is_alone = path.is_file() and len(export.entries) == 1 and export.entries[0].name == path.name
    chosen = export.entries if is_alone else of_kind(export, kind)
    wanted = [entry for entry in chosen if request.only is None or entry.name in request.only]
    owner = read_owner(export.entries, kind)
    reader = _Entries(entries=wanted, kind=kind, request=request, title=export.name, is_alone=is_alone, owner=owner)
    lines = chain(reader.lines(), export.left_out, others(export, chosen))
    total = sum(entry.size for entry in wanted)
    if is_alone:
        reader.open_first()
    return Reading(
        lines=lines, total=total, close=lambda: (reader.close(), export.close())[0], position=reader.position
    )


@dataclass(slots=True, kw_only=True)
class _Entries:
    """The files of an export, read one after the other."""

    entries: Sequence[Entry]
    kind: FileFormat
    request: ReadRequest
    title: str
    is_alone: bool
    owner: str | None = None
    """Whom a file beside them calls the owner of all."""
    databases: Databases = Databases()
    """Of an export of Notion: what its databases say of its pages."""
    titles: SharedTitles = UNLOOKED
    """Of an export of conversations: the titles that several have."""
    _stream: BinaryIO | None = None
    _done: int = 0

    def open_first(self) -> None:
        """Open the only file, so that what cannot be opened is told at once."""
        self._stream = self.entries[0].open()

    def lines(self) -> Iterator[FileLine]:
        """Yield what each file says; one that cannot be read costs no other."""
        if self.kind is FileFormat.NOTION:
            self.databases = read_databases(self.entries)
        self.titles = read_titles(self.entries, self.kind)
        for entry in self.entries:
            try:
                self._stream = self._stream or entry.open()
                for line in _of_stream(self._stream, self.kind, self.request, self._source(entry)):
                    owned = self._owned(line)
                    yield owned if self.is_alone or self.kind in _NAMES_ITS_PLACES else placed(owned, entry.name)
            except UNREADABLE as error:
                if self.is_alone:
                    raise
                yield BadLine(where=entry.name, reason=why_unreadable(error))
            self._done += entry.size
            self.close()

    def _owned(self, line: FileLine) -> FileLine:
        return replace(line, owner=self.owner) if self.owner and isinstance(line, ParsedLine) else line

    def position(self) -> int:
        """Return how many bytes were read."""
        return self._done + (self._stream.tell() if self._stream else 0)

    def close(self) -> None:
        """Close the file that is open."""
        if self._stream is not None:
            self._stream.close()
        self._stream = None

    def _source(self, entry: Entry) -> "Source":
        title = (entry.within or self.title) if entry.stem == "_chat" else entry.stem
        return Source(name=entry.name, title=title, databases=self.databases, titles=self.titles)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a stream comes from."""

    name: str | None = None
    title: str = "chat"
    databases: Databases = Databases()
    titles: SharedTitles = UNLOOKED


def _of_stream(stream: BinaryIO, kind: FileFormat, request: ReadRequest, source: Source) -> Iterator[FileLine]:
    match kind:
        case FileFormat.OWN:
            return read_own_jsonl(stream, zone=request.zone)
        case FileFormat.JSONL:
            return read_foreign_jsonl(stream, request.mapping, request.zone)
        case FileFormat.TEXT:
            return read_plain_text(stream, source_of(source.name, request.dates))
        case FileFormat.NOTION:
            return read_notion(stream, source.name or "", request.dates, source.databases)
        case _:
            return _of_talk(stream, kind, request, source)


def _of_talk(stream: BinaryIO, kind: FileFormat, request: ReadRequest, source: Source) -> Iterator[FileLine]:
    """Yield what several said to one another."""
    match kind:
        case FileFormat.WHATSAPP:
            return read_whatsapp(stream, source.title, request.dates)
        case FileFormat.EVERNOTE:
            return read_evernote(stream)
        case FileFormat.GEMINI if (source.name or "").lower().endswith((".html", ".htm")):
            return read_activity(stream, request.zone)
        case FileFormat.MBOX:
            return read_mbox(stream, request.own_speakers)
        case _:
            return read_chats(stream, kind, source.titles)


def placed(line: FileLine, name: str) -> FileLine:
    """Return a line of one file among several, its place with the file's name before it."""
    where = f"{name}: {line.where}"
    if not isinstance(line, ParsedLine):
        return replace(line, where=where)
    return replace(line, where=where, partly=tuple(replace(each, where=where) for each in line.partly))

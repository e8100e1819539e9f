"""The records at a path, read by the reader of its format.

Law: one reader per format; the caller closes what is opened here.
"""

import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from errno import EISDIR
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final, cast

from voice.adapters.files.archives import kind_of_archive
from voice.adapters.files.chats import read_activity, read_chats, read_evernote, read_owner, read_titles, read_whatsapp
from voice.adapters.files.detection import (
    count_unread,
    detect_format,
    files_of_format,
    is_own,
    is_packed,
    open_export,
    require_plain,
)
from voice.adapters.files.entries import UNREADABLE, Entry, named_from, why_unreadable
from voice.adapters.files.file_kinds import HEAD_BYTES
from voice.adapters.files.logseq import read_graph
from voice.adapters.files.markdown import plain_words, read_note_as, read_note_stream, read_vault
from voice.adapters.files.mbox import read_mbox
from voice.adapters.files.note_files import notes_in_archive, notes_in_folder
from voice.adapters.files.notion import Databases, read_databases, read_notion
from voice.adapters.files.plain_text import load_memory_bench, read_plain_text
from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.foreign.conversation import UNLOOKED, SharedTitles
from voice.core.interchange.foreign.dates import folders_of_weeks
from voice.core.interchange.json_fields import guessed, mapped_line
from voice.core.interchange.memory_lines import MAX_LINE_BYTES, BadLine, FileLine, HeaderLine, ParsedLine, Record
from voice.core.interchange.parse import decode_object, parse_line
from voice.core.records import Tombstone
from voice.ports.files import FileFormat, ReadRequest

_BOM: Final = b"\xef\xbb\xbf"
MAX_MIB: Final = MAX_LINE_BYTES // (1024 * 1024)


def read_own_jsonl(stream: BinaryIO, *, zone: tzinfo = UTC) -> Iterator[ParsedLine | BadLine]:
    """Yield the record of each line, in order; none for blank lines and the header. A byte order mark at the start and
    carriage returns at line ends are ignored. Raises DataFileError: the header is of another format or version."""
    seen: dict[str, int] = {}
    any_row = False
    for number, raw in numbered_lines(stream):
        # Only the first line tells whether the file is another program's.
        line = _read_line(number, raw, zone, may_be_foreign=not any_row)
        any_row = True
        if isinstance(line, ParsedLine) and (first := _earlier_line(line.record, number, seen)):
            yield BadLine(where=line.where, reason=f"has the id of line {first}; ids must be unique")
        elif line is not None:
            yield line


def _read_line(number: int, raw: bytes | None, zone: tzinfo, *, may_be_foreign: bool) -> ParsedLine | BadLine | None:
    where = f"line {number}"
    if raw is None:
        return BadLine(where=where, reason=f"is longer than {MAX_MIB} MiB; split it")
    try:
        record, unknown = parse_line(raw, zone)
    except InvalidParams as error:
        return BadLine(where=where, reason=error.message)
    except DataFileError as error:
        if may_be_foreign:
            raise
        return BadLine(where=where, reason=error.message)
    if isinstance(record, HeaderLine):
        return None
    return ParsedLine(where=where, record=record, unknown_fields=unknown)


def _earlier_line(record: Record, number: int, seen: dict[str, int]) -> int | None:
    """Return the earlier line with this record's id; if there is none, remember this one."""
    key = f"tombstone {record.row_id}" if isinstance(record, Tombstone) else record.id
    if key is None:
        return None
    first = seen.setdefault(key, number)
    return None if first == number else first


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield lines that are not blank, numbered from 1; None for a line that is too long."""
    number = 0
    while raw := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(raw) > MAX_LINE_BYTES:
            while raw and not raw.endswith(b"\n"):  # the rest is skipped, so that the next line counts as one
                raw = stream.readline(MAX_LINE_BYTES)
            yield number, None
            continue
        text = (raw.removeprefix(_BOM) if number == 1 else raw).strip(b" \t\r\n")
        if text:
            yield number, text


STANDARD_STREAM: Final = "-"
_FROM_FILES: Final = frozenset({FileFormat.OBSIDIAN, FileFormat.MEMORY_BENCH, FileFormat.LOGSEQ, FileFormat.NOTION})
_ONE_FILE: Final = frozenset({FileFormat.OWN, FileFormat.JSONL})
# Formats whose places already name the file.
_PLACES_NAME_FILE: Final = frozenset({FileFormat.TEXT, FileFormat.WHATSAPP, FileFormat.NOTION})


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedFile:
    """A file being read: its records and the progress."""

    lines: Iterator[FileLine]
    total: int | None
    close: Callable[[], object] = lambda: None
    position: Callable[[], int] | None = None
    """None if the position is the number of records read."""


def open_reading(request: ReadRequest) -> OpenedFile:
    """Open a path with the reader of its format. Raises DataFileError: it cannot be read or imported."""
    try:
        if request.path == STANDARD_STREAM:
            return _open_standard(request)
        path = Path(request.path)
        require_plain(path)
        match kind := request.format or detect_format(path):
            case FileFormat.MARKDOWN | FileFormat.OBSIDIAN | FileFormat.LOGSEQ:
                return _open_notes(path, kind, request)
            case FileFormat.MEMORY_BENCH:
                bench = load_memory_bench(path, corpus=request.corpus)
                return OpenedFile(lines=bench.lines(zone=request.zone), total=bench.items)
            case _:
                return _open_export(path, kind, request)
    except OSError as error:
        raise unreadable(request.path, error) from error


def unreadable(path: str, error: OSError) -> DataFileError:
    """Return the error for a path that the system cannot read."""
    return DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}")


def _open_standard(request: ReadRequest) -> OpenedFile:
    kind = request.format or FileFormat.OWN
    if kind in _FROM_FILES:
        raise DataFileError(f"{kind} needs a file or folder, not a pipe")
    stream, close = cast("io.BufferedReader", sys.stdin.buffer), lambda: None  # it stays open
    if not hasattr(stream, "peek"):  # a file in memory; a second buffer around a pipe would wait until it is full
        stream = io.BufferedReader(cast("io.RawIOBase", sys.stdin.buffer), HEAD_BYTES)
        close = stream.detach  # else standard input would be closed with it
    head, fault = stream.peek(HEAD_BYTES), ""
    if kind_of_archive(head):
        fault = "the piped input is an archive; save it as a file and import that"
    elif kind is FileFormat.OWN and b"\n" in head and not is_own(head):
        fault = "the piped input is not an export of voice; name its format, as in `--format markdown`"
    if fault:
        close()
        raise DataFileError(fault)
    return OpenedFile(lines=_read_stream(stream, kind, request, Source()), total=None, close=close)


def _open_notes(path: Path, kind: FileFormat, request: ReadRequest) -> OpenedFile:
    notes = (
        notes_in_archive(path) if is_packed(path) else notes_in_folder(path, kind, request.roots or (), request.apart)
    )
    request = _with_weeks(request, path, notes.files)
    wanted = tuple(note for note in notes.files if request.only is None or note.name in request.only)
    match kind:
        case FileFormat.OBSIDIAN:
            lines = read_vault(replace(notes, files=wanted), request.dates)
        case FileFormat.LOGSEQ:
            # All files: blocks may be in pages that are not wanted.
            lines = read_graph(notes, request.dates, request.only)
        case _:
            lines = (read_note_as(plain_words, note, request.dates) for note in wanted)
    sizes = {note.name: note.size for note in wanted}
    progress = _Progress(lines=chain(lines, notes.rest), sizes=sizes)
    return OpenedFile(
        lines=iter(progress), total=sum(sizes.values()), close=notes.close, position=lambda: progress.done
    )


def _with_weeks(request: ReadRequest, path: Path, files: Sequence[Entry]) -> ReadRequest:
    """Return a request that knows the folders of weeks; of a file on its own by the files beside it."""
    names = [each.name for each in files]
    if path.is_file() and len(names) == 1:
        names = [names[0].removesuffix(path.name) + each.name for each in path.parent.iterdir()]
    return replace(request, weeks=folders_of_weeks(names))


@dataclass(slots=True, kw_only=True)
class _Progress:
    """Notes with the number of their bytes that was read, since a long note takes longer to store than a short one."""

    lines: Iterator[FileLine]
    sizes: Mapping[str, int]
    done: int = 0

    def __iter__(self) -> Iterator[FileLine]:
        """Yield the lines, counting their bytes."""
        for line in self.lines:
            self.done += self.sizes.get(line.where, 0)
            yield line


def _open_export(path: Path, kind: FileFormat, request: ReadRequest) -> OpenedFile:
    """Open the files of one format in a file, folder or archive; a file that was named itself counts as one."""
    if kind in _ONE_FILE and path.is_dir():
        raise IsADirectoryError(EISDIR, "it is a folder")
    export = open_export(path)
    is_alone = path.is_file() and len(export.entries) == 1 and export.entries[0].name == path.name
    chosen = export.entries if is_alone else files_of_format(export, kind)
    named = chosen
    if kind is FileFormat.TEXT and request.roots and not is_packed(path):
        place = named_from(path, path, request.roots)
        named = [replace(each, name=place(path / each.name if path.is_dir() else path)) for each in chosen]
    request = _with_weeks(request, path, named)
    wanted = [entry for entry in named if request.only is None or entry.name in request.only]
    owner = read_owner(export.entries, kind)
    reader = _Entries(entries=wanted, kind=kind, request=request, title=export.name, is_alone=is_alone, owner=owner)
    lines = chain(reader.lines(), export.left_out, count_unread(export, chosen))
    total = sum(entry.size for entry in wanted)
    if is_alone:
        # A file that was named itself fails at once, not as one of many.
        reader.open_first()
    return OpenedFile(
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
    owner: str | None = None  # owner's name from a file beside them
    databases: Databases = Databases()  # of a Notion export
    titles: SharedTitles = UNLOOKED  # of an export of conversations: the titles that several share
    _stream: BinaryIO | None = None
    _done: int = 0

    def open_first(self) -> None:
        """Open the only file, so that an error is raised at once."""
        self._stream = self.entries[0].open()

    def lines(self) -> Iterator[FileLine]:
        """Yield the lines of each file; a file that cannot be read costs no other."""
        if self.kind is FileFormat.NOTION:
            self.databases = read_databases(self.entries)
        self.titles = read_titles(self.entries, self.kind)
        for entry in self.entries:
            try:
                self._stream = self._stream or entry.open()  # the first may be open already
                for line in _read_stream(self._stream, self.kind, self.request, self._source(entry)):
                    yield self._completed(line, entry.name)
            except UNREADABLE as error:
                if self.is_alone:  # the person named this very file
                    raise
                yield BadLine(where=entry.name, reason=why_unreadable(error))
            self._done += entry.size
            self.close()

    def _completed(self, line: FileLine, name: str) -> FileLine:
        if self.owner and isinstance(line, ParsedLine):
            line = replace(line, owner=self.owner)
        return line if self.is_alone or self.kind in _PLACES_NAME_FILE else with_file_name(line, name)

    def position(self) -> int:
        """Return the number of bytes read."""
        return self._done + (self._stream.tell() if self._stream else 0)

    def close(self) -> None:
        """Close the open file."""
        if self._stream is not None:
            self._stream.close()
        self._stream = None

    def _source(self, entry: Entry) -> "Source":
        # WhatsApp calls every chat so; the archive has its name.
        title = (entry.within or self.title) if entry.stem == "_chat" else entry.stem
        return Source(name=entry.name, title=title, databases=self.databases, titles=self.titles)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a stream comes from."""

    name: str | None = None
    title: str = "chat"
    databases: Databases = Databases()
    titles: SharedTitles = UNLOOKED


def _read_stream(stream: BinaryIO, kind: FileFormat, request: ReadRequest, source: Source) -> Iterator[FileLine]:
    match kind:
        case FileFormat.OWN:
            return read_own_jsonl(stream, zone=request.zone)
        case FileFormat.JSONL:
            return read_foreign_jsonl(stream, request.mapping, request.zone)
        case FileFormat.MARKDOWN:
            return iter((read_note_stream(stream, source.name, request.dates),))
        case FileFormat.TEXT:
            return read_plain_text(stream, source.name, request.dates)
        case FileFormat.NOTION:
            return read_notion(stream, source.name or "", request.dates, source.databases)
        case _:
            return _read_conversations(stream, kind, request, source)


def _read_conversations(stream: BinaryIO, kind: FileFormat, request: ReadRequest, source: Source) -> Iterator[FileLine]:
    match kind:
        case FileFormat.WHATSAPP:
            return read_whatsapp(stream, source.title, request.dates)
        case FileFormat.EVERNOTE:
            return read_evernote(stream)
        # Takeout's activities; otherwise a JSON export.
        case FileFormat.GEMINI if (source.name or "").lower().endswith((".html", ".htm")):
            return read_activity(stream, request.zone)
        case FileFormat.MBOX:
            return read_mbox(stream, request.own_speakers)
        case _:
            return read_chats(stream, kind, source.titles)


def with_file_name(line: FileLine, name: str) -> FileLine:
    """Return a line of one of several files, with the file's name before its place."""
    where = f"{name}: {line.where}"
    if not isinstance(line, ParsedLine):
        return replace(line, where=where)
    return replace(line, where=where, partly=tuple(replace(each, where=where) for each in line.partly))


def read_foreign_jsonl(stream: BinaryIO, mapping: Mapping[str, str], zone: tzinfo) -> Iterator[FileLine]:
    """Yield the records of another program's JSON lines, in order, without blank lines. `mapping` is the person's
    choice: their field for each of ours. Raises OSError: the stream cannot be read."""
    fields: Mapping[str, str] = {}
    for number, raw in numbered_lines(stream):
        where = f"line {number}"
        if raw is None:
            yield BadLine(where=where, reason=f"is longer than {MAX_MIB} MiB; split it")
            continue
        try:
            members = decode_object(raw)
            if not fields and "content" in (found := guessed(members, mapping)):
                fields = found  # the first line that tells decides for all
            line, unknown = mapped_line(members, fields or mapping, zone)
        except InvalidParams as fault:
            yield BadLine(where=where, reason=fault.message)
        else:
            yield ParsedLine(where=where, record=line, unknown_fields=unknown)

"""A path → its records: which reader reads which format.

Law: one reader per format; whatever is opened here is closed by whoever asked.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final, assert_never

from voice.adapters.files.chats import read_chats
from voice.adapters.files.folder import look_into, place_in
from voice.adapters.files.foreign_jsonl import read_foreign_jsonl
from voice.adapters.files.markdown import NOTE_SUFFIXES, read_note
from voice.adapters.files.mbox import read_mbox
from voice.adapters.files.memory_bench import load_memory_bench
from voice.adapters.files.own_jsonl import read_own_jsonl
from voice.adapters.files.plain_text import TEXT_SUFFIXES, TextSource, read_plain_text, source_of
from voice.adapters.files.sniff import detect_format
from voice.adapters.files.vault import read_vault, vault_root
from voice.core.errors import DataFileError
from voice.core.interchange.lines import BadLine, FileLine
from voice.ports.files import FileFormat, ReadRequest

STANDARD_STREAM: Final = "-"


def _nothing() -> None:
    """A stream that is not ours stays open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A file being read: its records, and how far that is."""

    lines: Iterator[FileLine]
    total: int | None
    close: Callable[[], None] = _nothing
    position: Callable[[], int] | None = None
    """None: the number of records read is the position."""


def open_reading(request: ReadRequest) -> Reading:
    """Open what is asked for.

    Raises:
        DataFileError: it cannot be read, or is nothing that can be imported.
    """
    if request.path == STANDARD_STREAM:
        return _open_standard(request)
    path = Path(request.path)
    kind = request.format or detect_format(path)
    try:
        match kind:
            case FileFormat.MARKDOWN:
                folder = look_into(path)
                notes = folder.of(NOTE_SUFFIXES)
                lines = (read_note(note, path, request.zone) for note in notes)
                return Reading(lines=chain(lines, folder.rest(NOTE_SUFFIXES)), total=len(notes))
            case FileFormat.OBSIDIAN:
                root = vault_root(path) or (path if path.is_dir() else path.parent).absolute()
                folder = look_into(path.absolute())
                notes = folder.of(NOTE_SUFFIXES)
                lines = read_vault(notes, root, request.zone)
                return Reading(lines=chain(lines, folder.rest(NOTE_SUFFIXES)), total=len(notes))
            case FileFormat.MEMORY_BENCH:
                bench = load_memory_bench(path, corpus=request.corpus)
                return Reading(lines=bench.lines(zone=request.zone), total=bench.items)
            case FileFormat.TEXT if path.is_dir():
                folder = look_into(path)
                lines = _texts(folder.of(TEXT_SUFFIXES), path, request)
                return Reading(lines=chain(lines, folder.rest(TEXT_SUFFIXES)), total=None)
            case _:
                return _open_file(path, kind, request)
    except OSError as error:
        raise unreadable(request.path, error) from error


def unreadable(path: str, error: OSError) -> DataFileError:
    """Return what to say of a path that the system will not read."""
    return DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}")


def _open_standard(request: ReadRequest) -> Reading:
    kind = request.format or FileFormat.OWN
    return Reading(lines=_stream_lines(sys.stdin.buffer, kind, request, TextSource()), total=None)


def _open_file(path: Path, kind: FileFormat, request: ReadRequest) -> Reading:
    stream: BufferedReader = path.open("rb")
    try:
        source = source_of(path, path.name, request.zone)
        lines = _stream_lines(stream, kind, request, source)
    except DataFileError:
        stream.close()
        raise
    return Reading(lines=lines, total=path.stat().st_size, close=stream.close, position=stream.tell)


def _stream_lines(stream: BinaryIO, kind: FileFormat, request: ReadRequest, source: TextSource) -> Iterator[FileLine]:
    match kind:
        case FileFormat.OWN:
            return read_own_jsonl(stream, zone=request.zone)
        case FileFormat.CHATGPT | FileFormat.CLAUDE | FileFormat.GEMINI:
            return read_chats(stream, kind)
        case FileFormat.MBOX:
            return read_mbox(stream, request.own_speakers)
        case FileFormat.JSONL:
            return read_foreign_jsonl(stream, request.mapping, request.zone)
        case FileFormat.TEXT:
            return read_plain_text(stream, source)
        case FileFormat.MARKDOWN | FileFormat.OBSIDIAN | FileFormat.MEMORY_BENCH:
            raise DataFileError(f"{kind} is read from a file or folder, not from a pipe")
        case _:
            assert_never(kind)


def _texts(paths: list[Path], root: Path, request: ReadRequest) -> Iterator[FileLine]:
    for path in paths:
        where = place_in(root, path)
        try:
            with path.open("rb") as stream:
                yield from read_plain_text(stream, source_of(path, where, request.zone))
        except OSError as error:
            yield BadLine(where=where, reason=f"cannot be read: {error.strerror or 'unknown reason'}")

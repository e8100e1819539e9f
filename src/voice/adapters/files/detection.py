"""The files at a path to import, and their format.

Law: a file's format is known by its content: a file with a Markdown name is a note, of a vault if it is in one; any
other by its first bytes; `.txt` only if nothing else fits. The format of a folder or archive is that of most of its
files; if none is known it is refused with a list of what can be read.

Archives inside an export are opened only if no file beside them has a program's format: an archive among notes is an
attachment, archives alone are the export packed twice, or in parts. Their files are named by their paths inside them,
as if all parts had been unpacked into one folder.

Source: rulings I6, I7; docs/import.md.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Final

from voice.adapters.files.archives import HEAD_BYTES as ARCHIVE_HEAD
from voice.adapters.files.archives import ArchiveBudget, BrokenArchive, kind_of_archive, read_archive
from voice.adapters.files.entries import (
    ARCHIVE_SUFFIXES,
    LOOKED_INTO,
    NOTE_SUFFIXES,
    UNREADABLE,
    Entry,
    Export,
    entry_of,
    in_order,
    of_other_kinds,
    relative_name,
    scan_folder,
    why_unreadable,
)
from voice.adapters.files.file_kinds import (
    HEAD_BYTES,
    archive_refusal,
    format_by_signature,
    is_notion,
    refusal,
    unread_export,
)
from voice.adapters.files.logseq import graph_root, is_graph, is_named_by_logseq, names_pages
from voice.adapters.files.markdown import vault_root
from voice.adapters.files.plain_text import BENCH_FORMAT
from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.foreign.notion import are_cut
from voice.core.interchange.memory_lines import FORMAT_FAMILY, MAX_LINE_BYTES, BadLine, Omission
from voice.core.interchange.parse import decode_object, parse_line
from voice.ports.files import FileFormat

MOST_DEEP: Final = 3
# Formats that are imported only if you name the file itself.
_ONLY_IF_NAMED: Final = frozenset({FileFormat.JSONL, FileFormat.MEMORY_BENCH})
_FILES_CHECKED: Final = 1_000  # of a large export, whose kind shows early
_WITH_ID: Final = NOTE_SUFFIXES | {".csv"}  # suffixes of Notion files that only their names tell from others


def open_export(path: Path) -> Export:
    """Return the files of a file, a folder or an archive; the caller closes it. Raises DataFileError: an archive is
    broken, too large, or nested too deeply; OSError: it cannot be read."""
    if path.is_dir():
        return _unpack(_export_of_folder(path), str(path), ArchiveBudget(), MOST_DEEP)  # a folder counts as no level
    entry = entry_of(path, path.name)
    if not _is_archive(entry):
        return Export(name=path.stem, entries=(entry,))
    budget = ArchiveBudget()
    try:
        export = read_archive(entry, str(path), budget)
    except BrokenArchive as error:
        raise error.refusal(path) from error
    return _unpack(export, str(path), budget, MOST_DEEP - 1)


def main_format(export: Export) -> FileFormat | None:
    """Return the format of most files of an export; plain text only if it has no other; None if it has none."""
    counts: Counter[FileFormat] = Counter(
        kind for entry in export.entries[:_FILES_CHECKED] if (kind := format_of(entry))
    )
    # The rest is not opened: names of notes tell enough.
    counts += Counter(FileFormat.MARKDOWN for entry in export.entries[_FILES_CHECKED:] if entry.suffix in NOTE_SUFFIXES)
    # A chat log is text, but does not make texts of the others.
    if counts.keys() - {FileFormat.TEXT, FileFormat.WHATSAPP}:
        counts.pop(FileFormat.TEXT, None)
    most = max(counts, key=lambda kind: counts[kind], default=None)
    return _notes_format(export) if most is FileFormat.MARKDOWN else most


def files_of_format(export: Export, kind: FileFormat) -> Sequence[Entry]:
    """Return the files of an export that have a format."""
    is_cut = kind is FileFormat.NOTION and are_cut(each.stem for each in _pages_and_tables(export))
    # A cut id shows only in names taken together (`are_cut`).
    return [each for each in export.entries if format_of(each) is kind or (is_cut and each.suffix in _WITH_ID)]


def count_unread(export: Export, chosen: Collection[Entry]) -> Iterator[Omission]:
    """Yield the number of files that were not read, by suffix."""
    names = {entry.name for entry in chosen}
    endings = Counter(entry.suffix or "no ending" for entry in export.entries if entry.name not in names)
    if endings:
        yield Omission(where=export.name, reason=of_other_kinds(endings), count=endings.total())


def _pages_and_tables(export: Export) -> Iterator[Entry]:
    return (each for each in export.entries if each.suffix in _WITH_ID)


def is_packed(path: Path) -> bool:
    """Return whether the files at a path are in an archive, or in several archives in a folder. Raises DataFileError:
    an archive is broken, too large, or nested too deeply; OSError: it cannot be read."""
    if path.is_dir():
        with closing(open_export(path)) as export:
            return any(entry.within for entry in export.entries)
    return path.suffix.lower() not in NOTE_SUFFIXES and path.is_file() and _is_archive(entry_of(path, path.name))


def _notes_format(export: Export) -> FileFormat:
    """Return whose notes an export holds: Obsidian's, Notion's, Logseq's, or plain Markdown."""
    in_graph = is_graph(entry.name for entry in export.entries)
    if in_graph and any(is_named_by_logseq(each.name) for each in export.entries if each.name.startswith("pages/")):
        return FileFormat.LOGSEQ
    if export.settings:
        return FileFormat.OBSIDIAN
    if are_cut(each.stem for each in _pages_and_tables(export)):
        return FileFormat.NOTION
    return FileFormat.LOGSEQ if in_graph else FileFormat.MARKDOWN


def format_of(entry: Entry) -> FileFormat | None:
    """Return the format of a file of an export; None if it is unknown."""
    if entry.suffix in NOTE_SUFFIXES:
        return FileFormat.NOTION if is_notion(entry.name) else FileFormat.MARKDOWN
    if entry.suffix not in LOOKED_INTO:
        return None
    try:
        with entry.open() as stream:
            kind = format_by_signature(entry.name, stream.read(HEAD_BYTES))
    except UNREADABLE:
        return None
    return None if kind in _ONLY_IF_NAMED else kind


def _export_of_folder(path: Path) -> Export:
    folder = scan_folder(path)
    plain = [each for each in folder.files if each.is_file()]
    return Export(
        name=path.absolute().name,
        entries=tuple(entry_of(each, relative_name(path, each)) for each in plain),
        left_out=tuple(folder.unfollowed()),
    )


def _is_archive(entry: Entry) -> bool:
    with entry.open() as stream:
        return kind_of_archive(stream.read(ARCHIVE_HEAD)) is not None


def _is_archive_inside(entry: Entry) -> bool:
    try:
        return entry.suffix in ARCHIVE_SUFFIXES and _is_archive(entry)
    except UNREADABLE:
        return False


def _unpack(export: Export, shown: str, budget: ArchiveBudget, depth: int) -> Export:
    """Return an export with the files of the archives in it, if these are all it has."""
    with ExitStack() as opened:
        opened.callback(export.close)  # closed here if anything fails
        inside = [each for each in export.entries if _is_archive_inside(each)]
        if inside and main_format(export) in {None, FileFormat.TEXT}:
            if not depth:
                more = f"holds archives nested more than {MOST_DEEP} deep; unpack it and import the folder"
                raise DataFileError(f"{shown} {more}")
            parts = {archive.name: _open_part(archive, shown, budget, opened) for archive in inside}
            export = _unpack(_merged(export, parts), shown, budget, depth - 1)
        opened.pop_all()  # from here on the export's owner closes them
    return export


def _open_part(archive: Entry, shown: str, budget: ArchiveBudget, opened: ExitStack) -> Export:
    """Return the files of an inner archive; none, with the reason, if it is broken."""
    try:
        part = read_archive(archive, f"{shown}: {archive.name}", budget)
    except (BrokenArchive, *UNREADABLE) as error:
        reason = error.reason if isinstance(error, BrokenArchive) else why_unreadable(error)
        return Export(name=archive.stem, entries=(), left_out=(BadLine(where=archive.name, reason=reason),))
    opened.callback(part.close)
    return part


def _merged(export: Export, parts: Mapping[str, Export]) -> Export:
    found = {each.name: each for each in export.entries if each.name not in parts}
    for part in parts.values():
        for each in part.entries:
            # Two parts may hold a file of one name.
            name = each.name if each.name not in found else f"{part.name}/{each.name}"
            found[name] = replace(each, name=name, within=part.name)
    return Export(
        name=export.name,
        entries=in_order(found.values()),
        settings=(*export.settings, *(each for part in parts.values() for each in part.settings)),
        left_out=(*export.left_out, *(line for part in parts.values() for line in part.left_out)),
        closes=(*(close for part in parts.values() for close in part.closes), *export.closes),  # inner ones first
    )


_SESSION: Final = re.compile(rb'\s*\{\s*"format"\s*:\s*"voice-session/')  # `{"format": "voice-session/…`


def require_plain(path: Path) -> None:
    """Check that a path is no pipe, socket or device, which could block a reader for ever.

    Raises:
        DataFileError: it is.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise DataFileError(f"{path} is a pipe, socket or device; import a file, or pipe it in: … | voice import -")


def detect_format(path: Path) -> FileFormat:
    """Return the format of a file or folder. Raises DataFileError: it cannot be read or imported."""
    is_folder = path.is_dir()
    require_plain(path)
    if is_folder or path.suffix.lower() in NOTE_SUFFIXES:
        if (vault := vault_root(path)) is not None:
            # Logseq if it named the pages in the vault: then both programs open the folder.
            return FileFormat.LOGSEQ if names_pages(vault) else FileFormat.OBSIDIAN
        if graph_root(path) is not None:
            return FileFormat.LOGSEQ
        if not is_folder:
            return FileFormat.NOTION if is_notion(path.name) else FileFormat.MARKDOWN
    try:
        return _folder_format(path) if is_folder else _file_format(path)
    except OSError as error:
        raise DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}") from error


def _file_format(path: Path) -> FileFormat:
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
        is_cut = len(head) == HEAD_BYTES and b"\n" not in head  # one line longer than the head
        rest = stream.readline(MAX_LINE_BYTES) if is_cut else b""
    if _is_session(head):
        raise DataFileError(f"{path} is an exported conversation; import it with `voice sessions import`")
    if kind_of_archive(head):
        return _archive_format(path)
    if is_own(head + rest):
        return FileFormat.OWN
    if (foreign := format_by_signature(path.name, head, rest)) is not None:
        return foreign
    raise refusal(path, head)


def _archive_format(path: Path) -> FileFormat:
    with closing(open_export(path)) as export:
        kind = main_format(export)
        if kind is None:
            raise unread_export(path, export) or archive_refusal(path, export)
    return kind


def _folder_format(path: Path) -> FileFormat:
    """Return the format of most files; Markdown if none is known."""
    with closing(open_export(path)) as export:
        kind = main_format(export)
        if kind is None and (fault := unread_export(path, export)):
            raise fault
        return kind or FileFormat.MARKDOWN


def command_for(head: bytes) -> str | None:
    """Return the command that imports a file written by this program, by its first bytes; None for other files."""
    head = head[:HEAD_BYTES]
    if _is_session(head):
        return "voice sessions import"
    try:
        return "voice import" if is_own(head) else None
    except DataFileError:
        return "voice import" if FORMAT_FAMILY.encode() in head else None


def _is_session(head: bytes) -> bool:
    return _SESSION.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def is_own(head: bytes) -> bool:
    """Return whether one of the first lines is a header or row of ours (the very first may be damaged)."""
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    # The last line of the head may be cut.
    complete = lines[:-1] if len(head) == HEAD_BYTES and len(lines) > 1 else lines
    return any(_is_own_line(line.strip()) for line in complete[:20] if line.strip())


def _is_own_line(line: bytes) -> bool:
    try:
        members = decode_object(line)
        if members.get("format") == BENCH_FORMAT:  # another format of this program
            return False
        parse_line(line)
    except InvalidParams:
        return False
    return True

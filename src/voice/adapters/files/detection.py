"""What lies at a path to import, and its format.

Law: an export is what most of its files are. Archives inside it are opened only where nothing beside them is of a
program's form: an archive among notes is an attachment, one that lies there alone is the export packed twice, or in
parts. A file of one of them is known by its path in it, as if the parts had been unpacked into one folder.

The recognition of a file's format from its content, not its name. A file with a Markdown name is a note, in a vault a
vault's; everything else is known by its first bytes. A folder or an archive is what most of its files are. Only what
says nothing else and is called `.txt` is plain text. What is none of these is refused with a list of what can be read.

Source: rulings I6, I7; docs/import.md.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
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
from voice.adapters.files.logseq import graph_root, is_graph, is_named_by_logseq, names_pages
from voice.adapters.files.markdown import vault_root
from voice.adapters.files.plain_text import BENCH_FORMAT
from voice.adapters.files.signatures import HEAD_BYTES, format_by_signature, is_notion
from voice.adapters.files.unsupported import archive_refusal, refusal, unread_export
from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.foreign.notion import are_cut
from voice.core.interchange.memory_lines import FORMAT_FAMILY, MAX_LINE_BYTES, BadLine, Omission
from voice.core.interchange.parse import decode_object, parse_line
from voice.ports.files import FileFormat

MOST_DEEP: Final = 3
"""How deep archives may be nested."""
_ALONE: Final = frozenset({FileFormat.JSONL, FileFormat.MEMORY_BENCH})
"""Formats that are imported only if you name the file itself."""
_LOOKED_AT: Final = 1_000
_CUT: Final = NOTE_SUFFIXES | {".csv"}
"""Endings of files of Notion's that nothing but their names tells from others."""


def open_export(path: Path) -> Export:
    """Return the files of a file, a folder or an archive; the caller closes it.

    Raises:
        DataFileError: an archive is broken, too large, or lies in too many others.
        OSError: it cannot be read.
    """
    if path.is_dir():
        return _unfolded(_export_of_folder(path), str(path), ArchiveBudget(), MOST_DEEP)
    itself = entry_of(path, path.name)
    if not _is_archive(itself):
        return Export(name=path.stem, entries=(itself,))
    taken = ArchiveBudget()
    try:
        export = read_archive(itself, str(path), taken)
    except BrokenArchive as error:
        raise error.refusal(path) from error
    return _unfolded(export, str(path), taken, MOST_DEEP - 1)


def main_format(export: Export) -> FileFormat | None:
    """Return the format of most files of an export; plain text only if no other occurs; None if there is none."""
    counts: Counter[FileFormat] = Counter(kind for entry in export.entries[:_LOOKED_AT] if (kind := format_of(entry)))
    counts += Counter(FileFormat.MARKDOWN for entry in export.entries[_LOOKED_AT:] if entry.suffix in NOTE_SUFFIXES)
    if counts.keys() - {FileFormat.TEXT, FileFormat.WHATSAPP}:
        counts.pop(FileFormat.TEXT, None)
    most = max(counts, key=lambda kind: counts[kind], default=None)
    return _of_notes(export) if most is FileFormat.MARKDOWN else most


def files_of_format(export: Export, kind: FileFormat) -> Sequence[Entry]:
    """Return the files of an export that have a format."""
    is_cut = kind is FileFormat.NOTION and are_cut(each.stem for each in _pages_and_tables(export))
    return [each for each in export.entries if format_of(each) is kind or (is_cut and each.suffix in _CUT)]


def count_unread(export: Export, chosen: Collection[Entry]) -> Iterator[Omission]:
    """Yield the counts of files that were not read, so that the report names them."""
    taken = {entry.name for entry in chosen}
    endings = Counter(entry.suffix or "no ending" for entry in export.entries if entry.name not in taken)
    if endings:
        yield Omission(where=export.name, reason=of_other_kinds(endings), count=endings.total())


def _pages_and_tables(export: Export) -> Iterator[Entry]:
    return (each for each in export.entries if each.suffix in _CUT)


def is_packed(path: Path) -> bool:
    """Return whether what a path holds lies in an archive, or in several in a folder.

    Raises:
        DataFileError: an archive is broken, too large, or lies in too many others.
        OSError: it cannot be read.
    """
    if path.is_dir():
        export = open_export(path)
        export.close()
        return any(entry.within for entry in export.entries)
    return path.suffix.lower() not in NOTE_SUFFIXES and path.is_file() and _is_archive(entry_of(path, path.name))


def _of_notes(export: Export) -> FileFormat:
    """Return which program's notes an export holds: Obsidian's, Notion's, Logseq's, or plain Markdown."""
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
    return None if kind in _ALONE else kind


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


def _unfolded(export: Export, shown: str, taken: ArchiveBudget, deep: int) -> Export:
    """Return an export with the files of the archives inside it, where these are all there is.

    Raises:
        DataFileError: they are too much, or too deep; what is open is closed.
    """
    with ExitStack() as open_till_now:
        open_till_now.callback(export.close)
        inside = [each for each in export.entries if _is_archive_inside(each)]
        if inside and main_format(export) in {None, FileFormat.TEXT}:
            if not deep:
                more = f"holds archives nested more than {MOST_DEEP} deep; unpack it and import the folder"
                raise DataFileError(f"{shown} {more}")
            parts = {archive.name: _opened(archive, shown, taken, open_till_now) for archive in inside}
            export = _unfolded(_together(export, parts), shown, taken, deep - 1)
        open_till_now.pop_all()
    return export


def _opened(archive: Entry, shown: str, taken: ArchiveBudget, open_till_now: ExitStack) -> Export:
    """Return what lies in an archive inside; one that is broken costs no other."""
    try:
        part = read_archive(archive, f"{shown}: {archive.name}", taken)
    except (BrokenArchive, *UNREADABLE) as error:
        reason = error.reason if isinstance(error, BrokenArchive) else why_unreadable(error)
        return Export(name=archive.stem, entries=(), left_out=(BadLine(where=archive.name, reason=reason),))
    open_till_now.callback(part.close)
    return part


def _together(export: Export, parts: Mapping[str, Export]) -> Export:
    """Return an export with what lies in its archives in their place."""
    found = {each.name: each for each in export.entries if each.name not in parts}
    for part in parts.values():
        for each in part.entries:
            name = each.name if each.name not in found else f"{part.name}/{each.name}"
            found[name] = replace(each, name=name, within=part.name)
    return Export(
        name=export.name,
        entries=in_order(found.values()),
        settings=(*export.settings, *(each for part in parts.values() for each in part.settings)),
        left_out=(*export.left_out, *(line for part in parts.values() for line in part.left_out)),
        closes=(*(close for part in parts.values() for close in part.closes), *export.closes),
    )


_SESSION: Final = re.compile(rb'\s*\{\s*"format"\s*:\s*"voice-session/')


def detect_format(path: Path) -> FileFormat:
    """Return the format of a file or folder.

    Raises:
        DataFileError: it cannot be read or imported.
    """
    if path.is_dir():
        return _of_folder(path)
    if path.suffix.lower() in NOTE_SUFFIXES:
        if (vault := vault_root(path)) is not None:
            return _of_vault(vault)
        own = FileFormat.NOTION if is_notion(path.name) else FileFormat.MARKDOWN
        return own if graph_root(path) is None else FileFormat.LOGSEQ
    try:
        return _of_file(path)
    except OSError as error:
        raise DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}") from error


def _of_file(path: Path) -> FileFormat:
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
        is_open = len(head) == HEAD_BYTES and b"\n" not in head
        rest = stream.readline(MAX_LINE_BYTES) if is_open else b""
    if _is_session(head):
        raise DataFileError(f"{path} is an exported conversation; import it with `voice sessions import`")
    if kind_of_archive(head):
        return _of_archive(path)
    if _is_own(head + rest):
        return FileFormat.OWN
    if (foreign := format_by_signature(path.name, head, rest)) is not None:
        return foreign
    raise refusal(path, head)


def _of_archive(path: Path) -> FileFormat:
    export = open_export(path)
    try:
        kind = main_format(export)
        if kind is None:
            raise unread_export(path, export) or archive_refusal(path, export)
    finally:
        export.close()
    return kind


def _of_folder(path: Path) -> FileFormat:
    """A vault, or what most of its files are; notes where nothing in it is known."""
    if (vault := vault_root(path)) is not None:
        return _of_vault(vault)
    if graph_root(path) is not None:
        return FileFormat.LOGSEQ
    try:
        export = open_export(path)
    except OSError as error:
        raise DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}") from error
    try:
        kind = main_format(export)
        if kind is None and (fault := unread_export(path, export)):
            raise fault
        return kind or FileFormat.MARKDOWN
    finally:
        export.close()


def _of_vault(root: Path) -> FileFormat:
    """A vault, but where Logseq named the pages in it: then both programs open the folder, and it is Logseq's."""
    return FileFormat.LOGSEQ if names_pages(root) else FileFormat.OBSIDIAN


def command_for(head: bytes) -> str | None:
    """Return the command that imports a file that this program wrote, by its first bytes; None for other files."""
    head = head[:HEAD_BYTES]
    if _is_session(head):
        return "voice sessions import"
    try:
        return "voice import" if _is_own(head) else None
    except DataFileError:
        return "voice import" if FORMAT_FAMILY.encode() in head else None


def _is_session(head: bytes) -> bool:
    return _SESSION.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def _is_own(head: bytes) -> bool:
    """A file is ours when any of its first lines is a header or a row of ours (the very first may be damaged)."""
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    complete = lines[:-1] if len(head) == HEAD_BYTES and len(lines) > 1 else lines
    return any(_is_own_line(line.strip()) for line in complete[:20] if line.strip())


def _is_own_line(line: bytes) -> bool:
    try:
        members = decode_object(line)
        if members.get("format") == BENCH_FORMAT:
            return False
        parse_line(line)
    except InvalidParams:
        return False
    return True

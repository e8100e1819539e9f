"""The files at a path to import: a file, a folder or an archive, with the archives inside it.

Law: an export is what most of its files are. Archives inside it are opened only where nothing beside them is of a
program's form: an archive among notes is an attachment, one that lies there alone is the export packed twice, or in
parts. A file of one of them is known by its path in it, as if the parts had been unpacked into one folder.

Source: rulings I6, I7; docs/import.md.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from voice.adapters.files.archives import HEAD_BYTES as ARCHIVE_HEAD
from voice.adapters.files.archives import Broken, Taken, kind_of_archive, read_archive
from voice.adapters.files.entries import (
    ARCHIVE_SUFFIXES,
    LOOKED_INTO,
    NOTE_SUFFIXES,
    UNREADABLE,
    Entry,
    Export,
    entry_of,
    in_order,
    why_unreadable,
)
from voice.adapters.files.folder import look_into, of_other_kinds, place_in
from voice.adapters.files.logseq import is_graph, is_named_by_logseq
from voice.adapters.files.marks import HEAD_BYTES, is_notion, known
from voice.core.errors import DataFileError
from voice.core.interchange.foreign.notion import are_cut
from voice.core.interchange.memory_lines import BadLine, LeftOut
from voice.ports.files import FileFormat

MOST_DEEP: Final = 3
"""How deep archives may be nested."""
_ALONE: Final = frozenset({FileFormat.JSONL, FileFormat.MEMORY_BENCH})
"""Formats that are imported only if you name the file itself."""
_LOOKED_AT: Final = 1_000
_CUT: Final = NOTE_SUFFIXES | {".csv"}
"""Endings of files of Notion's that nothing but their names tells from others."""


def export_at(path: Path) -> Export:
    """Return the files of a file, a folder or an archive; the caller closes it.

    Raises:
        DataFileError: an archive is broken, too large, or lies in too many others.
        OSError: it cannot be read.
    """
    if path.is_dir():
        return _unfolded(_of_folder(path), str(path), Taken(), MOST_DEEP)
    itself = entry_of(path, path.name)
    if not _is_archive(itself):
        return Export(name=path.stem, entries=(itself,))
    taken = Taken()
    try:
        export = read_archive(itself, str(path), taken)
    except Broken as error:
        raise error.refusal(path) from error
    return _unfolded(export, str(path), taken, MOST_DEEP - 1)


def main_kind(export: Export) -> FileFormat | None:
    """Return the format of most files of an export; plain text only if no other occurs; None if there is none."""
    counts: Counter[FileFormat] = Counter(kind for entry in export.entries[:_LOOKED_AT] if (kind := kind_of(entry)))
    counts += Counter(FileFormat.MARKDOWN for entry in export.entries[_LOOKED_AT:] if entry.suffix in NOTE_SUFFIXES)
    if counts.keys() - {FileFormat.TEXT, FileFormat.WHATSAPP}:
        counts.pop(FileFormat.TEXT, None)
    most = max(counts, key=lambda kind: counts[kind], default=None)
    return _of_notes(export) if most is FileFormat.MARKDOWN else most


def of_kind(export: Export, kind: FileFormat) -> Sequence[Entry]:
    """Return the files of an export that have a format."""
    is_cut = kind is FileFormat.NOTION and are_cut(each.stem for each in _pages_and_tables(export))
    return [each for each in export.entries if kind_of(each) is kind or (is_cut and each.suffix in _CUT)]


def others(export: Export, chosen: Collection[Entry]) -> Iterator[LeftOut]:
    """Yield the counts of files that were not read, so that the report names them."""
    taken = {entry.name for entry in chosen}
    endings = Counter(entry.suffix or "no ending" for entry in export.entries if entry.name not in taken)
    if endings:
        yield LeftOut(where=export.name, reason=of_other_kinds(endings), count=endings.total())


def _pages_and_tables(export: Export) -> Iterator[Entry]:
    return (each for each in export.entries if each.suffix in _CUT)


def is_packed(path: Path) -> bool:
    """Return whether what a path holds lies in an archive, or in several in a folder.

    Raises:
        DataFileError: an archive is broken, too large, or lies in too many others.
        OSError: it cannot be read.
    """
    if path.is_dir():
        export = export_at(path)
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


def kind_of(entry: Entry) -> FileFormat | None:
    """Return the format of a file of an export; None if it is unknown."""
    if entry.suffix in NOTE_SUFFIXES:
        return FileFormat.NOTION if is_notion(entry.name) else FileFormat.MARKDOWN
    if entry.suffix not in LOOKED_INTO:
        return None
    try:
        with entry.open() as stream:
            kind = known(entry.name, stream.read(HEAD_BYTES))
    except UNREADABLE:
        return None
    return None if kind in _ALONE else kind


def _of_folder(path: Path) -> Export:
    folder = look_into(path)
    plain = [each for each in folder.files if each.is_file()]
    return Export(
        name=path.absolute().name,
        entries=tuple(entry_of(each, place_in(path, each)) for each in plain),
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


def _unfolded(export: Export, shown: str, taken: Taken, deep: int) -> Export:
    """Return an export with the files of the archives inside it, where these are all there is.

    Raises:
        DataFileError: they are too much, or too deep; what is open is closed.
    """
    with ExitStack() as open_till_now:
        open_till_now.callback(export.close)
        inside = [each for each in export.entries if _is_archive_inside(each)]
        if inside and main_kind(export) in {None, FileFormat.TEXT}:
            if not deep:
                more = f"holds archives nested more than {MOST_DEEP} deep; unpack it and import the folder"
                raise DataFileError(f"{shown} {more}")
            parts = {archive.name: _opened(archive, shown, taken, open_till_now) for archive in inside}
            export = _unfolded(_together(export, parts), shown, taken, deep - 1)
        open_till_now.pop_all()
    return export


def _opened(archive: Entry, shown: str, taken: Taken, open_till_now: ExitStack) -> Export:
    """Return what lies in an archive inside; one that is broken costs no other."""
    try:
        part = read_archive(archive, f"{shown}: {archive.name}", taken)
    except (Broken, *UNREADABLE) as error:
        reason = error.reason if isinstance(error, Broken) else why_unreadable(error)
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

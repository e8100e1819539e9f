"""The notes at a path: in a folder, with its vault or graph, in an archive, or one note.

Law: paths are relative to the root of the vault or graph, so that a note is imported once, whether its folder, the
whole vault or its archive is named.

Source: docs/import.md.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from voice.adapters.files.detection import count_unread, detect_format, open_export
from voice.adapters.files.entries import (
    NOTE_SUFFIXES,
    UNREADABLE,
    Notes,
    exclude_folder,
    named_from,
    relative_name,
    scan_folder,
    sized,
)
from voice.adapters.files.logseq import SETTINGS, graph_root, is_graph
from voice.adapters.files.markdown import vault_root
from voice.core.errors import DataFileError
from voice.core.interchange.import_plan import is_below, place_in
from voice.ports.files import FileFormat


def notes_in_folder(path: Path, kind: FileFormat, roots: Collection[str] = (), apart: Iterable[str] = ()) -> Notes:
    """Return the notes of a folder, or one note, with places told from `roots`; folders in `apart` are left out. Raises
    OSError: it cannot be read."""
    if kind is FileFormat.MARKDOWN:
        path.stat()  # raises if it is not there
        scanned = root = path
        place = named_from(path, path, roots)
    else:
        scanned = path.absolute()
        above = vault_root(path) if kind is FileFormat.OBSIDIAN else graph_root(path)
        root = above or (scanned if path.is_dir() else scanned.parent)
        place = partial(relative_name, root)
    folder = scan_folder(scanned)
    for each in apart:
        folder = exclude_folder(folder, scanned / place_in(str(scanned.resolve()), each))
    if kind is FileFormat.LOGSEQ:
        folder = exclude_folder(folder, root / SETTINGS)
    return Notes(
        files=tuple(sized(note, place(note)) for note in folder.of(NOTE_SUFFIXES)),  # with sizes, for the progress
        setting=partial(setting_of, root),
        rest=folder.rest(NOTE_SUFFIXES),
    )


def related_roots(path: Path, kind: FileFormat, followed: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the followed folders around, at and below a path with notes of its format; and others below it. Texts and
    notes share no file, so neither counts beside the other. Raises DataFileError: it is a vault or graph in a followed
    folder, which has its notes already."""
    own = vault_root(path) if kind is FileFormat.OBSIDIAN else graph_root(path) if kind is FileFormat.LOGSEQ else None
    whole = str((own or path).resolve())
    kinds = {each: _format_of(each) for each in followed if is_below(whole, each) or is_below(each, whole)}
    shared = {each: found for each, found in kinds.items() if (found is FileFormat.TEXT) is (kind is FileFormat.TEXT)}
    around = next((each for each, found in shared.items() if is_below(each, whole) and found is not kind), None)
    if own and around and whole not in followed:
        raise DataFileError(f"{own} is in {around}, whose notes you have imported; run `voice sync {around}` instead")
    # The path itself counts if it is followed, whatever its format.
    same = (*(each for each, found in shared.items() if found is kind), *({whole} & set(followed)))
    return same, tuple(each for each, found in shared.items() if is_below(whole, each) and found is not kind)


def _format_of(root: str) -> FileFormat | None:
    try:
        return detect_format(Path(root)) if Path(root).is_dir() else None
    except DataFileError:
        return None


def notes_in_archive(path: Path) -> Notes:
    """Return the notes of an archive; the caller closes it. Raises DataFileError: it is broken, too large, or nested
    too deeply in others; OSError: it cannot be read."""
    export = open_export(path)
    in_graph = is_graph(entry.name for entry in export.entries)
    entries = tuple(each for each in export.entries if not (in_graph and each.name.startswith(f"{SETTINGS}/")))
    files = tuple(entry for entry in entries if entry.suffix in NOTE_SUFFIXES)
    settings = {each.name: each for each in (*export.entries, *export.settings)}

    def setting(name: str) -> bytes | None:
        try:
            with settings[name].open() as stream:
                return stream.read()
        except (KeyError, *UNREADABLE):
            return None

    return Notes(
        files=files,
        setting=setting,
        rest=chain(export.left_out, count_unread(replace(export, entries=entries), files)),
        close=export.close,
    )


def setting_of(root: Path, name: str) -> bytes | None:
    """Return a settings file of a vault or graph; None if there is none, or it is a link."""
    file = root / name
    try:
        return None if file.is_symlink() else file.read_bytes()  # a link may lead out of the folder
    except OSError:
        return None

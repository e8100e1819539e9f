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

from voice.adapters.files.detection import count_unread, open_export
from voice.adapters.files.entries import (
    NOTE_SUFFIXES,
    UNREADABLE,
    Folder,
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


def notes_in_folder(path: Path, kind: FileFormat, roots: Collection[str] = ()) -> Notes:
    """Return the notes of a folder, or one note.

    Args:
        roots: the folders from which places are told; a vault or graph among them is left out of a folder around it.

    Raises:
        DataFileError: it is a vault or graph in one of them.
        OSError: it cannot be read.
    """
    if kind is FileFormat.MARKDOWN:
        path.stat()
        scanned = root = path
        folder = without_own(scan_folder(scanned), roots)
        place = named_from(scanned, root, roots)
    else:
        scanned = path.absolute()
        above = vault_root(path) if kind is FileFormat.OBSIDIAN else graph_root(path)
        root = above or (scanned if path.is_dir() else scanned.parent)
        require_outermost(root, roots)
        folder, place = scan_folder(scanned), partial(relative_name, root)
    if kind is FileFormat.LOGSEQ:
        folder = exclude_folder(folder, root / SETTINGS)
    return Notes(
        files=tuple(sized(note, place(note)) for note in folder.of(NOTE_SUFFIXES)),
        setting=partial(setting_of, root),
        rest=folder.rest(NOTE_SUFFIXES),
        is_graph=kind is FileFormat.LOGSEQ and graph_root(root) is not None,
    )


def without_own(folder: Folder, roots: Iterable[str]) -> Folder:
    """Return the files of a folder without those of vaults and graphs in it that are among `roots`."""
    for each in own_roots(folder.root, roots):
        folder = exclude_folder(folder, folder.root / place_in(str(folder.root.resolve()), each))
    return folder


def own_roots(folder: Path, roots: Iterable[str]) -> tuple[str, ...]:
    """Return those of `roots` that are vaults or graphs below a folder: each has settings of its own."""
    inner = (each for each in roots if is_below(str(folder.resolve()), each))
    return tuple(each for each in inner if Path(each) in (vault_root(Path(each)), graph_root(Path(each))))


def require_outermost(root: Path, roots: Collection[str]) -> None:
    """Check that a vault or graph is not in one of `roots`, which has its notes already.

    Raises:
        DataFileError: it is.
    """
    own = str(root.resolve())
    around = None if own in roots else next((each for each in roots if is_below(each, own)), None)
    if around is not None:
        raise DataFileError(f"{root} is in {around}, whose notes you have imported; run `voice sync {around}` instead")


def notes_in_archive(path: Path) -> Notes:
    """Return the notes of an archive; the caller closes it.

    Raises:
        DataFileError: it is broken, too large, or nested too deeply in others.
        OSError: it cannot be read.
    """
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
        is_graph=in_graph,
        close=export.close,
    )


def setting_of(root: Path, name: str) -> bytes | None:
    """Return a settings file of a vault or graph; None if there is none, or it is a link."""
    file = root / name
    try:
        return None if file.is_symlink() else file.read_bytes()
    except OSError:
        return None

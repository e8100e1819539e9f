"""Folders of notes, and the wait for changes in them.

Law: a scan covers exactly what an import of the folder would read (no link is followed, nothing hidden is read). A file
whose size and time have not changed is not read again, unless it was written so shortly before the last scan that its
time could not tell. A page that its graph hides has another state than one it shows.

Source: rulings I4, I7; docs/import.md, "Keeping a folder in step".
"""

import re
import time
from collections.abc import AsyncIterator, Collection, Mapping, Sized
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from anyio import to_thread
from blake3 import blake3

from voice.adapters.files.detection import detect_format
from voice.adapters.files.entries import NOTE_SUFFIXES, exclude_folder, relative_name, scan_folder
from voice.adapters.files.logseq import CONFIG, SETTINGS, graph_root, hidden_in
from voice.adapters.files.markdown import vault_root
from voice.adapters.files.note_files import related_roots, setting_of
from voice.adapters.files.opening import unreadable
from voice.adapters.files.plain_text import TEXT_SUFFIXES
from voice.core.errors import DataFileError
from voice.core.interchange.foreign.vault import is_hidden
from voice.core.interchange.import_plan import Stamp, is_below, place_in
from voice.ports.files import FileFormat, FolderScan

_SUFFIXES: Final = {
    FileFormat.MARKDOWN: NOTE_SUFFIXES,
    FileFormat.OBSIDIAN: NOTE_SUFFIXES,
    FileFormat.LOGSEQ: NOTE_SUFFIXES,
    FileFormat.TEXT: TEXT_SUFFIXES,
}
_HIDDEN_MARK: Final = "hidden "  # precedes the hash of a page that its graph hides
_GRAIN_NS: Final = 2_000_000_000  # coarsest clock of a file system (FAT)
_HEAD: Final = 16 * 1024  # where front matter is
# YAML between "---", or TOML between "+++".
_FRONT_MATTER: Final = re.compile(
    rb"\A(?:\xef\xbb\xbf)?(---|\+\+\+)[ \t]*\r?\n(.*?)^(?:\1|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE
)
_ID: Final = re.compile(  # "id: 5f3a…" or `uid = "5f3a…"`
    rb"^(?:id|uid|uuid)[ \t]*[:=][ \t]*[\"']?([^\"'\s#][^\"'\r\n]{0,199}?)[\"']?[ \t]*\r?$",
    re.MULTILINE | re.IGNORECASE,
)
_MOST_MS: Final = 1_000  # longest wait for a folder to be quiet
_POLL_MS: Final = 2_000  # how long one wait for the system's events lasts
_SETTLED_MS: Final = 250  # how long a folder must be quiet before a sync, because editors save a note in several steps


class LocalNoteFolders:
    """Implements `voice.ports.files.NoteFolders`."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    async def root_of(self, path: str, kind: FileFormat | None, followed: Collection[str] = ()) -> FolderScan:
        """See the port."""
        return await to_thread.run_sync(_root_of, Path(path), kind, followed)

    async def scan(self, folder: FolderScan, known: Mapping[str, Stamp]) -> FolderScan:
        """See the port."""
        return await to_thread.run_sync(partial(self._scan, folder, known))

    async def watch(self, folder: FolderScan) -> AsyncIterator[None]:
        """See the port."""
        from watchfiles import awatch  # noqa: PLC0415 # pyright: ignore[reportUnknownVariableType] - names an absent library

        suffixes = _SUFFIXES[folder.format]
        root = Path(folder.root, folder.within)
        settings = {str(Path(folder.root, CONFIG))} if folder.format is FileFormat.LOGSEQ else set[str]()
        changes: AsyncIterator[Sized] = awatch(
            root,
            # A folder is reported by its own path, so that paths without a suffix count too.
            watch_filter=lambda _change, path: Path(path).suffix.lower() in suffixes | {""} or path in settings,
            debounce=_MOST_MS,
            step=_SETTLED_MS,
            rust_timeout=_POLL_MS,
            yield_on_timeout=True,
            recursive=True,
        )
        is_first = True
        try:
            async for changed in changes:
                # Changes from before the first wait are not reported, so the first one always yields.
                if changed or is_first:
                    yield
                is_first = is_first and bool(changed)
        except OSError as error:
            raise unreadable(str(root), error) from error

    def _scan(self, folder: FolderScan, known: Mapping[str, Stamp]) -> FolderScan:
        root, now = Path(folder.root), time.time_ns()
        try:
            found = scan_folder(root / folder.within)
            for each in folder.apart:
                found = exclude_folder(found, Path(each))
            if folder.format is FileFormat.LOGSEQ:
                found = exclude_folder(found, root / SETTINGS)
            notes = found.of(_SUFFIXES[folder.format])
            paths = [path for path in notes if path.is_file()]
            # What is known of a folder that may not be read is not gone.
            shut = tuple(f"{relative_name(root, path)}/" for path in notes if path.is_dir())
            hidden = hidden_in(partial(setting_of, root)) if folder.format is FileFormat.LOGSEQ else ()
            stamps = {
                place: self._stamp(path, known.get(place), now, mark=_HIDDEN_MARK if is_hidden(place, hidden) else "")
                for path in paths
                if (place := relative_name(root, path))
            }
        except OSError as error:
            raise unreadable(folder.root, error) from error
        stamps |= {place: Stamp(digest="") for place in known if place.startswith(shut)}
        return replace(folder, stamps={place: stamp for place, stamp in stamps.items() if stamp is not None})

    def _stamp(self, path: Path, known: Stamp | None, now: int, *, mark: str) -> Stamp | None:
        """Return the state of a file, its hash after `mark`; None if it was deleted during the scan."""
        try:
            stat = path.stat()
            # Shown as before, or hidden as before.
            is_marked = known is not None and known.digest.startswith(_HIDDEN_MARK) is bool(mark)
            if (
                known
                and known.digest
                and is_marked
                and (known.size, known.mtime_ns) == (stat.st_size, stat.st_mtime_ns)
            ):
                return known
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            # The import reports why it cannot be read; the next scan reads it again.
            return Stamp(digest="")
        # -1 never equals a file's time, so a file that may still change is read again.
        written = stat.st_mtime_ns if now - stat.st_mtime_ns > _GRAIN_NS else -1
        digest = mark + blake3(content, key=self._key).hexdigest()
        return Stamp(digest=digest, note_id=_note_id(content[:_HEAD]), size=stat.st_size, mtime_ns=written)


def _note_id(head: bytes) -> str | None:
    front = _FRONT_MATTER.match(head)
    found = None if front is None else _ID.search(front[2])
    return None if found is None else found[1].decode("utf-8", "replace")


def _root_of(path: Path, kind: FileFormat | None, followed: Collection[str]) -> FolderScan:
    if not path.exists():
        raise DataFileError(f"there is no folder {path}; name a folder of notes")
    if not path.is_dir():
        raise DataFileError(
            f"{path} is not a folder; `voice sync` takes a folder of notes, `voice import` takes a file"
        )
    found = kind or detect_format(path)
    if found not in _SUFFIXES:
        raise DataFileError(f"{path} holds {found}, not notes; import it with `voice import {path}`")
    absolute = path.resolve()
    find_root = {FileFormat.OBSIDIAN: vault_root, FileFormat.LOGSEQ: graph_root}.get(found)
    root = (find_root and find_root(absolute)) or absolute
    same, apart = related_roots(absolute, found, followed)
    around = str(root)
    if around not in followed and not find_root:
        around = min((each for each in same if is_below(each, around)), key=len, default=around)  # the outermost
    within = "" if around == str(absolute) else place_in(around, str(absolute)) + "/"
    inner = tuple(each for each in same if is_below(str(absolute), each)) if find_root is None else ()
    return FolderScan(root=around, within=within, format=found, inner=inner, apart=apart)

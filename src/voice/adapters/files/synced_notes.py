"""Synced folders: their record in the data directory, and the present text of a note.

Law: `folders.json`, mode 0600, is replaced as a whole. It holds paths, ids of thoughts and keyed hashes, never a note's
words. A damaged file is refused by its name: a guess at which notes are gone could delete one. Of a note's file nothing
outside the folder is read, whatever the path says.

Source: docs/import.md, "Where it stands".
"""

import fcntl
import os
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from anyio import to_thread
from pydantic import ValidationError

from voice.adapters.disk.private_files import replacing
from voice.adapters.disk.values_json import adapter
from voice.core.errors import DataFileError
from voice.core.interchange.import_plan import FollowedFolder
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS
from voice.ports.files import NoteFile

FOLDERS_NAME: Final = "folders.json"


_Folders = dict[str, FollowedFolder]


class SyncedFoldersFile:
    """Implements `voice.ports.files.FollowedFolders` in one data directory."""

    def __init__(self, home: Path) -> None:
        self._path = home / FOLDERS_NAME

    async def folders(self) -> Mapping[str, FollowedFolder]:
        """See the port."""
        return await to_thread.run_sync(self._read)

    async def keep(self, root: str, followed: FollowedFolder, *, taken: Collection[str] = ()) -> None:
        """See the port."""
        await to_thread.run_sync(self._keep, root, followed, taken)

    def _read(self) -> _Folders:
        try:
            return adapter(_Folders).validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError, RecursionError):
            raise DataFileError(
                f"{self._path} cannot be read; restore it from a copy, or delete it: your notes stay in the memory,"
                " and the next sync reads all of them again"
            ) from None

    def _keep(self, root: str, followed: FollowedFolder, taken: Collection[str]) -> None:
        with _alone_in(self._path.parent):  # two syncs at once: each keeps what the other wrote
            # Folders that `root` now contains.
            others = {each: known for each, known in self._read().items() if each not in taken}
            content = adapter(_Folders).dump_json({**others, root: followed})
            with replacing(self._path) as file:
                file.write(content)


@contextmanager
def _alone_in(home: Path) -> Generator[None]:
    handle = os.open(home, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


_MOST_BYTES: Final = 4 * MAX_TEXT_CHARS
_VAULT: Final = ".obsidian"


class LocalNoteTexts:
    """Implements `voice.ports.files.NoteTexts`."""

    async def note(self, root: str, place: str) -> NoteFile | None:
        """See the port."""
        return await to_thread.run_sync(_note, Path(root), place)


def _note(root: Path, place: str) -> NoteFile | None:
    path = root / place
    try:
        # Resolved: a link or ".." may lead out of the folder.
        if not path.resolve().is_relative_to(root.resolve()) or path.stat().st_size > _MOST_BYTES:
            return None
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError):
        return None
    return NoteFile(text=text, path=str(path), is_vault=(root / _VAULT).is_dir())

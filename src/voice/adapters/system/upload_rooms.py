"""Private directories for a browser's uploads until they are imported, and for an export while it is written.

Law: a room is a directory of its own in the data directory (`uploads/`), mode 0700, its files 0600; no file name leads
out of it, and no link in it is followed. It is locked as long as its process lives: a room whose process is gone is
removed when rooms are next opened, and one in use is left to its owner. It gets its name after its lock, so that no
process sees it unlocked.

Source: SECURITY.md; rulings F, H.
"""

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from voice.adapters.disk.private_files import try_lock
from voice.core.errors import DataFileError

UPLOADS_FOLDER: Final = "uploads"
INNER: Final = "upload"
"""The folder in a room that holds the files: its name may become that of an export."""
_LOCK: Final = ".lock"
# A new file, never one that a link names.
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_SPARE_BYTES: Final = 64 * 1024 * 1024  # space to leave free besides an upload, since the store needs some
_MOST_OF_ONE_NAME: Final = 100  # files of one name, numbered


@dataclass(slots=True)
class UploadRoom:
    """A room, held by this process until it is closed."""

    folder: Path
    _handle: int | None = field(repr=False)

    @property
    def files(self) -> Path:
        """The folder of the uploaded files."""
        return self.folder / INNER

    @property
    def top(self) -> Path:
        """The one uploaded file or folder, or the folder of several."""
        found = list(self.files.iterdir())
        return found[0] if len(found) == 1 else self.files

    def create(self, parts: tuple[str, ...]) -> BinaryIO:
        """Return a new file to write to; `parts` are those of its path, from `upload_parts`. Raises OSError: it cannot
        be made, or its path leads through a file."""
        folder = self.files
        for part in parts[:-1]:
            folder /= part
            folder.mkdir(mode=0o700, exist_ok=True)
        for number in range(1, _MOST_OF_ONE_NAME):
            path = folder / _numbered(parts[-1], number)
            with suppress(FileExistsError):
                return os.fdopen(os.open(path, _NEW, 0o600), "wb")
        raise FileExistsError(17, "too many files have this name")

    def close(self) -> None:
        """Remove the room with all its files; safe to call twice."""
        if self._handle is None:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        _lock_of(self.folder).unlink(missing_ok=True)  # after the room, so that a killed removal is taken up again
        os.close(self._handle)
        self._handle = None


@dataclass(frozen=True, slots=True)
class UploadRooms:
    """The rooms of one data directory."""

    home: Path

    @property
    def folder(self) -> Path:
        """The folder of the rooms."""
        return self.home / UPLOADS_FOLDER

    def open(self, size: int) -> UploadRoom:
        """Return a new room for an upload of `size` bytes. Raises DataFileError: the disk has too little space, or the
        room cannot be made."""
        self.sweep()
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            if shutil.disk_usage(self.folder).free < size + _SPARE_BYTES:
                raise DataFileError(f"the disk of {self.home} has no room for this upload; free some, and try again")
            room = self._locked(self.folder / secrets.token_hex(8))
            room.files.mkdir(mode=0o700, parents=True)
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise DataFileError(f"{self.folder} cannot be used: {why}") from None
        return room

    def sweep(self) -> int:
        """Remove the rooms of processes that are gone, and return their number."""
        gone = [folder for folder in self._left() if _is_free(_lock_of(folder))]
        for folder in gone:
            shutil.rmtree(folder, ignore_errors=True)
            _lock_of(folder).unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()  # succeeds only if it is empty
        return len(gone)

    def _left(self) -> Iterator[Path]:
        with suppress(OSError):  # a folder that does not exist or cannot be read has no rooms to remove
            for each in sorted(self.folder.iterdir()):
                if each.suffix == _LOCK:
                    yield each.with_suffix("")
                # A room without a lock is what a failed removal left.
                elif each.is_dir() and not each.is_symlink() and not _lock_of(each).exists():
                    yield each

    def _locked(self, folder: Path) -> UploadRoom:
        """Return a room with its lock held; the lock file has its name before the room exists."""
        new = folder.with_suffix(".new")
        handle = os.open(new, _NEW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            new.rename(_lock_of(folder))  # before the room exists
            folder.mkdir(mode=0o700)
        except OSError:
            os.close(handle)
            new.unlink(missing_ok=True)
            _lock_of(folder).unlink(missing_ok=True)
            raise
        return UploadRoom(folder, handle)


def _lock_of(folder: Path) -> Path:
    return folder.with_suffix(_LOCK)


def _is_free(lock: Path) -> bool:
    """Return whether no process holds a lock, or it does not exist."""
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        return try_lock(handle)
    except OSError:
        return False
    finally:
        os.close(handle)


def _numbered(name: str, number: int) -> str:
    if number == 1:
        return name
    stem, dot, suffix = name.rpartition(".")
    return f"{stem} ({number}).{suffix}" if dot and stem else f"{name} ({number})"  # "notes (2).txt"; ".txt (2)"

"""Directories and files that only their owner can read, and whether a directory holds a store.

Law: a data directory is 0700 and a file in it 0600 whatever the umask (ruling H); of what its owner locked, no right
is given back. A file is complete or absent: it is written beside its path, flushed to the disk and then renamed.
Errors of the operating system become messages that tell a person what to do and quote only a path. A directory that
was emptied holds no store; one that cannot be read is an error, not a missing store.

Source: docs/store.md.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from voice.core.errors import ConfigurationError, DataFileError, StoreUnavailable, VoiceError

DIRECTORY_MODE = 0o700
FILE_MODE = 0o600
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})  # no space, no quota, or a limit on a file's size
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class DiskFull(StoreUnavailable):
    """The disk is full; what is on it can still be read."""


def disk_error(error: OSError, path: Path) -> VoiceError:
    """Return the error for the owner of `path`: a setting to change, or a disk to make room on."""
    if error.errno in FULL:
        return DiskFull(f"the disk that holds {path} is full; free some space and try again")
    if error.errno in _REFUSED:
        return ConfigurationError(f"{path} cannot be written; choose another directory with VOICE_HOME or SURR_DB_URL")
    if error.errno == errno.ENOTDIR:
        return ConfigurationError(f"{path} is not a directory; choose another one with VOICE_HOME or SURR_DB_URL")
    return StoreUnavailable(f"{path} cannot be used: {os.strerror(error.errno or errno.EIO)}")


@contextmanager
def disk_errors(path: Path) -> Generator[None]:
    """Raise an error of the system in the block as `disk_error` of `path`."""
    try:
        yield
    except OSError as error:
        raise disk_error(error, path) from None


def secure_directory(path: Path) -> Path:
    """Create `path` with its parents if necessary, take other users' rights away, and return it. Raises
    ConfigurationError: it is not a directory, or cannot be written; StoreUnavailable: the disk is full or fails."""
    try:
        is_new = not path.exists()
        path.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777
        wanted = DIRECTORY_MODE if is_new else mode & DIRECTORY_MODE
        if mode != wanted:
            path.chmod(wanted)  # an existing one keeps what its owner took away
    except FileExistsError:
        raise ConfigurationError(f"{path} is a file, not a directory; choose another place for the data") from None
    except OSError as error:
        raise disk_error(error, path) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise disk_error(PermissionError(errno.EACCES, ""), path)
    return path


def make_private(root: Path) -> None:
    """Leave `root` and every directory below it at most mode 0700, and every file 0600; links stay as they are."""
    _make_private(root)
    for place, directories, files in os.walk(root):
        for name in (*directories, *files):
            _make_private(Path(place, name))


def _make_private(path: Path) -> None:
    with suppress(FileNotFoundError):
        kind = path.lstat().st_mode  # of a link itself, not of its target
        if not stat.S_ISLNK(kind):
            path.chmod(kind & (DIRECTORY_MODE if stat.S_ISDIR(kind) else FILE_MODE))


@contextmanager
def replacing(path: Path) -> Generator[BinaryIO]:
    """Yield a private file that replaces `path` when the block ends, and is removed if it raises. Raises
    ConfigurationError: the directory cannot be written; StoreUnavailable: the disk is full or fails."""
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
    with disk_errors(path):
        # Beside `path`, since a rename works within one file system only.
        handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE)
        try:
            with os.fdopen(handle, "r+b") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)  # the content before the name
        finally:
            draft.unlink(missing_ok=True)  # gone after the rename
        sync_directory(path.parent)


def write_new(path: Path, data: bytes) -> None:
    """Write a new private file and flush it to the disk; a failed attempt leaves none. Raises OSError: there is one
    already, or it cannot be written."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        path.unlink(missing_ok=True)
        raise


def sync_directory(path: Path) -> None:
    """Flush the names in `path` to the disk, so that a rename survives a power cut."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def try_lock(handle: int) -> bool:
    """Lock an open file until it is closed, and return True; False if another process has the lock. Raises OSError: the
    file system has no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False  # any other error means that there are no locks
    return True


@contextmanager
def open_to_read(path: Path) -> Generator[BinaryIO]:
    """Yield the file at `path`, open for reading. Raises DataFileError: it does not exist or cannot be read."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise DataFileError(f"{path} cannot be read: {os.strerror(error.errno or errno.EIO)}") from None
    with file:
        yield file


MANIFEST_NAME = "manifest"
"""The engine's file in a store's directory that exists as long as the store."""


def has_store(directory: Path) -> bool:
    """Return whether a store is in `directory`. Raises ConfigurationError, StoreUnavailable: that cannot be read."""
    with disk_errors(directory), suppress(FileNotFoundError, NotADirectoryError):
        (directory / MANIFEST_NAME).stat()
        return True
    return False

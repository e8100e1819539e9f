"""Whether the directory of a store is still the one that its engine opened.

Law: a path is not a store. The directory, and what the engine made or found in it, are kept open by handles, so that
the system gives their numbers to nothing else, and are compared with what has their names now. If they differ, the
store was deleted, emptied, moved away or replaced, and what the engine writes can never be found. The engine's lock
file is not the store: if it was deleted or replaced, the lock is taken again in the new file, unless another engine has
it, since two would then write to one store. What the system does not let us read does not count as gone.

The engine uses paths in the background and when it is closed, so it is given its directory by the name of our handle
(Linux: /proc/self/fd), which stays that directory wherever it is moved. The handle is closed after the engine; if the
engine did not end in order it is kept, because its number would name something else. Where the system has no such names
(macOS), the engine is given the path.

Source: docs/holder.md, "When the store is taken away".
"""

import fcntl
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from voice.adapters.disk.private_files import FILE_MODE, MANIFEST_NAME
from voice.adapters.surreal.location import engine_lock

_HANDLES: Final = Path("/proc/self/fd")
_OPEN_SAFELY: Final = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
# How long another process may hold the lock to check whether the store is held (`holder.refuse_if_held`).
_PROBE_S: Final = 0.1
_POLL_S: Final = 0.01

LockedBy = Literal["us", "another", "nobody"]
"""Who has the engine's lock; `nobody` if its file can be neither made nor locked."""


class DirectoryIdentity:
    """The store in a directory, as its engine opened it."""

    def __init__(self, directory: Path) -> None:
        """Remember the directory in which an engine is about to open a store. Raises OSError: it is gone."""
        self._directory = _OpenFile(directory, os.O_DIRECTORY)
        self._lock_file = engine_lock(directory)
        self._manifest_file = directory / MANIFEST_NAME
        self._manifest: _OpenFile | None = None
        self._lock: _OpenFile | None = None
        self._locking = threading.Lock()  # the engine's thread and the listener's may both lock again
        self._is_kept = False
        by_handle = _HANDLES / str(self._directory.handle)
        self._is_named_by_handle = self._directory.has_name(by_handle)
        self.name = by_handle if self._is_named_by_handle else directory
        """The path of the directory that the engine is given."""

    def settle(self) -> None:
        """Remember the engine's files, after it has opened the directory. Raises OSError: they are gone."""
        self._manifest = _OpenFile(self._manifest_file)
        self._lock = _OpenFile(self._lock_file)

    @property
    def is_there(self) -> bool:
        """Whether the store is still in its place."""
        return self._directory.is_there and (self._manifest is None or self._manifest.is_there)

    @property
    def is_untouched(self) -> bool:
        """Whether the store is still in its place and the engine's lock file was not removed; does not block."""
        lock = self._lock
        return self.is_there and lock is not None and lock.is_there

    def locked_by(self, *, wait_s: float = _PROBE_S) -> LockedBy:
        """Return who has the engine's lock, for `wait_s` or longer; takes it again if its file was replaced. Blocks."""
        until = time.monotonic() + wait_s
        while True:
            with self._locking:
                if self._lock is None or self._lock.is_there:
                    return "us"
                by = self._lock_again(self._lock)
            if by != "another" or time.monotonic() >= until:
                return by
            time.sleep(_POLL_S)

    def set_apart(self) -> bool:
        """Keep the engine of a lost store away from what is in its place now; return whether it can be closed."""
        # In a directory that was moved it may write. If the directory is in its place it holds another store, or
        # another engine's: the handle is then made to name no directory, so that the engine has no path.
        if not self._is_named_by_handle or not self._directory.is_there:
            return self._is_named_by_handle
        try:
            with Path(os.devnull).open("rb") as nowhere:
                # The engine's path names the handle's number, which stays open and leads nowhere.
                os.dup2(nowhere.fileno(), self._directory.handle, inheritable=False)
        except OSError:
            self.keep()
            return False
        return True

    def keep(self) -> None:
        """Keep the directory's handle open until the process ends, for an engine that may still run."""
        self._is_kept = True

    def close(self) -> None:
        """Close the handles; once only, and after the engine."""
        for each in (None if self._is_kept else self._directory, self._manifest, self._lock):
            if each is not None:
                each.close()

    def _lock_again(self, lost: "_OpenFile") -> LockedBy:
        """Lock the file that has the lock's name now, made if there is none, and write our process id into it."""
        flags = os.O_RDWR | os.O_CREAT | _OPEN_SAFELY
        try:
            # By the handle, so that it is made in this directory wherever the path leads now.
            handle = os.open(self._lock_file.name, flags, FILE_MODE, dir_fd=self._directory.handle)
        except OSError:
            return "nobody"
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as refused:
            os.close(handle)
            return "another" if isinstance(refused, BlockingIOError) else "nobody"
        with suppress(OSError):  # on a full disk it is locked all the same, and the kernel knows by whom
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        lost.replace(handle)
        return "us" if lost.is_there else "another"  # replaced before it was locked


class _OpenFile:
    """A file or directory that is kept open, and the name it had."""

    def __init__(self, path: Path, flags: int = 0) -> None:
        self._path = path
        self.handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | flags)
        self._found = os.fstat(self.handle)

    @property
    def is_there(self) -> bool:
        try:
            return os.path.samestat(self._path.stat(), self._found)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True  # what cannot be read is not gone

    def has_name(self, path: Path) -> bool:
        """Return whether `path` leads to it; False if the system does not let us read that."""
        try:
            return os.path.samestat(path.stat(), self._found)
        except OSError:
            return False

    def replace(self, handle: int) -> None:
        """Keep open what `handle` has open instead."""
        self.close()
        self.handle, self._found = handle, os.fstat(handle)

    def close(self) -> None:
        os.close(self.handle)

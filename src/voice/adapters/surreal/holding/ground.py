"""The store that an engine has open, told from whatever is in its place later.

Law: a path is not a store. Its directory, and what the engine made or found in it, are held by handles, so that the
system gives their numbers to nothing else, and are compared with what has their names now. Where they differ, somebody
deleted the store, emptied it, moved it away or put another one there, and what the engine writes is found by nobody.
The file that the engine locks is not the store: who deletes or replaces that one takes a lock away, which is taken
again in its new file. What the system does not let us look at is not taken for gone.

Source: docs/holder.md, "When the store is taken away".
"""

import fcntl
import os
import threading
from pathlib import Path

from voice.adapters.disk.private_files import FILE_MODE
from voice.adapters.surreal.directory import engine_lock, engine_manifest

_NEITHER_FOLLOWED_NOR_WAITED_FOR = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class Ground:
    """The store in one directory, as it was when its engine opened it."""

    def __init__(self, directory: Path) -> None:
        """Remember the directory in which an engine is going to open a store.

        Raises:
            OSError: it is gone already.
        """
        self._directory = _Thing(directory, os.O_DIRECTORY)
        self._lock_file = engine_lock(directory)
        self._manifest_file = engine_manifest(directory)
        self._manifest: _Thing | None = None
        self._lock: _Thing | None = None
        self._locking = threading.Lock()

    def settle(self) -> None:
        """Remember what the engine has in the directory, now that it has opened it.

        Raises:
            OSError: it is gone already.
        """
        self._manifest, self._lock = _Thing(self._manifest_file), _Thing(self._lock_file)

    @property
    def is_there(self) -> bool:
        """Whether the store is still in its place."""
        return self._directory.is_there and (self._manifest is None or self._manifest.is_there)

    def is_locked(self) -> bool:
        """Return whether other engines are kept out: by the lock of ours, or by one that is taken now in its place."""
        with self._locking:
            return self._lock is None or self._lock.is_there or self._lock_again(self._lock)

    def close(self) -> None:
        """Let it go; once only."""
        for each in (self._directory, self._manifest, self._lock):
            if each is not None:
                each.close()

    def _lock_again(self, lost: "_Thing") -> bool:
        """Lock what has the name of the lock now, or a new file where nothing has, and say in it who did."""
        flags = os.O_RDWR | os.O_CREAT | _NEITHER_FOLLOWED_NOR_WAITED_FOR
        try:
            handle = os.open(self._lock_file.name, flags, FILE_MODE, dir_fd=self._directory.handle)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        except OSError:
            os.close(handle)
            return False
        lost.replace(handle)
        return lost.is_there


class _Thing:
    """A file or directory, held by a handle, and the name it had."""

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
            return True

    def replace(self, handle: int) -> None:
        """Hold what `handle` is open at instead."""
        self.close()
        self.handle, self._found = handle, os.fstat(handle)

    def close(self) -> None:
        os.close(self.handle)

"""The store that an engine has open, told from whatever is in its place later.

Law: a path is not a store. Its directory, and what the engine made or found in it, are held by handles, so that the
system gives their numbers to nothing else, and are compared with what has their names now. Where they differ, somebody
deleted the store, emptied it, moved it away or put another one there, and what the engine writes is found by nobody.
The file that the engine locks is not the store: who deletes or replaces that one takes a lock away, which is taken
again in its new file. What the system does not let us look at is not taken for gone.

The engine works by paths, in the background and when it is closed, too. So it is given its directory by the name of
our handle (Linux: /proc/self/fd), which is that directory wherever it goes, and never what is in its place later. The
handle is let go after the engine; where an engine did not end in order it is kept, because its number would name
something else. Where the system has no such names (macOS), the engine is given the path.

Source: docs/holder.md, "When the store is taken away".
"""

import fcntl
import os
import threading
from pathlib import Path
from typing import Final

from voice.adapters.disk.private_files import FILE_MODE
from voice.adapters.surreal.directory import engine_lock, engine_manifest

_HANDLES: Final = Path("/proc/self/fd")
_NEITHER_FOLLOWED_NOR_WAITED_FOR: Final = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


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
        self._is_kept = False
        by_handle = _HANDLES / str(self._directory.handle)
        self._is_named_by_handle = by_handle.exists() and by_handle.samefile(directory)
        self.name = by_handle if self._is_named_by_handle else directory
        """What the engine is given as the store's directory."""

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

    def set_apart(self) -> bool:
        """Keep the engine of a store that is gone from whatever is in the place now; return whether it can be closed.

        In a directory that went elsewhere it may do what it wants. One that is still in its place holds another store,
        or another engine's: there the handle is made to name no directory, so that nothing has a path any more.
        """
        if not self._is_named_by_handle or not self._directory.is_there:
            return self._is_named_by_handle
        self.keep()
        try:
            with Path(os.devnull).open("rb") as nowhere:
                os.dup2(nowhere.fileno(), self._directory.handle, inheritable=False)
        except OSError:
            return False
        return True

    def keep(self) -> None:
        """Leave the directory's handle to an engine that may live on, until the process ends."""
        self._is_kept = True

    def close(self) -> None:
        """Let it go; once only, and after the engine."""
        for each in (None if self._is_kept else self._directory, self._manifest, self._lock):
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

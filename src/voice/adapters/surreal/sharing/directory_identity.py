"""Whether the directory of a store is still the one that its engine opened.

Law: a path is not a store. Its directory, and what the engine made or found in it, are held by handles, so that the
system gives their numbers to nothing else, and are compared with what has their names now. Where they differ, somebody
deleted the store, emptied it, moved it away or put another one there, and what the engine writes is found by nobody.
The file that the engine locks is not the store: who deletes or replaces that one takes a lock away, which is taken
again in its new file, unless another engine has that one: then two would write to one store. What the system does not
let us look at is not taken for gone.

The engine works by paths, in the background and when it is closed, too. So it is given its directory by the name of
our handle (Linux: /proc/self/fd), which is that directory wherever it goes, and never what is in its place later. The
handle is let go after the engine; where an engine did not end in order it is kept, because its number would name
something else. Where the system has no such names (macOS), the engine is given the path.

Source: docs/holder.md, "When the store is taken away".
"""

import fcntl
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from voice.adapters.disk.private_files import FILE_MODE
from voice.adapters.surreal.location import engine_lock, engine_manifest

_HANDLES: Final = Path("/proc/self/fd")
_NEITHER_FOLLOWED_NOR_WAITED_FOR: Final = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_PROBE_S: Final = 0.1
"""How long who only looks whether a store is held (`holder.refuse_if_held`) may have its lock."""
_LOOK_AGAIN_S: Final = 0.01

LockedBy = Literal["us", "another", "nobody"]
"""Whose the engine's lock is; nobody's where its file can be neither made nor locked."""


class DirectoryIdentity:
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
        self._is_named_by_handle = self._directory.has_name(by_handle)
        self.name = by_handle if self._is_named_by_handle else directory
        """What the engine is given as the store's directory."""

    def settle(self) -> None:
        """Remember what the engine has in the directory, now that it has opened it.

        Raises:
            OSError: it is gone already.
        """
        self._manifest = _Thing(self._manifest_file)
        self._lock = _Thing(self._lock_file)

    @property
    def is_there(self) -> bool:
        """Whether the store is still in its place."""
        return self._directory.is_there and (self._manifest is None or self._manifest.is_there)

    @property
    def is_untouched(self) -> bool:
        """Whether the store is still in its place, and nobody took the engine's lock away; waits for nobody."""
        lock = self._lock
        return self.is_there and lock is not None and lock.is_there

    def locked_by(self, *, wait_s: float = _PROBE_S) -> LockedBy:
        """Return whose the engine's lock is, having taken it again where ours is not the named one any more; blocks.

        Args:
            wait_s: how long another one must have it before it counts as another engine's.
        """
        until = time.monotonic() + wait_s
        while True:
            with self._locking:
                if self._lock is None or self._lock.is_there:
                    return "us"
                by = self._lock_again(self._lock)
            if by != "another" or time.monotonic() >= until:
                return by
            time.sleep(_LOOK_AGAIN_S)

    def set_apart(self) -> bool:
        """Keep the engine of a store that is gone from whatever is in the place now; return whether it can be closed.

        In a directory that went elsewhere it may do what it wants. One that is still in its place holds another store,
        or another engine's: there the handle is made to name no directory, so that nothing has a path any more.
        """
        if not self._is_named_by_handle or not self._directory.is_there:
            return self._is_named_by_handle
        try:
            with Path(os.devnull).open("rb") as nowhere:
                os.dup2(nowhere.fileno(), self._directory.handle, inheritable=False)
        except OSError:
            self.keep()
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

    def _lock_again(self, lost: "_Thing") -> LockedBy:
        """Lock what has the name of the lock now, or a new file where nothing has, and say in it who did."""
        flags = os.O_RDWR | os.O_CREAT | _NEITHER_FOLLOWED_NOR_WAITED_FOR
        try:
            handle = os.open(self._lock_file.name, flags, FILE_MODE, dir_fd=self._directory.handle)
        except OSError:
            return "nobody"
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as refused:
            os.close(handle)
            return "another" if isinstance(refused, BlockingIOError) else "nobody"
        with suppress(OSError):  # on a full disk it is locked all the same, and the kernel tells by whom
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        lost.replace(handle)
        return "us" if lost.is_there else "another"


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

    def has_name(self, path: Path) -> bool:
        """Return whether `path` leads to it; not where the system does not let us look."""
        try:
            return os.path.samestat(path.stat(), self._found)
        except OSError:
            return False

    def replace(self, handle: int) -> None:
        """Hold what `handle` is open at instead."""
        self.close()
        self.handle, self._found = handle, os.fstat(handle)

    def close(self) -> None:
        os.close(self.handle)

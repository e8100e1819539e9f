"""A store's directory, and another one that takes its place.

Law: at every moment one directory holds the store whole, and which one is told by the names alone, so that whoever
comes after a kill finishes or undoes what was begun. While it is going on nobody else opens the store.

    memory                                  the store; whatever lies beside it is of no account
    memory, memory.fresh                    a copy is being made; it is thrown away
    memory, memory.ready                    the copy is whole, and was not put in place; it is thrown away
    memory.old, memory.ready                the store was moved away; the copy takes its place
    memory, memory.old                      the copy is the store; the old one is thrown away

Source: rulings B, H; docs/store.md; DESIGN 4 ("Space is never given back by the engine").
"""

import fcntl
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from voice.adapters.disk.private_files import FILE_MODE, disk_error, sync_directory
from voice.core.errors import StoreHeld

_FRESH: Final = "fresh"
_READY: Final = "ready"
_OLD: Final = "old"
_LOCK: Final = "compacting"


def fresh_of(directory: Path) -> Path:
    """Return where the copy of a store is made."""
    return _beside(directory, _FRESH)


def siblings_of(directory: Path) -> tuple[Path, ...]:
    """Return every path beside a store that compaction may leave behind when it is killed."""
    return tuple(_beside(directory, name) for name in (_FRESH, _READY, _OLD, _LOCK))


@contextmanager
def alone(directory: Path) -> Generator[None]:
    """Hold the store in `directory` closed for everybody else, what was begun before finished or undone.

    Raises:
        StoreHeld: somebody else compacts it.
        StoreUnavailable, ConfigurationError: its place cannot be written.
    """
    lock = _beside(directory, _LOCK)
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, FILE_MODE)
    except OSError as error:
        raise disk_error(error, lock) from None
    try:
        _require_mine(handle, lock, directory)
        _settle(directory)
        try:
            yield
        except BaseException:
            with suppress(OSError):
                _settle(directory)
                lock.unlink(missing_ok=True)
            raise
        lock.unlink(missing_ok=True)
    except OSError as error:
        raise disk_error(error, directory) from None
    finally:
        os.close(handle)


def _require_mine(handle: int, lock: Path, directory: Path) -> None:
    """Check that the lock is ours, and still the one that others see: who was done before took it away."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_ino == lock.stat().st_ino:
            return
    except (BlockingIOError, FileNotFoundError):
        pass
    raise StoreHeld(f"another process compacts the store {directory}; wait until it is done, and try again")


def settle(directory: Path) -> None:
    """Finish or undo a compaction of the store in `directory` that was killed; nothing where there was none.

    Raises:
        StoreHeld: somebody compacts it now.
        StoreUnavailable, ConfigurationError: its place cannot be written.
    """
    if any(os.path.lexists(each) for each in siblings_of(directory)):
        with alone(directory):
            pass


def put_in_place(directory: Path) -> None:
    """Make the whole, closed copy beside `directory` the store, and throw the old one away.

    Raises:
        OSError: what is the store by its name is whole all the same.
    """
    ready = _beside(directory, _READY)
    _flush(fresh_of(directory))
    _move(fresh_of(directory), ready)
    _move(directory, _beside(directory, _OLD))
    _settle(directory)


def _settle(directory: Path) -> None:
    fresh, ready, old = (_beside(directory, name) for name in (_FRESH, _READY, _OLD))
    if not directory.exists():
        if ready.exists():
            _move(ready, directory)
        elif old.exists():
            _move(old, directory)
    for each in (fresh, ready, old):
        if os.path.lexists(each):
            shutil.rmtree(each)
    if directory.parent.is_dir():
        sync_directory(directory.parent)


def _flush(directory: Path) -> None:
    """Flush all that is in a directory to the disk, so that a power cut leaves the copy as whole as a kill does."""
    for place, _, files in os.walk(directory):
        for name in files:
            with Path(place, name).open("rb") as file:
                os.fsync(file.fileno())
        sync_directory(Path(place))


def _move(source: Path, target: Path) -> None:
    source.rename(target)
    sync_directory(target.parent)


def _beside(directory: Path, name: str) -> Path:
    return directory.with_name(f"{directory.name}.{name}")

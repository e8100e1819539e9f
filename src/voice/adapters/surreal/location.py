"""Where a store is: its address, its directory, and the copy that replaces it.

Law: only the engine's own files are touched, and a directory that holds anything else does not become a store. The
engine takes a `?` in a path for the start of options, and `?sync=never` for permission to lose acknowledged writes, so
an embedded address has no options. Exactly four kinds of address are understood.

When a copy replaces a store, one directory holds the complete store at every moment, and the names alone tell which, so
that the next process after a kill finishes or undoes the change. Meanwhile no other process opens the store.

    memory                                  the store
    memory, memory.fresh                    a copy is being made; it is deleted
    memory, memory.ready                    the copy is complete, but was not moved yet; it is deleted
    memory.old, memory.ready                the store was moved away; the copy becomes the store
    memory, memory.old                      the copy is the store; the old one is deleted

Source: docs/store.md; rulings B, H; DESIGN 4 ("Space is never given back by the engine").
"""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from voice.adapters.disk.private_files import (
    FILE_MODE,
    MANIFEST_NAME,
    disk_error,
    disk_errors,
    make_private,
    sync_directory,
    try_lock,
)
from voice.core.errors import ConfigurationError, StoreHeld

_LOCK: Final = "LOCK"
_ENGINE_FILES: Final = frozenset({_LOCK, MANIFEST_NAME, "sstables", "vlog", "wal"})


def engine_lock(directory: Path) -> Path:
    """Return the file that the engine of the store in `directory` locks."""
    return directory / _LOCK


def require_directory_for_store(directory: Path) -> None:
    """Check that a store is in `directory`, or that one may be made there. Raises ConfigurationError: the engine does
    not accept the path, or the directory holds something else; StoreUnavailable: it cannot be read."""
    if set(str(directory)) & set("?\x00"):
        raise ConfigurationError(
            f"a store cannot be kept in {directory}, because its engine takes no “?” in a path; "
            "choose another directory with VOICE_HOME or SURR_DB_URL"
        )
    with disk_errors(directory):
        held = {each.name for each in directory.iterdir()} if directory.is_dir() else set[str]()
    if not (held <= _ENGINE_FILES or {_LOCK, MANIFEST_NAME} <= held):  # new or empty, just begun, or a store
        raise ConfigurationError(
            f"{directory} holds something that is not a store; name a new or empty directory in SURR_DB_URL"
        )


def make_store_private(directory: Path) -> None:
    """Take other users' rights to the engine's files away; no other file is touched."""
    for name in sorted(_ENGINE_FILES):
        make_private(directory / name)


ACCEPTED = "surrealkv://DIRECTORY, mem://, ws://HOST:PORT or wss://HOST:PORT"


@dataclass(frozen=True, slots=True, kw_only=True)
class InMemory:
    """A store that ends with its process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDisk:
    """An embedded store in a directory."""

    directory: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A SurrealDB server or cluster."""

    url: str


Address = InMemory | OnDisk | Server


def parse_address(url: str, *, home: Path) -> Address:
    """Return the address in `url`; a relative directory belongs to `home`. Raises ConfigurationError: it is none of
    `ACCEPTED`."""
    scheme, separator, rest = url.partition("://")
    if separator and scheme == "mem" and not rest:
        return InMemory()
    if separator and scheme == "surrealkv" and rest and not set(rest) & set("?\x00"):
        return OnDisk(directory=home / rest)
    if separator and scheme in ("ws", "wss") and _names_a_host(url):
        return Server(url=url.rstrip("/").removesuffix("/rpc"))
    raise ConfigurationError(f"voice does not understand SURR_DB_URL; use {ACCEPTED}")


def _names_a_host(url: str) -> bool:
    """Return whether `url` has a host, and no impossible port."""
    try:
        parts = urlsplit(url)
        # Spaces are refused here, because `urlsplit` silently cuts line ends and tabs out.
        return bool(parts.hostname) and parts.port != 0 and not set(url) & set(" \t\r\n")
    except ValueError:
        return False


_FRESH: Final = "fresh"
_READY: Final = "ready"
_OLD: Final = "old"
_SWAP_LOCK: Final = "compacting"


def copy_path(directory: Path) -> Path:
    """Return where the copy of a store is made."""
    return _beside(directory, _FRESH)


def swap_paths(directory: Path) -> tuple[Path, ...]:
    """Return every path beside a store that a killed compaction may leave behind."""
    return tuple(_beside(directory, name) for name in (_FRESH, _READY, _OLD, _SWAP_LOCK))


@contextmanager
def exclusive_swap(directory: Path) -> Generator[None]:
    """Keep all other processes out of the store in `directory`; first finishes or undoes an earlier compaction. Raises
    StoreHeld: another process compacts it; StoreUnavailable, ConfigurationError: its parent directory cannot be
    written."""
    lock = _beside(directory, _SWAP_LOCK)
    with disk_errors(lock):
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, FILE_MODE)
    try:
        _require_mine(handle, lock, directory)
        _settle(directory)
        try:
            yield
        # The names tell what to finish or undo, as after a kill.
        except BaseException:
            with suppress(OSError):
                _settle(directory)
                lock.unlink(missing_ok=True)
            raise
        lock.unlink(missing_ok=True)  # still locked, so that no other process locks the deleted file
    except OSError as error:
        raise disk_error(error, directory) from None
    finally:
        os.close(handle)


def _require_mine(handle: int, lock: Path, directory: Path) -> None:
    """Check that the lock is ours, and that its file still has its name: a finished owner removes it."""
    with suppress(FileNotFoundError):
        if try_lock(handle) and os.fstat(handle).st_ino == lock.stat().st_ino:
            return
    raise StoreHeld(f"another process is compacting the store {directory}; wait until it is done, and try again")


def finish_swap(directory: Path) -> None:
    """Finish or undo a killed compaction of the store in `directory`; does nothing if there was none. Raises StoreHeld:
    a process compacts it now; StoreUnavailable, ConfigurationError: its parent directory cannot be written."""
    if any(os.path.lexists(each) for each in swap_paths(directory)):  # a dangling link counts
        with exclusive_swap(directory):
            pass


def put_in_place(directory: Path) -> None:
    """Replace the store with the complete, closed copy beside it, and delete the old one. Raises OSError: the directory
    that has the store's name is complete all the same."""
    ready = _beside(directory, _READY)
    # In the order of the table above, each step on the disk before the next.
    _flush(copy_path(directory))
    _move(copy_path(directory), ready)
    _move(directory, _beside(directory, _OLD))
    _settle(directory)


def _settle(directory: Path) -> None:
    # A complete store has its name before anything is deleted.
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
    """Flush all files of a directory to the disk, so that a power cut leaves the copy as complete as a kill does."""
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

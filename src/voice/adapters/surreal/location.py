"""Where a store is: its address, its directory, and the copy that takes its place.

Law: nothing but the engine's own files is touched, and a directory that holds something else is not made a store. The
engine reads a `?` in a path as the beginning of options and would keep the store somewhere else.

Where a store is: `SURR_DB_URL` as a value. Exactly four kinds of address are understood; anything else is refused with
what would be. An embedded address carries no options: the engine takes `?sync=never` for an order to lose acknowledged
writes.

A store's directory, and another one that takes its place. At every moment one directory holds the store whole, and
which one is told by the names alone, so that whoever comes after a kill finishes or undoes what was begun. While it is
going on nobody else opens the store.

    memory                                  the store; whatever lies beside it is of no account
    memory, memory.fresh                    a copy is being made; it is thrown away
    memory, memory.ready                    the copy is whole, and was not put in place; it is thrown away
    memory.old, memory.ready                the store was moved away; the copy takes its place
    memory, memory.old                      the copy is the store; the old one is thrown away

Source: ruling H.1; docs/store.md; rulings B, H; DESIGN 4 ("Space is never given back by the engine").
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
    make_private,
    sync_directory,
    try_lock,
)
from voice.core.errors import ConfigurationError, StoreHeld

_LOCK: Final = "LOCK"
_ENGINES: Final = frozenset({_LOCK, MANIFEST_NAME, "sstables", "vlog", "wal"})


def engine_lock(directory: Path) -> Path:
    """Return the file that an engine locks which has the store in `directory` open."""
    return directory / _LOCK


def engine_manifest(directory: Path) -> Path:
    """Return what an engine keeps of a store in `directory` as long as there is one."""
    return directory / MANIFEST_NAME


def require_directory_for_store(directory: Path) -> None:
    """Check that a store is in `directory`, or that one may be made there.

    Raises:
        ConfigurationError: the engine cannot be given that path, or something else is kept there.
        StoreUnavailable: it cannot be read.
    """
    if set(str(directory)) & set("?\x00"):
        raise ConfigurationError(
            f"a store cannot be kept in {directory}, because its engine takes no “?” in a path; "
            "choose another directory with VOICE_HOME or SURR_DB_URL"
        )
    try:
        held = {each.name for each in directory.iterdir()} if directory.is_dir() else set[str]()
    except OSError as error:
        raise disk_error(error, directory) from None
    if not (held <= _ENGINES or {_LOCK, MANIFEST_NAME} <= held):
        raise ConfigurationError(
            f"{directory} holds something that is no store; name a new or empty directory in SURR_DB_URL"
        )


def make_store_private(directory: Path) -> None:
    """Take everybody else's rights to the engine's files away; whatever else lies beside them is left alone."""
    for name in sorted(_ENGINES):
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
    """Return the address that `url` names; a relative directory is below `home`.

    Raises:
        ConfigurationError: it names none.
    """
    scheme, separator, rest = url.partition("://")
    if separator and scheme == "mem" and not rest:
        return InMemory()
    if separator and scheme == "surrealkv" and rest and not set(rest) & set("?\x00"):
        return OnDisk(directory=home / rest)
    if separator and scheme in ("ws", "wss") and _names_a_host(url):
        return Server(url=url.rstrip("/").removesuffix("/rpc"))
    raise ConfigurationError(f"SURR_DB_URL is not understood; it may be {ACCEPTED}")


def _names_a_host(url: str) -> bool:
    """Return whether there is a host in `url`, and a port that can be one where there is any."""
    try:
        parts = urlsplit(url)
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
    """Return every path beside a store that compaction may leave behind when it is killed."""
    return tuple(_beside(directory, name) for name in (_FRESH, _READY, _OLD, _SWAP_LOCK))


@contextmanager
def exclusive_swap(directory: Path) -> Generator[None]:
    """Hold the store in `directory` closed for everybody else, what was begun before finished or undone.

    Raises:
        StoreHeld: somebody else compacts it.
        StoreUnavailable, ConfigurationError: its place cannot be written.
    """
    lock = _beside(directory, _SWAP_LOCK)
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
    with suppress(FileNotFoundError):
        if try_lock(handle) and os.fstat(handle).st_ino == lock.stat().st_ino:
            return
    raise StoreHeld(f"another process compacts the store {directory}; wait until it is done, and try again")


def finish_swap(directory: Path) -> None:
    """Finish or undo a compaction of the store in `directory` that was killed; nothing where there was none.

    Raises:
        StoreHeld: somebody compacts it now.
        StoreUnavailable, ConfigurationError: its place cannot be written.
    """
    if any(os.path.lexists(each) for each in swap_paths(directory)):
        with exclusive_swap(directory):
            pass


def put_in_place(directory: Path) -> None:
    """Make the whole, closed copy beside `directory` the store, and throw the old one away.

    Raises:
        OSError: what is the store by its name is whole all the same.
    """
    ready = _beside(directory, _READY)
    _flush(copy_path(directory))
    _move(copy_path(directory), ready)
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

"""Reading a store on a full disk.

Law: the engine writes when it opens a store, so on a full disk it could not. The small files of the store are copied to
where there is room and its tables linked, and the engine opens that and runs no statement that writes. Tables are
never rewritten, so the store is not changed. The copy is its owner's alone and deleted when it is closed; the next
reader deletes what a killed process left.

Source: docs/store.md; promise 3.
"""

import asyncio
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from voice.adapters.disk.private_files import DiskFull
from voice.adapters.surreal.connection import Params
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.location import engine_lock
from voice.adapters.surreal.sharing.client import is_running
from voice.adapters.surreal.sharing.holder import refuse_if_another_holds
from voice.core.store_holder import Effect, effect_of

_TABLES: Final = "sstables"
_PREFIX: Final = "voice-reading-"
_ROOM: Final = 32 * 1024 * 1024  # bytes that the engine may write in addition to what is copied
_IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a private directory is made in it


class ReadOnlyConnection:
    """A `Connection` to a copy of a store, for reading only."""

    def __init__(self, engine: EmbeddedConnection, copy: Path) -> None:
        self._engine = engine
        self._copy = copy

    @classmethod
    async def open(cls, directory: Path, full: DiskFull, *, namespace: str, database: str) -> Self:
        """Open the store in `directory` for reading, which for writing failed with `full`. Raises DiskFull: there is no
        room for a copy anywhere; StoreHeld: another process has the store open; StoreDamaged, StoreUnavailable: the
        engine does not open the copy."""
        copy = await asyncio.to_thread(_make_copy, directory, full)
        try:
            return cls(
                await EmbeddedConnection.open(f"surrealkv://{copy}", namespace=namespace, database=database), copy
            )
        except BaseException:
            await asyncio.to_thread(_remove, copy)
            raise

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        """Run one statement; see `Connection.run`. Raises DiskFull: it writes."""
        if effect_of(text) is Effect.WRITES:
            raise DiskFull(
                f"the disk was full when the store was opened, so it is only read and did not {purpose}; free some "
                "space, then start this program again"
            )
        return await self._engine.run(purpose, text, params)

    async def aclose(self) -> None:
        """Close and delete the copy; safe to call twice."""
        try:
            await self._engine.aclose()
        finally:
            await asyncio.to_thread(_remove, self._copy)


def _make_copy(directory: Path, full: DiskFull) -> Path:
    refuse_if_another_holds(directory)
    # All but the tables, which are linked.
    small = [path for path in sorted(directory.rglob("*")) if path.is_file() and path.parent.name != _TABLES]
    copied = [path for path in small if path != engine_lock(directory)]  # the engine makes a lock in the copy
    place = _place_with_room(sum(path.stat().st_size for path in copied) + _ROOM)
    if place is None:
        raise full
    copy = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=place))
    try:
        for path in copied:
            there = copy / path.relative_to(directory)
            there.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, there)
        for path in (directory / _TABLES).glob("*"):
            if path.stat().st_size:  # an empty one was begun on the full disk and belongs to nothing
                (copy / _TABLES).mkdir(exist_ok=True)
                (copy / _TABLES / path.name).symlink_to(path.resolve())
    except BaseException:
        _remove(copy)
        raise
    return copy


def _place_with_room(room: int) -> Path | None:
    for place in (_IN_MEMORY, Path(tempfile.gettempdir())):
        if not place.is_dir():
            continue
        for left in place.glob(f"{_PREFIX}*"):  # what a killed process left
            pid = left.name.removeprefix(_PREFIX).partition("-")[0]
            if not (pid.isdecimal() and is_running(int(pid))):
                _remove(left)
        if shutil.disk_usage(place).free >= room:
            return place
    return None


def _remove(copy: Path) -> None:
    with suppress(OSError):  # another user's files stay
        shutil.rmtree(copy)

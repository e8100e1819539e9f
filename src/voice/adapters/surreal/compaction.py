"""Copying a store into a fresh directory and putting the copy in its place.

Law: the engine never gives space back, and what was deleted stays on the disk until nothing of its files is left; so
what is live is copied, table by table, whatever tables there are. The copy counts once every table of both was read
again and holds the same records by count and hash, and the copy's own checks find no fault. Until then, and whenever it
is killed, the store is the old one (`swap`).

Source: DESIGN 4; rulings B, H; docs/forgetting.md, Compacting.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, cast

from blake3 import blake3

from voice.adapters.disk.private_files import secure_directory
from voice.adapters.surreal.codec import Record
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import BEHIND, FIRST, META, PAGE, RecordID
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.location import (
    OnDisk,
    copy_path,
    exclusive_swap,
    make_store_private,
    parse_address,
    put_in_place,
    require_directory_for_store,
)
from voice.adapters.surreal.schema import migrate, shipped
from voice.adapters.surreal.sharing.holder import held_message, refuse_if_held
from voice.adapters.surreal.sharing.lock_file import HoldingPlace, take_lock
from voice.adapters.surreal.verification import find_faults
from voice.core.errors import ConfigurationError, StoreDamaged, StoreError, StoreHeld, StoreUnavailable
from voice.ports.removal import CompactionReport

Progress = Callable[[str, int, int], None]
"""Hears what is being done, how much of it, and of how much."""
_NOT_OURS: Final = "the store has a table that is not ours, so it was not compacted and stays as it is"
_RESTORING: Final = "SELECT VALUE restoring FROM $meta"
_MADE_BY_STEPS: Final = ("meta", "migrations")
"""Tables in which the schema's own steps leave records, in place of which the old ones come."""
_EMPTY: Final = "DELETE type::table($table) RETURN NONE"
_COUNT: Final = "SELECT count() FROM type::table($table) GROUP ALL"
_READ: Final = f"SELECT * {BEHIND} ORDER BY id LIMIT $limit"
_INSERT: Final = "INSERT $rows RETURN NONE"
READ_WITH_DECIMALS: Final[Mapping[str, str]] = {
    "spending": f"SELECT *, <string>known AS known, <string>at_worst AS at_worst {BEHIND} ORDER BY id LIMIT $limit",
    "open_calls": f"SELECT *, <string>worst AS worst {BEHIND} ORDER BY id LIMIT $limit",
}
"""How the tables are read that hold decimals: what the store is spoken to in has none, so they travel as texts."""
INSERT_WITH_DECIMALS: Final[Mapping[str, str]] = {
    "spending": "INSERT (SELECT *, <decimal>known AS known, <decimal>at_worst AS at_worst FROM $rows) RETURN NONE",
    "open_calls": "INSERT (SELECT *, <decimal>worst AS worst FROM $rows) RETURN NONE",
}


def _silently(what: str, done: int, total: int) -> None:
    del what, done, total


async def compact_store(
    place: str | Path, *, home: Path, namespace: str, database: str, tell: Progress = _silently
) -> CompactionReport:
    """Copy what is live of an embedded store into a fresh directory, and put that in its place.

    Args:
        place: a directory or an address, as `open_store` takes it; nobody may have it open.
        tell: hears how far it is.

    Raises:
        ConfigurationError: it is no store on this machine's disk, or there is none.
        StoreHeld: somebody has it open, or compacts it.
        StoreDamaged: it does not verify; it stays as it is.
        StoreUnavailable: the disk is full; it stays as it is.
    """
    directory = require_compactable(place, home=home)
    with exclusive_swap(directory), _held_by_nobody(directory):
        if not directory.is_dir():
            raise ConfigurationError(f"there is no store in {directory}")
        require_directory_for_store(directory)
        refuse_if_held(directory)
        before = await asyncio.to_thread(_size, directory)
        records = await _copied(directory, (namespace, database), tell)
        await asyncio.to_thread(put_in_place, directory)
        return CompactionReport(
            records=records, bytes_before=before, bytes_after=await asyncio.to_thread(_size, directory)
        )


@contextmanager
def _held_by_nobody(directory: Path) -> Generator[None]:
    """Keep every process from holding the store for the time of the block.

    Raises:
        StoreHeld: one holds it.
        OSError: the lock's place cannot be written.
    """
    lock = take_lock(HoldingPlace(directory))
    if lock is None:
        raise StoreHeld(held_message(directory))
    try:
        yield
    finally:
        lock.give_back()


def require_compactable(place: str | Path, *, home: Path) -> Path:
    """Return the directory of the embedded store at `place`.

    Raises:
        ConfigurationError: it is another kind of store.
    """
    address = OnDisk(directory=place) if isinstance(place, Path) else parse_address(place, home=home)
    if isinstance(address, OnDisk):
        return address.directory
    raise ConfigurationError("only a store on this disk is compacted; a server gives space back by its own means")


async def _copied(directory: Path, names: tuple[str, str], tell: Progress) -> int:
    """Make the copy, whole and closed, and return how many records it has."""
    fresh = secure_directory(copy_path(directory))
    source = await _opened(directory, names)
    try:
        await migrate(source, shipped())
        if any(cast("list[object]", await source.run("read its state", _RESTORING, {"meta": META}))):
            raise StoreDamaged("a restore into this store did not finish; there is nothing to compact")
        target = await _opened(fresh, names)
        try:
            records = await _filled(source, target, tell)
        finally:
            await target.aclose()
        # What is on the disk counts, so it is read from there.
        target = await _opened(fresh, names)
        try:
            await _require_same(source, target, tell)
        finally:
            await target.aclose()
    finally:
        await source.aclose()
    await asyncio.to_thread(make_store_private, fresh)
    return records


async def _opened(directory: Path, names: tuple[str, str]) -> EmbeddedConnection:
    try:
        return await EmbeddedConnection.open(f"surrealkv://{directory}", namespace=names[0], database=names[1])
    except StoreHeld:
        raise StoreHeld(held_message(directory)) from None


async def _filled(source: Connection, target: Connection, tell: Progress) -> int:
    await migrate(target, shipped())
    for table in _MADE_BY_STEPS:
        await target.run("make room", _EMPTY, {"table": table})
    made, done = await _tables(source), 0
    if made != await _tables(target):
        raise StoreError(_NOT_OURS)
    for place, table in enumerate(made):
        insert = INSERT_WITH_DECIMALS.get(table, _INSERT)
        async for page in _pages(source, table):
            await target.run(f"copy {table}", insert, {"rows": page})
            done += len(page)
        if await _count(source, table) != await _count(target, table):
            raise StoreUnavailable(f"the copy of {table} is not what the store holds; the store stays as it is")
        tell("Copying", place + 1, len(made))
    return done


async def _require_same(source: Connection, target: Connection, tell: Progress) -> None:
    """Check that both stores hold the same, and that it is sound.

    Raises:
        StoreDamaged: the store has faults of its own.
        StoreUnavailable: the copy is another one.
    """
    tables = await _tables(source)
    for place, table in enumerate(tables):
        if await _digest(source, table) != await _digest(target, table):
            raise StoreUnavailable(f"the copy of {table} is not what the store holds; the store stays as it is")
        tell("Comparing", place + 1, len(tables))
    found = await target.run("read its state", "SELECT VALUE seq FROM $meta", {"meta": META})
    last_seq = cast("list[int]", found)[0]
    wrong = await find_faults(target, last_seq, lambda done, total: tell("Verifying", done, total))
    if wrong:
        raise StoreDamaged(
            f"the store has {len(wrong)} faults, so it was not compacted and stays as it is; "
            "`voice maintain verify` names them"
        )


async def _tables(connection: Connection) -> list[str]:
    """Return the name of every table there is, in order."""
    found = cast("Mapping[str, Mapping[str, str]]", await connection.run("list tables", "INFO FOR DB"))
    return sorted(found["tables"])


async def _count(connection: Connection, table: str) -> int:
    groups = cast("list[Mapping[str, int]]", await connection.run("count rows", _COUNT, {"table": table}))
    return groups[0]["count"] if groups else 0


async def _pages(connection: Connection, table: str) -> AsyncIterator[list[Record]]:
    after, text = cast("object", FIRST), READ_WITH_DECIMALS.get(table, _READ)
    while True:
        params = {"table": table, "after": after, "limit": PAGE}
        found = cast("list[Record]", await connection.run(f"read {table}", text, params))
        if not found:
            return
        # Absent and None are one thing, and only absent can be sent (ruling B9).
        yield [{name: value for name, value in each.items() if value is not None} for each in found]
        after = cast("RecordID", found[-1]["id"]).id


async def _digest(connection: Connection, table: str) -> tuple[int, str]:
    """Return how many records a table has, and one hash over all of them."""
    read, hasher = 0, blake3()
    async for page in _pages(connection, table):
        read += len(page)
        for each in page:
            hasher.update(repr(_plain(each)).encode())
    return read, hasher.hexdigest()


def _plain(value: object) -> object:
    """Return a value of a record in a form whose text is the same wherever it was read."""
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        return [(name, _plain(members[name])) for name in sorted(members)]
    if isinstance(value, list | tuple):
        return [_plain(each) for each in cast("list[object]", value)]
    if isinstance(value, RecordID):
        return (value.table_name, value.id)
    return value.isoformat() if isinstance(value, datetime) else value


def _size(directory: Path) -> int:
    return sum(path.lstat().st_size for path in directory.rglob("*") if path.is_file())

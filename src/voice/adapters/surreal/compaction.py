"""Compaction: copying a store into a fresh directory and replacing it with the copy.

Law: the engine never frees space, and deleted data stays on the disk as long as its files do; so all live records of
all tables are copied. The copy counts once every table of both was read again and has the same records by count and
hash, and the copy has no faults. Until then, and whenever compaction is killed, the old store stays (`location`).

Source: DESIGN 4; rulings B, H; docs/forgetting.md, Compacting.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextlib import aclosing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, cast

from blake3 import blake3

from voice.adapters.disk.private_files import secure_directory
from voice.adapters.surreal.codec import Record
from voice.adapters.surreal.connection import BEHIND, META, Connection, RecordID
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
from voice.adapters.surreal.stores.reading import BY_ID, record_pages
from voice.adapters.surreal.verification import find_faults
from voice.core.errors import ConfigurationError, StoreDamaged, StoreError, StoreHeld, StoreUnavailable
from voice.core.text.display import counted
from voice.ports.removal import CompactionReport

Progress = Callable[[str, int, int], None]
"""Called with the step's name, how much of it is done, and of how much."""
_NOT_OURS: Final = "the store has a table that voice did not make, so voice did not compact it; it stays as it is"
_RESTORING: Final = "SELECT VALUE restoring FROM $meta"
# Tables in which the schema's own steps make records, which the copied ones replace.
_MADE_BY_STEPS: Final = ("meta", "migrations")
_EMPTY: Final = "DELETE type::table($table) RETURN NONE"
_INSERT: Final = "INSERT $rows RETURN NONE"
READ_WITH_DECIMALS: Final[Mapping[str, str]] = {
    "spending": f"SELECT *, <string>known AS known, <string>at_worst AS at_worst {BEHIND} ORDER BY id LIMIT $limit",
    "open_calls": f"SELECT *, <string>worst AS worst {BEHIND} ORDER BY id LIMIT $limit",
}
"""How tables with decimals are read: the store's protocol has none, so they are sent as texts."""
INSERT_WITH_DECIMALS: Final[Mapping[str, str]] = {
    "spending": "INSERT (SELECT *, <decimal>known AS known, <decimal>at_worst AS at_worst FROM $rows) RETURN NONE",
    "open_calls": "INSERT (SELECT *, <decimal>worst AS worst FROM $rows) RETURN NONE",
}


async def compact_store(
    place: str | Path, *, home: Path, namespace: str, database: str, tell: Progress = lambda _what, _done, _total: None
) -> CompactionReport:
    """Copy the live records of an embedded store into a fresh directory, and replace the store with it. No
    process may have it open; `place` is a directory or an address, as `open_store` takes it.

    Raises:
        ConfigurationError: it is not a store on this machine's disk.
        StoreHeld: a process has it open, or compacts it.
        StoreDamaged: it has faults; it stays as it is.
        StoreUnavailable: the disk is full; it stays as it is.
    """
    directory = require_compactable(place, home=home)
    # The first keeps compactions apart, the second keeps holders out.
    with exclusive_swap(directory), _exclusive_lock(directory):
        if not directory.is_dir():
            raise ConfigurationError(f"{directory} does not hold a store")
        require_directory_for_store(directory)
        refuse_if_held(directory)
        before = await asyncio.to_thread(_size, directory)
        records = await _make_copy(directory, (namespace, database), tell)
        await asyncio.to_thread(put_in_place, directory)
        return CompactionReport(
            records=records, bytes_before=before, bytes_after=await asyncio.to_thread(_size, directory)
        )


@contextmanager
def _exclusive_lock(directory: Path) -> Generator[None]:
    lock = take_lock(HoldingPlace(directory))
    if lock is None:
        raise StoreHeld(held_message(directory))
    try:
        yield
    finally:
        lock.give_back()


def require_compactable(place: str | Path, *, home: Path) -> Path:
    """Return the directory of the embedded store at `place`. Raises ConfigurationError: it is not an embedded store on
    disk."""
    address = OnDisk(directory=place) if isinstance(place, Path) else parse_address(place, home=home)
    if isinstance(address, OnDisk):
        return address.directory
    raise ConfigurationError("voice compacts only a store on this disk; a server frees its own space")


async def _make_copy(directory: Path, names: tuple[str, str], tell: Progress) -> int:
    fresh = secure_directory(copy_path(directory))
    async with aclosing(await _open(directory, names)) as source:
        await migrate(source, shipped())  # the copy has the newest tables, so the source must have them as well
        if any(cast("list[object]", await source.run("read its state", _RESTORING, {"meta": META}))):
            raise StoreDamaged("a restore into this store did not finish; there is nothing to compact")
        async with aclosing(await _open(fresh, names)) as target:
            records = await _fill(source, target, tell)
        # The copy is opened again, because only what is on the disk counts.
        async with aclosing(await _open(fresh, names)) as target:
            await _require_same(source, target, tell)
    await asyncio.to_thread(make_store_private, fresh)
    return records


async def _open(directory: Path, names: tuple[str, str]) -> EmbeddedConnection:
    try:
        return await EmbeddedConnection.open(f"surrealkv://{directory}", namespace=names[0], database=names[1])
    except StoreHeld:
        raise StoreHeld(held_message(directory)) from None


async def _fill(source: Connection, target: Connection, tell: Progress) -> int:
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
        tell("Copying", place + 1, len(made))
    return done


async def _require_same(source: Connection, target: Connection, tell: Progress) -> None:
    """Check that both stores hold the same records, and that the copy has no faults."""
    tables = await _tables(source)
    for place, table in enumerate(tables):
        if await _digest(source, table) != await _digest(target, table):
            raise StoreUnavailable(f"the copy of {table} differs from the store; the store stays as it is")
        tell("Comparing", place + 1, len(tables))
    found = await target.run("read its state", "SELECT VALUE seq FROM $meta", {"meta": META})
    last_seq = cast("list[int]", found)[0]
    wrong = await find_faults(target, last_seq, lambda done, total: tell("Verifying", done, total))
    if wrong:
        raise StoreDamaged(
            f"the store has {counted(len(wrong), 'fault')}, so voice did not compact it and it stays as it is; "
            "`voice maintain verify` lists them"
        )


async def _tables(connection: Connection) -> list[str]:
    found = cast("Mapping[str, Mapping[str, str]]", await connection.run("list tables", "INFO FOR DB"))
    return sorted(found["tables"])


async def _pages(connection: Connection, table: str) -> AsyncIterator[list[Record]]:
    async for found in record_pages(connection, table, READ_WITH_DECIMALS.get(table, BY_ID)):
        # None is sent as absent (ruling B9).
        yield [{name: value for name, value in each.items() if value is not None} for each in found]


async def _digest(connection: Connection, table: str) -> tuple[int, str]:
    read, hasher = 0, blake3()
    async for page in _pages(connection, table):
        read += len(page)
        for each in page:
            hasher.update(repr(_plain(each)).encode())
    return read, hasher.hexdigest()


def _plain(value: object) -> object:
    """Return a value of a record in a form whose `repr` is the same wherever it was read."""
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

"""Opening a store: one function, one bundle.

Law: whoever opens a store closes it. An embedded store has one holder; its directory is 0700 and its files 0600. The
schema is brought up to date before anybody reads a row.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from voice.adapters.disk.private_files import secure_directory
from voice.adapters.surreal.address import InMemory, OnDisk, parse_address
from voice.adapters.surreal.candidate_store import SurrealCandidateStore
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.directory import make_store_private, require_directory_for_store
from voice.adapters.surreal.embedded import EmbeddedConnection
from voice.adapters.surreal.exchange_words import SurrealExchangeWords
from voice.adapters.surreal.graph_store import SurrealGraphStore
from voice.adapters.surreal.history_store import SurrealHistoryStore
from voice.adapters.surreal.holder import held_message, refuse_if_held
from voice.adapters.surreal.ledger import migrate, shipped
from voice.adapters.surreal.ledger_store import SurrealLedgerStore
from voice.adapters.surreal.maintenance import SurrealMaintenance
from voice.adapters.surreal.memory_store import SurrealMemoryStore
from voice.adapters.surreal.merge_log import SurrealMergeLog
from voice.adapters.surreal.metrics_store import SurrealMetricsStore
from voice.adapters.surreal.recall_store import SurrealCapsuleStore, SurrealPinStore
from voice.adapters.surreal.remote import Credentials, RemoteConnection
from voice.adapters.surreal.removed_rows import SurrealRemovedRows
from voice.adapters.surreal.session_removal import SurrealSessionRemoval
from voice.adapters.surreal.session_store import SurrealSessionStore
from voice.adapters.surreal.spending import SurrealSpendStore, count_what_was_spent
from voice.adapters.surreal.swap import settle
from voice.adapters.surreal.writer import Writer
from voice.core.errors import ConfigurationError, StoreHeld


@dataclass(frozen=True, slots=True, kw_only=True)
class SurrealStores:
    """The stores of one database; an async context manager that closes it."""

    memory: SurrealMemoryStore
    ledger: SurrealLedgerStore
    graph: SurrealGraphStore
    history: SurrealHistoryStore
    sessions: SurrealSessionStore
    removal: SurrealSessionRemoval
    spending: SurrealSpendStore
    metrics: SurrealMetricsStore
    pins: SurrealPinStore
    capsules: SurrealCapsuleStore
    candidates: SurrealCandidateStore
    merges: SurrealMergeLog
    maintenance: SurrealMaintenance
    removed: SurrealRemovedRows
    words: SurrealExchangeWords
    connection: Connection
    """The open database itself, for tests and the benchmarks."""
    directory: Path | None
    """Where an embedded store keeps its files."""

    async def aclose(self) -> None:
        """Close the database and give its lock back; safe to call twice."""
        await self.connection.aclose()
        if self.directory is not None:
            await asyncio.to_thread(make_store_private, self.directory)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def open_store(
    place: str | Path,
    *,
    home: Path,
    username: str | None = None,
    password: str | None = None,
    namespace: str = "voice",
    database: str = "memory",
) -> SurrealStores:
    """Open the store at `place`, a directory or an address, and bring its schema up to date.

    `home` is the data directory: a relative `surrealkv://` directory is below it. `username` and `password` belong to a
    server (`ws://`, `wss://`).

    Raises:
        ConfigurationError: `place` is not understood, its directory cannot be a store's, or the sign-in is refused.
        StoreHeld: another process, or this one, has the embedded store open; the message names it.
        StoreUnavailable: the disk is full, or the server cannot be reached.
        SchemaDrift: the store's schema is not the one this program ships.
        StoreDamaged: a restore into the store did not finish.
    """
    address = OnDisk(directory=place) if isinstance(place, Path) else parse_address(place, home=home)
    if isinstance(address, InMemory):
        engine = await EmbeddedConnection.open("mem://", namespace=namespace, database=database)
        return await _ready(engine, None)
    if isinstance(address, OnDisk):
        engine = await _open_directory(address.directory, namespace, database)
        return await _ready(engine, address.directory)
    if (username is None) != (password is None):
        raise ConfigurationError("a store server wants both a user and a password, or neither")
    credentials = None if username is None or password is None else Credentials(username=username, password=password)
    server = RemoteConnection(address.url, namespace=namespace, database=database, credentials=credentials)
    return await _ready(server, None)


async def _open_directory(directory: Path, namespace: str, database: str) -> EmbeddedConnection:
    await asyncio.to_thread(_prepare, directory)
    try:
        return await EmbeddedConnection.open(f"surrealkv://{directory}", namespace=namespace, database=database)
    except StoreHeld:
        raise StoreHeld(await asyncio.to_thread(held_message, directory)) from None


def _prepare(directory: Path) -> None:
    settle(directory)
    require_directory_for_store(directory)
    secure_directory(directory)
    refuse_if_held(directory)


async def _ready(connection: Connection, directory: Path | None) -> SurrealStores:
    writer = Writer(connection)
    try:
        if directory is not None:
            await asyncio.to_thread(make_store_private, directory)
        await migrate(connection, shipped())
        await writer.check_usable()
        await count_what_was_spent(connection, writer)
    except BaseException:
        await connection.aclose()
        raise
    return SurrealStores(
        memory=SurrealMemoryStore(connection, writer),
        ledger=SurrealLedgerStore(connection),
        graph=SurrealGraphStore(connection),
        history=SurrealHistoryStore(connection),
        sessions=SurrealSessionStore(connection, writer),
        removal=SurrealSessionRemoval(connection, writer),
        spending=SurrealSpendStore(connection, writer),
        metrics=SurrealMetricsStore(connection),
        pins=SurrealPinStore(connection, writer),
        capsules=SurrealCapsuleStore(connection, writer),
        candidates=SurrealCandidateStore(connection, writer),
        merges=SurrealMergeLog(connection, writer),
        maintenance=SurrealMaintenance(connection, writer),
        removed=SurrealRemovedRows(connection, writer),
        words=SurrealExchangeWords(connection, writer),
        connection=connection,
        directory=directory,
    )

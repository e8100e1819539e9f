"""Opening a store.

Law: the caller closes the store. An embedded store on disk has one holder, of which every other process of its owner is
a guest (`sharing`); its directory is 0700 and its files 0600. The schema is brought up to date before a row is read.

A store remembers what its key makes of a fixed text, and is not opened with a key that makes something else of it: the
hashes of forgotten rows and of prompts were made with its key (rulings D20, H). The value does not reveal the key.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

from voice.adapters.disk.private_files import DiskFull
from voice.adapters.extras import require_installed
from voice.adapters.surreal.codec import Record
from voice.adapters.surreal.connection import (
    META,
    NOT_RESTORING,
    PAGE,
    Connection,
    WriteConflict,
    block,
    row_id_of,
    run_repeatable,
)
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.location import InMemory, OnDisk, parse_address
from voice.adapters.surreal.schema import LOOK, IdentifiedConnection, migrate, shipped, verify_identity
from voice.adapters.surreal.sharing.holder import own_card
from voice.adapters.surreal.sharing.shared_connection import SharedConnection
from voice.adapters.surreal.stores.reading import record_pages
from voice.adapters.surreal.stores.spending import count_what_was_spent
from voice.adapters.surreal.writer import WriteBackoff, Writer
from voice.core.errors import ConfigurationError
from voice.core.records import Table
from voice.core.text.note_context import context_paths, path_offset

_UNPLACED: Final = "SELECT VALUE unplaced FROM $meta"
_PLACED: Final = "UPDATE $meta SET unplaced = NONE RETURN NONE;"
_OF_THOUGHTS: Final = (
    "SELECT VALUE [id, thought_ids, spans] FROM kg_observations WHERE thought_ids CONTAINSANY $thoughts"
)
_PLACE: Final = "FOR $each IN $placed { UPDATE $each.id SET context_path = $each.path RETURN NONE };"

# An observation's record, the thoughts it rests on, and where in them: start and end of each in turn.
_Location = tuple[object, list[str], list[int]]


async def place_observations(connection: Connection, writer: Writer) -> None:
    """Add the context paths to the observations of a store from before there were any; does so once. Raises
    StoreUnavailable: another process wrote meanwhile."""
    # One read at each opening; only old or restored stores have any to place.
    if await connection.run("read its state", _UNPLACED, {"meta": META}) != [True]:
        return

    async def place(_: int) -> None:
        async for thoughts in record_pages(connection, Table.THOUGHTS):
            await _place_observations_of(connection, {row_id_of(each["id"]): each for each in thoughts})
        # Last, so that a pass that was broken off begins again.
        await connection.run("say where all observations stand", _PLACED, {"meta": META})

    await writer.exclusively("say where observations stand", place)


async def _place_observations_of(connection: Connection, thoughts: Mapping[str, Record]) -> None:
    result = await connection.run("list observations", _OF_THOUGHTS, {"thoughts": list(thoughts)})
    placed = list(_placed(cast("list[_Location]", result), thoughts))
    for start in range(0, len(placed), PAGE):
        await connection.run("say where observations stand", _PLACE, {"placed": placed[start : start + PAGE]})


def _placed(locations: Sequence[_Location], thoughts: Mapping[str, Record]) -> Iterator[Record]:
    """Yield each observation with its context path; its first location counts."""
    of_thought: dict[str, list[tuple[int, object]]] = {}
    # By thought and offset, because the paths of one text are found in one pass over it.
    for observation, thought_ids, spans in locations:
        if thought_ids and thought_ids[0] in thoughts:
            at = path_offset(str(thoughts[thought_ids[0]]["content"]), spans[0], spans[1])
            of_thought.setdefault(thought_ids[0], []).append((at, observation))
    for thought_id, found in of_thought.items():
        found.sort(key=lambda each: each[0])
        thought = thoughts[thought_id]
        source_ref = cast("str | None", thought.get("source_ref"))
        paths = context_paths(str(thought["content"]), [start for start, _ in found], source_ref=source_ref)
        yield from (
            {"id": observation, "path": list(path)} for (_, observation), path in zip(found, paths, strict=True)
        )


WAIT_S: Final = 10.0
"""How long the holder of a store may be silent."""


async def open_store(  # noqa: PLR0913 - each is a setting of the store
    place: str | Path,
    *,
    home: Path,
    username: str | None = None,
    password: str | None = None,
    namespace: str = "voice",
    database: str = "memory",
    wait_s: float = WAIT_S,
) -> SurrealStores:
    """Open the store at `place`, a directory or an address, and bring its schema up to date.

    `home` is the data directory, to which a relative `surrealkv://` directory belongs. `username` and `password` are
    for a server (`ws://`, `wss://`). A store on disk that another process holds is used through that process, which may
    be silent for `wait_s` seconds; so long a server that was reached before may be gone. On a full disk a store is
    opened for reading only.

    Raises:
        ConfigurationError: `place` is not understood, its directory cannot be a store's, the sign-in is refused, or the
            holder uses another namespace or database.
        StoreHeld: another process has the embedded store open and does not answer; the message names it.
        StoreUnavailable: no disk has room, or the server cannot be reached.
        SchemaDrift: the store's schema is not the one this program ships.
        StoreDamaged: a restore into the store did not finish.
    """
    address = OnDisk(directory=place) if isinstance(place, Path) else parse_address(place, home=home)
    if isinstance(address, InMemory):
        engine = await EmbeddedConnection.open("mem://", namespace=namespace, database=database)
        return await _ready(engine, None, Writer(engine))
    if isinstance(address, OnDisk):
        try:
            shared = SharedConnection(address.directory, own_card(namespace, database), wait_s=wait_s)
            await shared.enter()
            return await _ready(shared, address.directory, Writer(shared, shared.turn))
        except DiskFull as full:
            return await _only_read(address.directory, full, namespace, database)
    server = _server(address.url, (username, password), (namespace, database), wait_s)
    rivals = WriteBackoff()
    return await _ready(server, None, Writer(server, rivals.turn, rivals))


async def _only_read(directory: Path, full: DiskFull, namespace: str, database: str) -> SurrealStores:
    """Open a store on a full disk; its schema must be this program's, since no step can be taken."""
    from voice.adapters.surreal.read_only import ReadOnlyConnection  # noqa: PLC0415 - needed on a full disk only

    reading = await ReadOnlyConnection.open(directory, full, namespace=namespace, database=database)
    try:
        verify_identity(None, await reading.run("recognise it", LOOK, {"meta": META}), shipped())
    except BaseException:
        await reading.aclose()
        raise
    return SurrealStores(reading, Writer(reading), directory)


def _server(url: str, user: tuple[str | None, str | None], names: tuple[str, str], wait_s: float) -> Connection:
    require_installed("surrealdb", "a memory on a server")
    from voice.adapters.surreal.remote import Credentials, RemoteConnection  # noqa: PLC0415  (a quarter of a second of imports)

    username, password = user
    if (username is None) != (password is None):
        raise ConfigurationError("give both a user and a password for the store server, or neither")
    credentials = None if username is None or password is None else Credentials(username=username, password=password)
    return RemoteConnection(url, namespace=names[0], database=names[1], credentials=credentials, wait_s=wait_s)


async def _ready(connection: Connection, directory: Path | None, writer: Writer) -> SurrealStores:
    try:
        await migrate(connection, shipped())
        if isinstance(connection, IdentifiedConnection):
            await connection.recognise()  # first, because its errors name who uses the store
        await writer.check_usable()
        await count_what_was_spent(connection, writer)
        await place_observations(connection, writer)
    except BaseException:
        await connection.aclose()
        raise
    return SurrealStores(connection, writer, directory)


_KEY_CHECK: Final = "SELECT VALUE key_check FROM $meta"
_SET_KEY_CHECK: Final = block(NOT_RESTORING, "UPDATE $meta SET key_check = $check WHERE key_check = NONE RETURN NONE;")


async def require_key(connection: Connection, check: str, *, home: Path) -> None:
    """Compare `check`, which the key in `home` makes of a fixed text, with what the store remembers. A store that
    remembers none yet remembers this one. Raises ConfigurationError: the store was made with another key;
    BeingRestored: the store remembers none, and a backup is being restored into it."""
    if await _stored_check(connection) is None:
        with suppress(WriteConflict):  # another process set it a moment earlier; the check below compares
            await run_repeatable(connection, "remember its key", _SET_KEY_CHECK, {"meta": META, "check": check})
    if await _stored_check(connection) != check:
        raise ConfigurationError(
            f"the key in {home} is not the one that this store's hashes were made with: put that one there from your "
            "own copy (one that was made just now may be overwritten)"
        )
    if isinstance(connection, IdentifiedConnection):
        await connection.recognise()


async def _stored_check(connection: Connection) -> str | None:
    found = cast("list[str | None]", await connection.run("read its key's check", _KEY_CHECK, {"meta": META}))
    return found[0] if found else None

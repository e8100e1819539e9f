"""Opening a store: one function, one bundle.

Law: whoever opens a store closes it. An embedded store on disk has one holder, and every other process of its owner is
a guest of that one (`holding`); its directory is 0700 and its files 0600. The schema is brought up to date before
anybody reads a row.

Whether a store is opened with its own key. A store remembers what its key makes of a fixed text, and is not opened with
a key that makes something else of it: the hashes of forgotten rows and of prompts were made with the one it had
(rulings D20, H). The value tells nothing of the key.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

from voice.adapters.disk.private_files import DiskFull
from voice.adapters.extras import require_installed
from voice.adapters.surreal.codec import Record
from voice.adapters.surreal.connection import Connection, WriteConflict, run_repeatable
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.dialect import META, NOT_RESTORING, PAGE, block, key_of
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.location import InMemory, OnDisk, parse_address
from voice.adapters.surreal.schema import LOOK, IdentifiedConnection, migrate, shipped, verify_identity
from voice.adapters.surreal.sharing.holder import own_card
from voice.adapters.surreal.sharing.shared_connection import SharedConnection
from voice.adapters.surreal.stores.reading import record_pages
from voice.adapters.surreal.stores.spending import count_what_was_spent
from voice.adapters.surreal.writer import WriteBackoff, Writer
from voice.core.errors import ConfigurationError
from voice.core.records import PREFIX_OF_TABLE, Table
from voice.core.store_holder import ProcessCard
from voice.core.text.context_path import context_paths, stands_at

_UNPLACED: Final = "SELECT VALUE unplaced FROM $meta"
_PLACED: Final = "UPDATE $meta SET unplaced = NONE RETURN NONE;"
_OF_THOUGHTS: Final = (
    "SELECT VALUE [id, thought_ids, spans] FROM kg_observations WHERE thought_ids CONTAINSANY $thoughts"
)
_PLACE: Final = "FOR $each IN $placed { UPDATE $each.id SET context_path = $each.path RETURN NONE };"

_Cut = tuple[object, list[str], list[int]]
"""An observation's record, the thoughts it rests on, and where in them, start and end in turn."""


async def place_observations(connection: Connection, writer: Writer) -> None:
    """Give every observation of a store from before context paths its own; once.

    Raises:
        StoreUnavailable: another process wrote meanwhile.
    """
    if await connection.run("read its state", _UNPLACED, {"meta": META}) != [True]:
        return

    async def place(seq: int) -> int:
        async for thoughts in record_pages(connection, Table.THOUGHTS):
            await _place_those_of(connection, {_id_of(each): each for each in thoughts})
        await connection.run("say where all observations stand", _PLACED, {"meta": META})
        return seq

    await writer.exclusively("say where observations stand", place)


async def _place_those_of(connection: Connection, thoughts: Mapping[str, Record]) -> None:
    result = await connection.run("list observations", _OF_THOUGHTS, {"thoughts": list(thoughts)})
    placed = list(_placed(cast("list[_Cut]", result), thoughts))
    for start in range(0, len(placed), PAGE):
        await connection.run("say where observations stand", _PLACE, {"placed": placed[start : start + PAGE]})


def _placed(cuts: Sequence[_Cut], thoughts: Mapping[str, Record]) -> Iterator[Record]:
    """Yield each observation that has a path with it; its first place counts."""
    of_thought: dict[str, list[tuple[int, object]]] = {}
    for observation, thought_ids, spans in cuts:
        if thought_ids and thought_ids[0] in thoughts:
            at = stands_at(str(thoughts[thought_ids[0]]["content"]), spans[0], spans[1])
            of_thought.setdefault(thought_ids[0], []).append((at, observation))
    for thought_id, found in of_thought.items():
        found.sort(key=lambda one: one[0])
        thought = thoughts[thought_id]
        source_ref = cast("str | None", thought.get("source_ref"))
        paths = context_paths(str(thought["content"]), [start for start, _ in found], source_ref=source_ref)
        yield from (
            {"id": observation, "path": list(path)} for (_, observation), path in zip(found, paths, strict=True)
        )


def _id_of(thought: Record) -> str:
    return f"{PREFIX_OF_TABLE[Table.THOUGHTS]}:{key_of(thought['id'])}"


WAIT_S: Final = 10.0
"""How long the holder of a store may be silent."""


async def open_store(  # noqa: PLR0913 - each is a setting of the store, said by its name
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

    `home` is the data directory: a relative `surrealkv://` directory is below it. `username` and `password` belong to a
    server (`ws://`, `wss://`). A store on disk that another process holds is used through that one, which may be silent
    for `wait_s` seconds; a server that was there may be gone for as long. On a full disk a store is only read.

    Raises:
        ConfigurationError: `place` is not understood, its directory cannot be a store's, the sign-in is refused, or the
            store is held under another namespace or database.
        StoreHeld: another process has the embedded store open and does not answer; the message names it.
        StoreUnavailable: the disk is full and no other has room, or the server cannot be reached.
        SchemaDrift: the store's schema is not the one this program ships.
        StoreDamaged: a restore into the store did not finish.
    """
    address = OnDisk(directory=place) if isinstance(place, Path) else parse_address(place, home=home)
    if isinstance(address, InMemory):
        engine = await EmbeddedConnection.open("mem://", namespace=namespace, database=database)
        return await _ready(engine, None, Writer(engine))
    if isinstance(address, OnDisk):
        try:
            return await _shared(address.directory, own_card(namespace, database), wait_s)
        except DiskFull as full:
            return await _only_read(address.directory, full, namespace, database)
    server = _server(address.url, (username, password), (namespace, database), wait_s)
    rivals = WriteBackoff()
    return await _ready(server, None, Writer(server, rivals.turn, rivals))


async def _shared(directory: Path, card: ProcessCard, wait_s: float) -> SurrealStores:
    shared = SharedConnection(directory, card, wait_s=wait_s)
    await shared.enter()
    return await _ready(shared, directory, Writer(shared, shared.turn), shared.recognise)


async def _only_read(directory: Path, full: DiskFull, namespace: str, database: str) -> SurrealStores:
    """Open a store on a full disk; its schema must be this program's, for no step can be taken."""
    from voice.adapters.surreal.read_only import ReadOnlyConnection  # noqa: PLC0415 - where a disk is full

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
        raise ConfigurationError("a store server wants both a user and a password, or neither")
    credentials = None if username is None or password is None else Credentials(username=username, password=password)
    return RemoteConnection(url, namespace=names[0], database=names[1], credentials=credentials, wait_s=wait_s)


async def _known_by_its_address() -> None:
    """Know a store again that no other process of this machine can put another one in the place of."""


async def _ready(
    connection: Connection,
    directory: Path | None,
    writer: Writer,
    recognise: Callable[[], Awaitable[None]] = _known_by_its_address,
) -> SurrealStores:
    try:
        await migrate(connection, shipped())
        await recognise()  # first, because it names who uses a store that cannot be
        await writer.check_usable()
        await count_what_was_spent(connection, writer)
        await place_observations(connection, writer)
    except BaseException:
        await connection.aclose()
        raise
    return SurrealStores(connection, writer, directory)


_HELD: Final = "SELECT VALUE key_check FROM $meta"
_HOLD: Final = block(NOT_RESTORING, "UPDATE $meta SET key_check = $check WHERE key_check = NONE RETURN NONE;")


async def require_key(connection: Connection, check: str, *, home: Path) -> None:
    """Compare `check`, what the key in `home` makes of a fixed text, with what the store remembers.

    A store that remembers nothing yet remembers this.

    Raises:
        ConfigurationError: the store was made with another key.
        BeingRestored: it remembers none, and a backup is being restored into it.
    """
    if await _held(connection) is None:
        with suppress(WriteConflict):  # another process made the store its own a moment earlier; then it is asked
            await run_repeatable(connection, "remember its key", _HOLD, {"meta": META, "check": check})
    if await _held(connection) != check:
        raise ConfigurationError(
            f"the key in {home} is not the one that this store's hashes were made with: put that one there from your "
            "own copy (one that was made just now may be overwritten)"
        )
    if isinstance(connection, IdentifiedConnection):
        await connection.recognise()


async def _held(connection: Connection) -> str | None:
    found = cast("list[str | None]", await connection.run("read its key's check", _HELD, {"meta": META}))
    return found[0] if found else None

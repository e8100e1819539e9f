"""Opening a store: one function, one bundle.

Law: whoever opens a store closes it. An embedded store on disk has one holder, and every other process of its owner is
a guest of that one (`holding`); its directory is 0700 and its files 0600. The schema is brought up to date before
anybody reads a row.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from voice.adapters.extras import require_installed
from voice.adapters.surreal.address import InMemory, OnDisk, parse_address
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.embedded import EmbeddedConnection
from voice.adapters.surreal.holding.own_card import own_card
from voice.adapters.surreal.holding.shared import SharedConnection
from voice.adapters.surreal.ledger import migrate, shipped
from voice.adapters.surreal.rivals import Rivals
from voice.adapters.surreal.spending import count_what_was_spent
from voice.adapters.surreal.stores import SurrealStores
from voice.adapters.surreal.writer import Writer
from voice.core.errors import ConfigurationError

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
    for `wait_s` seconds; a server that was there may be gone for as long.

    Raises:
        ConfigurationError: `place` is not understood, its directory cannot be a store's, the sign-in is refused, or the
            store is held under another namespace or database.
        StoreHeld: another process has the embedded store open and does not answer; the message names it.
        StoreUnavailable: the disk is full, or the server cannot be reached.
        SchemaDrift: the store's schema is not the one this program ships.
        StoreDamaged: a restore into the store did not finish.
    """
    address = OnDisk(directory=place) if isinstance(place, Path) else parse_address(place, home=home)
    if isinstance(address, InMemory):
        engine = await EmbeddedConnection.open("mem://", namespace=namespace, database=database)
        return await _ready(engine, None, Writer(engine))
    if isinstance(address, OnDisk):
        card = own_card(namespace, database)
        shared = SharedConnection(address.directory, card, wait_s=wait_s)
        await shared.enter()
        return await _ready(shared, address.directory, Writer(shared, shared.turn), shared.recognise)
    server = _server(address.url, (username, password), (namespace, database), wait_s)
    rivals = Rivals()
    return await _ready(server, None, Writer(server, rivals.turn, rivals))


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
    except BaseException:
        await connection.aclose()
        raise
    return SurrealStores(connection, writer, directory)

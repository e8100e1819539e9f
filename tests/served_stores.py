"""Stores behind servers, each in a namespace and a database of its own; what the suites of stores run on, too.

The servers are started at the first use and serve until the process of the tests ends. One is the engine of the wheel
(`store_bridge`), the other the vendor's engine over RocksDB (`node_bridge`), skipped by name where it is not
installed.
"""

import atexit
import itertools
import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from node_bridge import missing, node_bridge
from store_bridge import PASSWORD, USER, bridge_apart
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.remote import Credentials, RemoteConnection
from voice.core.settings.values import StoreSettings

IN_MEMORY = "in memory"
OVER_WS, OVER_ROCKSDB = "over ws://", "over ws:// to RocksDB"
SERVED = (OVER_WS, OVER_ROCKSDB)
_numbers = itertools.count(1)
_running = ExitStack()
atexit.register(_running.close)


def served(kind: str) -> StoreSettings:
    """Return the settings of a new, empty database of that server."""
    number = next(_numbers)
    return StoreSettings(
        url=_server(kind), user=USER, password=PASSWORD, namespace=f"space{number}", database=f"memory{number}"
    )


async def open_at(place: StoreSettings, home: Path) -> SurrealStores:
    """Open the store that the settings name."""
    assert place.url is not None
    return await open_store(
        place.url,
        home=home,
        username=place.user,
        password=place.password,
        namespace=place.namespace,
        database=place.database,
    )


async def open_connection(kind: str) -> Connection:
    """Open an empty database without a schema: of a server, or in memory."""
    if kind == IN_MEMORY:
        return await EmbeddedConnection.open("mem://", namespace="test", database="test")
    place = served(kind)
    assert place.url is not None
    user = Credentials(username=USER, password=PASSWORD)
    return RemoteConnection(place.url, namespace=place.namespace, database=place.database, credentials=user)


async def open_stores(kind: str, home: Path) -> SurrealStores:
    """Open a new, empty store: of a server, in memory or on disk."""
    if kind in SERVED:
        return await open_at(served(kind), home)
    return await open_store("mem://" if kind == IN_MEMORY else "surrealkv://a store/memory", home=home)


def _directory() -> str:
    # On disk: a transaction of thousands of rows takes the engine's store in memory seconds.
    return _running.enter_context(tempfile.TemporaryDirectory(prefix="voice-served-"))


@cache
def _server(kind: str) -> str:
    if kind == OVER_WS:
        return _running.enter_context(bridge_apart(f"surrealkv://{_directory()}")).url
    lacking = missing()
    if lacking is not None:
        pytest.skip(lacking)
    directory = _directory()
    return _running.enter_context(node_bridge(f"rocksdb://{directory}")).url

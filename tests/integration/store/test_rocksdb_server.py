"""A server that keeps RocksDB files, killed with SIGKILL while it is written to, and come back."""

import asyncio
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from node_bridge import NodeBridge, missing, node_bridge
from store_bridge import PASSWORD, USER
from store_values import thought
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.opening import open_store
from voice.core.errors import OutcomeUnknown, StoreUnavailable
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.skipif(missing() is not None, reason=missing() or "")
KILLS = 4


@pytest.fixture
def server(tmp_path: Path) -> Generator[NodeBridge]:
    with node_bridge(f"rocksdb://{tmp_path / 'served'}") as running:
        yield running


async def _open(server: NodeBridge, home: Path) -> SurrealStores:
    return await open_store(server.url, home=home, username=USER, password=PASSWORD, wait_s=30)


@pytest.mark.requirement("server:survives-kills", "promise:3")
async def test_what_was_acknowledged_is_there_after_every_kill(server: NodeBridge, tmp_path: Path) -> None:
    clients = [await _open(server, tmp_path) for _ in range(3)]
    acknowledged: list[str] = []
    unknown: list[str] = []
    progress = asyncio.Condition()
    over = asyncio.Event()

    async def write(at: int, client: SurrealStores) -> None:
        number = 0
        while not over.is_set():
            number += 1
            row = thought(f"{at}-{number}")
            try:
                with suppress(StoreUnavailable):
                    await client.memory.write(WriteBatch(rows=(row,)))
                    acknowledged.append(row.id)
            except OutcomeUnknown:
                unknown.append(row.id)
            async with progress:
                progress.notify_all()

    writing = [asyncio.create_task(write(at, client)) for at, client in enumerate(clients)]
    for _ in range(KILLS):
        held = len(acknowledged)
        async with progress:
            await progress.wait_for(lambda held=held: len(acknowledged) > held + 5)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
    over.set()
    await asyncio.gather(*writing)
    there = {change.row_id for change in await clients[0].memory.changes(0, 100_000)}
    assert set(acknowledged) <= there
    assert there <= {*acknowledged, *unknown}
    assert len(set(acknowledged)) == len(acknowledged)
    assert await clients[0].maintenance.verify() == []
    for client in clients:
        await client.aclose()


@pytest.mark.requirement("server:one-sequence")
async def test_ten_clients_that_find_an_empty_database_make_one_store(server: NodeBridge, tmp_path: Path) -> None:
    clients = await asyncio.gather(*(_open(server, tmp_path) for _ in range(10)))
    assert len({(await client.memory.head()).store_id for client in clients}) == 1
    for client in clients:
        await client.aclose()

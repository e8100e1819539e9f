"""A store behind a server: the same stores over `ws://`, through everything that happens to a connection."""

import asyncio
import math
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from surrealdb.connections.async_ws import AsyncWsSurrealConnection

from store_bridge import BRIEF, PASSWORD, USER, Bridge, Fault, bridge_apart
from store_values import exchange, full_rows, talk, thought, vector
from voice.adapters.surreal import writer
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.remote import Credentials
from voice.core.errors import ConfigurationError, OutcomeUnknown, StoreUnavailable
from voice.core.records import Thought
from voice.ports.stores import WriteBatch

_WRITE = "UPDATE $meta"
"""Stands in every numbered write."""
_FAULTS = (
    Fault.NOT_CARRIED_OUT,
    Fault.ANSWER_LOST,
    Fault.HALF_A_FRAME,
    Fault.GARBAGE,
    Fault.REFUSED,
    Fault.EXPIRED,
)


async def _open(
    server: Bridge,
    home: Path,
    *,
    user: str = USER,
    wait_s: float = 10.0,
    database: str = "memory",
    space: str = "voice",
) -> SurrealStores:
    return await open_store(
        server.url, home=home, username=user, password=PASSWORD, wait_s=wait_s, namespace=space, database=database
    )


@pytest.fixture
async def stores(server: Bridge, tmp_path: Path) -> AsyncGenerator[SurrealStores]:
    async with await _open(server, tmp_path) as opened:
        yield opened


@pytest.mark.requirement("ruling:B20")
async def test_a_server_keeps_rows_vectors_and_conversations(stores: SurrealStores) -> None:
    rows = full_rows()
    await stores.memory.write(WriteBatch(rows=rows, vectors=(vector(rows[0].id),)))
    await talk(stores.sessions, [exchange(), exchange(index=1)])
    assert set(await stores.memory.fetch([row.id for row in rows])) == {row.id for row in rows}
    loaded = await stores.sessions.load("s:1", window=5)
    assert loaded is not None
    assert [each.index for each in loaded.context_window] == [0, 1]
    assert (await stores.memory.changes(0, 1))[0].vector == vector(rows[0].id)
    assert await stores.maintenance.verify() == []


@pytest.mark.requirement("server:one-sequence", "ruling:H.11")
async def test_many_clients_of_one_server_share_one_sequence_and_lose_nothing(server: Bridge, tmp_path: Path) -> None:
    clients = [await _open(server, tmp_path) for _ in range(4)]
    writes = [
        client.memory.write(WriteBatch(rows=(thought(f"{at}-{place}"),)))
        for place in range(10)
        for at, client in enumerate(clients)
    ]
    assert sorted(await asyncio.gather(*writes)) == list(range(1, 41))
    assert [change.seq for change in await clients[0].memory.changes(0, 100)] == list(range(1, 41))
    assert await clients[0].maintenance.verify() == []
    for client in clients:
        await client.aclose()


@pytest.mark.requirement("server:no-writer-starves")
async def test_writers_that_never_pause_get_their_share_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "LONGEST_S", math.inf)  # on a busy machine it says nothing; the shares do
    count, wanted = 3, 120
    with bridge_apart() as server:
        server.delay_s = 0.001
        clients = [await _open(server, tmp_path) for _ in range(count)]
        done = [0] * count

        async def write_on(which: int) -> None:
            while sum(done) < wanted:
                await clients[which].memory.write(WriteBatch(rows=(thought(f"{which}-{done[which]}"),)))
                done[which] += 1

        async with asyncio.TaskGroup() as group:
            for which in range(count):
                group.create_task(write_on(which))
        assert len(await clients[0].memory.changes(0, 1000)) == sum(done)
        for client in clients:
            await client.aclose()
    assert min(done) >= wanted / count / 6


@pytest.mark.requirement("ruling:H.2c")
async def test_what_a_server_cannot_read_is_not_called_torn_files_of_this_machine(
    stores: SurrealStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unread(*_: object) -> object:
        words = "An error occurred: Failed to scan record"
        return {"result": [{"status": "ERR", "kind": "Thrown", "result": words}]}

    monkeypatch.setattr(AsyncWsSurrealConnection, "query_raw", unread)
    with pytest.raises(StoreUnavailable, match="see its log"):
        await stores.memory.status()


@pytest.mark.requirement("server:survives-a-restart", "promise:3")
async def test_a_restarted_server_has_what_was_acknowledged(server: Bridge, stores: SurrealStores) -> None:
    for at in range(3):
        await stores.memory.write(WriteBatch(rows=(thought(str(at)),)))
        await server.restart()
    assert [change.row_id for change in await stores.memory.changes(0, 9)] == ["t:0", "t:1", "t:2"]
    assert server.signed_in == 4


@pytest.mark.requirement("server:survives-a-restart")
async def test_a_server_that_stays_away_is_not_waited_for_for_ever(server: Bridge, tmp_path: Path) -> None:
    stores = await _open(server, tmp_path, wait_s=0)
    await server.stop()
    with pytest.raises(StoreUnavailable, match="SURR_DB_URL"):
        await stores.memory.status()
    await stores.aclose()
    await server.start()
    with pytest.raises(StoreUnavailable, match="closed"):
        await stores.memory.status()


@pytest.mark.requirement("server:reads-go-again")
async def test_a_read_that_was_disturbed_is_asked_again(server: Bridge, stores: SurrealStores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    for times, fault in enumerate(_FAULTS, start=2):
        server.fail(fault)
        assert (await stores.memory.status()).last_seq == 1, fault
        assert server.signed_in == times, fault


@pytest.mark.requirement("server:writes-once", "promise:3")
async def test_a_write_that_was_disturbed_happens_once(server: Bridge, stores: SurrealStores) -> None:
    for number, fault in enumerate(_FAULTS, start=1):
        server.fail(fault, at=_WRITE)
        assert await stores.memory.write(WriteBatch(rows=(thought(str(number)),))) == number, fault
    assert [change.row_id for change in await stores.memory.changes(0, 9)] == [f"t:{n}" for n in range(1, 7)]
    assert await stores.maintenance.verify() == []


@pytest.mark.requirement("server:writes-once", "sessions:conflict")
async def test_a_turn_whose_answer_was_lost_is_kept_once_and_is_no_conflict(
    server: Bridge, stores: SurrealStores
) -> None:
    server.fail(Fault.ANSWER_LOST, at=_WRITE, times=2)
    await talk(stores.sessions, [exchange(), exchange(index=1)])
    assert [each.index for each in await stores.sessions.exchanges(session_id="s:1")] == [0, 1]
    assert server.signed_in == 3


@pytest.mark.requirement("server:outcome-unknown", "promise:3")
async def test_a_write_of_which_nobody_knows_is_said_to_be_unknown(server: Bridge, tmp_path: Path) -> None:
    stores = await _open(server, tmp_path, wait_s=0)
    server.fail(Fault.ANSWER_LOST, at=_WRITE)
    server.fail(Fault.NOT_CARRIED_OUT, at="FROM $mark", times=3)
    with pytest.raises(OutcomeUnknown, match="unknown whether"):
        await stores.memory.write(WriteBatch(rows=(thought(),)))
    assert (await stores.memory.status()).last_seq == 1
    await stores.memory.write(WriteBatch(rows=(thought("2"),)))
    assert await stores.maintenance.verify() == []
    await stores.aclose()


@pytest.mark.requirement("server:typed-errors")
@pytest.mark.parametrize(("user", "password"), [(USER, "wrong"), (None, None)])
async def test_a_wrong_password_or_none_is_a_matter_of_configuration(
    server: Bridge, tmp_path: Path, user: str | None, password: str | None
) -> None:
    with pytest.raises(ConfigurationError, match="user and password") as caught:
        await open_store(server.url, home=tmp_path, username=user, password=password)
    assert "wrong" not in str(caught.value)


@pytest.mark.requirement("server:users-of-a-database")
async def test_a_user_of_one_namespace_or_database_is_let_in_and_nowhere_else(
    server: Bridge, stores: SurrealStores, tmp_path: Path
) -> None:
    await stores.connection.run("make a user", f"DEFINE USER ann ON DATABASE PASSWORD '{PASSWORD}' ROLES OWNER")
    async with await _open(server, tmp_path, user="ann") as hers:
        assert await hers.memory.write(WriteBatch(rows=(thought(),))) == 1
    with pytest.raises(ConfigurationError):
        await _open(server, tmp_path, user="ann", space="another")
    assert (await stores.memory.status()).last_seq == 1


@pytest.mark.requirement("server:signs-in-again")
async def test_a_session_of_the_server_that_ends_by_itself_is_begun_again(server: Bridge, tmp_path: Path) -> None:
    async with await _open(server, tmp_path, user=BRIEF) as stores:
        while server.signed_in == 1:  # the server ends it after a second
            assert (await stores.memory.status()).last_seq == 0
        assert await stores.memory.write(WriteBatch(rows=(thought(),))) == 1


@pytest.mark.requirement("server:slow-and-large")
async def test_a_slow_link_carries_many_questions_at_once(server: Bridge, stores: SurrealStores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    server.delay_s = 0.2
    answers = await asyncio.gather(*(stores.memory.head() for _ in range(10)))
    assert {answer.last_seq for answer in answers} == {1}
    assert await stores.memory.write(WriteBatch(rows=(thought("2"),))) == 2


@pytest.mark.requirement("server:slow-and-large")
async def test_an_answer_that_does_not_come_in_time_is_said_to_be_missing(
    server: Bridge, stores: SurrealStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surrealdb.connections.async_ws._RPC_RECV_TIMEOUT", 0.05)
    server.delay_s = 0.3
    with pytest.raises(StoreUnavailable, match="in time"):
        await stores.memory.head()
    with pytest.raises(OutcomeUnknown, match="in time"):
        await stores.metrics.record("turn", thought().created_at, {})


@pytest.mark.requirement("server:slow-and-large")
async def test_a_huge_answer_arrives_whole(stores: SurrealStores) -> None:
    long = "wörter " * 300_000
    await stores.memory.write(WriteBatch(rows=tuple(thought(str(at), content=long + str(at)) for at in range(4))))
    found = await stores.memory.changes(0, 10)
    arrived = [change.row.content for change in found if isinstance(change.row, Thought)]
    assert arrived == [long + str(at) for at in range(4)]


def test_a_password_is_in_no_representation() -> None:
    assert PASSWORD not in repr(Credentials(username=USER, password=PASSWORD))
    assert USER in repr(Credentials(username=USER, password=PASSWORD))

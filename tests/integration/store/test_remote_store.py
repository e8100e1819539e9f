"""A store behind a server: the same stores over `ws://`, signed in again whenever the connection was lost."""

from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path

import pytest

from store_bridge import PASSWORD, USER, Bridge, bridge
from store_values import exchange, full_rows, talk, thought, vector
from voice.adapters.surreal import SurrealStores, open_store
from voice.adapters.surreal.remote import RemoteConnection
from voice.core.errors import ConfigurationError, StoreUnavailable
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.anyio


@pytest.fixture
async def server() -> AsyncGenerator[Bridge]:
    async with bridge() as running:
        yield running


@pytest.fixture
async def stores(server: Bridge, tmp_path: Path) -> AsyncGenerator[SurrealStores]:
    async with await open_store(server.url, home=tmp_path, username=USER, password=PASSWORD) as opened:
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


@pytest.mark.requirement("ruling:H.11")
async def test_two_clients_of_one_server_share_one_sequence(
    server: Bridge, stores: SurrealStores, tmp_path: Path
) -> None:
    async with await open_store(server.url, home=tmp_path, username=USER, password=PASSWORD) as other:
        for place in range(4):
            await stores.memory.write(WriteBatch(rows=(thought(f"a{place}"),)))
            await other.memory.write(WriteBatch(rows=(thought(f"b{place}"),)))
        assert [change.seq for change in await other.memory.changes(0, 100)] == list(range(1, 9))


async def test_after_a_lost_connection_the_client_signs_in_again(server: Bridge, stores: SurrealStores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    await server.drop_everybody()
    with suppress(StoreUnavailable):  # the SDK may notice at once that the socket is gone, or only when it sends
        await stores.memory.status()
    assert (await stores.memory.status()).last_seq == 1
    assert server.signed_in == 2
    assert await stores.memory.write(WriteBatch(rows=(thought("2"),))) == 2


async def test_a_statement_that_was_refused_to_a_stranger_is_sent_again(server: Bridge, stores: SurrealStores) -> None:
    server.refusals = 1
    assert (await stores.memory.status()).last_seq == 0
    assert server.signed_in == 2


async def test_a_write_whose_answer_was_lost_is_not_sent_twice(server: Bridge, stores: SurrealStores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    server.drop_next = True
    with pytest.raises(StoreUnavailable):
        await stores.memory.write(WriteBatch(vectors=(vector("t:1"),)))
    assert (await stores.memory.status()).last_seq in (1, 2)
    await stores.memory.write(WriteBatch(rows=(thought("2"),)))
    assert await stores.maintenance.verify() == []


async def test_a_wrong_password_is_a_matter_of_configuration(server: Bridge, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="user and password") as caught:
        await open_store(server.url, home=tmp_path, username=USER, password="wrong")
    assert "wrong" not in str(caught.value)


async def test_closing_a_broken_connection_is_closing(server: Bridge, tmp_path: Path) -> None:
    stores = await open_store(server.url, home=tmp_path, username=USER, password=PASSWORD)
    await server.drop_everybody()
    await stores.aclose()
    await stores.aclose()


async def test_a_stranger_is_refused_as_a_matter_of_configuration(server: Bridge, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="user and password"):
        await open_store(server.url, home=tmp_path)


async def test_a_user_who_may_not_is_told_so_after_one_more_sign_in(server: Bridge, stores: SurrealStores) -> None:
    server.refusals = 3
    with pytest.raises(ConfigurationError, match="user and password"):
        await stores.memory.status()
    assert server.signed_in == 2


async def test_a_socket_that_breaks_while_it_is_closed_is_closed() -> None:
    connection = RemoteConnection("ws://127.0.0.1:1", namespace="n", database="d", credentials=None)

    class Broken:
        async def close(self) -> None:
            raise OSError

    connection._client = Broken()  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    await connection.aclose()

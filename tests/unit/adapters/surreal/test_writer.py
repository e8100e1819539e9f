"""Writers that do not know of one another, as on a cluster: two bundles over one database."""

import asyncio
import itertools
from collections.abc import AsyncGenerator

import pytest

from store_values import exchange, session, thought
from voice.adapters.surreal.connection import Params, WriteConflict
from voice.adapters.surreal.dialect import META
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.schema import migrate, shipped
from voice.adapters.surreal.stores.rows import SurrealMemoryStore
from voice.adapters.surreal.stores.sessions import SurrealSessionStore
from voice.adapters.surreal.writer import LONGEST_S, Write, WriteBackoff, Writer
from voice.core.errors import InvalidParams, SessionConflict, StoreDamaged, StoreError, StoreUnavailable
from voice.core.session.lifecycle import append
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.anyio


@pytest.fixture
async def connection() -> AsyncGenerator[EmbeddedConnection]:
    opened = await EmbeddedConnection.open("mem://", namespace="test", database="test")
    await migrate(opened, shipped())
    yield opened
    await opened.aclose()


class Meddled:
    """A connection on which another writer writes a row just before each of our first writes."""

    def __init__(self, connection: EmbeddedConnection, times: int) -> None:
        self._connection = connection
        self._other = SurrealMemoryStore(connection, Writer(connection))
        self.times = times

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        if "$bumped" in text and self.times:
            self.times -= 1
            await self._other.write(WriteBatch(rows=(thought(f"meddled{self.times}"),)))
        return await self._connection.run(purpose, text, params)

    async def aclose(self) -> None: ...


@pytest.mark.requirement("ruling:H.11")
async def test_a_slower_writer_decides_again_and_no_number_is_given_twice(connection: EmbeddedConnection) -> None:
    meddled = Meddled(connection, times=3)
    store = SurrealMemoryStore(meddled, Writer(meddled))
    assert await store.write(WriteBatch(rows=(thought("mine"),))) == 4
    changes = await store.changes(0, 10)
    assert [(change.seq, change.row_id) for change in changes][-1] == (4, "t:mine")
    assert [change.seq for change in changes] == [1, 2, 3, 4]


@pytest.mark.requirement("ruling:H.11", "promise:3")
async def test_many_writers_of_many_bundles_give_out_every_number_once(connection: EmbeddedConnection) -> None:
    stores = [SurrealMemoryStore(connection, Writer(connection)) for _ in range(4)]
    await asyncio.gather(
        *(
            store.write(WriteBatch(rows=(thought(f"{which}-{place}"),)))
            for which, store in enumerate(stores)
            for place in range(6)
        )
    )
    assert [change.seq for change in await stores[0].changes(0, 100)] == list(range(1, 25))


async def test_a_row_that_another_writer_changed_first_is_refused(connection: EmbeddedConnection) -> None:
    first, second = (SurrealMemoryStore(connection, Writer(connection)) for _ in range(2))
    await first.write(WriteBatch(rows=(thought(),)))
    await second.write(WriteBatch(rows=(thought(content="Theirs.", revision=2),)))
    with pytest.raises(InvalidParams, match="changed meanwhile"):
        await first.write(WriteBatch(rows=(thought(content="Ours.", revision=2),)))


@pytest.mark.requirement("ruling:D21")
async def test_a_session_that_another_writer_saved_first_is_a_conflict(connection: EmbeddedConnection) -> None:
    meddled = Meddled(connection, times=2)
    ours = SurrealSessionStore(meddled, Writer(meddled))
    theirs = SurrealSessionStore(connection, Writer(connection))
    turn = exchange()
    saved = await theirs.save(append(session(), turn), [turn], expected=0)
    with pytest.raises(SessionConflict):
        await ours.save(append(session(), turn), [turn], expected=0)
    following = exchange(index=1)
    assert (await ours.save(append(saved, following), [following], expected=1)).revision == 2


@pytest.mark.requirement("server:no-writer-starves")
async def test_a_writer_that_is_slower_all_the_time_it_has_gives_up_and_says_so(connection: EmbeddedConnection) -> None:
    meddled = Meddled(connection, times=99)
    asked = itertools.count()
    rivals = WriteBackoff(chance=lambda: 0.0, clock=lambda: LONGEST_S * next(asked) / 30)
    with pytest.raises(StoreUnavailable, match="faster every time for 30 seconds"):
        await SurrealMemoryStore(meddled, Writer(meddled, rivals=rivals)).write(WriteBatch(rows=(thought("mine"),)))
    assert 0 < meddled.times < 95


async def test_the_engines_own_conflict_is_tried_again(connection: EmbeddedConnection) -> None:
    class Conflicting(Meddled):
        async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
            if "$bumped" in text and self.times:
                self.times -= 1
                raise WriteConflict("first")
            return await connection.run(purpose, text, params)

    conflicting = Conflicting(connection, times=2)
    assert await SurrealMemoryStore(conflicting, Writer(conflicting)).write(WriteBatch(rows=(thought(),))) == 1


@pytest.mark.requirement("ruling:D25")
async def test_a_cancelled_write_happened_as_a_whole_or_not_at_all(connection: EmbeddedConnection) -> None:
    store = SurrealMemoryStore(connection, Writer(connection))
    for place in range(12):
        batch = WriteBatch(rows=tuple(thought(f"{place}-{each}") for each in range(20)))
        task = asyncio.create_task(store.write(batch))
        for _ in range(place):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert await store.write(WriteBatch(rows=(thought("after"),))) % 20 == 1
    counts = {change.row_id.partition("-")[0] for change in await store.changes(0, 1000)}
    assert len(await store.changes(0, 1000)) == 20 * (len(counts) - 1) + 1


async def test_a_write_whose_steps_throw_another_code_is_not_tried_again(connection: EmbeddedConnection) -> None:
    writer = Writer(connection)
    calls: list[int] = []

    async def decide(last_seq: int) -> Write:
        calls.append(last_seq)
        return Write(steps=("THROW 'other';",), params={}, numbers=1)

    with pytest.raises(StoreError):
        await writer.commit("test", decide)
    assert (calls, await writer.last_seq()) == ([0], 0)


async def test_deciding_to_write_nothing_writes_nothing(connection: EmbeddedConnection) -> None:
    async def decide(_: int) -> None:
        return None

    assert await Writer(connection).commit("test", decide) == 0


@pytest.mark.requirement("ruling:H.2a")
async def test_work_that_wants_the_store_for_itself_notices_another_process(connection: EmbeddedConnection) -> None:
    other = SurrealMemoryStore(connection, Writer(connection))

    async def work(last_seq: int) -> int:
        await other.write(WriteBatch(rows=(thought(),)))
        return last_seq

    with pytest.raises(StoreUnavailable, match="another process"):
        await Writer(connection).exclusively("count", work)


async def test_a_store_that_does_not_know_itself_is_damaged(connection: EmbeddedConnection) -> None:
    await connection.run("damage", "DELETE $meta", {"meta": META})
    with pytest.raises(StoreDamaged):
        await Writer(connection).last_seq()


async def test_a_store_whose_restore_did_not_finish_is_not_usable(connection: EmbeddedConnection) -> None:
    await Writer(connection).check_usable()
    await connection.run("damage", "UPDATE $meta SET restoring = true", {"meta": META})
    with pytest.raises(StoreDamaged, match="did not finish"):
        await Writer(connection).check_usable()

"""Writers that do not know of one another, as on a cluster: two bundles over one database.

Writers that ask nobody for a turn make room for one another.
A write whose answer was lost is looked up, and done again only where it did not happen.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from decimal import Decimal

import pytest

from store_values import NOON, exchange, session, thought
from voice.adapters.surreal.connection import META, Connection, Params, RecordID, WriteConflict, run_repeatable
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.stores.rows import SurrealMemoryStore
from voice.adapters.surreal.stores.sessions import SurrealSessionStore
from voice.adapters.surreal.stores.spending import SurrealSpendStore
from voice.adapters.surreal.writer import LONGEST_S, Write, WriteBackoff, Writer
from voice.core.errors import InvalidParams, OutcomeUnknown, SessionConflict, StoreDamaged, StoreError, StoreUnavailable
from voice.core.session.budgets import AmountSpent, OpenCall
from voice.core.session.lifecycle import append
from voice.ports.stores import WriteBatch


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
    writers = [(store, f"{which}-{place}") for which, store in enumerate(stores) for place in range(6)]
    await asyncio.gather(*(store.write(WriteBatch(rows=(thought(key),))) for store, key in writers))
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
    with pytest.raises(StoreUnavailable, match="first for 30 seconds"):
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


TRY_S = 0.01


class Clock:
    """Time that passes when a test lets it."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def _rivals(chance: float = 0.5) -> tuple[WriteBackoff, Clock]:
    clock = Clock()
    return WriteBackoff(chance=lambda: chance, clock=clock), clock


@pytest.mark.requirement("server:no-writer-starves")
async def test_who_met_another_one_stands_back_after_its_write_and_reads_the_number_again() -> None:
    rivals, clock = _rivals()
    async with rivals.turn() as is_known:
        assert is_known
    rivals.lost(1, TRY_S)
    rivals.won(TRY_S)
    assert TRY_S < rivals.stand_back_s() < 2 * TRY_S
    async with rivals.turn() as is_known:
        assert not is_known
    clock.now += 2
    assert rivals.stand_back_s() == 0
    async with rivals.turn() as is_known:
        assert is_known
    rivals.won(TRY_S)
    assert rivals.stand_back_s() == 0


@pytest.mark.requirement("server:no-writer-starves")
def test_who_writes_without_a_break_looks_out_for_others_now_and_then() -> None:
    rivals, clock = _rivals()
    waited: list[bool] = []
    for _ in range(24):
        clock.now += TRY_S
        rivals.won(TRY_S)
        waited.append(rivals.stand_back_s() > 0)
        clock.now += rivals.stand_back_s()
    assert waited.count(True) == 3


@pytest.mark.requirement("server:no-writer-starves")
def test_who_writes_now_and_then_waits_for_nobody() -> None:
    rivals, clock = _rivals()
    for _ in range(24):
        clock.now += 5 * TRY_S
        rivals.won(TRY_S)
        assert rivals.stand_back_s() == 0


@pytest.mark.requirement("server:no-writer-starves")
def test_who_lost_comes_again_within_a_few_tries_however_often_it_lost() -> None:
    rivals, _ = _rivals(chance=0.999)
    waits = [rivals.lost(losses, TRY_S) for losses in range(1, 60)]
    assert waits == sorted(waits)
    assert max(waits) < 4 * TRY_S
    assert _rivals(chance=0.0)[0].lost(9, TRY_S) == 0


class Losing:
    """A connection that loses the answers to writes, before or after they were carried out."""

    def __init__(self, inner: Connection, *, lost: str, times: int = 1) -> None:
        self._inner = inner
        self._lost = lost
        self._times = times
        self.writes = 0

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        if purpose == "look up a write" and self._lost == "for good":
            raise StoreUnavailable("the holder is silent")
        if purpose != "write" or not self._times:
            return await self._inner.run(purpose, text, params)
        self._times -= 1
        self.writes += 1
        if self._lost != "before":
            await self._inner.run(purpose, text, params)
        raise OutcomeUnknown("the holder went away")

    async def aclose(self) -> None:
        await self._inner.aclose()


def _adding(key: str) -> Callable[[int], Awaitable[Write]]:
    async def decide(last: int) -> Write:
        return Write(steps=("CREATE $made SET value = $value RETURN NONE;",), params=_made(key, last), numbers=1)

    return decide


def _made(key: str, last: int) -> dict[str, object]:
    return {"made": RecordID("things", key), "value": last}


@pytest.mark.requirement("holder:unknown", "holder:killed")
@pytest.mark.parametrize("lost", ["before", "after"])
async def test_a_write_whose_answer_was_lost_happens_once(lost: str, inner: EmbeddedConnection) -> None:
    losing = Losing(inner, lost=lost, times=3 if lost == "before" else 1)
    writer = Writer(losing)
    assert await writer.commit("write", _adding("a")) == 1
    assert await writer.commit("write", _adding("b")) == 2
    assert await inner.run("look", "SELECT VALUE value FROM things ORDER BY value") == [0, 1]


@pytest.mark.requirement("holder:unknown")
async def test_a_write_that_can_be_looked_up_nowhere_is_unknown(inner: EmbeddedConnection) -> None:
    losing = Losing(inner, lost="for good")
    with pytest.raises(OutcomeUnknown):
        await Writer(losing).commit("write", _adding("a"))
    assert losing.writes == 1


@pytest.mark.requirement("holder:unknown")
async def test_a_write_is_told_apart_from_another_ones_that_took_its_number(inner: EmbeddedConnection) -> None:
    losing = Losing(inner, lost="before")
    mine, other = Writer(losing), Writer(inner)

    async def decide(last: int) -> Write:
        if last == 0:
            await other.commit("write", _adding("theirs"))
        return await _adding("mine")(last)

    assert await mine.commit("write", decide) == 2
    assert await inner.run("look", "SELECT VALUE value FROM things ORDER BY value") == [0, 1]


@pytest.mark.requirement("holder:unknown")
async def test_what_comes_to_the_same_when_it_is_done_twice_is_done_again(inner: EmbeddedConnection) -> None:
    losing = Losing(inner, lost="after", times=2)
    await run_repeatable(losing, "write", "UPSERT $made SET value = $value", _made("a", 7))
    assert losing.writes == 2
    assert await inner.run("look", "SELECT VALUE value FROM things") == [7]
    losing = Losing(inner, lost="before", times=1000)
    with pytest.raises(OutcomeUnknown):
        await run_repeatable(losing, "write", "RETURN 1")


@pytest.mark.requirement("holder:unknown")
async def test_a_rival_that_writes_while_a_lost_write_is_looked_up_makes_nothing_unknown(
    inner: EmbeddedConnection,
) -> None:

    class Overtaken(Losing):
        """Another writer is at work after each statement that reads."""

        rivals = 3

        async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
            found = await super().run(purpose, text, params)
            if purpose in ("look up a write", "read its state") and self.writes and self.rivals:
                self.rivals -= 1
                await Writer(inner).commit("write", _adding(f"theirs {self.rivals}"))
            return found

    overtaken = Overtaken(inner, lost="before")
    assert await Writer(overtaken).commit("write", _adding("mine")) > 1
    assert await inner.run("look", "SELECT VALUE record::id(id) FROM things WHERE record::id(id) = 'mine'") == ["mine"]


@pytest.mark.requirement("holder:unknown", "spending:caps")
@pytest.mark.parametrize("lost", ["before", "after"])
async def test_a_call_whose_note_was_lost_counts_once(lost: str, connection: EmbeddedConnection) -> None:
    class LosingNotes(Losing):
        async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
            return await super().run("write" if purpose == "note a call" else purpose, text, params)

    losing = LosingNotes(connection, lost=lost, times=2)
    store = SurrealSpendStore(losing, Writer(losing))
    begun = AmountSpent(at_worst=Decimal("0.25"), unknown=1)
    call = OpenCall(id="x:1", session_id="s:1", model="vendor/paid", began_at=NOON, worst=begun)
    await store.begin(call)
    assert [each.worst for each in await store.open_calls()] == [begun]
    await asyncio.gather(store.begin(call), store.begin(call))
    assert [each.worst for each in await store.open_calls()] == [begun + begun + begun]

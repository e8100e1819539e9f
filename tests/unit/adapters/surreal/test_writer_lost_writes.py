"""A write whose answer was lost is looked up, and done again only where it did not happen."""

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal

import pytest

from store_values import NOON
from voice.adapters.surreal.connection import Connection, Params, run_repeatable
from voice.adapters.surreal.dialect import RecordID
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.schema import migrate, shipped
from voice.adapters.surreal.stores.spending import SurrealSpendStore
from voice.adapters.surreal.writer import Write, Writer
from voice.core.errors import OutcomeUnknown, StoreUnavailable
from voice.core.session.spending_caps import AmountSpent, OpenCall

pytestmark = pytest.mark.anyio


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
async def test_a_write_whose_answer_was_lost_happens_once(lost: str) -> None:
    inner = await EmbeddedConnection.open("mem://", namespace="n", database="d")
    await migrate(inner, shipped())
    await inner.run("define", "DEFINE TABLE things")
    losing = Losing(inner, lost=lost, times=3 if lost == "before" else 1)
    writer = Writer(losing)
    assert await writer.commit("write", _adding("a")) == 1
    assert await writer.commit("write", _adding("b")) == 2
    assert await inner.run("look", "SELECT VALUE value FROM things ORDER BY value") == [0, 1]
    await inner.aclose()


@pytest.mark.requirement("holder:unknown")
async def test_a_write_that_can_be_looked_up_nowhere_is_unknown() -> None:
    inner = await EmbeddedConnection.open("mem://", namespace="n", database="d")
    await migrate(inner, shipped())
    await inner.run("define", "DEFINE TABLE things")
    losing = Losing(inner, lost="for good")
    with pytest.raises(OutcomeUnknown):
        await Writer(losing).commit("write", _adding("a"))
    assert losing.writes == 1
    await inner.aclose()


@pytest.mark.requirement("holder:unknown")
async def test_a_write_is_told_apart_from_another_ones_that_took_its_number() -> None:
    inner = await EmbeddedConnection.open("mem://", namespace="n", database="d")
    await migrate(inner, shipped())
    await inner.run("define", "DEFINE TABLE things")
    losing = Losing(inner, lost="before")
    mine, other = Writer(losing), Writer(inner)

    async def decide(last: int) -> Write:
        if last == 0:
            await other.commit("write", _adding("theirs"))
        return await _adding("mine")(last)

    assert await mine.commit("write", decide) == 2
    assert await inner.run("look", "SELECT VALUE value FROM things ORDER BY value") == [0, 1]
    await inner.aclose()


@pytest.mark.requirement("holder:unknown")
async def test_what_comes_to_the_same_when_it_is_done_twice_is_done_again() -> None:
    inner = await EmbeddedConnection.open("mem://", namespace="n", database="d")
    await migrate(inner, shipped())
    await inner.run("define", "DEFINE TABLE things")
    losing = Losing(inner, lost="after", times=2)
    await run_repeatable(losing, "write", "UPSERT $made SET value = $value", _made("a", 7))
    assert losing.writes == 2
    assert await inner.run("look", "SELECT VALUE value FROM things") == [7]
    losing = Losing(inner, lost="before", times=1000)
    with pytest.raises(OutcomeUnknown):
        await run_repeatable(losing, "write", "RETURN 1")
    await inner.aclose()


@pytest.mark.requirement("holder:unknown")
async def test_a_rival_that_writes_while_a_lost_write_is_looked_up_makes_nothing_unknown() -> None:
    inner = await EmbeddedConnection.open("mem://", namespace="n", database="d")
    await migrate(inner, shipped())
    await inner.run("define", "DEFINE TABLE things")

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
    await inner.aclose()


@pytest.mark.requirement("holder:unknown", "spending:caps")
@pytest.mark.parametrize("lost", ["before", "after"])
async def test_a_call_whose_note_was_lost_counts_once(lost: str) -> None:
    inner = await EmbeddedConnection.open("mem://", namespace="n", database="d")
    await migrate(inner, shipped())

    class LosingNotes(Losing):
        async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
            return await super().run("write" if purpose == "note a call" else purpose, text, params)

    losing = LosingNotes(inner, lost=lost, times=2)
    store = SurrealSpendStore(losing, Writer(losing))
    begun = AmountSpent(at_worst=Decimal("0.25"), unknown=1)
    call = OpenCall(id="x:1", session_id="s:1", model="vendor/paid", began_at=NOON, worst=begun)
    await store.begin(call)
    assert [each.worst for each in await store.open_calls()] == [begun]
    await asyncio.gather(store.begin(call), store.begin(call))
    assert [each.worst for each in await store.open_calls()] == [begun + begun + begun]
    await inner.aclose()

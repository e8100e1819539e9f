"""Rows are decoded once, and what is returned is still what the store holds."""

from collections.abc import AsyncGenerator, Sequence
from typing import cast

import pytest

from store_values import NOON, thought
from voice.adapters.surreal.connection import Params
from voice.adapters.surreal.embedded import EmbeddedConnection
from voice.adapters.surreal.ledger import migrate, shipped
from voice.adapters.surreal.memory_store import SurrealMemoryStore
from voice.adapters.surreal.remembered import MOST_CHARS, RememberedRows
from voice.adapters.surreal.writer import Writer
from voice.core.records import Thought, Tombstone
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.anyio


class Counting:
    """A connection that counts the rows it is asked for."""

    def __init__(self, connection: EmbeddedConnection) -> None:
        self._connection = connection
        self.rows = 0

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        self.rows += len(cast("Sequence[object]", (params or {}).get("rows", ())))
        return await self._connection.run(purpose, text, params)

    async def aclose(self) -> None: ...


@pytest.fixture
async def counting() -> AsyncGenerator[Counting]:
    opened = await EmbeddedConnection.open("mem://", namespace="test", database="test")
    await migrate(opened, shipped())
    yield Counting(opened)
    await opened.aclose()


def content_of(row: object) -> str:
    return cast("Thought", row).content


@pytest.mark.requirement("server:rows-decoded-once")
async def test_a_row_that_stays_as_it_is_is_read_once(counting: Counting) -> None:
    store = SurrealMemoryStore(counting, Writer(counting))
    await store.write(WriteBatch(rows=(thought("a"), thought("b"))))
    first = await store.fetch(["t:a"])
    assert (await store.fetch(["t:a", "t:b"])) == {**first, "t:b": (await store.fetch(["t:b"]))["t:b"]}
    assert counting.rows == 2


@pytest.mark.requirement("server:rows-decoded-once")
async def test_a_row_that_another_writer_changed_is_read_as_it_is_now(counting: Counting) -> None:
    ours, theirs = (SurrealMemoryStore(counting, Writer(counting)) for _ in range(2))
    await ours.write(WriteBatch(rows=(thought("a", content="First."), thought("b"))))
    await ours.fetch(["t:a", "t:b"])
    await theirs.write(WriteBatch(rows=(thought("a", content="Second.", revision=2),)))
    found = await ours.fetch(["t:a", "t:b"])
    assert content_of(found["t:a"]) == "Second."
    assert found.keys() == {"t:a", "t:b"}


@pytest.mark.requirement("server:rows-decoded-once")
async def test_a_row_that_another_writer_forgot_is_not_remembered(counting: Counting) -> None:
    ours, theirs = (SurrealMemoryStore(counting, Writer(counting)) for _ in range(2))
    await ours.write(WriteBatch(rows=(thought("a"), thought("b"))))
    assert (await ours.fetch(["t:a", "t:b"])).keys() == {"t:a", "t:b"}
    gone = Tombstone(row_id="t:a", keyed_hash="0" * 64, reason="forgotten", at=NOON)
    await theirs.write(WriteBatch(tombstones=(gone,)))
    assert (await ours.fetch(["t:a", "t:b"])).keys() == {"t:b"}


async def test_long_rows_and_those_used_least_are_read_each_time(counting: Counting) -> None:
    store = SurrealMemoryStore(counting, Writer(counting))
    short = tuple(thought(name) for name in "abc")
    await store.write(WriteBatch(rows=(*short, thought("long", content="x" * (MOST_CHARS + 1)))))
    rows = RememberedRows(connection=counting, most=2)
    for wanted in (["t:long"], ["t:a"], ["t:b"], ["t:c"]):
        assert (await rows.read(wanted)).keys() == set(wanted)
    before = counting.rows
    await rows.read(["t:b", "t:c"])
    assert counting.rows == before
    await rows.read(["t:a", "t:long"])
    assert counting.rows == before + 2

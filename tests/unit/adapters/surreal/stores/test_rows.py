"""Rows are decoded once, and what is returned is still what the store holds."""

from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import cast

import anyio
import pytest

from store_values import NOON, thought
from voice.adapters.surreal.connection import META, PAGE, AnswerTooLong, Params, row_record
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.stores.reading import MOST_CHARS, RememberedRows
from voice.adapters.surreal.stores.rows import SurrealMemoryStore
from voice.adapters.surreal.writer import Writer
from voice.core.records import Thought, Tombstone
from voice.core.text.normalise import content_hash
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("server:rows-decoded-once")


class Counting:
    """A connection that counts the rows it is asked for; it answers `most` at once, and then `write` is done."""

    write: Awaitable[object] | None = None
    most = PAGE

    def __init__(self, connection: EmbeddedConnection) -> None:
        self._connection = connection
        self.rows = 0

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        asked = len(cast("Sequence[object]", (params or {}).get("rows", ())))
        if asked > self.most:
            raise AnswerTooLong("ask for less")
        self.rows += asked
        answer = await self._connection.run(purpose, text, params)
        if asked and self.write:
            write, self.write = self.write, None
            await write
        return answer

    async def aclose(self) -> None: ...


class Watching(Counting):
    """One that counts its statements, and tells whether anything was written."""

    statements = 0

    @property
    def epoch(self) -> object | None:
        return self._connection.epoch

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        self.statements += 1
        return await super().run(purpose, text, params)


@pytest.fixture
def counting(connection: EmbeddedConnection) -> Counting:
    return Counting(connection)


@pytest.fixture
def watching(connection: EmbeddedConnection) -> Watching:
    return Watching(connection)


def content_of(row: object) -> str:
    return cast("Thought", row).content


async def test_a_row_that_stays_as_it_is_is_read_once(counting: Counting) -> None:
    store = SurrealMemoryStore(counting, Writer(counting))
    await store.write(WriteBatch(rows=(thought("a"), thought("b"))))
    first = await store.fetch(["t:a"])
    assert (await store.fetch(["t:a", "t:b"])) == {**first, "t:b": (await store.fetch(["t:b"]))["t:b"]}
    assert counting.rows == 2


async def test_a_row_that_another_writer_changed_is_read_as_it_is_now(counting: Counting) -> None:
    ours, theirs = (SurrealMemoryStore(counting, Writer(counting)) for _ in range(2))
    await ours.write(WriteBatch(rows=(thought("a", content="First."), thought("b"))))
    await ours.fetch(["t:a", "t:b"])
    await theirs.write(WriteBatch(rows=(thought("a", content="Second.", revision=2),)))
    found = await ours.fetch(["t:a", "t:b"])
    assert content_of(found["t:a"]) == "Second."
    assert found.keys() == {"t:a", "t:b"}


async def test_a_row_that_another_writer_forgot_is_not_remembered(counting: Counting) -> None:
    ours, theirs = (SurrealMemoryStore(counting, Writer(counting)) for _ in range(2))
    await ours.write(WriteBatch(rows=(thought("a"), thought("b"))))
    assert (await ours.fetch(["t:a", "t:b"])).keys() == {"t:a", "t:b"}
    gone = Tombstone(row_id="t:a", keyed_hash="0" * 64, reason="forgotten", at=NOON)
    await theirs.write(WriteBatch(tombstones=(gone,)))
    assert (await ours.fetch(["t:a", "t:b"])).keys() == {"t:b"}


async def test_nothing_is_asked_for_again_while_nothing_is_written(watching: Watching) -> None:
    ours, theirs = (SurrealMemoryStore(watching, Writer(watching)) for _ in range(2))
    await ours.write(WriteBatch(rows=(thought("a"), thought("b"))))
    first = await ours.head(), await ours.fetch(["t:a", "t:b"])
    before = watching.statements
    assert (await ours.head(), await ours.fetch(["t:a", "t:b"])) == first
    assert watching.statements == before
    await ours.fetch(["t:a", "t:c"])
    assert watching.statements == before + 1
    await theirs.write(WriteBatch(rows=(thought("a", content="Second.", revision=2),)))
    assert (await ours.head()).last_seq > first[0].last_seq
    assert content_of((await ours.fetch(["t:a", "t:b"]))["t:a"]) == "Second."


async def test_what_another_write_left_alone_is_not_read_again(watching: Watching) -> None:
    ours, theirs = (SurrealMemoryStore(watching, Writer(watching)) for _ in range(2))
    await ours.write(WriteBatch(rows=(thought("a"), thought("b"))))
    first = await ours.fetch(["t:a", "t:b"])
    for number, added in enumerate((1, PAGE + 1)):
        await theirs.write(WriteBatch(rows=tuple(thought(f"{number}x{key}") for key in range(added))))
        statements, rows = watching.statements, watching.rows
        assert await ours.fetch(["t:a", "t:b"]) == first
        assert await ours.fetch(["t:b"]) == {"t:b": first["t:b"]}
        assert (watching.statements - statements, watching.rows - rows) == ((1, 0) if added == 1 else (2, 2))


async def test_what_was_written_before_the_first_reading_is_not_taken_for_a_change(watching: Watching) -> None:
    ours, theirs = (SurrealMemoryStore(watching, Writer(watching)) for _ in range(2))
    await theirs.write(WriteBatch(rows=tuple(thought(f"{number:03}") for number in range(PAGE + 2))))
    await ours.head()
    first = await ours.fetch(["t:000"])
    await theirs.write(WriteBatch(rows=(thought("later"),)))
    before = watching.rows
    assert await ours.fetch(["t:000"]) == first
    assert watching.rows == before


@pytest.mark.parametrize("meddle", ["UPDATE $meta SET seq = 1", "UPDATE $meta SET restoring = true"])
async def test_the_numbers_of_a_store_that_lost_writes_or_is_filled_say_nothing_of_what_is_remembered(
    watching: Watching, meddle: str
) -> None:
    store = SurrealMemoryStore(watching, Writer(watching))
    await store.write(WriteBatch(rows=(thought("a"), thought("b"))))
    await store.fetch(["t:a", "t:b"])
    await store.write(WriteBatch(rows=(thought("c"),)))
    await store.fetch(["t:a"])
    given = {"meta": META, "a": row_record("t:a"), "hash": content_hash("Of before.")}
    for statement in (meddle, "UPDATE $a SET content = 'Of before.', content_hash = $hash"):
        await watching.run("meddle", statement, given)
    assert content_of((await store.fetch(["t:a"]))["t:a"]) == "Of before."


async def test_what_is_read_while_something_is_written_is_asked_for_again(watching: Watching) -> None:
    ours, theirs = (SurrealMemoryStore(watching, Writer(watching)) for _ in range(2))
    await ours.write(WriteBatch(rows=(thought("a"),)))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ours.fetch, ["t:a"])
        tasks.start_soon(ours.head)
        tasks.start_soon(theirs.write, WriteBatch(rows=(thought("a", content="Second.", revision=2),)))
    assert (await ours.head()) == (await theirs.head())
    assert content_of((await ours.fetch(["t:a"]))["t:a"]) == "Second."


@pytest.mark.parametrize("most", [PAGE, 1])
async def test_what_is_written_between_two_pages_is_asked_for_again(watching: Watching, most: int) -> None:
    ours, theirs = (SurrealMemoryStore(watching, Writer(watching)) for _ in range(2))
    ids = [f"{number:03}" for number in range(most + 1)]
    await ours.write(WriteBatch(rows=tuple(map(thought, ids))))
    changed = tuple(thought(each, content="Second.", revision=2) for each in (ids[0], ids[-1]))
    watching.most, watching.write = most, theirs.write(WriteBatch(rows=changed))
    await ours.fetch([f"t:{each}" for each in ids])
    assert content_of((await ours.fetch(["t:000"]))["t:000"]) == "Second."


async def test_long_rows_and_those_used_least_are_read_each_time(counting: Counting) -> None:
    store = SurrealMemoryStore(counting, Writer(counting))
    short = tuple(thought(name) for name in "abc")
    await store.write(WriteBatch(rows=(*short, thought("long", content="x" * (MOST_CHARS + 1)))))
    rows = RememberedRows(counting, most=2)
    for wanted in (["t:long"], ["t:a"], ["t:b"], ["t:c"]):
        assert (await rows.read(wanted)).keys() == set(wanted)
    before = counting.rows
    await rows.read(["t:b", "t:c"])
    assert counting.rows == before
    await rows.read(["t:a", "t:long"])
    assert counting.rows == before + 2


async def test_a_holder_reads_anew_what_a_guest_wrote_and_a_guest_what_anybody_may_have_written(tmp_path: Path) -> None:
    async with (
        await open_store("surrealkv://memory", home=tmp_path) as holder,
        await open_store("surrealkv://memory", home=tmp_path) as guest,
    ):
        await holder.memory.write(WriteBatch(rows=(thought("a"),)))
        for ours, theirs, said in ((holder, guest, "Second."), (guest, holder, "Third.")):
            before = await ours.memory.head()
            (row,) = (await ours.memory.fetch(["t:a"])).values()
            assert await ours.memory.head() == before
            await theirs.memory.write(WriteBatch(rows=(thought("a", content=said, revision=row.revision + 1),)))
            (now,) = (await ours.memory.fetch(["t:a"])).values()
            assert isinstance(now, Thought)
            assert now.content == said
            assert (await ours.memory.head()).last_seq > before.last_seq

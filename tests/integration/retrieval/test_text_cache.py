"""What rows say is kept, and is never older than the store."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from store_values import Stores, exchange, observation, session, thought, tombstone
from stores_in_memory import store_in_memory
from voice.core.records import Table
from voice.ports.row_queries import RowWords, TurnWords
from voice.ports.stores import WriteBatch
from voice.services.retrieval.text_cache import TextCache

pytestmark = pytest.mark.requirement("web:sources:literal")


class _Counted:
    """A reader of words that counts how often a table is read."""

    def __init__(self, stores: Stores) -> None:
        self.sessions, self._turns, self._rows = stores.skimming.sessions, stores.skimming.turns, stores.skimming.rows
        self.read = 0

    async def rows(self, table: Table) -> AsyncIterator[Sequence[RowWords]]:
        self.read += 1
        async for page in self._rows(table):
            yield page

    async def turns(self) -> AsyncIterator[Sequence[TurnWords]]:
        self.read += 1
        async for page in self._turns():
            yield page


async def _told(said: TextCache) -> list[str]:
    return [each.normal for each in await said.of((Table.THOUGHTS,))]


async def test_rows_are_read_once_and_what_changes_is_taken_over() -> None:
    stores = await store_in_memory()
    counted = _Counted(stores)
    said = TextCache(stores.memory, counted)
    await stores.memory.write(WriteBatch(rows=(thought("1", "The Kiln"), observation("1"))))
    assert await _told(said) == ["the kiln"]
    await stores.memory.write(WriteBatch(rows=(thought("2", "The Shed"),)))
    assert await _told(said) == ["the kiln", "the shed"]
    await stores.memory.write(WriteBatch(tombstones=(tombstone("t:1"),)))
    assert await _told(said) == await _told(said) == ["the shed"]
    assert counted.read == 1, "the one table that was asked for was read once"
    assert [each.row.id for each in await said.of(tuple(Table))] == ["o:1", "t:2"]
    assert counted.read == len(Table)


async def test_many_changes_are_read_afresh_and_a_store_that_says_too_much_is_not_kept() -> None:
    stores = await store_in_memory()
    counted = _Counted(stores)
    said, bare = TextCache(stores.memory, counted), TextCache(stores.memory, counted, most=3)
    assert await _told(said) == []
    await stores.memory.write(WriteBatch(rows=tuple(thought(f"{number}", "The Kiln") for number in range(300))))
    assert len(await _told(said)) == 300
    assert counted.read == 2
    assert len(await _told(bare)) == len(await _told(bare)) == 300
    assert counted.read == 4


@pytest.mark.parametrize(("most", "read"), [(1_000, 2), (3, 3)])
async def test_turns_are_read_again_where_something_was_written_or_they_say_too_much(most: int, read: int) -> None:
    stores = await store_in_memory()
    counted = _Counted(stores)
    said = TextCache(stores.memory, counted, most=most)
    turns = [exchange(index=number) for number in range(2)]
    held = await stores.sessions.save(replace(session(total_exchanges=1), revision=1), turns[:1], expected=0)
    assert [each.normal for each in await said.turns()] == ["where does ada live? | in porto."]
    again = replace(held, total_exchanges=2, revision=2)
    await stores.sessions.save(again, turns[1:], expected=1)
    assert len(await said.turns()) == len(await said.turns()) == 2
    assert counted.read == read

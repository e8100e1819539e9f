"""A store that was set back and written on: the index has seen what was lost, and says so until it is made anew."""

from pathlib import Path

import pytest

from change_feed import DIM, MODEL, ChangeFeed, ask, thought
from voice.adapters.index.index import FoldedIndex
from voice.adapters.index.updating import NEWEST_ROWS, YOUNG_ROWS
from voice.core.errors import StoreDamaged
from voice.core.records import Row

SHARED = 2 * YOUNG_ROWS


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "index"


def notes(word: str, count: int) -> list[Row]:
    return [thought(f"{word}{number:04}", f"{word} number {number}") for number in range(count)]


async def written(*rows: Row) -> ChangeFeed:
    feed = ChangeFeed()
    await feed.put(*notes("gull", SHARED), *rows)
    return feed


def opened(feed: ChangeFeed, home: Path) -> FoldedIndex:
    return FoldedIndex(feed, home, model=MODEL, dim=DIM)


@pytest.mark.requirement("promise:6")
@pytest.mark.parametrize("zebras", [1, 6, NEWEST_ROWS + 4])
@pytest.mark.parametrize("pelicans", [1, 6, NEWEST_ROWS + 9])
async def test_a_store_set_back_and_written_past_the_index_is_an_alarm(home: Path, zebras: int, pelicans: int) -> None:
    await opened(await written(*notes("zebra", zebras)), home).refresh()
    other = await written(*notes("pelican", zebras), *notes("heron", pelicans))
    for _ in range(2):  # it stays an alarm: nothing of the other store was folded
        with pytest.raises(StoreDamaged, match="set back"):
            await opened(other, home).search(ask("pelican"))


async def test_a_lost_row_is_an_alarm_where_a_session_has_taken_its_number(home: Path) -> None:
    await opened(await written(*notes("zebra", 1)), home).refresh()
    other = await written()
    other.last_seq += 1
    await other.put(*notes("pelican", 1))
    with pytest.raises(StoreDamaged, match="set back"):
        await opened(other, home).refresh()


async def test_the_alarm_ends_when_the_index_is_made_anew(home: Path) -> None:
    await opened(await written(*notes("zebra", 3)), home).refresh()
    other = await written(*notes("pelican", 4))
    index = opened(other, home)
    await index.rebuild()
    assert len((await index.search(ask("pelican", weights=(0.0, 1.0)))).hits) == 4
    assert await opened(other, home).refresh() == other.last_seq


async def test_a_lost_removal_is_an_alarm_when_another_change_has_its_number(home: Path) -> None:
    feed = await written()
    await feed.drop("t:gull0003")
    await opened(feed, home).refresh()
    with pytest.raises(StoreDamaged, match="set back"):
        await opened(await written(*notes("pelican", 2)), home).refresh()


async def test_a_row_written_again_under_a_number_the_index_has_seen_is_an_alarm(home: Path) -> None:
    feed = await written(*notes("zebra", 2))
    await opened(feed, home).refresh()
    other = await written()
    await other.put(*reversed(notes("zebra", 2)), *notes("pelican", 1))
    with pytest.raises(StoreDamaged, match="set back"):
        await opened(other, home).refresh()


async def test_rows_written_again_or_removed_since_are_no_alarm(home: Path) -> None:
    feed = await written(*notes("zebra", 6))
    await opened(feed, home).refresh()
    for row in notes("zebra", 3):
        await feed.drop(row.id)
    await feed.put(*notes("zebra", 6)[3:5], *notes("heron", 2))
    again = opened(feed, home)
    await again.refresh()
    assert await again.faults() == []
    assert len((await again.search(ask("heron", weights=(0.0, 1.0)))).hits) == 2


async def test_an_index_of_removed_rows_alone_is_no_alarm(home: Path) -> None:
    feed = await written()
    await opened(feed, home).refresh()
    for row in notes("gull", SHARED):
        await feed.drop(row.id)
    emptied = opened(feed, home)
    await emptied.refresh()
    assert await emptied.faults() == []
    assert await opened(feed, home).refresh() == feed.last_seq


async def test_what_the_newest_change_says_is_always_held_against_the_index(home: Path) -> None:
    feed = await written(*notes("heron", 300))
    index = opened(feed, home)
    await index.refresh()
    newest = feed.rows["t:heron0299"]
    feed.rows[newest.id] = thought("heron0299", "something else altogether")
    assert [fault for fault in await index.faults() if "sampled rows" in fault]

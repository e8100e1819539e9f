"""Several processes keep the index of one home: each follows the store, and one commits at a time."""

from pathlib import Path

import pytest

from change_feed import DIM, MODEL, ChangeFeed
from store_values import thought
from voice.adapters.index import directory
from voice.adapters.index.index import FoldedIndex
from voice.adapters.index.updating import YOUNG_ROWS
from voice.core.records import Table

pytestmark = pytest.mark.requirement("holder:index")


def _index(feed: ChangeFeed, home: Path) -> FoldedIndex:
    return FoldedIndex(feed, home, model=MODEL, dim=DIM)


async def _rows(index: FoldedIndex) -> int:
    await index.refresh()
    assert await index.faults() == []
    return (await index.status()).rows[Table.THOUGHTS]


@pytest.mark.slow
async def test_two_that_commit_by_turns_stay_in_step_with_the_store(tmp_path: Path) -> None:
    feed = ChangeFeed()
    one, other = _index(feed, tmp_path), _index(feed, tmp_path)
    for batch in range(6):
        await feed.put(*(thought(f"{batch}-{number:04}") for number in range(YOUNG_ROWS)))
        first, second = (one, other) if batch % 2 else (other, one)
        assert await _rows(first) == (batch + 1) * YOUNG_ROWS
        assert await _rows(second) == (batch + 1) * YOUNG_ROWS
    assert await _rows(_index(feed, tmp_path)) == 6 * YOUNG_ROWS


async def test_one_that_rebuilds_takes_nothing_from_the_other(tmp_path: Path) -> None:
    feed = ChangeFeed()
    await feed.put(*(thought(f"{number:04}") for number in range(2 * YOUNG_ROWS)))
    one, other = _index(feed, tmp_path), _index(feed, tmp_path)
    assert await _rows(one) == await _rows(other) == 2 * YOUNG_ROWS
    await other.rebuild()
    await feed.put(*(thought(f"more {number:04}") for number in range(YOUNG_ROWS)))
    assert await _rows(one) == await _rows(other) == 3 * YOUNG_ROWS


async def test_who_keeps_the_files_for_too_long_is_said_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = ChangeFeed()
    await feed.put(thought("1"))
    monkeypatch.setattr(directory, "_LOOK_AGAIN_S", 0.0)
    with directory.lock_directory(tmp_path):
        too_long = pytest.raises(directory.DirectoryBusy, match="another process has held the search index")
        with too_long, directory.lock_directory(tmp_path, 0.01):
            pytest.fail("two had it at once")
    assert await _rows(_index(feed, tmp_path)) == 1

"""What `ConflictLog` promises, held against every store."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from store_values import NOON, Stores
from voice.core.errors import InvalidParams
from voice.core.graph.conflicts.pairs import ConflictRecord, ConflictState, Place
from voice.core.records import Origin
from voice.ports.stores import MAX_WRITE

pytestmark = pytest.mark.requirement("conflicts:kept")
FULL = ConflictRecord(
    id="d:1",
    one=Place(row_id="o:1", start=3, end=17),
    other=Place(row_id="o:2", start=0, end=9),
    difference="number",
    is_change=True,
    is_verified=True,
    sealed="0f" * 32,
    state=ConflictState.BOTH,
    at=NOON + timedelta(microseconds=7),
    by=Origin.HUMAN,
)
BARE = ConflictRecord(
    id="d:2",
    one=Place(row_id="r:1"),
    other=Place(row_id="r:2"),
    difference="edge",
    is_change=False,
    state=ConflictState.WAITING,
    at=NOON + timedelta(days=1),
    by=Origin.TOOL,
)


async def test_what_is_saved_comes_back_equal_the_latest_first(stores: Stores) -> None:
    kept = await stores.conflicts.save([FULL, BARE, replace(BARE, id="d:3")])
    assert [each.seq for each in kept] == [1, 2, 3]
    assert kept[0] == replace(FULL, seq=1)
    assert await stores.conflicts.records() == [kept[1], kept[2], kept[0]]
    assert await stores.conflicts.save([]) == []


async def test_a_record_is_written_over_the_one_of_its_id(stores: Stores) -> None:
    await stores.conflicts.save([BARE])
    decided = replace(BARE, state=ConflictState.ENDED, at=NOON + timedelta(days=2))
    kept = await stores.conflicts.save([decided])
    assert await stores.conflicts.records() == kept
    assert kept[0].seq == 2


async def test_what_is_removed_is_gone(stores: Stores) -> None:
    kept = await stores.conflicts.save([FULL, BARE])
    await stores.conflicts.remove(["d:1", "d:9", "\ud800"])
    assert await stores.conflicts.records() == [kept[1]]
    await stores.conflicts.remove([])


async def test_a_batch_that_cannot_be_stored_writes_nothing(stores: Stores) -> None:
    for wrong in ([BARE, BARE], [BARE, replace(BARE, id="d:\ud800")], [BARE] * (MAX_WRITE + 1)):
        with pytest.raises(InvalidParams):
            await stores.conflicts.save(wrong)
    assert await stores.conflicts.records() == []


async def test_a_conflict_is_found_by_the_beginning_of_its_id(stores: Stores) -> None:
    await stores.conflicts.save([FULL, BARE])
    assert await stores.beginnings.ids_from("d:", limit=5) == ["d:1", "d:2"]


async def test_a_backup_holds_conflicts(stores: Stores, second: Stores, tmp_path: Path) -> None:
    kept = await stores.conflicts.save([FULL, BARE])
    path = str(tmp_path / "backup.jsonl")
    await stores.maintenance.backup(path)
    assert await stores.maintenance.verify() == []
    await second.maintenance.restore(path)
    assert await second.conflicts.records() == [kept[1], kept[0]]
    assert await second.maintenance.verify() == []

"""What `MergeLog` promises, held against every store."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from store_values import NOON, Stores, entity, thought
from voice.core.errors import InvalidParams
from voice.core.graph.entities.merge import EndedRelation, Merge, RenamedRow
from voice.core.records import Origin, Provenance
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("ruling:F.6")
FULL = Merge(
    id="m:1",
    kept="e:1",
    absorbed="e:2",
    past="e:3",
    moved=(RenamedRow(row_id="r:1", named=("e:2", "e:9")), RenamedRow(row_id="o:1", named=("e:2",))),
    ended=(
        EndedRelation(row_id="r:2", into="r:3", lent=(Provenance(thought_id="t:1", start=1, end=5),), rested=True),
        EndedRelation(row_id="r:4"),
    ),
    at=NOON + timedelta(microseconds=7),
    by=Origin.HUMAN,
    undone_at=NOON + timedelta(days=1),
)
BARE = Merge(id="m:2", kept="e:1", absorbed="e:4", past="e:5", at=NOON + timedelta(days=2), by=Origin.TOOL)


async def test_what_is_recorded_comes_back_equal_the_latest_first(stores: Stores) -> None:
    first = await stores.merges.record(FULL, rows=WriteBatch(rows=(entity("1"), thought("1"))))
    second = await stores.merges.record(BARE, rows=WriteBatch())
    third = await stores.merges.record(replace(BARE, id="m:3"), rows=WriteBatch())
    assert (first, second) == (replace(FULL, seq=first.seq), replace(BARE, seq=second.seq))
    assert (first.seq, second.seq) == (3, 4)
    assert await stores.merges.merge("m:1") == first
    assert await stores.merges.merges() == [second, third, first]
    assert set(await stores.memory.fetch(["e:1", "t:1"])) == {"e:1", "t:1"}
    for unknown in ("m:9", "", "\ud800"):
        assert await stores.merges.merge(unknown) is None


async def test_taking_one_back_is_written_over_it(stores: Stores) -> None:
    held = await stores.merges.record(BARE, rows=WriteBatch())
    undone = replace(held, undone_at=NOON + timedelta(days=3))
    again = await stores.merges.record(undone, rows=WriteBatch())
    assert (again.undone_at, again.seq) == (undone.undone_at, held.seq + 1)
    assert await stores.merges.merges() == [again]


async def test_a_merge_and_its_rows_are_written_together_or_not_at_all(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(entity("1"),)))
    with pytest.raises(InvalidParams):
        await stores.merges.record(BARE, rows=WriteBatch(rows=(thought("1"), entity("1", revision=5))))
    with pytest.raises(InvalidParams):
        await stores.merges.record(replace(BARE, id=""), rows=WriteBatch(rows=(thought("1"),)))
    assert await stores.merges.merges() == []
    assert await stores.memory.fetch(["t:1"]) == {}


async def test_a_backup_holds_merges(stores: Stores, second: Stores, tmp_path: Path) -> None:
    held = await stores.merges.record(FULL, rows=WriteBatch(rows=(entity("1"),)))
    path = str(tmp_path / "all.jsonl")
    await stores.maintenance.backup(path)
    await second.maintenance.restore(path)
    assert await second.merges.merges() == [held]
    assert await second.maintenance.verify() == []

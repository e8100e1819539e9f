"""What `RemovedRows` promises, held against every store."""

import struct
from dataclasses import replace
from datetime import timedelta
from typing import Literal

import pytest

from store_values import NOON, Stores, entity, observation, thought
from voice.core.errors import InvalidParams
from voice.core.records import EmbeddingStatus, RowStatus, Scope, Thought, Tombstone, VectorRow
from voice.ports.stores import WriteBatch

LATER = NOON + timedelta(days=1)


def vector(row_id: str) -> VectorRow:
    return VectorRow(row_id=row_id, model="m", dim=2, data=struct.pack("<2f", 1.0, 2.0))


def stone(row_id: str, reason: Literal["forgotten", "finalised", "redacted"] = "finalised") -> Tombstone:
    return Tombstone(row_id=row_id, keyed_hash="k" * 64, reason=reason, at=LATER)


def marked(key: str, **members: object) -> Thought:
    return replace(thought(key, status=RowStatus.REMOVAL), **members)  # pyright: ignore[reportArgumentType]


async def test_marked_thoughts_come_by_their_day_and_nothing_else_does(stores: Stores) -> None:
    rows = (
        marked("c", removal_marked_at=NOON),
        marked("a", removal_marked_at=LATER),
        marked("b", removal_marked_at=NOON),
        marked("no day"),
        thought("live"),
        thought("redacted", status=RowStatus.REDACTED),
        observation("1", status=RowStatus.REMOVAL),
    )
    assert await stores.removed.marked() == []
    await stores.memory.write(WriteBatch(rows=rows))
    assert [row.id for row in await stores.removed.marked()] == ["t:no day", "t:b", "t:c", "t:a"]


async def test_vectors_are_found_by_the_ids_of_their_rows(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought("1"), thought("2")), vectors=(vector("t:1"),)))
    assert await stores.removed.vectors_of(["t:2", "t:1", "t:none", "no id"]) == {"t:1": vector("t:1")}


async def test_a_finalised_row_is_gone_with_its_vector_and_leaves_its_tombstone(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(marked("1"), marked("2")), vectors=(vector("t:1"),)))
    before = (await stores.memory.head()).last_seq
    await stores.removed.finalise([stone("t:1"), stone("t:2")], {"t:1": 1, "t:2": 1})
    assert await stores.memory.fetch(["t:1", "t:2"]) == {}
    assert await stores.removed.vectors_of(["t:1"]) == {}
    assert [(each.row_id, each.reason) for each in await stores.ledger.tombstones()] == [
        ("t:1", "finalised"),
        ("t:2", "finalised"),
    ]
    changes = await stores.memory.changes(before, 10)
    assert [(change.row_id, change.row) for change in changes] == [("t:1", None), ("t:2", None)]
    assert await stores.maintenance.verify() == []


@pytest.mark.parametrize("revisions", [{"t:1": 1, "t:2": 2}, {"t:1": 1, "t:2": 1, "t:none": 1}])
async def test_a_row_that_changed_or_is_not_there_keeps_all_of_them(stores: Stores, revisions: dict[str, int]) -> None:
    await stores.memory.write(WriteBatch(rows=(marked("1"), marked("2"))))
    with pytest.raises(InvalidParams, match="look again"):
        await stores.removed.finalise([stone(row_id) for row_id in revisions], revisions)
    assert (await stores.memory.fetch(["t:1", "t:2"])).keys() == {"t:1", "t:2"}
    assert await stores.ledger.tombstones() == []


async def test_what_was_finalised_comes_back_and_its_tombstone_goes(stores: Stores) -> None:
    row = marked("1", scope=Scope(repo_id="r"))
    await stores.memory.write(WriteBatch(rows=(row,), vectors=(vector("t:1"),)))
    await stores.removed.finalise([stone("t:1")], {"t:1": 1})
    back = (replace(row, status=RowStatus.ACTIVE, revision=2), entity("1"), observation("1"))
    await stores.removed.bring_back(back, [vector("t:1"), vector("o:1")])
    held = await stores.memory.fetch(["t:1", "e:1", "o:1"])
    states = {row_id: (each.revision, each.embedding_status) for row_id, each in held.items()}
    assert states == {
        "t:1": (2, EmbeddingStatus.READY),
        "e:1": (1, EmbeddingStatus.PENDING),
        "o:1": (1, EmbeddingStatus.READY),
    }
    assert replace(held["t:1"], seq=0, embedding_status=EmbeddingStatus.PENDING) == back[0]
    assert await stores.ledger.tombstones() == []
    assert (await stores.memory.head()).has_scoped_rows
    assert await stores.removed.vectors_of(["t:1", "o:1"]) == {"t:1": vector("t:1"), "o:1": vector("o:1")}
    assert await stores.maintenance.verify() == []


async def test_it_goes_and_comes_back_as_often_as_is_asked_for(stores: Stores) -> None:
    row = marked("1")
    await stores.memory.write(WriteBatch(rows=(row,)))
    for _ in range(3):
        await stores.removed.finalise([stone("t:1")], {"t:1": 1})
        await stores.removed.bring_back([row], [])
    changes = await stores.memory.changes(0, 10)
    assert [(change.row_id, change.row is not None) for change in changes] == [("t:1", True)]


@pytest.mark.requirement("ruling:H.7")
@pytest.mark.parametrize("reason", ["forgotten", "redacted"])
async def test_what_was_forgotten_does_not_come_back_nor_what_comes_with_it(
    stores: Stores, reason: Literal["forgotten", "redacted"]
) -> None:
    await stores.memory.write(WriteBatch(tombstones=(stone("t:1", reason),)))
    with pytest.raises(InvalidParams, match="you forgot"):
        await stores.removed.bring_back([thought("2"), thought("1")], [])
    assert await stores.memory.fetch(["t:1", "t:2"]) == {}
    assert len(await stores.ledger.tombstones()) == 1


async def test_what_is_there_is_not_brought_back_over_it(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought("1", "As it is."),)))
    with pytest.raises(InvalidParams, match="already exists"):
        await stores.removed.bring_back([thought("1", "As it was.")], [])
    (held,) = (await stores.memory.fetch(["t:1"])).values()
    assert isinstance(held, Thought)
    assert held.content == "As it is."


async def test_nothing_is_written_for_nothing(stores: Stores) -> None:
    before = (await stores.memory.head()).last_seq
    await stores.removed.finalise([], {})
    await stores.removed.bring_back([], [])
    assert (await stores.memory.head()).last_seq == before

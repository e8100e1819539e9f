"""What `MemoryStore` promises, held against every store."""

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import cast

import pytest

from store_values import (
    FIRST_DAY,
    LAST_DAY,
    NOON,
    Stores,
    entity,
    full_rows,
    observation,
    relation,
    session,
    thought,
    tombstone,
    vector,
)
from voice.core.errors import InvalidParams, UnknownId
from voice.core.records import EmbeddingStatus, Origin, Row, Scope, Table, Thought
from voice.core.vouch import Vouch
from voice.ports.stores import MAX_WRITE, WriteBatch


def _unstamped(row: Row) -> Row:
    return replace(row, seq=0, embedding_status=EmbeddingStatus.PENDING)


@pytest.mark.requirement("ruling:B8", "ruling:B9", "ruling:B10", "ruling:F.5")
@pytest.mark.parametrize("row", full_rows(), ids=lambda row: type(row).__name__)
async def test_every_field_of_a_row_comes_back(stores: Stores, row: Row) -> None:
    assert _defaults(row) <= {"seq", "embedding_status"}, "the row must fill every field, or the test proves too little"
    await stores.memory.write(WriteBatch(rows=(row,)))
    assert _unstamped((await stores.memory.fetch([row.id]))[row.id]) == row


def _defaults(row: Row) -> set[str]:
    bare: Row = {"t": thought(), "e": entity(), "o": observation(), "r": relation("1", "e:0", "e:0")}[row.id[0]]
    return {
        each.name for each in fields(row) if cast("object", getattr(row, each.name)) == getattr(bare, each.name)
    } - {"source_id", "target_id", "rel_type", "name"}


@pytest.mark.parametrize("key", ["ü b", "a:b", "`x`", "123", "12.5", "⟨x⟩", "a" * 300, "\N{GRINNING FACE}"])
async def test_any_key_names_its_row(stores: Stores, key: str) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(key),), vectors=(vector(f"t:{key}"),)))
    (change,) = await stores.memory.changes(0, 10)
    assert (change.row_id, change.vector) == (f"t:{key}", vector(f"t:{key}"))


async def test_a_megabyte_of_text_comes_back(stores: Stores) -> None:
    row = thought("long", "é" * 1_000_000)
    await stores.memory.write(WriteBatch(rows=(row,)))
    assert cast("Thought", (await stores.memory.fetch([row.id]))[row.id]).content == row.content


async def test_the_first_and_the_last_day_of_the_calendar_come_back(stores: Stores) -> None:
    row = thought(created_at=FIRST_DAY, last_accessed=LAST_DAY)
    await stores.memory.write(WriteBatch(rows=(row,)))
    back = cast("Thought", (await stores.memory.fetch([row.id]))[row.id])
    assert (back.created_at, back.last_accessed) == (FIRST_DAY, LAST_DAY)


@pytest.mark.parametrize("row", [thought(access_count=2**63), thought(significance=math.nan)])
async def test_a_number_that_does_not_fit_is_refused(stores: Stores, row: Thought) -> None:
    with pytest.raises(InvalidParams):
        await stores.memory.write(WriteBatch(rows=(row,)))
    assert (await stores.memory.status()).last_seq == 0


@pytest.mark.requirement("ruling:B3")
async def test_unknown_ids_are_absent(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    asked = ["t:1", "t:1", "t:missing", "nonsense", "t:", "z:9", "", "t:\udc80"]
    assert set(await stores.memory.fetch(asked)) == {"t:1"}


async def test_an_empty_batch_changes_nothing(stores: Stores) -> None:
    assert await stores.memory.write(WriteBatch()) == 0
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    assert await stores.memory.write(WriteBatch()) == 1


@pytest.mark.requirement("ruling:H.11")
async def test_seq_rises_strictly_over_all_tables_and_writes(stores: Stores) -> None:
    first = await stores.memory.write(WriteBatch(rows=(thought(), entity()), vectors=(vector("t:1"),)))
    second = await stores.memory.write(WriteBatch(rows=(observation(),), tombstones=(tombstone("t:9"),)))
    third = await stores.memory.write(WriteBatch(vectors=(vector("o:1"),), embedding_failed=("e:1",)))
    assert (first, second, third) == (2, 4, 6)
    seqs = [change.seq for change in await stores.memory.changes(0, 100)]
    assert seqs == [1, 4, 5, 6]
    assert (await stores.memory.status()).last_seq == 6


@pytest.mark.requirement("ruling:H.11")
async def test_paging_through_changes_skips_nothing_and_repeats_nothing(stores: Stores) -> None:
    for start in range(0, 21, 7):
        await stores.memory.write(WriteBatch(rows=tuple(thought(f"{start + place:03}") for place in range(7))))
    await stores.memory.write(WriteBatch(rows=(thought("003", revision=2),), tombstones=(tombstone("t:010"),)))
    seen: list[str] = []
    after = 0
    while page := await stores.memory.changes(after, 4):
        assert len(page) <= 4
        seen.extend(change.row_id for change in page)
        after = page[-1].seq
    assert sorted(seen) == sorted(f"t:{place:03}" for place in range(21))
    assert seen[-2:] == ["t:003", "t:010"]


async def test_a_replaced_row_is_one_change_with_its_newest_seq(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(), thought("2"))))
    await stores.memory.write(WriteBatch(rows=(thought(content="Changed.", revision=2),)))
    changes = await stores.memory.changes(0, 10)
    assert [(change.row_id, change.seq) for change in changes] == [("t:2", 2), ("t:1", 3)]
    assert cast("Thought", changes[1].row).content == "Changed."
    assert changes[1].row is not None
    assert changes[1].row.seq == 3


@pytest.mark.parametrize("revision", [1, 3])
async def test_a_replacement_must_follow_the_stored_revision(stores: Stores, revision: int) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    with pytest.raises(InvalidParams, match="changed meanwhile"):
        await stores.memory.write(WriteBatch(rows=(thought(content="Mine.", revision=revision),)))
    assert cast("Thought", (await stores.memory.fetch(["t:1"]))["t:1"]).content == "The harbour was calm."


@pytest.mark.requirement("promise:3")
async def test_a_batch_with_one_bad_row_writes_nothing_of_it(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    batch = WriteBatch(rows=(entity(), thought(revision=5)), vectors=(vector("e:1"),), tombstones=(tombstone("t:7"),))
    with pytest.raises(InvalidParams):
        await stores.memory.write(batch)
    assert await stores.memory.fetch(["e:1"]) == {}
    assert await stores.ledger.tombstoned(["k" * 64]) == set()
    status = await stores.memory.status()
    assert (status.last_seq, status.vectors, status.rows[Table.ENTITIES]) == (1, 0, 0)


@pytest.mark.requirement("ruling:H.7")
async def test_a_tombstone_takes_row_and_vector_and_refuses_their_return(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(), entity()), vectors=(vector("t:1"),)))
    await stores.memory.write(WriteBatch(tombstones=(tombstone("t:1"),)))
    assert set(await stores.memory.fetch(["t:1", "e:1"])) == {"e:1"}
    (gone,) = [change for change in await stores.memory.changes(0, 10) if change.row_id == "t:1"]
    assert (gone.row, gone.vector, gone.seq) == (None, None, 3)
    assert (await stores.memory.status()).vectors == 0
    for revision in (1, 2):
        with pytest.raises(InvalidParams, match="cannot come back"):
            await stores.memory.write(WriteBatch(rows=(thought(revision=revision),)))
    with pytest.raises(UnknownId):
        await stores.memory.write(WriteBatch(vectors=(vector("t:1"),)))


@pytest.mark.requirement("ruling:H.7")
async def test_forgetting_twice_is_forgetting_once(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    await stores.memory.write(WriteBatch(tombstones=(tombstone("t:1"),)))
    assert await stores.memory.write(WriteBatch(tombstones=(tombstone("t:1"),))) == 3
    assert [change.seq for change in await stores.memory.changes(0, 10)] == [3]
    assert await stores.maintenance.verify() == []


@pytest.mark.requirement("ruling:C17", "ruling:B4")
async def test_a_later_vector_makes_its_row_ready_under_a_new_seq(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(), thought("2"))))
    assert (await stores.memory.status()).pending_embeddings == 2
    await stores.memory.write(WriteBatch(vectors=(vector("t:1"),)))
    (change,) = await stores.memory.changes(2, 10)
    assert (change.row_id, change.seq, change.vector) == ("t:1", 3, vector("t:1"))
    assert change.row is not None
    assert (change.row.embedding_status, change.row.revision) == (EmbeddingStatus.READY, 1)
    status = await stores.memory.status()
    assert (status.pending_embeddings, status.vectors) == (1, 1)


async def test_a_vector_can_be_written_again(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),), vectors=(vector("t:1"),)))
    await stores.memory.write(WriteBatch(vectors=(vector("t:1", first=9, dim=2),)))
    (change,) = await stores.memory.changes(0, 10)
    assert change.vector == vector("t:1", first=9, dim=2)


@pytest.mark.requirement("promise:5")
async def test_a_changed_text_loses_the_vector_of_the_old_one(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),), vectors=(vector("t:1"),)))
    await stores.memory.write(WriteBatch(rows=(thought(content="Changed.", revision=2),)))
    (change,) = await stores.memory.changes(0, 10)
    assert change.vector is None
    assert (await stores.memory.status()).pending_embeddings == 1


async def test_a_row_that_says_it_is_ready_keeps_its_vector(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(),), vectors=(vector("t:1"),)))
    changed = thought(tags=("new",), revision=2, embedding_status=EmbeddingStatus.READY)
    await stores.memory.write(WriteBatch(rows=(changed,)))
    (change,) = await stores.memory.changes(0, 10)
    assert change.vector == vector("t:1")


async def test_a_row_that_says_it_is_ready_without_a_vector_is_pending(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(embedding_status=EmbeddingStatus.READY),)))
    assert (await stores.memory.fetch(["t:1"]))["t:1"].embedding_status is EmbeddingStatus.PENDING


@pytest.mark.requirement("ruling:C17")
async def test_a_failed_embedding_is_remembered_and_may_succeed_later(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(), thought("2")), embedding_failed=("t:1",)))
    await stores.memory.write(WriteBatch(embedding_failed=("t:2",)))
    states = {row.embedding_status for row in (await stores.memory.fetch(["t:1", "t:2"])).values()}
    assert states == {EmbeddingStatus.FAILED}
    await stores.memory.write(WriteBatch(vectors=(vector("t:1"),)))
    assert (await stores.memory.fetch(["t:1"]))["t:1"].embedding_status is EmbeddingStatus.READY


@pytest.mark.parametrize("batch", [WriteBatch(vectors=(vector("t:1"),)), WriteBatch(embedding_failed=("t:1",))])
async def test_a_vector_needs_its_row(stores: Stores, batch: WriteBatch) -> None:
    with pytest.raises(UnknownId):
        await stores.memory.write(batch)


@pytest.mark.requirement("ruling:C17", "ruling:H.7")
async def test_a_vector_of_what_a_row_said_before_is_refused(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(), thought("2")), vectors=(vector("t:1"),)))
    await stores.memory.write(WriteBatch(rows=(thought(content="Changed.", revision=2),)))
    both = (vector("t:1"), vector("t:2"))
    with pytest.raises(InvalidParams, match="t:1 was changed meanwhile"):
        await stores.memory.write(WriteBatch(vectors=both, made_of={"t:1": 1, "t:2": 1}))
    assert (await stores.memory.status()).vectors == 0
    await stores.memory.write(WriteBatch(vectors=both, made_of={"t:1": 2, "t:2": 1}))
    assert (await stores.memory.status()).vectors == 2


@pytest.mark.requirement("ruling:A18")
async def test_head_and_status_tell_whether_any_row_is_scoped(stores: Stores) -> None:
    declined = thought("3", scope=Scope(repo_id="voice"), origin=Origin.TOOL, vouched=Vouch.DECLINED)
    await stores.memory.write(WriteBatch(rows=(thought(), declined, entity("3"))))
    assert not (await stores.memory.head()).has_scoped_rows
    assert not (await stores.memory.status()).has_scoped_rows
    await stores.memory.write(WriteBatch(rows=(thought("2", scope=Scope(repo_id="voice")),)))
    assert (await stores.memory.head()).has_scoped_rows
    assert (await stores.memory.status()).has_scoped_rows
    await stores.memory.write(WriteBatch(tombstones=(tombstone("t:2"),)))
    assert not (await stores.memory.status()).has_scoped_rows


async def test_head_says_what_status_says_of_store_and_seq(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(), thought("2"))))
    head, status = await stores.memory.head(), await stores.memory.status()
    assert (head.store_id, head.last_seq) == (status.store_id, status.last_seq)
    assert head.last_seq == 2


async def test_status_counts_each_table(stores: Stores) -> None:
    rows = (thought(), thought("2"), entity(), observation(), relation("1", "e:1", "e:2"))
    await stores.memory.write(WriteBatch(rows=rows, vectors=(vector("t:1"), vector("o:1"))))
    status = await stores.memory.status()
    assert dict(status.rows) == {Table.THOUGHTS: 2, Table.ENTITIES: 1, Table.OBSERVATIONS: 1, Table.RELATIONS: 1}
    assert (status.vectors, status.pending_embeddings, status.sessions, status.exchanges) == (2, 3, 0, 0)
    assert status.store_id


async def test_private_rows_stay_private(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(thought(is_private=True), observation(is_private=True))))
    assert all(row.is_private for row in (await stores.memory.fetch(["t:1", "o:1"])).values())


@pytest.mark.slow
@pytest.mark.requirement("ruling:I8")
async def test_what_a_long_thought_says_is_written_as_a_whole_or_not_at_all(stores: Stores) -> None:
    rows = tuple(observation(f"{place:05}") for place in range(1000))
    vectors = tuple(vector(row.id) for row in rows)
    with pytest.raises(UnknownId):
        await stores.memory.write(WriteBatch(rows=(thought(), *rows), vectors=(*vectors, vector("o:unknown"))))
    assert sum((await stores.memory.status()).rows.values()) == 0
    assert await stores.memory.write(WriteBatch(rows=(thought(), *rows), vectors=vectors)) == 1001
    status = await stores.memory.status()
    assert (sum(status.rows.values()), status.vectors) == (1001, 1000)


@pytest.mark.requirement("ruling:H.10")
async def test_a_larger_batch_than_any_thought_needs_cannot_be_built(stores: Stores) -> None:
    del stores
    with pytest.raises(InvalidParams, match="at most 100,000 rows"):
        WriteBatch(rows=(thought(),) * (MAX_WRITE + 1))


@pytest.mark.requirement("ruling:B10")
async def test_a_naive_instant_is_refused_before_it_reaches_a_store(stores: Stores) -> None:
    naive = NOON.replace(tzinfo=None)
    with pytest.raises(InvalidParams):
        thought(created_at=naive)
    with pytest.raises(InvalidParams):
        WriteBatch(tombstones=(replace(tombstone("t:1"), at=naive),))
    with pytest.raises(InvalidParams):
        await stores.sessions.save(session(created_at=naive, revision=1), [], expected=0)
    with pytest.raises(InvalidParams):
        await anext(stores.sessions.figures(since=naive))
    with pytest.raises(InvalidParams):
        await stores.metrics.record("turn", naive, {})


_TWICE = (thought(), thought())
_SAID = {
    "a row twice": {"rows": _TWICE},
    "a row and its tombstone": {"rows": (thought(),), "tombstones": (tombstone("t:1"),)},
    "a vector and a failure": {"vectors": (vector("t:1"),), "embedding_failed": ("t:1",)},
    "a thought among the entities": {"rows": (replace(thought(), id="e:1"),)},
    "a row of every scope": {"rows": (thought(scope=Scope.ALL),)},
    "an unknown table": {"embedding_failed": ("z:1",)},
    "an id without a key": {"embedding_failed": ("t:",)},
    "an id that is not text": {"embedding_failed": ("t:\udc80",)},
}


@pytest.mark.parametrize("members", _SAID.values(), ids=_SAID)
def test_a_batch_that_contradicts_itself_cannot_be_built(members: Mapping[str, tuple[object, ...]]) -> None:
    with pytest.raises(InvalidParams):
        WriteBatch(**members)  # pyright: ignore[reportArgumentType]

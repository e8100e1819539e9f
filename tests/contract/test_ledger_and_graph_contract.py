"""What `LedgerStore` and `GraphStore` promise, held against every store."""

from dataclasses import replace

import pytest

from served_stores import OVER_WS
from store_values import Stores, entity, observation, relation, span_of, thought, tombstone, vector
from voice.core.records import EmbeddingStatus, EntityName, Observation, Provenance, RowStatus, Thought
from voice.core.text.normalise import content_hash
from voice.ports.stores import ImportKey, WriteBatch


def _key(row: Thought) -> ImportKey:
    return ImportKey(source_ref=row.source_ref, content_hash=content_hash(row.content))


async def test_an_import_is_known_by_its_place_and_its_text(stores: Stores) -> None:
    one, two = thought(source_ref="diary#1"), thought("2", "No place.")
    await stores.memory.write(WriteBatch(rows=(one, two)))
    strangers = {
        replace(_key(one), source_ref="diary#2"),
        replace(_key(one), source_ref=None),
        replace(_key(two), source_ref="diary#1"),
        ImportKey(source_ref=None, content_hash=content_hash("Unknown.")),
    }
    asked = [_key(one), _key(two), _key(one), *strangers]
    assert await stores.ledger.known_imports(asked) == {_key(one), _key(two)}
    assert await stores.ledger.known_imports([]) == set()


async def test_many_imports_are_looked_up_at_once(stores: Stores) -> None:
    rows = tuple(thought(f"{place}", f"Entry {place}.", source_ref=f"d#{place}") for place in range(600))
    await stores.memory.write(WriteBatch(rows=rows))
    asked = [_key(row) for row in rows]
    assert await stores.ledger.known_imports([*asked, ImportKey(source_ref="d#1", content_hash="0")]) == set(asked)


@pytest.mark.requirement("ruling:H.7")
async def test_a_forgotten_import_is_not_known_any_more(stores: Stores) -> None:
    row = thought(source_ref="diary#1")
    await stores.memory.write(WriteBatch(rows=(row,)))
    assert await stores.ledger.known_imports([_key(row)]) == {_key(row)}
    await stores.memory.write(WriteBatch(tombstones=(tombstone("t:1"),)))
    assert await stores.ledger.known_imports([_key(row)]) == set()


@pytest.mark.requirement("ruling:C17")
async def test_rows_without_a_vector_come_oldest_first_and_failures_last(stores: Stores) -> None:
    await stores.memory.write(
        WriteBatch(
            rows=(thought("1"), thought("2"), observation("3"), thought("4")),
            vectors=(vector("t:2"),),
            embedding_failed=("t:1",),
        )
    )
    await stores.memory.write(WriteBatch(rows=(observation("3", revision=2),)))
    waiting = await stores.ledger.pending_embeddings(10)
    assert [row.id for row in waiting] == ["t:4", "o:3", "t:1"]
    assert waiting[2].embedding_status is EmbeddingStatus.FAILED
    assert [row.id for row in await stores.ledger.pending_embeddings(2)] == ["t:4", "o:3"]
    assert await stores.ledger.pending_embeddings(0) == []


@pytest.mark.requirement("ruling:C17")
async def test_rows_with_a_vector_of_another_model_or_dimension_are_told_by_id(stores: Stores) -> None:
    rows = (thought("1"), thought("2"), observation("3"), thought("4"), thought("5"))
    vectors = (
        vector("t:1"),
        replace(vector("t:2"), model="another-model"),
        replace(vector("o:3"), model="another-model"),
        vector("t:4", dim=8),
    )
    await stores.memory.write(WriteBatch(rows=rows, vectors=vectors))
    ours = ("test-model", 4)

    async def told(after: str = "", limit: int = 10) -> list[str]:
        return [row.id for row in await stores.ledger.foreign_embeddings(ours, after=after, limit=limit)]

    assert await told() == ["o:3", "t:2", "t:4"]
    assert (await told(limit=2), await told(after="t:2"), await told(limit=0)) == (["o:3", "t:2"], ["t:4"], [])
    assert await stores.ledger.foreign_embeddings(("another-model", 8), after="t:4", limit=10) == []
    status = await stores.memory.status()
    assert status.encodings == {ours: 1, ("another-model", 4): 2, ("test-model", 8): 1}
    await stores.memory.write(WriteBatch(vectors=(vector("t:2"),), tombstones=(tombstone("t:4"),)))
    assert await told() == ["o:3"]


@pytest.mark.requirement("ruling:H.7")
async def test_tombstones_are_found_by_hash_and_by_id(stores: Stores) -> None:
    stones = (tombstone("t:2", "b" * 64), tombstone("o:1", "a" * 64))
    await stores.memory.write(WriteBatch(tombstones=stones))
    assert await stores.ledger.tombstoned(["a" * 64, "c" * 64]) == {"a" * 64}
    assert await stores.ledger.buried(["t:2", "t:3", "nonsense"]) == {"t:2"}
    assert await stores.ledger.tombstones() == [replace(stones[1], seq=2), replace(stones[0], seq=1)]


@pytest.mark.requirement("ruling:B8")
async def test_every_field_of_a_tombstone_comes_back(stores: Stores) -> None:
    stone = replace(tombstone("r:1", "x" * 64), reason="redacted")
    await stores.memory.write(WriteBatch(tombstones=(stone,)))
    assert await stores.ledger.tombstones() == [replace(stone, seq=1)]


async def test_names_are_those_of_the_live_entities_by_id(stores: Stores) -> None:
    rows = (
        entity("b"),
        entity("a", aliases=("Addie", "Ad"), is_private=True),
        entity("c", status=RowStatus.SUPERSEDED),
        entity("d", status=RowStatus.REDACTED),
        entity("e", status=RowStatus.REMOVAL),
        thought(),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert await stores.graph.names() == [EntityName.of(rows[1]), EntityName.of(rows[0])]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["on disk", OVER_WS], indirect=True)
async def test_the_names_of_many_entities_all_come_in_order(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice.adapters.surreal.stores.lookups._NAMES_PAGE", 100)
    rows = tuple(entity(f"{n:04}") for n in range(250))
    await stores.memory.write(WriteBatch(rows=rows))
    assert [name.id for name in await stores.graph.names()] == [row.id for row in rows]


@pytest.mark.requirement("ruling:F.5")
async def test_an_entity_that_rests_on_several_thoughts_is_named_once_and_in_its_place(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voice.adapters.surreal.stores.lookups._NAMES_PAGE", 3)
    rows = tuple(entity(str(n), provenance=(*span_of(f"t:{9 - n}"), *span_of("t:0"))) for n in range(8))
    await stores.memory.write(WriteBatch(rows=rows))
    assert [name.id for name in await stores.graph.names()] == [row.id for row in rows]


async def test_observations_are_found_by_any_entity_they_name(stores: Stores) -> None:
    rows = (
        observation("3", entity_ids=("e:1", "e:2")),
        observation("1", entity_ids=("e:2",)),
        observation("2", entity_ids=("e:3",)),
        observation("4", entity_ids=("e:2",), status=RowStatus.SUPERSEDED),
        observation("5"),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert [row.id for row in await stores.graph.observations_of(["e:2"])] == ["o:1", "o:3"]
    assert [row.id for row in await stores.graph.observations_of(["e:1", "e:3", "e:2"])] == ["o:1", "o:2", "o:3"]
    await stores.memory.write(WriteBatch(rows=(observation("3", entity_ids=("e:4",), revision=2),)))
    assert [row.id for row in await stores.graph.observations_of(["e:1"])] == []
    assert await stores.graph.observations_of(["e:9"]) == []
    assert await stores.graph.observations_of([]) == []


async def test_relations_touch_an_entity_from_either_end(stores: Stores) -> None:
    rows = (
        relation("3", "e:1", "e:2"),
        relation("1", "e:2", "e:3"),
        relation("2", "e:3", "e:4"),
        relation("4", "e:1", "e:1"),
        relation("5", "e:1", "e:9", status=RowStatus.SUPERSEDED),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert [row.id for row in await stores.graph.relations_of(["e:2", "e:1"])] == ["r:1", "r:3", "r:4"]
    assert [row.id for row in await stores.graph.relations_of(["e:2", "e:1"], leaving=True)] == ["r:1", "r:3", "r:4"]
    assert [row.id for row in await stores.graph.relations_of(["e:2", "e:3"], leaving=True)] == ["r:1", "r:2"]
    assert [row.id for row in await stores.graph.relations_of(["e:2", "e:3"])] == ["r:1", "r:2", "r:3"]
    assert await stores.graph.relations_of(["e:unknown"]) == []
    assert await stores.graph.relations_of([]) == []


@pytest.mark.requirement("ruling:F.5", "ruling:C10")
async def test_derived_rows_are_found_by_any_of_their_thoughts(stores: Stores) -> None:
    both = (*span_of("t:1"), Provenance(thought_id="t:1", start=7, end=9), *span_of("t:2"))
    rows = (
        observation("1", provenance=both),
        entity("1", provenance=span_of("t:2")),
        relation("1", "e:1", "e:2", provenance=span_of("t:1"), status=RowStatus.SUPERSEDED),
        observation("2", provenance=span_of("t:3")),
        observation("3"),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    found = await stores.graph.derived_from(["t:1"])
    assert [(row.id, row.provenance) for row in found if isinstance(row, Observation)] == [("o:1", both)]
    assert [row.id for row in found] == ["o:1", "r:1"]
    assert [row.id for row in await stores.graph.derived_from(["t:2", "t:1"])] == ["e:1", "o:1", "r:1"]
    assert await stores.graph.derived_from(["t:9"]) == []
    assert await stores.graph.derived_from([]) == []


@pytest.mark.requirement("ruling:I1")
async def test_sentences_of_a_thought_are_listed_in_the_order_of_its_text(stores: Stores) -> None:
    def at(*places: tuple[int, int]) -> tuple[Provenance, ...]:
        return tuple(Provenance(thought_id="t:1", start=start, end=end) for start, end in places)

    rows = (
        thought("1"),
        thought("2"),
        observation("3", provenance=at((0, 5), (30, 35))),
        observation("1", provenance=at((10, 20))),
        observation("2", provenance=at((6, 9)), status=RowStatus.SUPERSEDED),
        observation("4", provenance=span_of("t:2")),
        entity("1", provenance=at((0, 5))),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    found = await stores.graph.sentences_of(["t:1", "t:9"])
    assert found == {"t:1": [(0, 5, "o:3"), (10, 20, "o:1"), (30, 35, "o:3")], "t:9": []}
    assert await stores.graph.sentences_of([]) == {}

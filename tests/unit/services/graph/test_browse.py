"""Parts of the graph are cut out step by step, and nobody sees past a private row."""

from collections.abc import Sequence

import pytest

from graph_rows import entity, relation, said, studio
from stand_ins import stand_in
from store_values import thought
from stores_in_memory import store_in_memory
from voice.core.errors import InvalidParams, UnknownId
from voice.core.records import Entity, GraphRow, Row
from voice.ports.stores import GraphStore, MemoryStore, WriteBatch
from voice.services.graph.browse import Portraits
from voice.services.retrieval.row_lookups import Names


async def portraits(*rows: GraphRow) -> Portraits:
    stores = await store_in_memory()
    await stores.memory.write(WriteBatch(rows=(*rows, thought())))
    return over(stores.memory, stores.graph)


def over(memory: MemoryStore, graph: GraphStore) -> Portraits:
    return Portraits(store=memory, graph=graph, names=Names(memory, graph))


CHAIN: tuple[GraphRow, ...] = (
    *(entity(key) for key in "abcd"),
    entity("secret", is_private=True),
    relation("a", "knows", "b"),
    said("1", "B met C.", "b", "c"),
    relation("d", "knows", "c"),
    relation("a", "keeps", "secret"),
    relation("secret", "leads_to", "d"),
    said("2", "Nobody knows.", "a", "d", is_private=True),
)


@pytest.mark.parametrize(("hops", "reached"), [(1, "ab"), (2, "abc"), (3, "abcd"), (6, "abcd")])
async def test_steps_follow_relations_and_notes_that_name_two(hops: int, reached: str) -> None:
    found = await (await portraits(*CHAIN)).around("A", hops=hops, include_private=False)
    assert found.part.by_id.keys() == {f"e:{key}" for key in reached}
    assert found.focus.id == "e:a"


@pytest.mark.requirement("promise:6")
async def test_a_private_row_is_no_way_to_anywhere_unless_it_may_be_seen() -> None:
    source = await portraits(*CHAIN)
    public = await source.around("e:a", hops=1, include_private=False)
    assert public.part.private_left_out == 2
    everything = await source.around("e:a", hops=1, include_private=True)
    assert everything.part.by_id.keys() == {"e:a", "e:b", "e:d", "e:secret"}
    assert everything.part.private_left_out == 0
    with pytest.raises(UnknownId):
        await source.around("Secret", hops=1, include_private=False)


async def test_relations_between_those_that_were_reached_last_are_there() -> None:
    source = await portraits(*(entity(key) for key in "abc"), *(relation(*ends) for ends in _TRIANGLE))
    found = await source.around("a", hops=1, include_private=False)
    assert len(found.part.relations) == 3


_TRIANGLE = (("a", "knows", "b"), ("b", "knows", "c"), ("c", "knows", "a"))


async def test_the_whole_graph_is_read_with_notes_that_name_nobody() -> None:
    told: list[int] = []
    found = await (await portraits(*studio())).whole(include_private=False, progress=told.append)
    assert (len(found.entities), len(found.relations), len(found.observations)) == (5, 6, 3)
    assert told == [15]
    assert (await (await portraits(*CHAIN)).whole(include_private=False)).private_left_out == 2


async def test_a_name_that_could_mean_two_is_an_error() -> None:
    source = await portraits(entity("1", "Anna"), entity("2", "Anna", "boat"))
    with pytest.raises(InvalidParams, match="several entities"):
        await source.around("Anna", hops=1, include_private=False)


async def test_an_entity_that_is_removed_while_it_is_looked_for_is_told() -> None:
    stores = await store_in_memory()
    await stores.memory.write(WriteBatch(rows=(entity("anna"),)))

    async def without_entities(ids: Sequence[str]) -> dict[str, Row]:
        rows = await stores.memory.fetch(ids)
        return {row_id: row for row_id, row in rows.items() if not isinstance(row, Entity)}

    forgetful = stand_in(stores.memory, fetch=without_entities)
    with pytest.raises(UnknownId, match="removed meanwhile"):
        await over(forgetful, stores.graph).around("Anna", hops=1, include_private=False)

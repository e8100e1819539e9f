"""The names of the graph are read when they have changed, and not when nothing has."""

import pytest

from stand_ins import stand_in
from store_values import Stores, entity, thought, tombstone
from stores_in_memory import store_in_memory
from voice.core.records import EntityName, RowStatus
from voice.ports.stores import WriteBatch
from voice.services.retrieval.row_lookups import Names


@pytest.fixture
async def stores() -> Stores:
    return await store_in_memory()


def counted(stores: Stores) -> tuple[Names, list[str]]:
    """Return the names of a graph, and what notes each reading of all of them."""
    readings: list[str] = []

    async def names() -> list[EntityName]:
        readings.append("names")
        return await stores.graph.names()

    return Names(stores.memory, stand_in(stores.graph, names=names)), readings


async def test_names_are_read_once_and_what_changes_is_followed(stores: Stores) -> None:
    names, readings = counted(stores)
    assert (await names.known()).nodes == ()
    await stores.memory.write(WriteBatch(rows=(entity("b"), entity("a", aliases=("Addie",), is_private=True))))
    known = await names.known()
    assert [node.id for node in known.nodes] == ["e:a", "e:b"]
    assert [node.id for node in known.public.nodes] == ["e:b"]
    assert known.index.mentions("Ask Addie.")[0].ids == ("e:a",)
    assert known.public.index.mentions("Ask Addie.") == ()
    assert "Addie" in known.spoken
    await stores.memory.write(WriteBatch(rows=(thought(),)))
    assert await names.known() is known
    await stores.memory.write(WriteBatch(rows=(entity("b", name="Bea", revision=2),)))
    assert (await names.known()).name_of["e:b"] == "Bea"
    await stores.memory.write(WriteBatch(tombstones=(tombstone("e:a"),)))
    gone = WriteBatch(rows=(entity("b", status=RowStatus.SUPERSEDED, revision=3),))
    await stores.memory.write(gone)
    assert (await names.known()).nodes == ()
    assert len(readings) == 1


async def test_many_changes_at_once_are_not_followed_one_by_one(stores: Stores) -> None:
    names, readings = counted(stores)
    await names.known()
    await stores.memory.write(WriteBatch(rows=tuple(entity(f"{n:03}") for n in range(300))))
    assert len((await names.known()).nodes) == 300
    assert len(readings) == 2
    assert await names.known() is await names.known()
    assert len(readings) == 2


async def test_a_memory_without_private_entities_has_one_set_of_look_ups(stores: Stores) -> None:
    await stores.memory.write(WriteBatch(rows=(entity("a"),)))
    known = await Names(stores.memory, stores.graph).known()
    assert known.public is known
    assert known.with_({}) is known

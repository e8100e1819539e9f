"""What `verify` finds when a store was damaged behind its back, one damage at a time."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from store_values import exchange, observation, span_of, talk, thought, tombstone, vector
from tables import tables
from voice.adapters.surreal.database import SurrealStores
from voice.core.errors import StoreDamaged
from voice.core.records import Scope
from voice.ports.stores import WriteBatch

SECRET = "The harbour was calm."


@pytest.fixture
async def stores(empty: SurrealStores) -> SurrealStores:
    rows = (thought(content=SECRET), thought("2", scope=Scope(user_id="u")), observation(provenance=span_of("t:1")))
    await empty.memory.write(WriteBatch(rows=rows, vectors=(vector("t:1"),), tombstones=(tombstone("t:9"),)))
    await talk(empty.sessions, [exchange(), exchange(index=1), exchange(index=2)])
    return empty


async def _faults_after(stores: SurrealStores, *damages: str) -> Sequence[str]:
    assert await stores.maintenance.verify() == []
    for damage in damages:
        await stores.connection.run("damage", damage)
    found = await stores.maintenance.verify()
    assert all(SECRET not in fault for fault in found)
    return found


async def test_how_far_it_has_looked_is_told_over_a_large_store(stores: SurrealStores) -> None:
    await talk(stores.sessions, [exchange("s:2", index) for index in range(110)])
    told: list[tuple[int, int]] = []
    assert await stores.maintenance.verify(lambda done, total: told.append((done, total))) == []
    assert [done for done, _ in told] == [100]
    assert {total for _, total in told} == {3 + 1 + 2 + 3 + 110}, "rows, a tombstone, sessions, turns"


@pytest.mark.requirement("ruling:H.2a")
@pytest.mark.parametrize(("damage", "faults"), tables(__file__)["cases"])
async def test_a_damage_is_found_and_named(stores: SurrealStores, damage: str, faults: list[str]) -> None:
    found = await _faults_after(stores, damage)
    for fault in faults:
        assert [each for each in found if each.startswith(fault)], found


async def test_a_damaged_row_is_named_when_it_is_read_and_not_quoted(stores: SurrealStores) -> None:
    await stores.connection.run("damage", "UPDATE thoughts:`1` SET origin = 'nobody'")
    with pytest.raises(StoreDamaged, match="the row t:1 cannot be read") as caught:
        await stores.memory.fetch(["t:1"])
    assert SECRET not in str(caught.value)
    await stores.connection.run("damage", "DELETE stamps:`t:9`")
    with pytest.raises(StoreDamaged, match="t:9 cannot be read"):
        await stores.ledger.tombstones()


async def test_a_damaged_store_is_not_backed_up_as_if_it_were_whole(stores: SurrealStores, tmp_path: Path) -> None:
    await stores.connection.run("damage", "UPDATE thoughts:`1` SET origin = 'nobody'")
    with pytest.raises(StoreDamaged):
        await stores.maintenance.backup(str(tmp_path / "b.jsonl"))
    assert list(tmp_path.glob("*.jsonl*")) == []
    assert list(tmp_path.glob(".*")) == []


async def test_a_record_of_a_table_without_rows_is_damage(stores: SurrealStores) -> None:
    await stores.connection.run("damage", "UPDATE kg_observations:`1` SET thought_ids = ['t:1'], spans = NONE")
    with pytest.raises(StoreDamaged, match="o:1"):
        await stores.graph.derived_from(["t:1"])


async def test_a_vector_that_cannot_be_read_is_among_those_to_be_made_anew(stores: SurrealStores) -> None:
    ours = (vector("t:1").model, vector("t:1").dim)
    await stores.memory.write(WriteBatch(vectors=(vector("t:1"),)))
    assert await stores.ledger.foreign_embeddings(ours, after="", limit=10) == []
    await stores.connection.run("damage", "UPDATE vectors:`t:1` SET data = <bytes>'short'")
    with pytest.raises(StoreDamaged, match="voice maintain rebuild vectors"):
        await stores.memory.changes(0, 10)
    assert [row.id for row in await stores.ledger.foreign_embeddings(ours, after="", limit=10)] == ["t:1"]


@pytest.mark.requirement("sessions:lifecycle")
async def test_a_session_with_a_turn_that_cannot_be_read_is_deleted_and_the_store_is_whole_again(
    stores: SurrealStores, tmp_path: Path
) -> None:
    await stores.connection.run("damage", "UPDATE exchanges:`x:1-1` SET body = <bytes>'no body'")
    with pytest.raises(StoreDamaged, match="x:1-1 cannot be read"):
        await stores.sessions.exchanges()
    held = await stores.sessions.load("s:1", window=0)
    assert held is not None
    assert await stores.removal.delete({"s:1": held.revision}) == 3
    left = await stores.sessions.exchanges()
    assert [(each.index, each.deleted, each.cost_estimate is None) for each in left] == [
        (0, True, False),
        (1, True, True),
        (2, True, False),
    ]
    assert await stores.maintenance.verify() == []
    await stores.maintenance.backup(str(tmp_path / "b.jsonl"))

"""What `verify` finds when a store was damaged behind its back, one damage at a time.

What `verify` says of pins and capsules that are not what was written.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path

import pytest

from recall_values import capsule, pin, summary
from served_stores import IN_MEMORY, SERVED, open_stores
from store_values import exchange, observation, span_of, talk, thought, tombstone, vector
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.dialect import record
from voice.core.errors import StoreDamaged
from voice.core.records import Scope
from voice.ports.stores import WriteBatch

SECRET = "The harbour was calm."


@pytest.fixture(params=[IN_MEMORY, *SERVED])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[SurrealStores]:
    async with await open_stores(str(request.param), tmp_path) as opened:
        rows = (thought(content=SECRET), thought("2", scope=Scope(user_id="u")), observation(provenance=span_of("t:1")))
        await opened.memory.write(WriteBatch(rows=rows, vectors=(vector("t:1"),), tombstones=(tombstone("t:9"),)))
        await talk(opened.sessions, [exchange(), exchange(index=1), exchange(index=2)])
        yield opened


async def _faults_after(stores: SurrealStores, *damages: str) -> Sequence[str]:
    assert await stores.maintenance.verify() == []
    for damage in damages:
        await stores.connection.run("damage", damage)
    found = await stores.maintenance.verify()
    assert all(SECRET not in fault for fault in found)
    return found


async def test_how_far_it_has_looked_is_told_over_a_large_store(stores: SurrealStores) -> None:
    await talk(stores.sessions, [exchange("s:2", index) for index in range(250)])
    told: list[tuple[int, int]] = []
    assert await stores.maintenance.verify(lambda done, total: told.append((done, total))) == []
    assert [done for done, _ in told] == [100, 200]
    assert {total for _, total in told} == {3 + 1 + 2 + 3 + 250}, "rows, a tombstone, sessions, turns"


@pytest.mark.requirement("ruling:H.2a")
@pytest.mark.parametrize(
    ("damage", "faults"),
    [
        ("UPDATE thoughts:`1` SET content = 'Another.'", ["t:1: its text is not the one that was stored"]),
        ("UPDATE thoughts:`1` SET revision = 4", ["t:1: its revision is 4 but its change log says 1"]),
        ("UPDATE thoughts:`2` SET user_id = NONE", ["t:2: its scope and its change log do not agree"]),
        ("UPDATE thoughts:`1` SET origin = 'nobody'", ["the row t:1 cannot be read"]),
        ("UPDATE kg_observations:`1` SET spans = [1]", ["the row o:1 cannot be read"]),
        ("DELETE thoughts:`1`", ["t:1: the row is missing", "thoughts: 1 are stored but the change log knows 2"]),
        ("DELETE stamps:`t:2`", ["thoughts: 2 are stored but the change log knows 1"]),
        (
            "DELETE vectors:`t:1`",
            ["t:1: its vector is missing but its state is ready", "vectors: 0 are stored but the change log knows 1"],
        ),
        ("UPDATE vectors:`t:1` SET dim = 5", ["the vector of t:1 cannot be read"]),
        (
            "CREATE vectors:`t:2` SET model = 'm', dim = 1, data = <bytes>'abcd'",
            ["t:2: its vector is there but its state is pending", "vectors: 2 are stored but the change log knows 1"],
        ),
        (
            "DELETE tombstones:`t:9`",
            [
                "t:9: its tombstone and its change log do not agree",
                "tombstones: 0 are stored but the change log knows 1",
            ],
        ),
        ("UPDATE stamps:`t:1` SET seq = 999", ["t:1: its number 999 was never given out; the last one is 10"]),
        ("UPDATE exchanges:`x:1-1` SET seq = 1", ["x:1-1: its number 1 belongs to t:1 too"]),
        ("DELETE exchanges:`x:1-1`", ["s:1: its exchanges have a hole", "s:1: 3 exchanges are counted but 2", "s:1:"]),
        ("UPDATE exchanges:`x:1-1` SET body = '{}'", ["x:1-1 cannot be read", "s:1: its exchanges have a hole"]),
        ("UPDATE sessions:`s:1` SET body = '[]'", ["s:1 cannot be read"]),
        ("DELETE sessions:`s:1`", ["s:1: it has exchanges but is not stored"]),
    ],
)
async def test_a_damage_is_found_and_named(stores: SurrealStores, damage: str, faults: list[str]) -> None:
    found = await _faults_after(stores, damage)
    for fault in faults:
        assert [each for each in found if each.startswith(fault)], found


async def test_a_damaged_row_is_named_when_it_is_read_and_not_quoted(stores: SurrealStores) -> None:
    await stores.connection.run("damage", "UPDATE thoughts:`1` SET origin = 'nobody'")
    with pytest.raises(StoreDamaged, match="the row t:1 cannot be read") as caught:
        await stores.memory.fetch(["t:1"])
    assert SECRET not in str(caught.value)


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
    with pytest.raises(StoreDamaged, match="voice maintain reembed"):
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


@pytest.fixture(params=[IN_MEMORY, *SERVED])
async def faulty_stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[SurrealStores]:
    """A store with one pin and one capsule."""
    async with await open_stores(str(request.param), tmp_path) as opened:
        await opened.pins.save_pin(pin())
        await opened.capsules.save_capsule(capsule(summary=summary()), expected=0)
        yield opened


async def damage(stores: SurrealStores, steps: str, params: Mapping[str, object]) -> list[str]:
    await stores.connection.run("damage it", steps, params)
    return await stores.maintenance.verify()


async def test_a_pin_that_ends_before_it_was_made_is_a_fault(faulty_stores: SurrealStores) -> None:
    changed = "UPDATE $id SET expires_at = d'2001-01-01T00:00:00Z'"
    (fault,) = await damage(faulty_stores, changed, {"id": record("pins", "p:1")})
    assert fault.startswith("p:1 cannot be read")
    with pytest.raises(StoreDamaged):
        await faulty_stores.pins.pins()


async def test_two_pins_of_one_target_and_scope_are_a_fault(faulty_stores: SurrealStores) -> None:
    doubled = "CREATE $id SET seq = 1, target_id = 't:1', reason = 'x', is_private = false,"
    doubled += " created_at = d'2025-03-01T00:00:00Z'"
    first, second = await damage(faulty_stores, doubled, {"id": record("pins", "p:2")})
    assert (first, second) == (
        "p:2: its number 1 belongs to p:1 too",
        "p:2: its target has the pin p:1 in the same scope",
    )


@pytest.mark.parametrize(
    "change", ["status = 'closed'", "summary = 'no JSON'", "summary = '{}'", "closed_at = d'2026-01-01T00:00:00Z'"]
)
async def test_a_capsule_that_contradicts_itself_is_a_fault(faulty_stores: SurrealStores, change: str) -> None:
    (fault,) = await damage(faulty_stores, f"UPDATE $id SET {change}", {"id": record("capsules", "c:1")})
    assert fault.startswith("c:1 cannot be read")
    with pytest.raises(StoreDamaged):
        await faulty_stores.capsules.capsule("c:1")


async def test_a_capsule_with_anothers_summary_is_a_fault(faulty_stores: SurrealStores) -> None:
    renamed = "UPDATE $id SET summary = string::replace(summary, 'm:c:1', 'm:c:2')"
    assert await damage(faulty_stores, renamed, {"id": record("capsules", "c:1")}) == [
        "c:1: its summary is another capsule's"
    ]


async def test_a_number_that_was_never_given_out_is_a_fault(faulty_stores: SurrealStores) -> None:
    (fault,) = await damage(faulty_stores, "UPDATE $id SET seq = 99", {"id": record("capsules", "c:1")})
    assert fault.startswith("c:1: its number 99")

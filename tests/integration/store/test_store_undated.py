"""What a store of an earlier version took for the date of a row nobody dated, as far as that can be known."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from stores_in_memory import store_in_memory
from voice.adapters.disk.backup_file import Header
from voice.adapters.surreal.backup import StoreRestore
from voice.adapters.surreal.connection import block
from voice.adapters.surreal.schema import shipped
from voice.core.graph.thoughts.distillation import distil
from voice.core.records import Entity, Origin, Provenance, Thought
from voice.core.text.instants import UNDATED
from voice.ports.stores import WriteBatch

CAME = datetime(2026, 1, 1, 9, 30, 0, 123456, tzinfo=UTC)
TOLD = datetime(2025, 1, 1, tzinfo=UTC)


def _thought(key: str, at: datetime, place: str | None) -> Thought:
    return Thought(
        id=f"t:{key}", content="The loom stands here.", created_at=at, recorded_at=CAME, origin=Origin.HUMAN,
        source_ref=place,
    )  # fmt: skip


@pytest.mark.requirement("ruling:I2")
async def test_the_instant_of_an_import_is_no_date_and_what_was_told_or_typed_keeps_its_own() -> None:
    undated, typed, told = _thought("a", CAME, "a.md"), _thought("b", CAME, None), _thought("c", TOLD, "c.md")
    loom = Entity(
        id="e:loom", name="Loom", created_at=CAME, recorded_at=CAME + timedelta(days=9), origin=Origin.HUMAN,
        provenance=(Provenance(thought_id="t:a", start=4, end=8),),
    )  # fmt: skip
    rows = (undated, typed, told, loom, *(row for each in (undated, typed, told) for row in distil(each)))
    (step,) = [step for step in shipped() if step.name == "016_undated"]
    stores = await store_in_memory()
    await stores.memory.write(WriteBatch(rows=rows))
    await stores.connection.run("take the step", block(step.text))
    found = await stores.memory.fetch([row.id for row in rows])
    dates = [found[row.id].created_at for row in rows]
    assert dates == [UNDATED, CAME, TOLD, UNDATED, UNDATED, CAME, TOLD]


@pytest.mark.requirement("ruling:I2")
@pytest.mark.parametrize(("schema", "date"), [((), UNDATED), ((("016_undated", "c"),), CAME)])
async def test_a_backup_from_before_is_put_right_as_it_is_restored(
    schema: tuple[tuple[str, str], ...], date: datetime
) -> None:
    stores = await store_in_memory()
    filling = StoreRestore(stores.connection, Header(store_id="s", last_seq=1, schema=schema, counts={}))
    await filling.begin(0)
    await filling.add([replace(_thought("a", CAME, "a.md"), seq=1)])
    await filling.end()
    found = await stores.memory.fetch(["t:a"])
    assert found["t:a"].created_at == date

"""What the schema owes its callers: it may be opened again and again, it finds by status, and it loses no field."""

from dataclasses import fields, replace
from pathlib import Path
from typing import cast

import pytest

from store_values import NOON, thought
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.schema import migrate, shipped, taken
from voice.adapters.surreal.stores.rows import SurrealMemoryStore
from voice.adapters.surreal.writer import Writer
from voice.core.records import RowStatus, Thought
from voice.ports.stores import WriteBatch

MARKED = replace(thought("marked", "An old note."), status=RowStatus.REMOVAL, removal_marked_at=NOON)
_MARKED = "SELECT VALUE id FROM thoughts WHERE status = 'removal'"


@pytest.mark.requirement("s1:schema:idempotent", "ruling:B7")
async def test_a_store_is_opened_again_and_again_and_keeps_what_it_holds(tmp_path: Path) -> None:
    for count in range(3):
        async with await open_store("surrealkv://memory", home=tmp_path) as stores:
            assert len(await stores.memory.fetch([f"t:{n}" for n in range(count)])) == count
            await stores.memory.write(WriteBatch(rows=(thought(str(count)),)))
            assert [name for name, _ in await taken(stores.connection)] == [step.name for step in shipped()]
            await migrate(stores.connection, shipped())


@pytest.mark.requirement("s1:index:status", "s1:field:status")
async def test_thoughts_are_found_by_their_status_through_an_index(connection: Connection) -> None:
    await migrate(connection, shipped())
    store = SurrealMemoryStore(connection, Writer(connection))
    await store.write(WriteBatch(rows=(MARKED, *(thought(str(n)) for n in range(20)))))
    found = cast("list[object]", await connection.run("look", _MARKED))
    assert [getattr(each, "id", None) for each in found] == ["marked"]
    assert "thoughts_status" in str(await connection.run("look", f"{_MARKED} EXPLAIN"))


@pytest.mark.requirement("s1:index:status", "s1:schema:idempotent")
async def test_a_store_of_the_first_schema_is_brought_up_to_date_with_its_rows(connection: Connection) -> None:
    await migrate(connection, shipped()[:1])
    store = SurrealMemoryStore(connection, Writer(connection))
    await store.write(WriteBatch(rows=(MARKED, thought("1"))))
    await migrate(connection, shipped())
    assert len(cast("list[object]", await connection.run("look", _MARKED))) == 1
    assert (await store.fetch(["t:marked"]))["t:marked"] == replace(MARKED, seq=1)


@pytest.mark.requirement("s1:storage:fields", "ruling:A20", "ruling:B9")
async def test_a_plain_thought_has_the_fields_at_rest_and_no_legacy_ones(connection: Connection) -> None:
    await migrate(connection, shipped())
    store = SurrealMemoryStore(connection, Writer(connection))
    await store.write(WriteBatch(rows=(thought("plain"),)))
    (row,) = cast("list[dict[str, object]]", await connection.run("look", "SELECT * FROM thoughts"))
    assert (row["significance"], row["is_summary"], row["status"]) == (0.5, False, "active")
    absent = {"enriched_content", "framework_analysis", "framework_enhanced", "last_accessed", "submode", "summary_of"}
    assert not [name for name in absent if row.get(name) is not None]
    described = str(await connection.run("look", "INFO FOR TABLE thoughts"))
    assert "significance" in described
    assert "inner_visibility" not in described
    assert "is_inner_voice" not in described
    assert not {"inner_visibility", "is_inner_voice"} & {field.name for field in fields(Thought)}

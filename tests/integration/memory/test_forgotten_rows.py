"""What was forgotten does not come back, by whichever door and under whatever id."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from graph_by_hand import entity, observation
from played_turns import NOW, memory, rows_of
from synced_folders import bring_in
from voice.adapters.system.data_directory import load_key
from voice.bootstrap import Services
from voice.core.errors import InvalidParams
from voice.core.records import Observation, Row, Tombstone
from voice.ports.stores import WriteBatch
from voice.services.memory.forgotten_rows import tombstone_hash

pytestmark = pytest.mark.requirement("ruling:H.7")

ANNA = "Anna Kowalska owes me money."
FILE = (
    {"type": "entity", "id": "e:new", "name": "anna kowalska", "entity_type": "contact", "description": "Owes me."},
    {"type": "entity", "id": "e:bank", "name": "The bank"},
    {"type": "observation", "id": "o:new", "text": f" {ANNA.upper()}", "created_at": "2026-02-01"},
    {"type": "observation", "id": "o:other", "text": "The bank is closed on Sundays.", "created_at": "2026-02-01"},
    {"type": "relation", "id": "r:new", "source": "The bank", "target": "The bank", "rel_type": "owns"},
)


async def forget(services: Services, *rows: Row) -> None:
    """Leave a tombstone in the place of each row."""
    key = load_key(services.home)
    hashes = {row.id: tombstone_hash(key, row) or "" for row in rows}
    stones = tuple(Tombstone(row_id=i, keyed_hash=kept, reason="forgotten", at=NOW) for i, kept in hashes.items())
    await services.store.write(WriteBatch(tombstones=stones))


async def texts(services: Services) -> list[str]:
    return sorted(row.text for row in await rows_of(services, Observation))


async def test_no_forgotten_row_of_the_graph_is_imported_under_another_id(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join([json.dumps({"format": "inner-voice-memory/1"}), *map(json.dumps, FILE), ""]))
    async with memory(tmp_path / "one") as services:
        report = await bring_in(services, file)
        assert (report.entities, report.observations, report.relations, report.ingested.forgotten) == (2, 2, 1, 0)
    async with memory(tmp_path / "two") as services:
        anna = await entity(services, "Anna Kowalska", "person", "owes me.", aliases=["Anna"])
        await forget(services, anna, await observation(services, ANNA, "Anna"))
        report = await bring_in(services, file)
        assert (report.entities, report.observations, report.relations) == (1, 1, 1)
        assert (report.ingested.forgotten, report.graph_known, report.bad) == (2, 0, ())
        (edge,) = (await services.store.fetch(["r:new"])).values()
        await forget(services, edge)
        gone = replace(edge, id="r:again", revision=1)
        asked = [gone, replace(gone, id="r:rents", rel_type="rents")]
        assert await services.ingest.forgotten.among(asked) == {"r:again"}
        assert await services.ingest.forgotten.among([]) == set()


async def test_what_was_forgotten_cannot_be_added_by_hand_and_other_words_can(services: Services) -> None:
    await forget(services, await observation(services, ANNA))
    with pytest.raises(InvalidParams, match="you forgot this before") as refused:
        await observation(services, f"{ANNA}\n")
    await observation(services, "Anna paid it all back.")
    assert await texts(services) == ["Anna paid it all back."]
    assert "Kowalska" not in str(refused.value)


async def test_a_row_that_says_nothing_is_like_no_other(services: Services) -> None:
    said = await observation(services, ANNA)
    assert tombstone_hash(load_key(services.home), replace(said, text=" ")) is None
    await forget(services, replace(said, text=""))
    assert await services.ingest.forgotten.among([replace(said, id="o:2", text="")]) == set()

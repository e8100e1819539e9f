"""A tag has an end, whichever door it comes in by."""

import json
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from desk_pages import desk
from voice.core.errors import InvalidParams
from voice.core.interchange.origin import MAX_TAG_CHARS, Entrance
from voice.ports.stores import WriteBatch
from voice.services.graph.correct import CorrectRequest
from voice.services.graph.editor import Backing
from voice.services.imports.request import ImportRequest

pytestmark = pytest.mark.requirement("http:tags")
_LONG = "t" * (MAX_TAG_CHARS + 1)
_SAID = "tags: one has 201 characters"


async def test_no_door_takes_a_tag_that_is_too_long(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        services = page.memory.services
        kept = await page.memory.remember("Moved the kiln to the shed.", tags=["t" * MAX_TAG_CHARS])
        row_id = kept.stored[0]
        doors = (
            page.memory.remember("Cone ten.", tags=["ok", _LONG]),
            services.graph_editor.add_entity(
                "Kiln", entity_type="thing", description="", aliases=(), backing=Backing(tags=(_LONG,))
            ),
            services.correcting(CorrectRequest(row_id=row_id, text="Moved it back.", tags=(_LONG,))),
        )
        for door in doors:
            with pytest.raises(InvalidParams, match=_SAID):
                await door


async def test_a_file_with_a_tag_that_is_too_long_is_told_of_and_the_rest_comes_in(tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    rows = [{"type": "thought", "content": "One."}, {"type": "thought", "content": "Two.", "tags": [_LONG]}]
    lines = [{"format": "inner-voice-memory/1"}, *rows]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    request = ImportRequest(path=str(file), entrance=Entrance.CLI, zone=ZoneInfo("UTC"))
    async with desk(tmp_path / "home") as page:
        transfer = page.memory.services.transfer
        with pytest.raises(InvalidParams, match=_SAID):
            await transfer.import_memory(replace(request, tags=(_LONG,)))
        report = await transfer.import_memory(request)
    assert [(bad.where.endswith("3"), bad.reason.startswith(_SAID)) for bad in report.bad] == [(True, True)]
    assert report.ingested.stored != ()


async def test_of_a_tag_that_is_stored_and_too_long_pages_show_the_beginning(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        kept = await page.memory.remember("Moved the kiln to the shed.")
        store = page.memory.services.store
        rows = await store.fetch(list(kept.stored))
        old = [replace(row, tags=("z" * 100_000,), revision=row.revision + 1) for row in rows.values()]
        await store.write(WriteBatch(rows=tuple(old)))
        shown = [await page.html("/sources"), await page.html(f"/sources/{kept.stored[0]}")]
    assert [("z" * 60 + "…" in html, len(html) < 60_000) for html in shown] == [(True, True)] * 2

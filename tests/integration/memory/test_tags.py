"""A tag has an end, whichever door it comes in by."""

import json
from pathlib import Path

import pytest

from desk_pages import desk
from graph_by_hand import entity
from synced_folders import bring_in
from voice.core.errors import InvalidParams
from voice.core.interchange.origin import MAX_TAG_CHARS
from voice.services.graph.correct import CorrectRequest

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
            entity(services, "Kiln", "thing", tags=(_LONG,)),
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
    async with desk(tmp_path / "home") as page:
        with pytest.raises(InvalidParams, match=_SAID):
            await bring_in(page.memory.services, file, tags=(_LONG,))
        report = await bring_in(page.memory.services, file)
    assert [(bad.where.endswith("3"), bad.reason.startswith(_SAID)) for bad in report.bad] == [(True, True)]
    assert report.ingested.stored != ()

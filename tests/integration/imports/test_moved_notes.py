"""A file that is imported again can hide what it said before, and tag it; it shows and untags nothing."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from played_turns import all_rows, row_of
from synced_folders import bring_in
from voice.bootstrap import Services
from voice.core.records import Entity, Thought
from voice.core.retrieval.params import RetrieveRequest
from voice.ports.stores import WriteBatch
from voice.services.imports.changed_notes import ReimportOutcome

CODE = "The gate opens with 8215. Lena Kraus keeps the spare card."


def note(folder: Path, front: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "gate.md").write_text(f"---\ndate: 2026-04-02\n{front}---\n{CODE}\n", encoding="utf-8")
    (folder / "shed.md").write_text("---\ndate: 2026-04-03\n---\nThe shed is locked at night.\n", encoding="utf-8")
    return folder


async def private_rows(services: Services) -> list[str]:
    return [row.id for row in await all_rows(services) if row.is_private]


async def found(services: Services, *, include_private: bool = False) -> list[str]:
    outcome = await services.find(RetrieveRequest(query="gate code 8215", include_private=include_private))
    return [snippet.text for snippet in outcome.snippets if "8215" in snippet.text]


@pytest.mark.requirement("promise:6", "ruling:C10")
async def test_a_note_that_is_made_private_afterwards_is_hidden_with_all_that_was_made_of_it(
    services: Services, tmp_path: Path
) -> None:
    await bring_in(services, note(tmp_path / "notes"))
    before = await found(services)
    report = await bring_in(services, note(tmp_path / "notes", "private: yes\n"))
    hidden = await found(services)
    asked_for = await found(services, include_private=True)
    private = await private_rows(services)
    again = await bring_in(services, tmp_path / "notes")
    assert before
    assert hidden == []
    assert asked_for
    assert sorted(row_id[0] for row_id in private) == ["o", "o", "t"]
    assert (report.ingested.already_known, report.restricted) == (2, ReimportOutcome(made_private=1))
    assert again.restricted == ReimportOutcome()


@pytest.mark.requirement("ruling:I2")
async def test_a_note_that_was_undated_gets_the_day_that_can_be_read_now(services: Services, tmp_path: Path) -> None:
    for told in ("03/04/2026", "2026-04-03", ""):
        (tmp_path / "shed.md").write_text(f"---\ndate: {told}\n---\nThe shed is locked at night.\n", encoding="utf-8")
        await bring_in(services, tmp_path)
    assert {row.created_at.date().isoformat() for row in await all_rows(services)} == {"2026-04-03"}


@pytest.mark.requirement("promise:3")
async def test_a_sentence_that_a_broken_off_import_left_open_is_hidden_by_the_next(
    services: Services, tmp_path: Path
) -> None:
    report = await bring_in(services, note(tmp_path / "notes"))
    stored = await services.store.fetch(report.ingested.stored)
    gate = next(row for row in stored.values() if isinstance(row, Thought) and row.content.strip() == CODE)
    half = replace(gate, is_private=True, revision=gate.revision + 1)
    await services.store.write(WriteBatch(rows=(half,)))
    done = await bring_in(services, note(tmp_path / "notes", "private: yes\n"))
    assert len(await private_rows(services)) == 3
    assert done.restricted == ReimportOutcome()


async def test_rows_of_the_graph_are_hidden_and_tagged_by_an_export_that_says_so(
    services: Services, tmp_path: Path
) -> None:
    plain = {"type": "entity", "id": "e:lena", "name": "Lena", "entity_type": "person"}
    marked = plain | {"is_private": True, "tags": ["family"]}
    for each in (plain, marked):
        path = tmp_path / "graph.jsonl"
        path.write_text(json.dumps(each) + "\n", encoding="utf-8")
        report = await bring_in(services, path)
    lena = await row_of(services, "e:lena", Entity)
    assert (lena.is_private, lena.tags) == (True, ("family",))
    assert (report.graph_known, report.restricted) == (1, ReimportOutcome(made_private=1, tagged=1))

"""Sources name the note and line that they stand in, wherever the note goes."""

from pathlib import Path

import pytest

from changed_rows import rewrite
from played_turns import memory, tell
from present import present
from synced_folders import sync
from voice.bootstrap import Services
from voice.core.grounding.values import SourceCitation
from voice.core.interchange.origin import Location
from voice.core.records import Observation, RowStatus, Thought

pytestmark = pytest.mark.requirement("ruling:I4:locations")
NOTE = "---\ntitle: Gate\n---\nThe hinge is old and creaks.\n\nMarta painted it green in May.\n"


async def stands(services: Services, said: str) -> Location | None:
    rows = [change.row for change in await services.store.changes(0, 1000)]
    (row,) = (
        row for row in rows if isinstance(row, Observation) and row.status is RowStatus.ACTIVE and said in row.text
    )
    return (await services.source_locations([row.id])).get(row.id)


def citation(row: Observation, start: int) -> SourceCitation:
    return SourceCitation(
        source_id=row.id,
        source_type="kg_observation",
        span=row.text[start:],
        relevance=1.0,
        span_start=start,
        span_end=len(row.text),
        content_hash="",
        created_at=row.created_at,
        trust_tier=row.trust,
    )


def vault(place: Path) -> Path:
    (place / "vault/.obsidian").mkdir(parents=True)
    (place / "vault/Garden").mkdir()
    (place / "vault/Garden/Gate.md").write_text(NOTE, encoding="utf-8")
    return place / "vault"


async def test_a_statement_names_the_line_it_stands_in_through_edits_and_moves(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        folder = vault(tmp_path)
        await sync(services, folder)
        first = await stands(services, "Marta painted")
        (folder / "Garden/Gate.md").write_text(NOTE.replace("---\nThe", "tags: [a]\n---\nThe"), encoding="utf-8")
        before_the_sync = await stands(services, "Marta painted")
        (folder / "Garden/Gate.md").rename(folder / "Door.md")
        await sync(services, folder)
        moved = await stands(services, "Marta painted")
        (folder / "Door.md").unlink()
        gone = await stands(services, "Marta painted")
    assert present(first).label == "Garden/Gate.md:6"
    assert (present(first).uri or "").startswith("obsidian://open?path=")
    assert [at and at.label for at in (before_the_sync, moved, gone)] == ["Garden/Gate.md:7", "Door.md:7", "Door.md"]
    assert present(gone).uri is None


@pytest.mark.requirement("ruling:I1")
async def test_what_is_cited_stands_in_its_own_line_and_under_its_own_bullets(tmp_path: Path) -> None:
    outline = "# Gate\n\n- Hinges\n  - The left one creaks.\n- Paint\n  - Marta painted it green.\n"
    async with memory(tmp_path) as services:
        folder = vault(tmp_path)
        (folder / "Gate.md").write_text(outline, encoding="utf-8")
        (folder / "Garden/Gate.md").unlink()
        await sync(services, folder)
        rows = [change.row for change in await services.store.changes(0, 1000)]
        said = next(row for row in rows if isinstance(row, Observation))
        assert "The left one" in said.text
        cited = citation(said, said.text.index("Marta"))
        at = (await services.source_locations.cited([cited]))[said.id]
        both = (await services.source_locations.cited([cited, citation(said, said.text.index("The left"))]))[said.id]
        await rewrite(services, said, text="The gate: Marta painted it red.")
        begins = (await services.source_locations.cited([cited]))[said.id]
    assert (at.label, at.context_path) == ("Gate.md:6", ("Gate", "Paint"))
    assert (both.label, both.context_path) == ("Gate.md:4", ("Gate", "Hinges"))
    assert begins.label == "Gate.md:1"


async def test_what_was_told_here_stands_nowhere_else_and_a_place_outside_of_its_folder_is_not_read(
    tmp_path: Path,
) -> None:
    async with memory(tmp_path) as services:
        (row_id,) = await tell(services, "The ferry leaves at nine.")
        nowhere = await services.source_locations([row_id])
        (tmp_path / "secret.md").write_text("The ferry leaves at nine.", encoding="utf-8")
        outside = await services.source_locations.notes.note(str(vault(tmp_path)), "../secret.md")
    assert nowhere == {}
    assert outside is None


async def test_where_a_private_note_lies_is_told_of_private_rows_alone(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        await sync(services, vault(tmp_path))
        rows = [change.row for change in await services.store.changes(0, 1000)]
        said = next(row for row in rows if isinstance(row, Observation))
        (note,) = (row for row in rows if isinstance(row, Thought))
        await rewrite(services, note, is_private=True)
        assert await services.source_locations([said.id]) == {}
        assert (await services.source_locations([note.id]))[note.id].place == "Garden/Gate.md"

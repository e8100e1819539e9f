"""What somebody corrected in the memory, while the files of a folder go on saying it; what no sync takes away."""

import asyncio
import os
from pathlib import Path

import pytest

from played_turns import memory
from synced_folders import live, request, sync, write
from voice.adapters.files import entries as scanning
from voice.adapters.files.synced_notes import SyncedFoldersFile
from voice.adapters.llm.scripted import ExtractiveClient
from voice.bootstrap import Services
from voice.core.interchange.import_plan import FollowedFolder
from voice.core.records import Observation, RowStatus
from voice.services.graph.correct import CorrectRequest
from voice.services.imports.changed_notes import STOOD
from voice.services.imports.report import Counts

pytestmark = pytest.mark.requirement("ruling:I4:conflict")
PORTO = "Marta lives in Porto now. The kiln stands in the shed."
LISBON = "Marta lives in Lisbon now. The kiln stands in the shed."
BEES = "Jonas keeps the bees behind the shed."


async def statements(services: Services) -> list[Observation]:
    """The statements that are found."""
    rows = [change.row for change in await services.store.changes(0, 1000)]
    return [row for row in rows if isinstance(row, Observation) and row.status is RowStatus.ACTIVE]


async def test_what_was_corrected_stands_in_a_note_that_is_edited_elsewhere(tmp_path: Path) -> None:
    async with memory(tmp_path, ExtractiveClient()) as services:
        folder = write(tmp_path / "notes", {"home.md": f"{PORTO} {BEES}"})
        await sync(services, folder)
        (told,) = await services.sentence_edits.find("Porto")
        await services.sentence_edits.correct(told, "Faro")
        edits = [f"{PORTO} {BEES} The kiln is hot.", f"# Home\n\n{PORTO} {BEES} The kiln is cold."]
        stood = [await sync(services, write(folder, {"home.md": text})) for text in edits]
        held = set(await live(services))
        gave_way = await sync(services, write(folder, {"home.md": f"{LISBON} {BEES}"}))
        now = set(await live(services))
    assert held == {edits[1].replace("Porto", "Faro")}
    assert [[each.stands for each in report.conflicts] for report in stood] == [[True], [True]]
    assert [each.stands for each in gave_way.conflicts] == [False]
    assert now == {f"{LISBON} {BEES}"}


async def test_an_import_of_an_edited_note_keeps_what_was_corrected_and_says_so(tmp_path: Path) -> None:
    async with memory(tmp_path, ExtractiveClient()) as services:
        folder = write(tmp_path / "notes", {"home.md": f"{PORTO} {BEES}"})
        await services.transfer.import_memory(request(folder))
        (told,) = await services.sentence_edits.find("Porto")
        await services.sentence_edits.correct(told, "Faro")
        write(folder, {"home.md": f"{PORTO} {BEES} The kiln is hot."})
        came = [await services.transfer.import_memory(request(folder)) for _ in range(2)]
        held = set(await live(services))
    assert held == {f"{PORTO} {BEES} The kiln is hot.".replace("Porto", "Faro")}
    assert [(each.corrected, [*each.left_out]) for each in came] == [(1, [STOOD]), (0, [])]


async def test_a_statement_that_was_corrected_by_itself_stays_so_while_its_note_is_edited_elsewhere(
    tmp_path: Path,
) -> None:
    note = "Marta lives in Porto now. Jonas keeps the bees behind the shed. Beth pays for the boat."
    async with memory(tmp_path, ExtractiveClient()) as services:
        folder = write(tmp_path / "notes", {"home.md": note})
        await sync(services, folder)
        (old,) = [row for row in await statements(services) if "Porto" in row.text]
        await services.correcting(CorrectRequest(row_id=old.id, text="Marta lives in Faro now."))
        said: list[set[str]] = []
        for pays in ("Beth sold the boat.", "Beth rents a boat in Faro."):
            done = await sync(services, write(folder, {"home.md": note.replace("Beth pays for the boat.", pays)}))
            assert [each.stands for each in done.conflicts] == [True]
            said.append({row.text for row in await statements(services)})
    assert [("Marta lives in Porto now." in each, "Marta lives in Faro now." in each) for each in said] == [
        (False, True)
    ] * 2
    assert ["Beth sold the boat." in said[0], "Beth rents a boat in Faro." in said[1]] == [True, True]


@pytest.mark.requirement("ruling:I9:forgotten")
async def test_what_was_corrected_stands_though_what_it_replaced_was_forgotten(tmp_path: Path) -> None:
    async with memory(tmp_path, ExtractiveClient()) as services:
        folder = write(tmp_path / "notes", {"home.md": f"{PORTO} {BEES}"})
        await sync(services, folder)
        (told,) = await services.sentence_edits.find("Porto")
        await services.sentence_edits.correct(told, "Faro")
        (past,) = await services.sentence_edits.find("Porto", past=True)
        await services.sentence_edits.take(past)
        done = [await sync(services, folder) for _ in range(2)]
        held = set(await live(services))
    assert held == {f"{PORTO} {BEES}".replace("Porto", "Faro")}
    assert [each.counts for each in done] == [Counts(unchanged=1)] * 2


async def test_a_note_that_cannot_be_looked_at_now_stays_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shut(folder: Path) -> list["os.DirEntry[str]"]:
        if folder.name == "hives":
            raise PermissionError
        return entries(folder)

    entries = scanning._visible_entries
    async with memory(tmp_path, ExtractiveClient()) as services:
        folder = write(tmp_path / "notes", {"home.md": PORTO, "hives/bees.md": BEES})
        await sync(services, folder)
        monkeypatch.setattr(scanning, "_visible_entries", shut)
        done = await sync(services, folder)
        assert set(await live(services)) == {PORTO, BEES}
        monkeypatch.undo()
        assert (await sync(services, folder)).counts == Counts(unchanged=2)
    assert (done.counts, [bad.where for bad in done.came.bad]) == (Counts(unchanged=1), ["hives/bees.md"])


async def test_a_note_that_was_written_while_it_was_imported_is_read_by_the_next_sync(tmp_path: Path) -> None:
    async with memory(tmp_path, ExtractiveClient()) as services:
        folder = write(tmp_path / "notes", {"home.md": PORTO, "bees.md": BEES})
        await services.transfer.import_memory(request(folder))
        (folder / "home.md").write_text(LISBON, encoding="utf-8")
        await services.following.looked_at(request(folder))
        assert (await sync(services, folder)).counts == Counts(changed=1, unchanged=1)
        assert set(await live(services)) == {LISBON, BEES}


async def test_a_note_that_moved_back_is_not_taken_for_the_one_that_stood_there(tmp_path: Path) -> None:
    async with memory(tmp_path, ExtractiveClient()) as services:
        folder = write(tmp_path / "notes", {"home.md": BEES, "z.md": "Z."})
        await sync(services, folder)
        (folder / "home.md").rename(folder / "bees.md")
        await sync(services, write(folder, {"home.md": PORTO}))
        (folder / "bees.md").rename(folder / "home.md")
        await services.transfer.import_memory(request(folder))
        await services.following.looked_at(request(folder))
        await sync(services, folder)
        assert set(await live(services)) == {BEES, "Z."}


async def test_what_its_owner_marked_for_removal_stays_so_when_its_file_is_read_again(tmp_path: Path) -> None:
    async with memory(tmp_path, ExtractiveClient()) as services:
        folder = write(tmp_path / "notes", {"home.md": PORTO, "bees.md": BEES})
        await sync(services, folder)
        await services.following.removals.mark([(await live(services))[BEES].id])
        await sync(services, folder, tags=("garden",))
        assert set(await live(services)) == {PORTO}


async def test_two_folders_that_are_kept_at_once_are_both_known(tmp_path: Path) -> None:
    known = [SyncedFoldersFile(tmp_path), SyncedFoldersFile(tmp_path)]
    await asyncio.gather(*(each.keep(f"/{at}", FollowedFolder()) for at, each in enumerate(known)))
    assert (await known[0].folders()).keys() == {"/0", "/1"}

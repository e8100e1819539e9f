"""What somebody corrected in the memory, while the files of a folder go on saying it; what no sync takes away."""

import os
from pathlib import Path

import pytest

from played_turns import rows_of
from synced_folders import bring_in, followed, live, request, sync, write
from voice.adapters.files import entries as scanning
from voice.bootstrap import Services
from voice.core.records import Observation, RowStatus
from voice.services.graph.correct import CorrectRequest
from voice.services.imports.changed_notes import STOOD
from voice.services.imports.report import Counts

pytestmark = pytest.mark.requirement("ruling:I4:conflict")
PORTO = "Marta lives in Porto now. The kiln stands in the shed."
LISBON = "Marta lives in Lisbon now. The kiln stands in the shed."
BEES = "Jonas keeps the bees behind the shed."


async def test_what_was_corrected_stands_in_a_note_that_is_edited_elsewhere(services: Services) -> None:
    folder = await followed(services, {"home.md": f"{PORTO} {BEES}"})
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


async def test_an_import_of_an_edited_note_keeps_what_was_corrected_and_says_so(
    services: Services, tmp_path: Path
) -> None:
    folder = write(tmp_path / "notes", {"home.md": f"{PORTO} {BEES}"})
    await bring_in(services, folder)
    (told,) = await services.sentence_edits.find("Porto")
    await services.sentence_edits.correct(told, "Faro")
    write(folder, {"home.md": f"{PORTO} {BEES} The kiln is hot."})
    came = [await bring_in(services, folder) for _ in range(2)]
    held = set(await live(services))
    assert held == {f"{PORTO} {BEES} The kiln is hot.".replace("Porto", "Faro")}
    assert [(each.corrected, [*each.left_out]) for each in came] == [(1, [STOOD]), (0, [])]


async def test_a_statement_that_was_corrected_by_itself_stays_so_while_its_note_is_edited_elsewhere(
    services: Services,
) -> None:
    note = "Marta lives in Porto now. Jonas keeps the bees behind the shed."
    folder = await followed(services, {"home.md": f"{note} Beth pays for the boat."})
    (old,) = [row for row in await rows_of(services, Observation) if "Porto" in row.text]
    await services.correcting(CorrectRequest(row_id=old.id, text="Marta lives in Faro now."))
    for pays in ("Beth sold the boat.", "Beth rents a boat in Faro."):
        done = await sync(services, write(folder, {"home.md": f"{note} {pays}"}))
        assert [each.stands for each in done.conflicts] == [True]
        found = {row.text for row in await rows_of(services, Observation) if row.status is RowStatus.ACTIVE}
        assert found == {"Marta lives in Faro now.", "Jonas keeps the bees behind the shed.", pays}


async def test_a_note_that_cannot_be_looked_at_now_stays_and_is_named(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shut(folder: Path) -> list["os.DirEntry[str]"]:
        if folder.name == "hives":
            raise PermissionError
        return entries(folder)

    entries = scanning._visible_entries
    folder = await followed(services, {"home.md": PORTO, "hives/bees.md": BEES})
    monkeypatch.setattr(scanning, "_visible_entries", shut)
    done = await sync(services, folder)
    assert set(await live(services)) == {PORTO, BEES}
    monkeypatch.undo()
    assert (await sync(services, folder)).counts == Counts(unchanged=2)
    assert (done.counts, [bad.where for bad in done.came.bad]) == (Counts(unchanged=1), ["hives/bees.md"])


async def test_a_note_that_was_written_while_it_was_imported_is_read_by_the_next_sync(
    services: Services, tmp_path: Path
) -> None:
    folder = write(tmp_path / "notes", {"home.md": PORTO, "bees.md": BEES})
    await bring_in(services, folder)
    (folder / "home.md").write_text(LISBON, encoding="utf-8")
    await services.following.looked_at(request(folder))
    assert (await sync(services, folder)).counts == Counts(changed=1, unchanged=1)
    assert set(await live(services)) == {LISBON, BEES}

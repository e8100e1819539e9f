"""A memory that is kept in step with folders of notes."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from played_turns import all_rows, ask, given, memory, rows_of
from synced_folders import bring_in, followed, live, request, sync, write
from voice.adapters.files.logseq import HIDDEN
from voice.bootstrap import Services
from voice.core.errors import DataFileError, InvalidParams
from voice.core.grounding.values import GroundingPolicy
from voice.core.interchange.import_plan import Move
from voice.core.records import RowStatus, Thought
from voice.core.text.instants import UNDATED
from voice.ports.stores import WriteBatch
from voice.services.imports.report import Counts, NoteState, SyncReport

pytestmark = pytest.mark.requirement("ruling:I4")
PORTO = "Marta lives in Porto now. The kiln stands in the shed."
LISBON = "Marta lives in Lisbon now. The kiln stands in the shed."
CHANGED = datetime.fromtimestamp(1_700_000_000, UTC)
BEES = "Jonas keeps the bees behind the shed."


async def test_what_became_of_each_note_is_counted_and_a_dry_run_says_the_same_and_changes_nothing(
    services: Services, tmp_path: Path
) -> None:
    folder = write(tmp_path / "notes", {"home.md": PORTO, "bees.md": BEES, "old.md": "The van was sold.", "z.md": "Z."})
    first = await sync(services, folder)
    write(folder, {"home.md": LISBON, "hens.md": "The hens lay well."})
    (folder / "bees.md").rename(folder / "hives.md")
    (folder / "old.md").unlink()
    foreseen = await sync(services, folder, dry_run=True)
    before = await live(services)
    done = await sync(services, folder)
    after = await live(services)
    assert first.counts == Counts(new=4)
    assert done.counts == foreseen.counts == Counts(new=1, changed=1, renamed=1, gone=1, unchanged=1)
    assert done.moved == {"hives.md": "bees.md"}
    assert PORTO in before
    assert set(after) == {LISBON, BEES, "The hens lay well.", "Z."}
    assert (after[BEES].id, after[BEES].source_ref) == (before[BEES].id, "hives.md")


async def test_what_is_gone_is_cited_no_more_and_is_back_as_it_was_when_its_file_is(tmp_path: Path) -> None:
    settings = given(grounding=GroundingPolicy(single_source="green"))
    async with memory(tmp_path, settings=settings) as services:
        folder = await followed(services, {"home.md": PORTO, "bees.md": BEES})
        bees = (await live(services))[BEES].id
        (folder / "bees.md").unlink()
        await sync(services, folder)
        gone = await ask(services, "Who keeps the bees?")
        write(folder, {"hives/bees.md": BEES})
        back = await sync(services, folder)
        found = (await live(services))[BEES]
        told = await ask(services, "Who keeps the bees?")
    assert gone.exchange.refused
    assert back.counts == Counts(back=1, unchanged=1)
    assert (found.id, found.source_ref) == (bees, "hives/bees.md")
    assert "Jonas" in (told.exchange.answer or "")


async def test_what_cannot_be_read_now_stays_as_it_was_and_is_looked_at_again(services: Services) -> None:
    folder = await followed(services, {"home.md": PORTO, "bees.md": BEES})
    (folder / "home.md").write_bytes(b"\xff\xfe\xff")
    broken = await sync(services, folder)
    still = await live(services)
    write(folder, {"home.md": LISBON})
    mended = await sync(services, folder)
    after = await live(services)
    assert [line.where for line in broken.came.bad] == ["home.md"]
    assert PORTO in still
    assert mended.counts == Counts(changed=1, unchanged=1)
    assert set(after) == {LISBON, BEES}


async def test_two_folders_with_the_same_names_in_them_are_two(services: Services, tmp_path: Path) -> None:
    one = write(tmp_path / "one", {"index.md": PORTO, "same.md": BEES})
    two = write(tmp_path / "two", {"index.md": LISBON, "same.md": BEES, "z.md": "Z."})
    await sync(services, one)
    await sync(services, two)
    (two / "index.md").unlink()
    (two / "same.md").unlink()
    done = await sync(services, two)
    again = await sync(services, one)
    left = await live(services)
    assert done.counts == Counts(gone=2, unchanged=1)
    assert again.counts == Counts(unchanged=2)
    assert set(left) == {PORTO, BEES, "Z."}


async def test_a_part_of_a_vault_is_synced_as_that_part_of_it(services: Services) -> None:
    vault = await followed(services, {".obsidian/app.json": "{}", "a.md": PORTO, "sub/b.md": BEES, "sub/c.md": "C."})
    for act in (services.following.sync, services.following.require_whole):
        with pytest.raises(InvalidParams, match=r"is a part of .*notes, which"):
            await act(request(vault / "sub", is_private=True))
    (vault / "a.md").unlink()
    (vault / "sub/b.md").unlink()
    part = await sync(services, vault / "sub")
    whole = await sync(services, vault)
    assert (part.within, part.counts, part.places("gone")) == ("sub/", Counts(gone=1, unchanged=1), ("sub/b.md",))
    assert (whole.counts, whole.places("gone")) == (Counts(gone=1, unchanged=1), ("a.md",))


@pytest.mark.parametrize(
    ("order", "first", "second"),
    [(("sub", "."), "import", "sync"), ((".", "sub"), "sync", "import"), ((".", "sub"), "sync", "sync")],
)
async def test_a_folder_and_one_in_it_have_each_note_once_in_whichever_order_they_come(
    services: Services, tmp_path: Path, order: tuple[str, str], first: str, second: str
) -> None:
    async def bring(how: str, part: str) -> None:
        if how == "sync":
            await sync(services, folder / part)
        else:
            await bring_in(services, folder / part)
            await services.following.looked_at(request(folder / part))

    folder = write(tmp_path / "notes", {"a.md": PORTO, "sub/b.md": BEES, "sub/b2.md": "The hens lay well."})
    await bring(first, order[0])
    await bring(second, order[1])
    write(folder, {"sub/b.md": f"{BEES} And hens."})
    await sync(services, folder)
    rows = await rows_of(services, Thought)
    said = sorted((row.source_ref, row.content) for row in rows if not row.superseded_by)
    assert said == [("a.md", PORTO), ("sub/b.md", f"{BEES} And hens."), ("sub/b2.md", "The hens lay well.")]


async def test_a_folder_leaves_out_those_in_it_that_are_a_vault_or_private_by_themselves(
    services: Services, tmp_path: Path
) -> None:
    folder = write(tmp_path / "notes", {"a.md": PORTO, "vault/.obsidian/app.json": "{}", "vault/b.md": BEES})
    await sync(services, folder / "vault")
    await sync(services, write(folder / "diary", {"c.md": "C."}), is_private=True)
    await sync(services, write(folder / "texts", {"t.txt": "T."}))
    done = await sync(services, folder)
    await bring_in(services, folder)
    refused = write(tmp_path / "plain", {"d.md": "D.", "v/.obsidian/app.json": "{}", "v/e.md": "E."})
    await sync(services, refused)
    with pytest.raises(DataFileError, match=r"run `voice sync .*plain`"):
        await sync(services, refused / "v")
    assert set(await live(services)) == {PORTO, f"b\n\n{BEES}", "C.", "D.", "E.", "T."}
    assert done.apart == (str(folder / "vault"), str(folder / "diary"))


@pytest.mark.requirement("ruling:I4:conflict")
@pytest.mark.parametrize(("name", "text"), [("home.md", PORTO), ("home.txt", f"{PORTO} Z.\n\n{BEES}")])
async def test_a_correction_stands_though_another_sentence_is_forgotten_and_its_file_moves_and_grows(
    services: Services, name: str, text: str
) -> None:
    folder = await followed(services, {name: text})
    await services.sentence_edits.correct((await services.sentence_edits.find("Porto"))[0], "Lisbon")
    await services.sentence_edits.take((await services.sentence_edits.find("kiln"))[0])
    (folder / name).rename(folder / f"of {name}")
    moved = await sync(services, folder)
    write(folder, {f"of {name}": f"{text} The hens lay well."})
    await sync(services, folder)
    said = " ".join(await live(services))
    assert [each.stands for each in moved.conflicts] == [True]
    assert ("Lisbon" in said, "hens" in said, "Porto" in said, "kiln" in said) == (True, True, False, False)


@pytest.mark.requirement("ruling:I4:import")
async def test_an_import_of_a_known_folder_names_what_is_gone_or_moved_and_a_sync_takes_it_over(
    services: Services, tmp_path: Path
) -> None:
    folder = write(tmp_path / "notes", {"home.md": PORTO, "bees.md": BEES, "old.md": LISBON})
    await bring_in(services, folder)
    nothing = await services.following.looked_at(request(folder))
    before = await live(services)
    (folder / "bees.md").unlink()
    (folder / "old.md").rename(folder / "van.md")
    await bring_in(services, folder)
    left = await services.following.looked_at(request(folder))
    done = await sync(services, folder)
    rows = {row.id: row.source_ref for row in await rows_of(services, Thought) if row.status is RowStatus.ACTIVE}
    assert (nothing, left.gone, left.moved) == (NoteState(), ("bees.md",), (Move(before="old.md", place="van.md"),))
    assert done.counts == Counts(gone=1, renamed=1, unchanged=1)
    assert rows == {before[PORTO].id: "home.md", before[LISBON].id: "van.md"}


async def test_what_is_no_folder_of_notes_is_refused_by_what_it_is(services: Services, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("A.")
    with pytest.raises(DataFileError, match="is not a folder"):
        await sync(services, tmp_path / "a.md")
    folder = await followed(services, {"a.md": "A."})
    (services.home / "folders.json").write_text("{")
    with pytest.raises(DataFileError, match=r"folders\.json cannot be read"):
        await sync(services, folder)


async def test_a_page_that_its_graph_hides_leaves_and_is_back_when_it_is_shown(
    services: Services, tmp_path: Path
) -> None:
    async def synced(settings: str) -> SyncReport:
        write(graph, {"logseq/config.edn": settings})
        return await sync(services, graph)

    graph = write(tmp_path / "graph", {"pages/Home.md": f"- {PORTO}", "pages/Bees.md": f"- {BEES}"})
    first = await synced("{}")
    hidden = await synced('{:hidden ["/pages/Bees"]}')
    still = await synced('{:hidden ["/pages/Bees"]} ; the same')
    shown = await synced("{}")
    assert first.counts == Counts(new=2)
    assert hidden.counts == Counts(changed=1, unchanged=1)
    assert hidden.came.left_out[HIDDEN].where == ("pages/Bees.md",)
    assert still.counts == Counts(unchanged=2)
    assert shown.counts == Counts(changed=1, unchanged=1)


async def test_what_waits_for_review_from_a_note_alone_goes_and_comes_with_it(
    services: Services, tmp_path: Path
) -> None:
    async def waiting() -> list[str]:
        found = await services.extracting.staging.candidates.candidates(limit=100)
        return sorted(name for each in found for name in each.names)

    both = "Marta Silva met Jonas Berg in Faro."
    folder = write(tmp_path / "notes", {"a.md": both, "b.md": "Jonas Berg came to see Irma Lund."})
    await services.extracting.arrived((await sync(services, folder)).fresh)
    before = await waiting()
    (folder / "a.md").unlink()
    await sync(services, folder)
    left = await waiting()
    write(folder, {"a.md": both})
    await services.extracting.arrived((await sync(services, folder)).fresh)
    after = await waiting()
    assert "marta silva" in before
    assert "marta silva" not in left
    assert "jonas berg" in left
    assert after == before


@pytest.mark.requirement("ruling:I2")
async def test_a_sync_takes_away_a_date_that_was_only_the_files_time(services: Services) -> None:
    folder = await followed(services, {"home.md": PORTO})
    dated = tuple(replace(row, created_at=CHANGED, revision=2) for row in await all_rows(services))
    await services.store.write(WriteBatch(rows=dated))
    ((root, known),) = (await services.following.known.folders()).items()
    await services.following.known.keep(root, replace(known, reading=0))
    assert (await sync(services, folder)).counts.changed == 1
    assert {row.created_at for row in await all_rows(services)} == {UNDATED}

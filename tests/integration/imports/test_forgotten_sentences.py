"""What was forgotten stays so while the files of a folder go on saying it."""

from pathlib import Path

import pytest

from played_turns import all_rows
from synced_folders import bring_in, followed, live, sync, write
from voice.bootstrap import Services
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.services.imports.report import Counts
from voice.services.memory.forgotten_rows import SENTENCES

pytestmark = pytest.mark.requirement("ruling:I9:forgotten")
PORTO = "Marta lives in Porto now. The kiln stands in the shed."
LISBON = "Marta lives in Lisbon now. The kiln stands in the shed."


@pytest.mark.requirement("ruling:I4:conflict")
@pytest.mark.parametrize("dry_run", [True, False])
async def test_a_note_that_was_forgotten_is_told_to_stay_so(services: Services, *, dry_run: bool) -> None:
    folder = await followed(services, {"home.md": PORTO, "z.md": "Z."})
    await services.forget(ForgetRequest(ids=frozenset({(await live(services))[PORTO].id})), "forget")
    same = await sync(services, folder, dry_run=dry_run)
    write(folder, {"z.md": PORTO})
    done = await sync(services, folder, dry_run=dry_run)
    assert (same.came.ingested.forgotten, same.counts) == (1, Counts(unchanged=1))
    assert (done.came.ingested.forgotten, done.counts) == (2, Counts(changed=1))


async def forgotten_sentence(services: Services) -> Path:
    """Sync a folder, and forget where the kiln stands."""
    folder = await followed(services, {"home.md": PORTO, "z.md": "Z."})
    (told,) = await services.sentence_edits.find("The kiln stands")
    await services.sentence_edits.take(told)
    return folder


async def test_a_sentence_that_was_forgotten_stays_so_while_its_note_is_edited_and_a_dry_run_says_so(
    services: Services,
) -> None:
    folder = await forgotten_sentence(services)
    before = [await sync(services, folder, dry_run=True), await sync(services, folder)]
    write(folder, {"home.md": LISBON})
    edited = [await sync(services, folder, dry_run=True), await sync(services, folder)]
    await bring_in(services, folder)
    after = await live(services)
    held = [str(row) for row in await all_rows(services)]
    (folder / "home.md").unlink()
    gone = await sync(services, folder)
    left = await live(services)
    assert [each.counts for each in before] == [Counts(unchanged=2)] * 2
    assert [each.counts for each in edited] == [Counts(changed=1, unchanged=1)] * 2
    assert [each.came.left_out[SENTENCES].where for each in (*before, *edited)] == [("home.md",)] * 4
    assert set(after) == {"Marta lives in Lisbon now.", "Z."}
    assert [each for each in held if "kiln" in each] == []
    assert (gone.counts, set(left)) == (Counts(gone=1, unchanged=1), {"Z."})

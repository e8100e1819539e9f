"""A note that was edited and is brought in again corrects what it said before."""

from pathlib import Path

import pytest

from played_turns import rows_of
from synced_folders import bring_in, foresee, write
from voice.bootstrap import Services
from voice.core.messages.memory import NOTE_EDITED
from voice.core.records import Origin, RowStatus, Thought
from voice.services.graph.correct import CorrectRequest

pytestmark = pytest.mark.requirement("ruling:F.6")
PORTO = "Marta lives in Porto now. The kiln stands in the shed."
LISBON = "Marta lives in Lisbon now. The kiln stands in the shed."


async def live(services: Services) -> list[str]:
    return sorted(row.content for row in await rows_of(services, Thought) if row.status is RowStatus.ACTIVE)


async def test_an_edited_note_takes_the_place_of_the_earlier_one_once(services: Services, tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"home.md": PORTO, "glaze.md": "The blue glaze needs cone 10."})
    first = await bring_in(services, folder)
    write(folder, {"home.md": LISBON})
    foreseen = await foresee(services, folder)
    second = await bring_in(services, folder, tags=("edited",), is_private=True)
    third = await bring_in(services, folder)
    rows = {row.content: row for row in await rows_of(services, Thought)}
    old, new = rows[PORTO], rows[LISBON]
    assert await live(services) == [LISBON, "The blue glaze needs cone 10."]
    assert (first.corrected, second.corrected, third.corrected) == (0, 1, 0)
    assert (foreseen.corrected, foreseen.preview.thoughts, foreseen.already_known) == (1, 0, 1)
    assert (second.ingested.stored, second.ingested.already_known) == ((), 1)
    assert third.ingested.already_known == 2
    assert (old.status, old.superseded_by, old.superseded_reason) == (RowStatus.SUPERSEDED, new.id, NOTE_EDITED)
    assert (new.tags, new.is_private, new.source_ref, new.origin) == (("edited",), True, "home.md", Origin.HUMAN)


async def test_what_was_corrected_by_hand_stays_so_however_often_the_old_file_comes_again(
    services: Services, tmp_path: Path
) -> None:
    folder = write(tmp_path / "notes", {"home.md": PORTO})
    (row_id,) = (await bring_in(services, folder)).ingested.stored
    await services.correcting(CorrectRequest(row_id=row_id, text=LISBON))
    again = await bring_in(services, folder)
    assert await live(services) == [LISBON]
    # what is written into the file now is newer than either
    write(folder, {"home.md": LISBON.replace("Lisbon", "Faro")})
    assert (await bring_in(services, folder)).corrected == 1
    assert await live(services) == [LISBON.replace("Lisbon", "Faro")]
    assert (again.corrected, again.ingested.already_known) == (0, 1)

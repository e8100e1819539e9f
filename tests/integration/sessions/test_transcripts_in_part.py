"""A conversation comes in that is here already, with more or fewer words of its private turns."""

from pathlib import Path

import pytest

from travelling_conversations import exported, full, kept, save
from voice.bootstrap import Services

pytestmark = pytest.mark.requirement("sessions:portable")


async def test_a_file_that_tells_more_of_private_turns_says_so_and_brings_it_once_the_others_are_gone(
    tmp_path: Path,
    here: Services,
    there: Services,
) -> None:
    turns = [full(0, is_private=False), full(1, is_private=True), full(2, is_private=True)]
    session_id = await save(here, *turns)
    public = str(await exported(here, session_id, tmp_path / "public.json"))
    whole = str(await exported(here, session_id, tmp_path / "whole.json", include_private=True))
    first = await there.transcripts.bring_in(public)
    assert (first.added, first.fuller, first.undisclosed) == (3, 0, 2)
    more = await there.transcripts.bring_in(whole)
    assert (more.added, more.known, more.fuller, more.further) == (0, 3, 2, 0)
    assert (await there.transcripts.bring_in(public)).fuller == 0
    assert [each.my_query for each in (await kept(there, session_id))[1]][1:] == ["", ""]
    await there.life.delete(session_id)
    again = await there.transcripts.bring_in(whole)
    assert (again.added, again.fuller) == (3, 0)
    brought = (await kept(there, again.session_id))[1]
    assert [each.my_query for each in brought] == [each.my_query for each in turns]
    assert await there.transcripts.faults() == []
    assert (await there.transcripts.bring_in(public)).fuller == 0

"""One sentence of a note is corrected or forgotten, and the rest of the note stays."""

import pytest

from graph_by_hand import entity
from played_turns import all_rows, row_of, tell
from voice.bootstrap import Services
from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.thoughts.sentence_edits import SentenceMatch
from voice.core.records import Observation, RowStatus, Thought
from voice.services.graph.correct import CorrectRequest

pytestmark = pytest.mark.requirement("ruling:I9:sentence")
NOTE = "Marta lives in Porto. The kiln stands in the shed. Beth keeps the shed key at the bakery."
KEPT = {"Marta lives in Porto.", "The kiln stands in the shed."}


async def found(services: Services, words: str, *within: str, past: bool = False) -> SentenceMatch:
    (told,) = await services.sentence_edits.find(words, within, past=past)
    return told


async def said_of(services: Services, thought_id: str | None) -> set[str]:
    rows = await services.graph.derived_from([thought_id or ""])
    return {each.text for each in rows if isinstance(each, Observation) and each.status is RowStatus.ACTIVE}


async def content(services: Services, thought_id: str | None) -> str:
    return (await row_of(services, thought_id or "", Thought)).content


async def test_the_note_and_its_statement_are_corrected_in_one_act_and_the_rest_stays(services: Services) -> None:
    await tell(services, NOTE)
    done = await services.sentence_edits.correct(await found(services, "beth keeps"), "Ana keeps")
    assert await said_of(services, done.row_id) == KEPT | {"Ana keeps the shed key at the bakery."}
    assert await content(services, done.row_id) == NOTE.replace("Beth", "Ana")


@pytest.mark.requirement("forget:sentence")
async def test_a_forgotten_sentence_is_nowhere_and_the_others_can_be_said_and_corrected_again(
    services: Services,
) -> None:
    (old,) = await tell(services, NOTE)
    taken = await services.sentence_edits.take(await found(services, "the shed key"))
    assert await said_of(services, taken.note_id) == KEPT
    assert await content(services, taken.note_id) == "Marta lives in Porto. The kiln stands in the shed."
    assert old not in await services.store.fetch([old])
    assert taken.reached.rows.still_said == ()
    assert [row for row in await all_rows(services) if "Beth" in str(row)] == []
    done = await services.sentence_edits.correct(await found(services, "Porto"), "Faro")
    assert await said_of(services, done.row_id) == {"Marta lives in Faro.", "The kiln stands in the shed."}
    assert await tell(services, "Beth keeps the shed key at the bakery.") == ()


@pytest.mark.requirement("forget:sentence")
async def test_forgetting_that_was_interrupted_is_finished_by_asking_again(services: Services) -> None:
    (old,) = await tell(services, NOTE)
    rest = (await found(services, "the shed key")).without()
    done = await services.correcting(CorrectRequest(row_id=old, text=rest))
    taken = await services.sentence_edits.take(await found(services, "the shed key", past=True))
    assert (taken.note_id, await said_of(services, done.row_id)) == (done.row_id, KEPT)
    assert old not in await services.store.fetch([old])


async def test_a_note_that_says_nothing_else_goes_whole(services: Services) -> None:
    (old,) = await tell(services, "Beth keeps the shed key at the bakery.")
    taken = await services.sentence_edits.take(await found(services, "the shed key"))
    assert (taken.note_id, await services.store.fetch([old])) == (None, {})


async def test_nothing_is_done_to_a_note_that_has_changed_since_it_was_shown(services: Services) -> None:
    await tell(services, NOTE)
    told = await found(services, "Porto")
    await services.sentence_edits.correct(told, "Faro")
    with pytest.raises(InvalidParams, match="has changed since"):
        await services.sentence_edits.correct(told, "Braga")


async def test_what_has_no_sentence_is_said(services: Services) -> None:
    (note,) = await tell(services, NOTE)
    ana = await entity(services, "Ana")
    rewording = services.sentence_edits
    for row_id, start, error in ((note, 900, InvalidParams), (ana.id, 0, InvalidParams), ("t:no", 0, UnknownId)):
        with pytest.raises(error):
            await rewording.at(row_id, start, start + 1)
    with pytest.raises(InvalidParams, match="give the words to look for"):
        await rewording.find(" … ")
    with pytest.raises(UnknownId):
        await rewording.find("Porto", ["t:no"])

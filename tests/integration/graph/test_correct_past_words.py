"""What a corrected row said before is reachable from what took its place, so that forgetting can reach it."""

from pathlib import Path

import pytest

from played_turns import grounded, memory, tell
from voice.core.records import Entity, Observation, Origin, Row, RowStatus, Thought
from voice.services.graph.correct import CorrectRequest
from voice.services.graph.editor import Backing

pytestmark = pytest.mark.requirement("ruling:F.6")


def texts(rows: tuple[Row, ...]) -> set[str]:
    said = {row.content for row in rows if isinstance(row, Thought)}
    said |= {row.text for row in rows if isinstance(row, Observation)}
    return said | {row.description for row in rows if isinstance(row, Entity)}


async def test_every_earlier_wording_of_a_note_is_found_with_what_was_distilled_from_it(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        (other,) = await tell(services, "The glaze needs cobalt.")
        (first,) = await tell(services, "Marta lives in Porto.")
        second = await services.correcting(CorrectRequest(row_id=first, text="Marta lives in Faro.", reason="misheard"))
        third = await services.correcting(CorrectRequest(row_id=second.row_id, text="Marta lives in Lisbon."))
        past = await services.past_words.of([third.row_id])
        assert {row.status for row in past} == {RowStatus.SUPERSEDED}
        assert texts(past) == {"Marta lives in Porto.", "Marta lives in Faro."}
        assert {first, second.row_id} < {row.id for row in past}
        # of the earliest nothing took the place of anything; what was distilled from it rests on it
        assert texts(await services.past_words.of([first])) == {"Marta lives in Porto."}
        assert first not in {row.id for row in await services.past_words.of([first])}
        assert await services.past_words.of([other]) == ()
        assert await services.past_words.of([]) == ()


async def test_the_past_of_an_entity_and_of_a_statement_is_found_by_their_ids(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        backing = Backing(origin=Origin.HUMAN)
        editor = services.graph_editor
        added = await editor.add_entity(
            "Marta", entity_type="person", description="a potter", aliases=(), backing=backing
        )
        await services.correcting(CorrectRequest(row_id=added.row.id, text="a glazier"))
        past = await services.past_words.of([added.row.id])
        assert texts(past) == {"a potter"}

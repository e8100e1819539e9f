"""What somebody corrected in a note, put into what its file says since."""

from dataclasses import replace
from typing import Any

import pytest

from store_values import LAST_DAY, observation
from tables import tables
from voice.core.graph.thoughts.sentence_edits import (
    corrected_sentences,
    is_correction,
    still_corrected,
    with_corrections,
)
from voice.core.messages.memory import NOTE_EDITED
from voice.core.records import Origin, RowStatus

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:I4:conflict")
BEFORE = "Marta lives in Porto. The kiln is hot.\n- Paul pays."
AFTER = "Marta lives in Faro. She has moved. The kiln is hot.\n- Anna pays."


def test_the_sentences_that_were_put_in_the_place_of_others_are_known_with_those() -> None:
    assert corrected_sentences("It is red. It is hot. It is red.", "It is blue. It is hot. It is blue.") == (
        ("It is red.", "It is blue."),
        ("It is red.", "It is blue."),
    )
    assert corrected_sentences(BEFORE, AFTER) == ((BEFORE, AFTER),)
    assert with_corrections(BEFORE, [(BEFORE, AFTER)]) == AFTER
    assert corrected_sentences(BEFORE, f"{BEFORE} More.") == ()


@pytest.mark.parametrize(("text", "said"), TABLES["it_stands_where_the_old_sentence_stands_once_and_whole"])
def test_it_stands_where_the_old_sentence_stands_once_and_whole(text: str, said: str) -> None:
    assert with_corrections(text, [("Marta lives in Porto.", "Marta lives in Faro.")]) == said


def test_corrections_of_corrections_follow_one_another() -> None:
    assert (
        with_corrections("It is red.", [("It is red.", "It is blue."), ("It is blue.", "It is green.")])
        == "It is green."
    )


def test_a_statement_that_was_corrected_by_itself_comes_as_corrected() -> None:
    gone: dict[str, Any] = {
        "status": RowStatus.SUPERSEDED,
        "superseded_by": "o:9",
        "superseded_at": LAST_DAY,
        "superseded_author": Origin.HUMAN,
    }
    past = observation("1", text="It is red.", **gone)
    fresh = (observation("2", text="It is red."), observation("3", text="It is hot."))
    red, hot = still_corrected(fresh, [past, observation("4", text="It is hot.")])
    assert (red.id, red.status, red.superseded_by, red.superseded_at) == ("o:2", RowStatus.SUPERSEDED, "o:9", LAST_DAY)
    assert hot is fresh[1]
    assert not is_correction(replace(past, superseded_reason=NOTE_EDITED))
    assert not is_correction(replace(past, superseded_by=None))

"""Of which words a refusal may say that no note mentions them."""

from dataclasses import replace

import pytest

from voice.core.answering.refusal_remarks import (
    can_list_unmentioned,
    why_refused,
    with_unmentioned_words,
    words_to_look_up,
)
from voice.core.grounding.answer_text import refusal
from voice.core.grounding.values import RefusalReason

pytestmark = pytest.mark.requirement("answers:refusals")
REFUSED = refusal(RefusalReason.NO_SOURCES, notes="none answers this", evidence=())


def test_names_are_looked_up_first_and_whole_and_then_the_telling_words() -> None:
    assert words_to_look_up("Where did Li Na's zither go in 2024?") == ("Li Na", "zither")
    assert words_to_look_up("What did I do?") == ()
    assert words_to_look_up("Compare the zither with the samovar") == ("zither", "samovar")
    assert words_to_look_up("List all zithers") == ("zithers",)
    assert words_to_look_up("Summarise the kiln") == words_to_look_up("How far is the kiln?") == ("kiln",)
    assert len(words_to_look_up("zither samovar quern astrolabe belfry scullery larder clavichord trebuchet")) == 8


def test_it_is_said_of_the_notes_that_were_searched_where_nothing_was_found() -> None:
    told = with_unmentioned_words(REFUSED, ["a", "b", "c", "d"]).notes
    assert told == "no note I searched mentions “a” or “b” or “c”; none answers this"
    assert with_unmentioned_words(replace(REFUSED, notes=None), ["a"]).notes == "no note I searched mentions “a”"
    assert with_unmentioned_words(REFUSED, []) is REFUSED
    assert can_list_unmentioned(REFUSED)
    assert not can_list_unmentioned(replace(REFUSED, reason=RefusalReason.BUDGET))
    assert not can_list_unmentioned(replace(REFUSED, refused=False))


def test_a_refusal_is_explained_by_its_notes_else_by_its_reason() -> None:
    assert why_refused(REFUSED.reason, REFUSED.notes) == "I refused to answer for this reason: none answers this."
    assert why_refused(REFUSED.reason, None) == REFUSED.answer

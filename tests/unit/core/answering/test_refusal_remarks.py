"""Of which words a refusal may say that no note mentions them.

What a refusal says of what programs noted about its question.
"""

from dataclasses import replace

import pytest

from retrieval_rows import thought
from voice.core.answering.refusal_remarks import (
    WANT_OF_GROUND,
    can_list_unmentioned,
    notes_about,
    with_unmentioned_words,
    with_waiting_notes,
    words_to_look_up,
)
from voice.core.grounding.refusal import refusal
from voice.core.grounding.values import RefusalReason
from voice.core.records import Origin, Thought
from voice.core.vouch import Vouch

REFUSED = refusal(RefusalReason.NO_SOURCES, notes="none answers this", evidence=())


@pytest.mark.requirement("answers:refusals")
def test_names_are_looked_up_first_and_whole_and_then_the_telling_words() -> None:
    assert words_to_look_up("Where did Li Na's zither go in 2024?") == ("Li Na", "zither")
    assert words_to_look_up("What did I do?") == ()
    assert words_to_look_up("Compare the zither with the samovar") == ("zither", "samovar")
    assert words_to_look_up("List all zithers") == ("zithers",)
    assert len(words_to_look_up("zither samovar quern astrolabe belfry scullery larder clavichord trebuchet")) == 8


@pytest.mark.requirement("answers:refusals")
def test_it_is_said_of_what_was_looked_at_unless_that_was_all() -> None:
    assert (
        with_unmentioned_words(REFUSED, ["zither"], is_all=True).notes == "no note mentions “zither”; none answers this"
    )
    assert with_unmentioned_words(REFUSED, ["a", "b", "c", "d"], is_all=False).notes == (
        "no note I searched mentions “a” or “b” or “c”; none answers this"
    )
    assert (
        with_unmentioned_words(replace(REFUSED, notes=None), ["zither"], is_all=True).notes
        == "no note mentions “zither”"
    )
    assert with_unmentioned_words(REFUSED, [], is_all=True) is REFUSED


@pytest.mark.requirement("answers:refusals")
def test_only_where_nothing_was_found_to_answer_with_is_anything_said() -> None:
    assert can_list_unmentioned(REFUSED)
    assert not can_list_unmentioned(replace(REFUSED, reason=RefusalReason.BUDGET))
    assert not can_list_unmentioned(replace(REFUSED, refused=False))


@pytest.mark.requirement("answers:refusals")
def test_words_that_ask_for_a_form_are_not_looked_up() -> None:
    assert words_to_look_up("Summarise the kiln") == ("kiln",)
    assert words_to_look_up("How far is the kiln?") == ("kiln",)


def noted(key: str, text: str, by: str | None = "codex") -> Thought:
    return replace(thought(key, text, origin=Origin.TOOL), vouched=Vouch.WAITING, noted_by=by)


ZITHER = noted("1", "The zither is being mended by Ines in Faro.")
KILN = noted("2", "The kiln needs forty new bricks.")


@pytest.mark.requirement("ruling:J2")
def test_a_note_is_about_a_question_whose_words_it_holds() -> None:
    assert notes_about("Who mends the zither?", [KILN, ZITHER]) == (ZITHER,)
    assert notes_about("Where is the samovar?", [KILN, ZITHER]) == ()
    assert notes_about("What did I do?", [KILN, ZITHER]) == (), "a question without topic words is about nothing"


@pytest.mark.requirement("ruling:J2")
def test_what_holds_most_of_a_question_comes_first() -> None:
    half = noted("0", "A zither was seen.")
    assert notes_about("Is the zither in Faro?", [half, ZITHER]) == (ZITHER, half)


@pytest.mark.requirement("ruling:J2")
def test_a_word_that_stands_everywhere_is_enough_only_where_it_is_all_that_is_asked_for() -> None:
    importer = noted("3", "The importer times out after ninety seconds.")
    assert notes_about("When does the importer time out?", [importer, KILN]) == (importer,)
    assert notes_about("Which service starts the importer?", [importer]) == ()


@pytest.mark.requirement("ruling:J2")
def test_it_is_told_who_noted_it_and_that_approving_it_lets_it_count() -> None:
    assert with_waiting_notes(REFUSED, []) is REFUSED
    assert with_waiting_notes(REFUSED, [ZITHER]).notes == "an agent noted this (codex: t:1); approve it to let it count"
    several = [ZITHER, noted("2", "x", by=None), noted("3", "x"), noted("4", "x"), noted("5", "x")]
    assert with_waiting_notes(REFUSED, several).notes == (
        "an agent noted this (codex and a program: t:1, t:2, t:3 and 2 more notes); approve them to let them count"
    )


@pytest.mark.requirement("ruling:J2")
def test_no_word_of_the_note_is_told() -> None:
    told = with_waiting_notes(REFUSED, [ZITHER])
    assert "codex" in str(told.notes)
    assert "zither" not in f"{told.notes} {told.answer}"
    assert told.evidence_found == ()


@pytest.mark.requirement("ruling:J2")
def test_a_refusal_for_another_reason_is_none_that_a_source_could_have_answered() -> None:
    assert RefusalReason.NO_SOURCES in WANT_OF_GROUND
    assert not {RefusalReason.BUDGET, RefusalReason.MALFORMED, RefusalReason.DEADLINE} & WANT_OF_GROUND

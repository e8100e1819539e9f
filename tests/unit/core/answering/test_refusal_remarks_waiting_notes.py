"""What a refusal says of what programs noted about its question."""

from dataclasses import replace

import pytest

from retrieval_rows import thought
from voice.core.answering.refusal_remarks import WANT_OF_GROUND, notes_about, with_waiting_notes, with_words_of_others
from voice.core.grounding.answer_text import refusal
from voice.core.grounding.values import RefusalReason
from voice.core.records import Origin, Thought
from voice.core.vouch import Vouch

pytestmark = pytest.mark.requirement("ruling:J2")
REFUSED = refusal(RefusalReason.NO_SOURCES, notes="none answers this", evidence=())


def noted(key: str, text: str, by: str | None = "codex") -> Thought:
    return replace(thought(key, text, origin=Origin.TOOL), vouched=Vouch.WAITING, noted_by=by)


ZITHER = noted("1", "The zither is being mended by Ines in Faro.")
KILN = noted("2", "The kiln needs forty new bricks.")


def test_a_note_is_about_a_question_whose_words_it_holds() -> None:
    assert notes_about("Who mends the zither?", [KILN, ZITHER]) == (ZITHER,)
    assert notes_about("Where is the samovar?", [KILN, ZITHER]) == ()
    assert notes_about("What did I do?", [KILN, ZITHER]) == (), "a question without topic words is about nothing"


def test_what_holds_most_of_a_question_comes_first() -> None:
    half = noted("0", "A zither was seen.")
    assert notes_about("Is the zither in Faro?", [half, ZITHER]) == (ZITHER, half)


def test_a_word_that_stands_everywhere_is_enough_only_where_it_is_all_that_is_asked_for() -> None:
    importer = noted("3", "The importer times out after ninety seconds.")
    assert notes_about("When does the importer time out?", [importer, KILN]) == (importer,)
    assert notes_about("Which service starts the importer?", [importer]) == ()


def test_it_is_told_who_noted_it_and_that_approving_it_lets_it_count() -> None:
    assert with_waiting_notes(REFUSED, []) is REFUSED
    assert with_waiting_notes(REFUSED, [ZITHER]).notes == "an agent noted this (codex: t:1); approve it to let it count"
    several = [ZITHER, noted("2", "x", by=None), noted("3", "x"), noted("4", "x"), noted("5", "x")]
    assert with_waiting_notes(REFUSED, several).notes == (
        "an agent noted this (codex and a program: t:1, t:2, t:3 and 2 more notes); approve them to let them count"
    )


def test_it_is_told_who_else_said_it_and_how_to_vouch() -> None:
    said = replace(ZITHER, speaker="Ines", vouched=None)
    assert notes_about("What does Ines mend?", [said]) == (said,)
    assert with_words_of_others(REFUSED, []) is REFUSED
    assert with_words_of_others(REFUSED, [said]).notes == (
        "somebody else said something about this (Ines: t:1), which no answer cites before you vouch for it: "
        "import the file again with --as logged"
    )
    page = replace(said, id="t:2", speaker=None, kind="web", source_ref="https://kiln.example/torque")
    assert with_words_of_others(REFUSED, [page, said]).notes == (
        "somebody else wrote about this (https://kiln.example/torque: t:2), so no answer cites it; "
        "note what is true yourself"
    )


def test_no_word_of_the_note_is_told() -> None:
    told = with_waiting_notes(REFUSED, [ZITHER])
    assert "codex" in str(told.notes)
    assert "zither" not in f"{told.notes} {told.answer}"
    assert told.evidence_found == ()


def test_a_refusal_for_another_reason_is_none_that_a_source_could_have_answered() -> None:
    assert RefusalReason.NO_SOURCES in WANT_OF_GROUND
    assert not {RefusalReason.BUDGET, RefusalReason.MALFORMED, RefusalReason.DEADLINE} & WANT_OF_GROUND

"""An answer about a whole day gives it by its sentences, or says beside it how much of that day it leaves out."""

import pytest

from cli_runner import Voice

TOLD = ("Fired the kiln", "Paid the baker", "Walked the dog", "Mended the gate", "Wrote to Anna", "Cut the hedge")


@pytest.fixture
def told(voice: Voice) -> Voice:
    for each in TOLD:
        voice.ok("remember", f"{each} before noon.")
    return voice


@pytest.mark.requirement("answers:digest")
def test_a_day_is_told_by_all_its_sentences_where_there_is_room(told: Voice) -> None:
    ran = told.ok("ask", "What happened today?")
    assert [each for each in TOLD if each not in ran.out] == []
    assert "notes of that time" not in ran.err


def test_a_question_asked_back_about_a_day_says_how_much_of_it_is_left_out(told: Voice) -> None:
    ran = told.ok("ask", "--stance", "question", "What happened today?")
    assert "of at least 5 passages from that time; to see more" in " ".join(ran.err.split())
    assert "notes of that time" not in told("ask", "--new", "kiln", "Did I fire the kiln?").err

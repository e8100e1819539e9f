"""What was told in a time."""

import math
from dataclasses import replace

import pytest

from passage_rows import passage
from tables import by_law, tables
from voice.core.answering.answer_rules import MAX_WINDOW_PASSAGES, passages_in_window, with_whole_matches
from voice.core.answering.passage_choice import THRESHOLD, JudgedPassage
from voice.core.answering.question_target import Identifiers
from voice.core.retrieval.passages import Passage

TABLES = tables(__file__)
pytestmark = pytest.mark.requirement("s3:query:offline")

NOTES = {name: passage(text, thought=f"t:{name}") for name, text in TABLES["notes"].items()}
FRUSTRATED, LUNCH, PROUD = (NOTES[name] for name in ("frustrated", "lunch", "proud"))


def told(question: str, *found: Passage) -> tuple[Passage, ...]:
    return passages_in_window(question, Identifiers.of(question), found)


@pytest.mark.parametrize(
    ("question", "found", "given"),
    by_law(TABLES["what_was_told_in_a_time_is_given_by_how_much_of_the_question_it_holds"]),
)
def test_what_was_told_in_a_time_is_given_by_how_much_of_the_question_it_holds(
    question: str, found: list[str], given: list[str]
) -> None:
    assert told(question, *(NOTES[name] for name in found)) == tuple(NOTES[name] for name in given)


def test_no_more_is_given_of_a_time_than_there_is_room_for() -> None:
    assert told("Show me my notes", *[LUNCH] * 9) == (LUNCH,) * MAX_WINDOW_PASSAGES


def test_a_passage_of_the_time_that_holds_all_of_the_question_answers_it() -> None:
    judged = [
        JudgedPassage(passage=LUNCH, score=-2.0),
        JudgedPassage(passage=FRUSTRATED, score=-3.0),
        JudgedPassage(passage=PROUD, score=9.0),
    ]

    told = with_whole_matches("Who had lunch with Ana?", judged)

    assert [one.passage for one in told] == [PROUD, LUNCH, FRUSTRATED]
    assert [one.score > THRESHOLD for one in told] == [True, True, False]


def test_one_that_is_about_somebody_else_does_not_and_nothing_is_lifted_where_nothing_is_asked() -> None:
    apart = JudgedPassage(passage=LUNCH, score=-math.inf)

    assert with_whole_matches("Who had lunch with Ana?", [apart]) == (apart,)
    assert with_whole_matches("What did I do?", [replace(apart, score=-3.0)])[0].score == -3.0

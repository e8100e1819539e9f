"""What was told in a time."""

import math
from dataclasses import replace

import pytest

from passage_rows import passage
from voice.core.answering.answer_rules import MAX_WINDOW_PASSAGES, passages_in_window, with_whole_matches
from voice.core.answering.passage_choice import THRESHOLD, JudgedPassage
from voice.core.answering.question_target import Identifiers
from voice.core.retrieval.passages import Passage

pytestmark = pytest.mark.requirement("s3:query:offline")

FRUSTRATED = passage("The build broke and I was so frustrated.")
LUNCH = passage("Lunch with Ana by the river.", thought="t:2")
PROUD = passage("I took pride in the new index.", thought="t:3")


def told(question: str, *found: Passage, most: int = MAX_WINDOW_PASSAGES) -> tuple[Passage, ...]:
    return passages_in_window(question, Identifiers.of(question), found, most=most)


def test_what_holds_most_of_the_question_comes_first_and_what_holds_nothing_is_left_out() -> None:
    assert told("Show me frustrated thoughts", LUNCH, FRUSTRATED) == (FRUSTRATED,)
    assert told("Show me moments of a broken build and lunch", LUNCH, FRUSTRATED) == (FRUSTRATED, LUNCH)


def test_a_word_is_held_by_one_that_stands_for_it() -> None:
    assert told("proud moments", LUNCH, PROUD) == (PROUD,)


def test_nothing_is_given_where_nothing_holds_half_of_the_question() -> None:
    assert told("Show me proud notes on zeppelins and turbines", FRUSTRATED, PROUD) == ()
    assert told("Show me frustrated thoughts") == ()


def test_all_is_given_where_nothing_but_the_time_is_asked_for() -> None:
    assert told("Show me my notes", LUNCH, FRUSTRATED) == (LUNCH, FRUSTRATED)
    assert told("Show me my notes", *[LUNCH] * 9) == (LUNCH,) * MAX_WINDOW_PASSAGES


def test_who_is_named_has_to_be_there_and_moods_rank() -> None:
    question = "What are three accomplishments that Sam got excited about?"
    thrilled = passage("Sam could hardly sit still.", thought="t:4")
    excited = passage("Sam got excited about the index.", thought="t:5")
    other = passage("Tom got excited about it.", thought="t:6")
    assert told(question, thrilled, other, excited, most=3) == (excited, thrilled)
    assert told(question, passage("Sam had lunch."), other) == ()


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

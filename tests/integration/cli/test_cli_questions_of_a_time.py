"""The five questions of the specification, answered and recalled from a small memory, without a model."""

import pytest

from cli_runner import Voice
from tables import tables

TABLES = tables(__file__)
"""What is remembered; and each question with what its answer holds, and with what it does not."""


@pytest.fixture
def told(voice: Voice) -> Voice:
    for when, text in TABLES["memory"]:
        voice.ok("remember", text, "--at", when)
    return voice


@pytest.mark.requirement("s3:query:offline", "s3:test:e2e")
def test_each_of_the_five_questions_is_answered_and_recalled(told: Voice) -> None:
    for question, held, absent in TABLES["questions"]:
        answered = told.ok("ask", "--new", question, question, "--json").json
        answer = answered["answer"]
        assert answered["status"] == "answered", question
        assert all(text in answer for text in held), (question, answer)
        assert not any(text in answer for text in absent), (question, answer)
        recalled = told.ok("recall", question).out
        assert all(text in recalled for text in held), (question, recalled)


@pytest.mark.requirement("s3:query:offline")
def test_a_time_that_holds_nothing_of_what_is_asked_for_is_no_answer(told: Voice) -> None:
    assert told("ask", "--new", "a", "Show me notes on zeppelins from yesterday").code == 3

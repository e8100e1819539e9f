"""The five questions of the specification, answered and recalled from a small memory, without a model."""

from typing import cast

import pytest

from cli_runner import Voice

MEMORY = (
    ("two weeks ago", "Sam got excited when the search answered in under a second."),
    ("two weeks ago", "Sam shipped the importer two days early."),
    ("two weeks ago", "Sam could hardly sit still: the first customer signed."),
    ("two weeks ago", "Tom was excited about his new bike."),
    ("yesterday", "The build broke three times; I was so frustrated that I went for a walk."),
    ("yesterday", "Lunch with Ana by the river."),
    ("today", "surreal-mind keeps its vectors beside the rows."),
    ("today", "Bought oat milk."),
    ("last month", "I was proud of Mia, who swam her first length."),
    ("last month", "The dishwasher was repaired."),
    ("last Friday", "Codex said that the migration is safe to run twice."),
    ("last Friday", "We moved the plants to the balcony."),
)
QUESTIONS = (
    (
        "What are three accomplishments that Sam got excited about two weeks ago?",
        ("search answered", "importer", "customer signed"),
        ("bike",),
    ),
    ("Show me frustrated thoughts from yesterday", ("so frustrated",), ("Lunch",)),
    ("Find mentions of surreal-mind this week", ("vectors beside the rows",), ("oat milk", "Lunch")),
    ("Last month’s proud moments", ("proud of Mia",), ("dishwasher",)),
    ("What did Codex say on Friday?", ("safe to run twice",), ("plants",)),
)
"""Each with what its answer holds, and with what it does not."""


@pytest.fixture
def told(voice: Voice) -> Voice:
    for when, text in MEMORY:
        voice.ok("remember", text, "--at", when)
    return voice


@pytest.mark.requirement("s3:query:offline", "s3:test:e2e")
def test_each_of_the_five_questions_is_answered_and_recalled(told: Voice) -> None:
    for question, held, absent in QUESTIONS:
        answered = cast("dict[str, object]", told.ok("ask", "--new", question, question, "--json").json)
        assert answered["status"] == "answered", question
        answer = str(answered["answer"])
        assert all(text in answer for text in held), (question, answer)
        assert not any(text in answer for text in absent), (question, answer)
        recalled = told.ok("recall", question).out
        assert all(text in recalled for text in held), (question, recalled)


@pytest.mark.requirement("s3:query:offline")
def test_a_time_that_holds_nothing_of_what_is_asked_for_is_no_answer(told: Voice) -> None:
    assert told("ask", "--new", "a", "Show me notes on zeppelins from yesterday").code == 3

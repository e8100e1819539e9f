"""What a sentence is, seen with a hostile eye: nothing that states may leave as a question or as talk (ruling D1)."""

import pytest

from voice.core.grounding.answerability.kinds import kind_of

pytestmark = pytest.mark.requirement("ruling:D1")


@pytest.mark.parametrize(
    "sentence",
    [
        "Ada moved to Oslo, right?",
        "Ada moved to Oslo (remember?)",
        "Ada moved to Oslo — don't you think?",
        "Ada moved to Oslo; did she not?",
        "Ada moved to Oslo, is that so?",
        "Ada zog nach Oslo, oder?",
        "Were you aware that Ada moved?",
        "Have you heard that Ada moved?",
        "Can you believe Ada moved to Oslo?",
        "Remember when Ada moved to Oslo?",
        "Do you know that Ada moved?",
        "Is it not true that Ada moved?",
        "Did Ada not move to Oslo?",
        "Who wouldn't love Oslo?",
        "Would it surprise you that Ada moved?",
        "Didn't Ada move to Oslo?!",
    ],
)
def test_a_question_with_only_one_answer_is_a_claim(sentence: str) -> None:
    assert kind_of(sentence) == "claim"


@pytest.mark.parametrize(
    "sentence",
    [
        "Did Ada move to Oslo?",
        "Did Ada move to Oslo?!",
        "Which one, Oslo or Bergen, is it?",
        "Have you heard of Oslo?",
        "Do you know if Ada moved?",
        "Is Ada in Oslo or not?",
        "What does the move, the one to Oslo, mean to you?",
    ],
)
def test_a_question_that_is_open_is_one(sentence: str) -> None:
    assert kind_of(sentence) == "question"


@pytest.mark.parametrize(
    "sentence",
    [
        "As you noted, Ada moved to Oslo.",
        "As the sources say, Ada moved.",
        "It is well known that Ada moved.",
        "Needless to say, Ada moved.",
        "I could not find her age, but Ada moved to Oslo.",
        "The sources do not say why, though Ada moved.",
        "There is no information about her age because Ada died.",
        "I do not know where Ben lives – Ada moved.",
        "Sure, Ada moved.",
        "Let me know if Ada moved again.",
        "Here is what Ada did.",
        "Both.",
        "Her.",
        "Him, and never her.",
        "Always.",
    ],
)
def test_talk_that_carries_a_fact_is_a_claim(sentence: str) -> None:
    assert kind_of(sentence) == "claim"


@pytest.mark.parametrize("sentence", ["“Ada moved to Oslo.”", '"Ada moved to Oslo".', "> Ada moved to Oslo."])
def test_what_is_quoted_as_a_whole_is_a_quotation(sentence: str) -> None:
    assert kind_of(sentence) == "quotation"


@pytest.mark.parametrize(
    "sentence", ["The notes do not say.", "There is no information about this.", "I could not find any information."]
)
def test_who_says_only_that_the_notes_do_not_tell_states_nothing(sentence: str) -> None:
    assert kind_of(sentence) == "meta"

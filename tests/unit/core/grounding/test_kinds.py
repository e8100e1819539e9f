"""What a sentence is, seen with a hostile eye: nothing that states may leave as a question or as talk (ruling D1)."""

import pytest

from grounding_rows import CITED, judged
from voice.core.grounding.kinds import kind_of, told_in

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
    assert kind_of(sentence, frozenset({"age", "ben"})) == "claim"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Ada moved to Oslo, so what will you do?", "Ada moved to Oslo"),
        ("Ada moved to Oslo; how do you feel?", "Ada moved to Oslo"),
        ("Now that Ada moved to Oslo, how do you feel?", "Ada moved to Oslo"),
        ("Because Ada was ill, did you stay?", "Ada was ill"),
        ("- Ada moved to Oslo: and why?", "Ada moved to Oslo"),
        ("If Ada moved, what then?", None),
        ("In Oslo, what did you do?", None),
        ("What did you do in Oslo?", None),
        ("Did Ada move, and why?", None),
    ],
)
def test_what_a_question_states_before_it_asks_is_found(question: str, told: str | None) -> None:
    assert told_in(question) == told


def test_a_statement_woven_from_the_sources_words_cannot_hide_before_a_question() -> None:
    false = "You did not move to Stockholm with your sister, so what does the flat in Stockholm cost?"
    true = "You moved to Stockholm with your sister Anna, so what does the flat in Stockholm mean to you?"
    good = "You moved to Stockholm in March 2021. The flat costs 1,400 euros a month."

    assert [one.verdict for one in judged(f"{good} {true}", *CITED).sentences][-1] == "not_a_claim"
    hidden = judged(f"{good} {false}", *CITED).sentences[-1]
    assert hidden.verdict == "unsupported"
    assert "smuggled" in hidden.flags


def test_a_question_that_states_nothing_of_its_own_before_it_asks_is_free() -> None:
    good = "You moved to Stockholm in March 2021. The flat costs 1,400 euros a month."

    assert judged(f"{good} Well, what next?", *CITED).sentences[-1].verdict == "not_a_claim"

"""What is asked of "I" is not answered by what is told of a relative, nor of whom the writer did it to."""

import pytest

from grounding_rows import draft, row
from voice.core.grounding.asker import is_of_somebody_else
from voice.core.grounding.compose import compose
from voice.core.grounding.judge import judge
from voice.core.grounding.passages import all_passages
from voice.core.grounding.values import Evidence, GroundingPolicy, Stance
from voice.core.grounding.who import is_turned_around
from voice.core.text.words import words

ONE_DOES = GroundingPolicy(single_source="green")
CLARA = row("S1", "My sister Clara is allergic to peanuts.")
SCARF = row("S2", "Gave Ingrid a scarf for her birthday.")


def answer(question: str, *rows: Evidence) -> str | None:
    response = judge(compose(question, rows, Stance.SYNTHESIZE), rows, ONE_DOES, question=question)
    return None if response.refused else response.answer


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("Am I allergic to peanuts?", None),
        ("What am I allergic to?", None),
        ("Who is allergic to peanuts?", CLARA.text),
        ("Is my sister allergic to peanuts?", CLARA.text),
        ("Did I say that Clara is allergic to peanuts?", CLARA.text),
    ],
)
def test_what_is_told_of_a_relative_is_not_told_of_the_asker(question: str, given: str | None) -> None:
    assert answer(question, CLARA) == given


def test_what_is_told_of_somebody_by_name_is_not_told_of_the_asker() -> None:
    (anna,) = all_passages(row("S1", "Anna has a cat allergy."))
    assert is_of_somebody_else("What am I allergic to?", anna)
    assert not is_of_somebody_else("What did I note on Anna's allergy?", anna)
    (ours,) = all_passages(row("S1", "Anna has a cat allergy like me."))
    assert not is_of_somebody_else("What am I allergic to?", ours)


@pytest.mark.parametrize(
    "text",
    [
        "My sister and I are allergic to peanuts.",
        "My sister gave me peanuts.",
        "My allergy to peanuts is back.",
        "Allergic to peanuts.",
        "My.",
        "The sister is allergic to peanuts.",
    ],
)
def test_a_sentence_that_may_speak_of_the_asker_is_left(text: str) -> None:
    (passage,) = all_passages(row("S1", text))
    assert not is_of_somebody_else("Am I allergic to peanuts?", passage)


def test_in_a_talk_i_may_be_anybody() -> None:
    (passage,) = all_passages(row("S1", CLARA.text, speaker="Tom"))
    assert not is_of_somebody_else("Am I allergic to peanuts?", passage)


def test_a_model_that_tells_of_a_relative_does_not_answer() -> None:
    said = draft("You are allergic to peanuts.", ("S1", CLARA.text))
    assert judge(said, (CLARA,), ONE_DOES, question="Am I allergic to peanuts?").refused


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "text", "is_turned"),
    [
        ("What did Ingrid give me?", "Gave Ingrid a scarf.", True),
        ("Did Tom visit me?", "Visited Tom in Bergen.", True),
        ("What did I give Ingrid?", "Gave Ingrid a scarf.", False),
        ("What did Ingrid give me?", "Gave me a scarf, Ingrid did.", False),
        ("What did Ingrid give me?", "Ingrid gave me a scarf.", False),
        ("What did Ingrid give me?", "Red scarf given by Ingrid.", False),
        ("What did Ingrid give me?", "?", False),
    ],
)
def test_a_note_that_leaves_out_its_i_has_one_all_the_same(question: str, text: str, *, is_turned: bool) -> None:
    assert is_turned_around(words(question), all_passages(row("S1", text))) is is_turned


def test_in_a_talk_nobody_is_left_out() -> None:
    told = all_passages(row("S1", "Gave Ingrid a scarf.", speaker="Tom"))
    assert not is_turned_around(words("What did Ingrid give me?"), told)


def test_what_somebody_gave_is_not_what_they_were_given() -> None:
    assert answer("What did Ingrid give me for her birthday?", SCARF) is None
    assert answer("What did I give Ingrid for her birthday?", SCARF) == SCARF.text


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("What colour is my bicycle?", None),
        ("Which color is my bicycle?", None),
        ("What colour is my kayak?", "The kayak is dark red."),
        ("Where is my bicycle?", "My bicycle stands in the cellar."),
    ],
)
def test_a_question_for_a_colour_is_answered_by_one(question: str, given: str | None) -> None:
    rows = (row("S1", "My bicycle stands in the cellar."), row("S2", "The kayak is dark red."))
    assert answer(question, *rows) == given

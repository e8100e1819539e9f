"""What is asked of "I" is not answered by what is told of a relative, nor of whom the writer did it to."""

import pytest

from grounding_rows import judge_composed, row
from voice.core.grounding.answerability.asker import is_of_somebody_else
from voice.core.grounding.answerability.compose import compose
from voice.core.grounding.answerability.passages import all_passages
from voice.core.grounding.values import Evidence, GroundingPolicy, Stance

ONE_DOES = GroundingPolicy(single_source="green")
CLARA = row("S1", "My sister Clara is allergic to peanuts.")
SCARF = row("S2", "Gave Ingrid a scarf for her birthday.")


def answer(question: str, *rows: Evidence) -> str | None:
    response = judge_composed(compose(question, rows, Stance.SYNTHESIZE), rows, ONE_DOES, question=question)
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

"""What a question asks for that has words of its own, and the sentences that tell it."""

import pytest

from voice.core.grounding.answerability.asked import asked_measure


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "name", "tells", "does_not"),
    [
        ("How tall is the mast?", "how tall", "The mast measures 12 m.", "The mast is red."),
        ("Wie schwer ist der Ofen?", "how schwer", "Er wiegt viel.", "Er ist rot."),
        ("What colour is the boat?", "which colour", "The boat is red.", "The boat is tall."),
    ],
)
def test_a_measure_is_told_by_its_unit_or_by_a_word_of_it(question: str, name: str, tells: str, does_not: str) -> None:
    measure = asked_measure(question)
    assert measure is not None
    assert (measure.name, measure.says(tells), measure.says(does_not)) == (name, True, False)


def test_a_question_for_anything_else_asks_for_no_measure() -> None:
    assert asked_measure("Where is the boat?") is None
    assert asked_measure("How tall is the boat?") is not None

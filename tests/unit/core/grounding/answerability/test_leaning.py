"""What a follow-up's pronoun stands for is not told by a note that says nothing of it."""

import pytest

from grounding_rows import answer_of, row
from voice.core.grounding.answerability.compose import compose
from voice.core.grounding.answerability.leaning import is_beside_what_is_leant_on
from voice.core.grounding.answerability.passages import all_passages
from voice.core.grounding.values import Stance

SLUGS = row("S1", "The slugs ate the lettuce.")
CAT = row("S2", "The cat eats kidney food twice a day.")


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "note", "expected"),
    [
        ("What does she eat?\ncat", "The slugs ate the lettuce.", True),
        ("What does she eat?\ncat", "The cat eats kidney food.", False),
        ("How old is it?\nroof", "Rui is forty years old.", True),
        ("Wie alt ist sie?\nkatze", "Das Haus ist hundert Jahre alt.", True),
        ("Where is it?\nbicycle", "The shed is behind the house. My bicycle stands there.", False),
        ("Who was with us?\naugust", "Katrin was with us.", False),
        ("What does she eat?", "The slugs ate the lettuce.", False),
        ("What does she eat?\nand", "The slugs ate the lettuce.", False),
    ],
)
def test_a_note_without_the_topic_that_a_pronoun_stands_for_is_beside_it(
    question: str, note: str, *, expected: bool
) -> None:
    assert is_beside_what_is_leant_on(question, all_passages(row("S1", note))[0]) is expected


@pytest.mark.requirement("ruling:D5")
def test_a_follow_up_is_answered_from_what_it_leans_on_alone() -> None:
    assert answer_of(compose("What does she eat?\ncat", [SLUGS, CAT], Stance.SYNTHESIZE)) == CAT.text
    assert compose("What does she eat?\ncat", [SLUGS], Stance.SYNTHESIZE).refused

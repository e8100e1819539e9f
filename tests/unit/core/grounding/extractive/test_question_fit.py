"""What type of answer a question asks for, in three languages, and whether a text holds an amount of it."""

import pytest

from voice.core.grounding.extractive.question_fit import Amount, answer_types, holds_amount

pytestmark = pytest.mark.requirement("ruling:D5")


@pytest.mark.parametrize(
    ("question", "types"),
    [
        ("When did Ada move?", ("time",)),
        ("WHICH YEAR was it?", ("time",)),
        ("Wann ist Ada umgezogen?", ("time",)),
        ("¿Cuándo se mudó Ada?", ("time",)),
        ("How many kilns are there?", ("number",)),
        ("Wie viele Öfen gibt es?", ("number",)),
        ("How much did the kiln cost?", ("money",)),
        ("When was the kiln sold, and what did it cost?", ("time", "money")),
        ("What is the rent of the studio?", ("money",)),
        ("Was kostete der Ofen?", ("money",)),
        ("¿Cuánto costó el horno?", ("money",)),
        ("Was there a kiln?", ()),
        ("Whenever did nothing?", ()),
        ("Why did Ada move?", ()),
    ],
)
def test_a_question_asks_for_a_type_by_its_words(question: str, types: tuple[str, ...]) -> None:
    assert answer_types(question) == types


@pytest.mark.parametrize(
    ("kind", "text", "holds"),
    [
        ("number", "Three kilns.", True),
        ("number", "Several kilns.", True),
        ("number", "Kilns.", False),
        ("money", "It was 900 €.", True),
        ("money", "Only nine hundred dollars.", True),
        ("money", "I paid 900 for it.", True),
        ("money", "I paid for it.", False),
        ("money", "900 people came.", False),
    ],
)
def test_a_text_holds_an_amount_of_a_kind(kind: Amount, text: str, holds: bool) -> None:  # noqa: FBT001
    assert holds_amount(kind, text) is holds

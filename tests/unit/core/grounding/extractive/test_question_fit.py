"""What type of answer a question asks for, in three languages, and whether a text holds an amount of it."""

import pytest

from voice.core.grounding.extractive.question_fit import Amount, answer_types, holds_amount, is_place_a_link

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


@pytest.mark.requirement("answers:no-address")
def test_where_somebody_lives_is_not_told_by_a_web_address() -> None:
    asked = "Where does Boris Mann live?"
    assert is_place_a_link(asked, "Live at <https://bmann.example/live/>")
    assert is_place_a_link(asked, "He runs a fund.\n[Live](https://bmann.example)")
    assert not is_place_a_link(asked, "He lives in Vancouver: https://bmann.example")
    assert not is_place_a_link(asked, "He lives there.")
    assert not is_place_a_link(asked, "He runs a fund: https://bmann.example")
    assert not is_place_a_link("Where is the blog?", "Live at <https://bmann.example>")
    assert not is_place_a_link("Where is the live stream kept when he travels?", "Streams: https://live.example")

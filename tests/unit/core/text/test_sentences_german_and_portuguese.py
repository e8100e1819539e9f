"""Full stops that end no sentence: German ordinals, titles of several languages (rulings C12, C13)."""

import pytest

from voice.core.text.sentences import sentences


@pytest.mark.parametrize(
    "text",
    [
        "Mama zieht am 1. Mai ins Haus am Deich.",
        "Hinflug am 18. November, 6:15 Uhr, zurück am 2. Dezember.",
        "Sie wohnt im 3. Stock.",
        "Wir nehmen den Zug, z.B. Jonas.",
        "Dra. Inês raised the tablets.",
        "Sra. Lopes und Hr. Brandt waren da.",
    ],
)
def test_a_full_stop_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        ("Das war am 3.", "Dann kam er."),
        ("We met on the 3.", "He left."),
        ("There were 20.", "Nobody counted."),
        ("One voice is left, and it is Henrique's.", "Honey and tea."),
        ("Er kam im Jahr 1921.", "Mai war es nicht."),
    ],
)
def test_a_full_stop_after_a_number_or_a_possessive_ends_a_sentence(text: tuple[str, ...]) -> None:
    assert sentences(" ".join(text)) == list(text)

"""A text is read with the stop words of its own language (ruling B16: what carries no topic is no term)."""

import pytest

from voice.core.text.words import content_words, language_of, words


@pytest.mark.parametrize(
    ("text", "language", "content"),
    [
        ("Wann zieht Mama ins Haus am Deich?", "de", ["zieht", "mama", "haus", "deich"]),
        ("¿Cuándo se mudó mi hermana a la casa?", "es", ["mudo", "hermana", "casa"]),
        ("When did she move into the house?", "en", ["move", "house"]),
        ("Die Hard is on", "en", ["die", "hard"]),
    ],
)
def test_the_stop_words_are_those_of_the_text(text: str, language: str, content: list[str]) -> None:
    assert language_of(words(text)) == language
    assert [word.key for word in content_words(text)] == content


def test_a_text_without_stop_words_is_taken_for_english() -> None:
    assert language_of(words("Bechstein, Marvila, 1893")) == "en"

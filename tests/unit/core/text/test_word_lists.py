"""Words that carry no topic."""

import pytest

from tables import tables
from voice.core.text.word_lists import STOPWORDS, Language, fold_word, guess_language, is_stopword

TABLES = tables(__file__)


@pytest.mark.parametrize("word", ["The", "what's", "What’s", "whoʼs", "DON`T"])
def test_case_and_apostrophe_do_not_hide_a_stop_word(word: str) -> None:
    assert is_stopword(word)


@pytest.mark.parametrize(
    ("word", "language", "other"), [("war", "en", "de"), ("die", "en", "de"), ("hat", "en", "de"), ("son", "en", "es")]
)
def test_the_filler_of_one_language_stays_a_topic_in_another(word: str, language: Language, other: Language) -> None:
    assert not is_stopword(word, language)
    assert is_stopword(word, other)


@pytest.mark.parametrize("word", ["like", "show", "two", "lunch", "Sam", "rust", ""])
def test_a_word_with_a_topic_is_kept(word: str) -> None:
    assert not is_stopword(word)
    assert is_stopword("the")


def test_every_table_is_spelled_as_words_are_looked_up() -> None:
    assert [w for table in STOPWORDS.values() for w in table if fold_word(w) != w] == []
    assert min(map(len, STOPWORDS.values())) > 10


@pytest.mark.parametrize(("text", "language"), TABLES["the_language_is_the_one_with_most_filler"])
def test_the_language_is_the_one_with_most_filler(text: str, language: Language) -> None:
    assert guess_language(text.split()) == language


def test_the_default_language_wins_a_tie() -> None:
    assert guess_language(["Kyoto"], default="es") == "es"
    assert guess_language([], default="de") == "de"

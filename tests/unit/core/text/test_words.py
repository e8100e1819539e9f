"""Words, stems, weights and synonyms, as grounding compares them.

The stems of a text are those of its words, however they are come by.
A text is read with the stop words of its own language (ruling B16: what carries no topic is no term).
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.grounding.extractive.evidence_sentences import synonyms_of
from voice.core.text.language_data import is_common_word, word_weight
from voice.core.text.words import (
    adjacent_words,
    content_words,
    has_negation,
    language_of,
    negated,
    stem_of,
    stems_in,
    strip_possessive,
    words,
)

TABLES = tables(__file__)


@pytest.mark.parametrize(("text", "keys"), TABLES["words_are_compared_as_a_reader_would"])
def test_words_are_compared_as_a_reader_would(text: str, keys: tuple[str, ...]) -> None:
    assert tuple(word.key for word in words(text)) == keys


@pytest.mark.parametrize("text", ["The dog, Melanie's 3rd, can't!", "Ünïcode 今日は and dоg’s", "a b c 1.5k"])
def test_words_know_where_they_stand(text: str) -> None:
    assert all(word.text == text[word.start : word.end] for word in words(text))


def test_content_words_leave_out_what_carries_no_topic() -> None:
    assert [word.key for word in content_words("I am going to the market with a 7 and x")] == ["market", "7"]


def test_a_capital_is_seen() -> None:
    assert [word.is_capital for word in words("Anna sees")] == [True, False]


@pytest.mark.parametrize("forms", TABLES["forms_of_one_word_have_one_stem"])
def test_forms_of_one_word_have_one_stem(forms: str) -> None:
    assert len({stem_of(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("word", "other"),
    [("hopeful", "hopeless"), ("happy", "unhappy"), ("new", "news"), ("rang", "ranging"), ("дом", "дома")],
)
def test_different_words_have_different_stems(word: str, other: str) -> None:
    assert stem_of(word) != stem_of(other)


def test_a_rare_word_tells_more_than_an_everyday_one() -> None:
    time, kitchen, xylophone = (word_weight(stem_of(each)) for each in ("time", "kitchen", "xylophone"))
    assert time < kitchen < word_weight("2023") < xylophone
    assert word_weight("zq") == 2.5


def test_everyday_words_are_known_in_any_form_and_slips_are_not() -> None:
    assert is_common_word("houses")
    assert is_common_word("leave")
    assert not is_common_word("leav")
    assert not is_common_word("xylophone")


def test_synonyms_are_mutual_and_exclude_the_word_itself() -> None:
    assert stem_of("purchase") in synonyms_of(stem_of("bought"))
    assert stem_of("bought") in synonyms_of(stem_of("purchase"))
    assert stem_of("buy") not in synonyms_of(stem_of("buy"))
    assert synonyms_of("xylophon") == frozenset()


@pytest.mark.parametrize(("text", "denied"), TABLES["a_negation_reaches_to_the_end_of_its_clause"])
def test_a_negation_reaches_to_the_end_of_its_clause(text: str, denied: tuple[str, ...]) -> None:
    found = words(text)

    assert [found[index].key for scope in negated(text, found) for index in scope[1:]] == list(denied)
    assert has_negation(text, found) is bool(denied)


@pytest.mark.parametrize(
    ("written", "name"), [("Anna's", "Anna"), ("Anna’s", "Anna"), ("Anna", "Anna"), ("Lars", "Lars"), ("'s", "")]
)
def test_a_name_is_bared_of_its_possessive_ending_however_it_is_written(written: str, name: str) -> None:
    assert strip_possessive(written) == name


def test_words_between_which_nothing_stands_are_one_run() -> None:
    text = "Li Na met Tom, Eva and Ana Sofia"
    capitals = [word for word in words(text) if word.is_capital]
    runs = adjacent_words(text, capitals)
    assert [[word.text for word in run] for run in runs] == [["Li", "Na"], ["Tom"], ["Eva"], ["Ana", "Sofia"]]
    assert adjacent_words(text, []) == []


TEXTS = st.one_of(st.text(max_size=60), st.text(alphabet="aeInst'’.,:-0129$% \n", max_size=60))


@given(TEXTS)
def test_the_stems_in_a_text_are_those_of_its_words(text: str) -> None:
    assert stems_in(text) == frozenset(word.stem for word in words(text))


def test_numbers_times_and_endings_are_read_as_in_words() -> None:
    assert {"1,200", "3rd", "13:30", "run"} <= stems_in("The 3rd of 1,200 shoes; he ran at 13:30")


@pytest.mark.parametrize(("text", "language", "content"), TABLES["the_stop_words_are_those_of_the_text"])
def test_the_stop_words_are_those_of_the_text(text: str, language: str, content: tuple[str, ...]) -> None:
    assert language_of(words(text)) == language
    assert tuple(word.key for word in content_words(text)) == content


def test_a_text_without_stop_words_is_taken_for_english() -> None:
    assert language_of(words("Bechstein, Marvila, 1893")) == "en"

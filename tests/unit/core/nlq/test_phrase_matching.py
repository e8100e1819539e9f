"""How a question is cut."""

from datetime import date, time

import pytest

from tables import tables
from voice.core.nlq.phrase_matching import tokenise

TABLES = tables(__file__)


@pytest.mark.parametrize(("text", "kind", "value"), TABLES["figures_are_read_whatever_the_language"])
def test_figures_are_read_whatever_the_language(text: str, kind: str, value: object) -> None:
    (token,) = tokenise(text, "month_first")
    read = token.value.isoformat() if isinstance(token.value, date | time) else token.value
    assert (token.kind, read) == (kind, value)


@pytest.mark.parametrize("text", ["report-2024-03-05.csv", "2024-03-05-export", "v2024-03", "/2024-03-05/"])
def test_a_date_inside_a_name_is_no_date(text: str) -> None:
    assert not any(token.value for token in tokenise(text, "month_first") if token.kind in {"iso", "year_month"})
    alone = tokenise("on 2024-03-05", "month_first")
    assert [token.kind for token in alone if token.value] == ["iso"]


def test_a_possessive_is_marked_and_taken_off() -> None:
    (token,) = tokenise("Month’s", "month_first")
    assert (token.word, token.is_possessive, token.is_capitalised, token.opens_sentence) == ("month", True, True, True)


def test_what_is_quoted_is_one_mark() -> None:
    assert [token.text for token in tokenise("is 'last week' it's", "month_first")] == ["is", "'last week'", "it's"]


def test_the_word_after_a_stop_opens_a_sentence() -> None:
    assert [token.opens_sentence for token in tokenise("Hm. May I", "month_first")] == [True, False, True, False]


@pytest.mark.parametrize("text", ["Oct. 16", "in Sept. 2023", "on Mon. morning"])
def test_the_stop_of_a_shortened_word_is_no_end_of_a_sentence(text: str) -> None:
    tokens = tokenise(text, "month_first")
    assert not any(token.text == "." or token.opens_sentence for token in tokens[1:])
    assert any(token.opens_sentence for token in tokenise(f"{text}. Then", "month_first")[1:])


@pytest.mark.parametrize("text", ["it is mine. May I", "login.5"])
def test_the_stop_of_another_word_stands_alone(text: str) -> None:
    assert "." in [token.text for token in tokenise(text, "month_first")]


@pytest.mark.parametrize("figure", ["\U00011f50", "\U00011f50\U00011f51"])
def test_a_figure_of_a_script_that_python_does_not_know_has_no_value(figure: str) -> None:
    assert all(token.value is None or figure.isdecimal() for token in tokenise(figure, "month_first"))

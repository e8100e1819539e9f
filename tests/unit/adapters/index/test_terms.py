"""Terms: any string in any script, and a row and a question that share a word share a term.

Dates as terms: however a day is written, it is the same day.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.adapters.index.terms import ASKS, EXACT_WEIGHT, MAX_QUERY_TERMS, date_terms, query_terms, row_terms

TABLES = tables(__file__)


def share(row: str, question: str) -> bool:
    return any(term in row_terms(row) for term, _ in query_terms(question))


@pytest.mark.requirement("ruling:G.1")
@pytest.mark.parametrize(("row", "question"), TABLES["a_row_and_a_question_share_a_term"])
def test_a_row_and_a_question_share_a_term(row: str, question: str) -> None:
    assert share(row, question)


@pytest.mark.parametrize(
    ("row", "question"), [("the cat", "dogs"), ("東京", "京都"), ("a plan", "what is the"), ("C++", "Java"), ("", "x")]
)
def test_what_shares_no_word_shares_no_term(row: str, question: str) -> None:
    assert not share(row, question)
    assert share(f"{row} kiln", f"{question} kiln")


@pytest.mark.requirement("ruling:G.2a")
@given(st.text(max_size=200))
def test_any_string_has_terms_or_none(text: str) -> None:
    assert all(count > 0 for count in row_terms(text).values())
    assert len(query_terms(text)) <= MAX_QUERY_TERMS


@given(st.text(max_size=80))
def test_a_text_shares_all_the_terms_it_asks_with(text: str) -> None:
    assert {term for term, _ in query_terms(text)} <= set(row_terms(text))


@pytest.mark.parametrize(
    "text", ["x" * 100_000, "a-" * 50_000, "日" * 100_000, "a b " * 25_000, "😀" * 100_000, "\ud800" * 9]
)
def test_a_hundred_thousand_characters_are_a_valid_question(text: str) -> None:
    assert len(query_terms(text)) <= MAX_QUERY_TERMS
    assert sum(row_terms(text).values()) <= 2 * len(text)


def test_stop_words_are_left_out_unless_there_is_nothing_else() -> None:
    assert query_terms("the violin") == query_terms("violin")
    assert len(query_terms("to be or not to be")) > 2


def test_an_exact_form_weighs_less_than_its_stem() -> None:
    assert [weight for _, weight in query_terms("running")] == [1.0, EXACT_WEIGHT]
    assert [weight for _, weight in query_terms("violin")] == [1.0]


@pytest.mark.parametrize(("question", "telling"), TABLES["the_stop_words_are_those_of_the_questions_own_language"])
def test_the_stop_words_are_those_of_the_questions_own_language(question: str, telling: str) -> None:
    assert query_terms(question) == query_terms(telling)


def test_a_character_that_stands_in_a_pair_is_not_asked_for_alone() -> None:
    assert len(query_terms("東京")) == 1
    assert not share("北京", "東京")


def test_a_row_that_ends_in_a_question_is_marked_and_no_question_asks_for_the_mark() -> None:
    assert all(ASKS in row_terms(row) for row in ("Is it so?", 'She asked "why?"', "本当？", "لماذا؟", "really? \n"))
    assert all(ASKS not in row_terms(row) for row in ("Why? Because.", "", "?? no"))
    assert ASKS not in dict(query_terms("Is it so?"))


def test_counts_repeated_words() -> None:
    assert max(row_terms("cat cats cat").values()) == 3


@pytest.mark.parametrize(("text", "signs"), TABLES["a_box_of_a_list_is_a_term_of_its_own"])
def test_a_box_of_a_list_is_a_term_of_its_own(text: str, signs: str) -> None:
    assert [sign for sign in "☐☑" if query_terms(sign)[0][0] in row_terms(text)] == list(signs)


@pytest.mark.parametrize(
    "text",
    ["[8 May 2023] Tim: hi", "on May 8th", "May 8, 2023", "the 8th of May", "am 8. Mai", "el 8 de mayo", "2023-05-08"],
)
def test_a_day_is_the_same_however_it_is_written(text: str) -> None:
    assert list(date_terms(text)) == ["=@5", "=@5-8"]


@pytest.mark.parametrize(("text", "found"), TABLES["months_and_stretches_of_days_are_found"])
def test_months_and_stretches_of_days_are_found(text: str, found: tuple[str, ...]) -> None:
    assert tuple(date_terms(text)) == found


@pytest.mark.parametrize("text", TABLES["what_only_looks_like_a_date_is_none"])
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert list(date_terms(text)) == []
    assert list(date_terms("2025-02-28")) != []


@pytest.mark.parametrize("text", ["June 99", "June 9:30", "99 June", "1.5 June"])
def test_a_number_that_is_no_day_leaves_the_month(text: str) -> None:
    assert list(date_terms(text)) == ["=@6"]


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from(["May", "8", "th", " ", "aprİl", "٣", "³", "-", "to"])).map("".join)
)
def test_any_text_has_dates_or_none(text: str) -> None:
    assert all(term.startswith("=@") for term in date_terms(text))

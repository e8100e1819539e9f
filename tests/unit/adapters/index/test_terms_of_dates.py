"""Dates as terms: however a day is written, it is the same day."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.adapters.index.terms import date_terms


@pytest.mark.parametrize(
    "text",
    ["[8 May 2023] Tim: hi", "on May 8th", "May 8, 2023", "the 8th of May", "am 8. Mai", "el 8 de mayo", "2023-05-08"],
)
def test_a_day_is_the_same_however_it_is_written(text: str) -> None:
    assert list(date_terms(text)) == ["=@5", "=@5-8"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("in February", ["=@2"]),
        ("im Februar", ["=@2"]),
        ("in May", ["=@5"]),
        ("March 2024", ["=@3"]),
        ("from January 9th to 11th", ["=@1", "=@1-9", "=@1-10", "=@1-11"]),
        ("January 3rd and January 5th", ["=@1", "=@1-3", "=@1", "=@1-5"]),
        ("June 10 at 9:30", ["=@6", "=@6-10"]),
    ],
)
def test_months_and_stretches_of_days_are_found(text: str, found: list[str]) -> None:
    assert list(date_terms(text)) == found


@pytest.mark.parametrize(
    "text",
    [
        "May I come?",
        "march to production",
        "Jan said so",
        "mayo and ham",
        "2025-13-41",
        "2025-02-40",
        "31 décembre",
        "",
    ],
)
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

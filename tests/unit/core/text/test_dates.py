"""Numbers, measures, times and dates in one comparable form.

Clock times, run times and days as another writer puts them; only what is certain.
"""

from datetime import date
from decimal import Decimal

import pytest

from tables import tables
from voice.core.grounding.extractive.evidence_sentences import other_time_spellings
from voice.core.text.dates import (
    date_spellings,
    mention_of_day,
    relative_dates,
    stated_dates,
    supports_date,
    weekdays,
    with_year_near,
)
from voice.core.text.display import strip_ellipsis
from voice.core.text.numbers import quantities, same_quantity

TABLES = tables(__file__)

SAID_ON = date(2023, 5, 8)


@pytest.mark.parametrize(("text", "values"), TABLES["a_number_has_one_value_however_it_is_written"])
def test_a_number_has_one_value_however_it_is_written(text: str, values: list[tuple[str, str | None]]) -> None:
    assert [(q.value, q.unit) for q in quantities(text)] == [(Decimal(value), unit) for value, unit in values]


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claimed", "stated", "same"),
    [
        *TABLES["numbers_agree_only_with_their_unit_and_half_of_the_day"],
        *TABLES["an_unknown_number_of_hundreds_is_any_of_them_and_none_for_certain"],
    ],
)
def test_numbers_agree_as_far_as_they_are_known_with_their_unit_and_half_of_the_day(
    claimed: str, stated: str, *, same: bool
) -> None:
    assert same_quantity(quantities(claimed)[0], quantities(stated)[0]) is same


def test_what_is_counted_stands_behind_of() -> None:
    assert quantities("dozens of eggs")[0].head == quantities("two eggs")[0].head


def test_a_german_hour_is_held_to_no_claim() -> None:
    assert [one.is_soft for one in quantities("Wir kommen um drei Uhr und bleiben vier Tage")] == [True, False]


@pytest.mark.parametrize(("text", "dates"), TABLES["a_date_is_what_is_certain_of_it"])
def test_a_date_is_what_is_certain_of_it(text: str, dates: tuple[tuple[int | None, ...], ...]) -> None:
    assert tuple(mention[:3] for mention in stated_dates(text)) == dates


@pytest.mark.parametrize(("text", "meant"), TABLES["a_relative_date_is_resolved_as_far_as_it_is_certain"])
def test_a_relative_date_is_resolved_as_far_as_it_is_certain(
    text: str, meant: tuple[int | None, int | None, int | None]
) -> None:
    assert [mention[:3] for mention in relative_dates(text, SAID_ON)] == [meant]


def test_what_is_uncertain_or_out_of_range_is_not_resolved() -> None:
    assert relative_dates("two weeks ago, some day", SAID_ON) == ()
    assert relative_dates("yesterday", date(1, 1, 1)) == ()
    assert relative_dates("I learned Greek in two years, the 31st of next month", SAID_ON) == ()
    assert relative_dates("yesterday", SAID_ON) != ()


def test_a_claim_is_borne_out_when_all_it_says_is_said() -> None:
    day = mention_of_day(SAID_ON)

    assert supports_date(stated_dates("May 2023")[0], day)
    assert not supports_date(day, stated_dates("May 2023")[0])
    assert not supports_date(stated_dates("9 May 2023")[0], day)


def test_a_date_without_a_year_takes_the_nearest_one() -> None:
    assert with_year_near(stated_dates("on 20 December")[0], date(2023, 1, 5)).year == 2022
    assert with_year_near(stated_dates("on 29 February")[0], SAID_ON).year == 2023
    assert with_year_near(stated_dates("20 May 1999")[0], SAID_ON).year == 1999


@pytest.mark.parametrize(
    ("day", "ending"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (21, "21st")]
)
def test_a_day_can_be_written_in_words(day: int, ending: str) -> None:
    assert date_spellings(date(2023, 5, day)).split()[3:] == [ending, "may"]


@pytest.mark.parametrize(("text", "days"), TABLES["a_weekday_may_be_written_short_where_no_other_word_is_meant"])
def test_a_weekday_may_be_written_short_where_no_other_word_is_meant(text: str, days: tuple[int, ...]) -> None:
    assert tuple(weekdays(text)) == days


@pytest.mark.parametrize(("text", "days"), TABLES["a_german_day_that_begins_a_clause_before_an_hour_is_a_date"])
def test_a_german_day_that_begins_a_clause_before_an_hour_is_a_date(
    text: str, days: tuple[tuple[int, int], ...]
) -> None:
    assert tuple((one.month, one.day) for one in stated_dates(text)) == days


@pytest.mark.parametrize(("text", "told"), TABLES["a_time_is_known_by_its_other_spellings"])
def test_a_time_is_known_by_its_other_spellings(text: str, told: tuple[str, ...]) -> None:
    assert set(told) <= set(other_time_spellings(text))
    assert bool(told) == bool(other_time_spellings(text))


def test_last_june_is_the_june_before_the_day_it_was_said() -> None:
    (june,) = relative_dates("We met last June.", date(2026, 3, 5))
    assert (june.year, june.month, june.day) == (2025, 6, None)


def test_a_weekday_behind_the_end_of_the_calendar_is_only_the_past_one() -> None:
    (tuesday,) = relative_dates("On Tuesday we met.", date(9999, 12, 31))
    assert (tuesday.month, tuesday.day) == (12, 28)


def test_the_dots_that_say_an_id_goes_on_are_no_part_of_it() -> None:
    assert (strip_ellipsis("t:01ab…"), strip_ellipsis("t:01ab..."), strip_ellipsis("t:01ab")) == ("t:01ab",) * 3

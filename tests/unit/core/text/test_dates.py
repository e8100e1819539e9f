"""Numbers, measures, times and dates in one comparable form."""

from datetime import date
from decimal import Decimal

import pytest

from voice.core.text.dates import (
    date_spellings,
    mention_of_day,
    relative_dates,
    stated_dates,
    supports_date,
    weekdays,
    with_year_near,
)
from voice.core.text.numbers import quantities, same_quantity

SAID_ON = date(2023, 5, 8)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("two dozen eggs", [("24", None)]),
        ("twenty-two thousand five hundred people", [("22500", None)]),
        ("one hundred and five days", [("105", "day")]),
        ("1.5 million and $3,000 and 40% and 5 km", [("1500000", None), ("3000", "usd"), ("40", "%"), ("5", "km")]),
        ("40 percent", [("40", "%")]),
        ("5 mln bucks", [("5000000", "usd")]),
        ("10k, 1990s, 3rd", [("10000", None), ("1990", None), ("3", None)]),
        ("two three, twenty ten", [("2", None), ("3", None), ("20", None), ("10", None)]),
        ("1,5 and 1,234.5", [("1.5", None), ("1234.5", None)]),
        ("a dozen", [("12", None)]),
        ("three dozen", [("36", None)]),
        ("half a dozen and half dozen roses", [("6", None), ("6", None)]),
        ("a couple of dozen, a couple hundred", [("24", None), ("200", None)]),
        ("a hundred and twenty euros", [("120", "eur")]),
        ("half a million euros", [("500000", "eur")]),
        ("a score of guests, two score people", [("20", None), ("40", None)]),
        ("a score of 85, the score, a score of this", [("85", None)]),
        ("the best score", []),
        ("drei Dutzend Eier und ein halbes Dutzend", [("36", None), ("6", None)]),
        ("Wir haben zwölf Stühle und einundzwanzig Teller", [("12", None), ("21", None)]),
        ("an elf acht", []),
        ("1.2.3", []),
        ("nothing here and hundred", []),
        ("5:75 and 99 pm", [("99", None)]),
        ("second place", [("2", None)]),
        ("1.200 Euro, 1.350 €", [("1200", "eur"), ("1350", None)]),
        ("Ich habe im Mai 12.500 Schritte und 1,5 km gemacht", [("12500", None), ("1.5", "km")]),
        ("It weighs 1.250 kg, and 2.500.000 live there", [("1.25", "kg"), ("2500000", None)]),
    ],
)
def test_a_number_has_one_value_however_it_is_written(text: str, values: list[tuple[str, str | None]]) -> None:
    assert [(q.value, q.unit) for q in quantities(text)] == [(Decimal(value), unit) for value, unit in values]


@pytest.mark.parametrize(
    ("claimed", "stated", "same"),
    [
        ("24 eggs", "two dozen eggs", True),
        ("1200 Euro", "1.200 Euro", True),
        ("1.300 Euro", "1200 Euro", False),
        ("14", "41", False),
        ("5 km", "5 miles", False),
        ("5 km", "5 kilometres", True),
        ("5", "5 km", True),
        ("5:30 p.m.", "17:30", True),
        ("5:30 pm", "5:30 am", False),
        ("5:30", "5:30 pm", True),
        ("12 am", "0:00", True),
        ("7 pm", "7", True),
        ("7", "7 pm", True),
        ("8 pm", "7", False),
        ("7:30 pm", "7", False),
    ],
)
def test_numbers_agree_only_with_their_unit_and_half_of_the_day(claimed: str, stated: str, same: bool) -> None:  # noqa: FBT001
    assert same_quantity(quantities(claimed)[0], quantities(stated)[0]) is same


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claimed", "stated", "same"),
    [
        ("a few hundred people", "several hundred people", True),
        ("a few hundred people", "340 people", True),
        ("dozens of people", "a few dozen people", True),
        ("hundreds of thousands of bees", "three hundred thousand bees", True),
        ("ein paar hundert Bienen", "400 Bienen", True),
        ("a few hundred people", "a hundred people", False),
        ("a few hundred people", "2,000 people", False),
        ("a few hundred people", "a few thousand people", False),
        ("a few hundred euros", "300 dollars", False),
        ("three hundred people", "a few hundred people", False),
        ("a hundred people", "hundreds of people", False),
    ],
)
def test_an_unknown_number_of_hundreds_is_any_of_them_and_none_for_certain(
    claimed: str,
    stated: str,
    same: bool,  # noqa: FBT001
) -> None:
    assert same_quantity(quantities(claimed)[0], quantities(stated)[0]) is same


def test_what_is_counted_stands_behind_of() -> None:
    assert quantities("dozens of eggs")[0].head == quantities("two eggs")[0].head


def test_a_german_hour_is_held_to_no_claim() -> None:
    assert [one.is_soft for one in quantities("Wir kommen um drei Uhr und bleiben vier Tage")] == [True, False]


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("on 7 May 2023", [(2023, 5, 7)]),
        ("May 7th, 2023 and 2023-05-08", [(2023, 5, 7), (2023, 5, 8)]),
        ("the 31st of December", [(None, 12, 31)]),
        ("May 2023", [(2023, 5, None)]),
        ("03/04/2024", [(2024, 3, 4), (2024, 4, 3)]),
        ("31.12.2024", [(2024, 12, 31)]),
        ("in May, I may go; March on", [(None, 5, None)]),
        ("June was hot in 1999", [(None, 6, None), (1999, None, None)]),
        ("Fri 12.9. 06:55, version 1.2. and on 3.11.", [(None, 9, 12)]),
        ("2023-13-45 and 1990s and 50 % of 2,000", [(2023, None, None)]),
        ("nothing", []),
    ],
)
def test_a_date_is_what_is_certain_of_it(text: str, dates: list[tuple[int | None, int | None, int | None]]) -> None:
    assert [mention[:3] for mention in stated_dates(text)] == dates


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("yesterday", (2023, 5, 7)),
        ("this morning", (2023, 5, 8)),
        ("tomorrow", (2023, 5, 9)),
        ("the day before yesterday", (2023, 5, 6)),
        ("two days ago", (2023, 5, 6)),
        ("last Friday", (2023, 5, 5)),
        ("this past Monday", (2023, 5, 1)),
        ("last month", (2023, 4, None)),
        ("next month", (2023, 6, None)),
        ("14 months ago", (2022, 3, None)),
        ("3 years ago", (2020, None, None)),
        ("this year", (2023, None, None)),
        ("in two years", (2025, None, None)),
        ("in 3 months", (2023, 8, None)),
        ("It runs out in ten days", (2023, 5, 18)),
        ("the 3rd of next month", (2023, 6, 3)),
    ],
)
def test_a_relative_date_is_resolved_as_far_as_it_is_certain(
    text: str, meant: tuple[int | None, int | None, int | None]
) -> None:
    assert [mention[:3] for mention in relative_dates(text, SAID_ON)] == [meant]


def test_what_is_uncertain_or_out_of_range_is_not_resolved() -> None:
    assert relative_dates("two weeks ago, some day", SAID_ON) == []
    assert relative_dates("yesterday", date(1, 1, 1)) == []
    assert relative_dates("I learned Greek in two years, the 31st of next month", SAID_ON) == []
    assert relative_dates("yesterday", SAID_ON) != []


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


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Thu+Fri at 7", [3, 4]),
        ("Mon-Wed 9 to 5", [0, 2]),
        ("Sat 4 pm, Sun at 5 and Tues.", [5, 6, 1]),
        ("She sat down; the Sun shone on the Wed couple", []),
        ("Mondays and tuesday", [0, 1]),
        ("Choir: Thu and Sun, no band on Mon", [3, 0, 6]),
        ("Fri: Sat with my aunt in the garden", [4]),
        ("The Mon river and the Wed couple", []),
    ],
)
def test_a_weekday_may_be_written_short_where_no_other_word_is_meant(text: str, days: list[int]) -> None:
    assert list(weekdays(text)) == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Zahnarzt: 3.6. um 16 Uhr", [(6, 3)]),
        ("7.11. ab 9 Uhr Flohmarkt", [(11, 7)]),
        ("Version 3.6. um 16 Uhr installiert", []),
        ("Maße: 3.6. oder 4", []),
    ],
)
def test_a_german_day_that_begins_a_clause_before_an_hour_is_a_date(text: str, days: list[tuple[int, int]]) -> None:
    assert [(one.month, one.day) for one in stated_dates(text)] == days

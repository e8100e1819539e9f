"""Clock times, run times and days as another writer puts them; only what is certain."""

from datetime import date

import pytest

from voice.core.grounding.extractive.evidence_sentences import other_time_spellings
from voice.core.text.dates import relative_dates
from voice.core.text.display import strip_ellipsis
from voice.core.text.escaping import printable_block


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The train leaves at 6:30 pm.", ("18:30 18:30 6:30 pm",)),
        ("I ran it in 4:12:30.", ("4 hours 12 minutes 30 seconds",)),
        ("I ran it in 1:58.", ("0 hours 1 minutes 58 seconds", "1 hours 58 minutes 0 seconds")),
        ("The train is late.", ()),
    ],
)
def test_a_time_is_known_by_its_other_spellings(text: str, told: tuple[str, ...]) -> None:
    assert set(told) <= set(other_time_spellings(text))
    assert bool(told) == bool(other_time_spellings(text))


def test_last_june_is_the_june_before_the_day_it_was_said() -> None:
    (june,) = relative_dates("We met last June.", date(2026, 3, 5))
    assert (june.year, june.month, june.day) == (2025, 6, None)


def test_a_weekday_behind_the_end_of_the_calendar_is_only_the_past_one() -> None:
    (tuesday,) = relative_dates("On Tuesday we met.", date(9999, 12, 31))
    assert (tuesday.month, tuesday.day) == (12, 28)


def test_a_block_keeps_its_lines_and_nothing_that_steers_a_terminal() -> None:
    assert printable_block("one\r\n\ttwo\x1b[2J\u202e") == "one\n\ttwo[2J"


def test_the_dots_that_say_an_id_goes_on_are_no_part_of_it() -> None:
    assert (strip_ellipsis("t:01ab…"), strip_ellipsis("t:01ab..."), strip_ellipsis("t:01ab")) == ("t:01ab",) * 3

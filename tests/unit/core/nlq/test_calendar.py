"""Local calendar units and the instants they begin at."""

from datetime import date, time

import pytest

from tables import tables, utc
from voice.core.errors import ConfigurationError
from voice.core.nlq.calendar import Calendar, Unit, shift, shift_months, zone
from voice.core.nlq.parsed_query import WeekStart

TABLES = tables(__file__)


def calendar(now: str, name: str, week_start: WeekStart = "monday") -> Calendar:
    return Calendar(now=utc(now), zone=zone(name), week_start=week_start)


@pytest.mark.requirement("ruling:E.6")
@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "Europe", "a\x00b"])
def test_an_unknown_zone_is_a_configuration_error(name: str) -> None:
    with pytest.raises(ConfigurationError, match="IANA"):
        zone(name)


@pytest.mark.requirement("ruling:E.3", "s3:time:dst", "s3:time:timezone")
@pytest.mark.parametrize(
    ("name", "day", "start", "end"), TABLES["a_day_begins_at_its_first_instant_whatever_the_clocks_do"]
)
def test_a_day_begins_at_its_first_instant_whatever_the_clocks_do(name: str, day: str, start: str, end: str) -> None:
    window = calendar("2025-01-01", name).day(date.fromisoformat(day))
    assert (window.start, window.end) == (utc(start), utc(end))


def test_a_wall_time_inside_a_gap_is_the_instant_the_gap_ends() -> None:
    berlin = calendar("2025-01-01", "Europe/Berlin")
    assert berlin.instant(date(2025, 3, 30), time(2, 30)) == utc("2025-03-30T01:00")
    assert berlin.instant(date(2025, 3, 30), time(2)) == utc("2025-03-30T01:00")


def test_a_wall_time_that_comes_twice_is_its_first() -> None:
    assert calendar("2025-01-01", "Europe/Berlin").instant(date(2025, 10, 26), time(2, 30)) == utc("2025-10-26T00:30")


@pytest.mark.parametrize(("day", "months", "expected"), TABLES["months_clamp_to_the_last_day"])
def test_months_clamp_to_the_last_day(day: str, months: int, expected: str) -> None:
    assert shift_months(date.fromisoformat(day), months) == date.fromisoformat(expected)


def test_before_the_calendar_there_is_nothing() -> None:
    with pytest.raises(ValueError, match="outside"):
        shift(date(5, 1, 1), -10, Unit.YEAR)


@pytest.mark.requirement("ruling:E.4b")
@pytest.mark.parametrize(
    ("week_start", "first"), [("monday", "2025-03-10"), ("sunday", "2025-03-09"), ("saturday", "2025-03-08")]
)
def test_weeks_start_by_setting(week_start: WeekStart, first: str) -> None:
    window = calendar("2025-03-12T20:30", "UTC", week_start).unit(Unit.WEEK, 0)
    assert window.start == utc(first)


@pytest.mark.parametrize(("unit", "first", "after"), TABLES["the_current_unit_is_whole"])
def test_the_current_unit_is_whole(unit: str, first: str, after: str) -> None:
    window = calendar("2025-05-12T11:00", "UTC").unit(Unit(unit), 0)
    assert (window.start, window.end) == (utc(first), utc(after))

"""Dates as files write them."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from voice.core.errors import InvalidParams
from voice.core.text.instants import parse_instant, render_instant, start_of_day

_LISBON = ZoneInfo("Europe/Lisbon")


def test_a_date_is_midnight_where_the_person_is_and_a_date_with_z_is_midnight_utc() -> None:
    assert parse_instant("2026-07-01", _LISBON) == datetime(2026, 6, 30, 23, tzinfo=UTC)
    assert parse_instant("2026-07-01Z", _LISBON) == datetime(2026, 7, 1, tzinfo=UTC)


@pytest.mark.requirement("ruling:B10")
def test_a_time_without_an_offset_is_refused_unless_it_may_be_read_where_the_person_is() -> None:
    with pytest.raises(InvalidParams, match="no time zone"):
        parse_instant("2026-07-01T10:00", _LISBON)
    assert parse_instant("2026-07-01 10:00", _LISBON, naive_is_local=True) == datetime(2026, 7, 1, 9, tzinfo=UTC)


@pytest.mark.requirement("ruling:E.3")
def test_a_midnight_that_does_not_exist_takes_the_first_instant_of_that_day() -> None:
    santiago = ZoneInfo("America/Santiago")
    first = start_of_day(date(2024, 9, 8), santiago)
    assert first == datetime(2024, 9, 8, 4, tzinfo=UTC)
    assert first.astimezone(santiago).hour == 1


def test_microseconds_are_shown_only_where_there_are_any() -> None:
    assert render_instant(datetime(2026, 7, 1, 10, tzinfo=_LISBON)) == "2026-07-01T09:00:00Z"
    assert render_instant(datetime(2026, 7, 1, 10, 0, 0, 5, tzinfo=UTC)) == "2026-07-01T10:00:00.000005Z"

"""When a file was told, from its name, the folders it lies in, and what it says of itself."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tables import tables
from voice.core.errors import InvalidParams
from voice.core.interchange.foreign.dates import DateReading, parsed_instant
from voice.core.text.dates import DateOrder

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:I2")
FIRST = datetime(2024, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize("path", TABLES["a_daily_note_is_dated_by_its_name_or_its_folders"])
def test_a_daily_note_is_dated_by_its_name_or_its_folders(path: str) -> None:
    assert DateReading().day_of_path(path) == FIRST


@pytest.mark.parametrize("path", TABLES["a_name_that_names_no_day_dates_nothing"])
def test_a_name_that_names_no_day_dates_nothing(path: str) -> None:
    assert DateReading().day_of_path(path) is None
    assert DateReading().day_of_path("2024-05-01.md") == FIRST


@pytest.mark.parametrize(("order", "day"), [("day_first", FIRST), ("month_first", datetime(2024, 1, 5, tzinfo=UTC))])
def test_a_name_of_two_days_is_read_as_the_person_has_said(order: DateOrder, day: datetime) -> None:
    assert DateReading(order=order).day_of_path("01-05-2024.md") == day
    assert DateReading().day_of_path("01-05-2024.md") is None


def test_a_reading_that_is_no_day_is_never_taken() -> None:
    assert DateReading(order="month_first").day_of_path("25-05-2024.md") == datetime(2024, 5, 25, tzinfo=UTC)
    assert DateReading(order="month_first").instant("01.05.2024") == FIRST


def test_a_day_begins_in_the_persons_zone() -> None:
    assert DateReading(zone=ZoneInfo("Europe/Lisbon")).day_of_path("2024-05-01.md") == datetime(
        2024, 4, 30, 23, tzinfo=UTC
    )


def test_a_date_of_two_meanings_is_refused_and_with_the_setting_read_with_its_time() -> None:
    with pytest.raises(InvalidParams, match="two days"):
        parsed_instant("05/06/2024", UTC)
    with pytest.raises(InvalidParams, match="is not a date"):
        parsed_instant("45/46/2024", UTC)
    assert parsed_instant("05/06/2024 9:30", UTC, "day_first") == datetime(2024, 6, 5, 9, 30, tzinfo=UTC)
    assert parsed_instant("05/05/2024", UTC) == datetime(2024, 5, 5, tzinfo=UTC)

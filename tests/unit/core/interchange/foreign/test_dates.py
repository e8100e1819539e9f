"""When a file was told, from its name, the folders it lies in, and what it says of itself."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tables import tables
from voice.core.errors import InvalidParams
from voice.core.interchange.foreign.dates import DateReading, folders_of_weeks

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


@pytest.mark.parametrize(("path", "beside", "is_week"), TABLES["a_note_named_after_a_week_is_dated_by_its_monday"])
def test_a_note_named_after_a_week_is_dated_by_its_monday(path: str, beside: tuple[str, ...], *, is_week: bool) -> None:
    monday = datetime(2024, 4, 29, tzinfo=UTC)
    assert DateReading(weeks=folders_of_weeks((path, *beside))).day_of_path(path) == (monday if is_week else None)


def test_a_name_of_two_days_is_read_as_the_person_has_said_if_it_is_a_day_so() -> None:
    month_first = DateReading(order="month_first")
    assert DateReading(order="day_first").day_of_path("01-05-2024.md") == FIRST
    assert month_first.day_of_path("01-05-2024.md") == datetime(2024, 1, 5, tzinfo=UTC)
    assert DateReading().day_of_path("01-05-2024.md") is None
    assert [DateReading().is_unclear(f"{day}-05-2024.md") for day in ("01", "05", "25", "45")] == [True, *[False] * 3]
    assert month_first.day_of_path("25-05-2024.md") == datetime(2024, 5, 25, tzinfo=UTC)
    assert month_first.instant("01.05.2024") == FIRST


def test_a_day_begins_in_the_persons_zone() -> None:
    in_lisbon = DateReading(zone=ZoneInfo("Europe/Lisbon")).day_of_path("2024-05-01.md")
    assert in_lisbon == datetime(2024, 4, 30, 23, tzinfo=UTC)


def test_a_date_of_two_meanings_is_refused_and_with_the_setting_read_with_its_time() -> None:
    with pytest.raises(InvalidParams, match="two days"):
        DateReading().instant("05/06/2024")
    with pytest.raises(InvalidParams, match="is not a date"):
        DateReading().instant("45/46/2024")
    assert DateReading(order="day_first").instant("05/06/2024 9:30") == datetime(2024, 6, 5, 9, 30, tzinfo=UTC)
    assert DateReading().instant("05/05/2024") == datetime(2024, 5, 5, tzinfo=UTC)


def test_a_time_of_half_a_day_is_read_with_its_half() -> None:
    for said, time in TABLES["a_time_of_half_a_day_is_read_with_its_half"]:
        assert DateReading().instant(said) == datetime.fromisoformat(f"2024-03-05T{time}Z"), said

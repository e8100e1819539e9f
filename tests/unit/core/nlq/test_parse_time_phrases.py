"""What a phrase means: the table of the ruling, line by line, and its natural variants."""

from datetime import UTC, datetime

import pytest

from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import Hemisphere, NlqSettings
from voice.core.retrieval.values import Window

NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC)
"""A Wednesday."""
_OPEN = "…"


def moment(text: str) -> datetime | None:
    if text == _OPEN:
        return None
    return NOW if text == "now" else datetime.fromisoformat(text).replace(tzinfo=UTC)


def window(start: str, end: str) -> Window:
    return Window(start=moment(start), end=moment(end))


def meant(phrase: str, settings: NlqSettings = NlqSettings(), now: datetime = NOW) -> Window | None:  # noqa: B008
    return parse_query(f"What did I write {phrase}?", now=now, timezone="UTC", settings=settings).window


@pytest.mark.requirement(
    "ruling:E.1", "ruling:E.11", "ruling:E.phrase:day", "ruling:E.phrase:ago", "ruling:E.4a", "s3:time:clock"
)
@pytest.mark.parametrize(
    ("phrase", "day"),
    [
        ("today", "2025-03-12"),
        ("earlier today", "2025-03-12"),
        ("yesterday", "2025-03-11"),
        ("the day before yesterday", "2025-03-10"),
        ("3 days ago", "2025-03-09"),
        ("a couple of days ago", "2025-03-10"),
        ("a few days ago", "2025-03-09"),
        ("half a dozen days ago", "2025-03-06"),
        ("a dozen days ago", "2025-02-28"),
        ("a week ago", "2025-03-05"),
        ("two weeks ago", "2025-02-26"),
        ("a fortnight ago", "2025-02-26"),
        ("twenty-one days ago", "2025-02-19"),
        ("twenty days ago", "2025-02-20"),
        ("one month ago", "2025-02-12"),
        ("two years ago", "2023-03-12"),
        ("several quarters ago", "2024-06-12"),
        ("a decade ago", "2015-03-12"),
        ("a year ago today", "2024-03-12"),
        ("three weeks ago on Tuesday", "2025-02-18"),
        ("Tuesday three weeks ago", "2025-02-18"),
        ("two weeks from now", "2025-03-26"),
        ("two weeks and three days ago", "2025-02-23"),
        ("half a year ago", "2024-09-12"),
        ("a year and a half ago", "2023-09-12"),
    ],
)
def test_a_day_is_named_by_its_distance(phrase: str, day: str) -> None:
    start = datetime.fromisoformat(day).replace(tzinfo=UTC)
    found = meant(phrase)
    assert found is not None
    assert (found.start, found.end and (found.end - start).days) == (start, 1)


@pytest.mark.requirement("ruling:E.phrase:calendar-unit", "ruling:E.4d", "s3:test:windows")
@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("this week", "2025-03-10", "2025-03-17"),
        ("last week", "2025-03-03", "2025-03-10"),
        ("the week before last", "2025-02-24", "2025-03-03"),
        ("this month", "2025-03-01", "2025-04-01"),
        ("last month", "2025-02-01", "2025-03-01"),
        ("the previous month", "2025-02-01", "2025-03-01"),
        ("this quarter", "2025-01-01", "2025-04-01"),
        ("last quarter", "2024-10-01", "2025-01-01"),
        ("this year", "2025-01-01", "2026-01-01"),
        ("in the current year", "2025-01-01", "2026-01-01"),
        ("last year", "2024-01-01", "2025-01-01"),
        ("next week", "2025-03-17", "2025-03-24"),
        ("the year before last", "2023-01-01", "2024-01-01"),
    ],
)
def test_a_calendar_unit_is_whole(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)


@pytest.mark.requirement("ruling:E.phrase:last-n-days", "ruling:E.phrase:last-n-hours")
@pytest.mark.parametrize(
    ("phrase", "start"),
    [
        ("in the last 3 days", "2025-03-09"),
        ("over the past two weeks", "2025-02-26"),
        ("in the past couple of months", "2025-01-12"),
        ("these last few days", "2025-03-09"),
        ("in the past week", "2025-03-05"),
        ("in the last month", "2025-02-12"),
        ("in the last 36 hours", "2025-03-11T03:30"),
        ("in the past hour", "2025-03-12T14:30"),
        ("in the last 90 minutes", "2025-03-12T14:00"),
    ],
)
def test_the_last_n_units_run_until_now(phrase: str, start: str) -> None:
    assert meant(phrase) == window(start, "now")


@pytest.mark.requirement("ruling:E.phrase:since", "ruling:E.phrase:between")
@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("since Monday", "2025-03-10", "now"),
        ("ever since last month", "2025-02-01", "now"),
        ("since March 3", "2025-03-03", "now"),
        ("since 2024", "2024-01-01", "now"),
        ("since 9am", "2025-03-12T09:00", "now"),
        ("since the start of the year", "2025-01-01", "now"),
        ("from Monday on", "2025-03-10", "now"),
        ("starting in February", "2025-02-01", "now"),
        ("from last week until now", "2025-03-03", "now"),
        ("after March 3", "2025-03-04", "now"),
        ("after January", "2025-02-01", "now"),
        ("before last week", "…", "2025-03-03"),
        ("before noon yesterday", "…", "2025-03-11T12:00"),
        ("prior to 2024-02-01", "…", "2024-02-01"),
        ("until Friday", "…", "2025-03-08"),
        ("through February", "…", "2025-03-01"),
        ("up to March 1st", "…", "2025-03-02"),
        ("between March 3 and March 10", "2025-03-03", "2025-03-11"),
        ("between the 3rd and the 10th of March", "2025-03-03", "2025-03-11"),
        ("between 2021 and 2023", "2021-01-01", "2024-01-01"),
        ("between 2024-01-05 and now", "2024-01-05", "now"),
        ("from 2024-01-05 to 2024-02-01", "2024-01-05", "2024-02-02"),
        ("from January to March 2024", "2024-01-01", "2024-04-01"),
        ("from December to February 2024", "2023-12-01", "2024-03-01"),
        ("from March 2024 to May", "2024-03-01", "2024-06-01"),
        ("between March and January", "2024-03-01", "2025-02-01"),
        ("from Monday to Wednesday", "2025-03-03", "2025-03-06"),
        ("from Friday to Monday", "2025-03-07", "2025-03-11"),
        ("from March 3 through March 5", "2025-03-03", "2025-03-06"),
        ("March 3-10, 2024", "2024-03-03", "2024-03-11"),
        ("Jan 5 to Feb 3", "2025-01-05", "2025-02-04"),
        ("in 2023-2024", "2023-01-01", "2025-01-01"),
        ("yesterday between 2pm and 4pm", "2025-03-11T14:00", "2025-03-11T16:00"),
        ("between 2pm and 4pm yesterday", "2025-03-11T14:00", "2025-03-11T16:00"),
        ("last week and this week", "2025-03-03", "2025-03-17"),
        ("on Monday and Tuesday", "2025-03-10", "2025-03-12"),
        ("on 2025-03-01 and 2025-03-02", "2025-03-01", "2025-03-03"),
        ("in the 3 days before March 5", "2025-03-02", "2025-03-05"),
        ("the two days after March 5", "2025-03-06", "2025-03-08"),
        ("before Christmas", "…", "2024-12-25"),
        ("two days before March 5", "2025-03-03", "2025-03-04"),
        ("two days after March 5", "2025-03-07", "2025-03-08"),
        ("the day before Christmas", "2024-12-24", "2024-12-25"),
        ("the day after March 5", "2025-03-06", "2025-03-07"),
    ],
)
def test_a_relation_takes_the_ends_of_its_times(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)


@pytest.mark.requirement("ruling:E.phrase:weekday", "ruling:E.4c")
@pytest.mark.parametrize(
    ("phrase", "start"),
    [
        ("on Friday", "2025-03-07"),
        ("last Friday", "2025-03-07"),
        ("this past Friday", "2025-03-07"),
        ("this Friday", "2025-03-14"),
        ("next Friday", "2025-03-21"),
        ("on Wednesday", "2025-03-05"),
        ("this Wednesday", "2025-03-12"),
        ("on Tuesday of last week", "2025-03-04"),
        ("last week on Tuesday", "2025-03-04"),
        ("the Friday before last", "2025-02-28"),
        ("Friday", "2025-03-07"),
        ("on the first Monday of March", "2025-03-03"),
        ("on the last Friday of February", "2025-02-28"),
    ],
)
def test_a_weekday_is_the_latest_strictly_before_today(phrase: str, start: str) -> None:
    found = meant(phrase)
    assert found is not None
    assert found.start == moment(start)


@pytest.mark.requirement("ruling:E.phrase:month-year", "ruling:E.phrase:date", "ruling:E.phrase:part-of-month")
@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("in March", "2025-03-01", "2025-04-01"),
        ("in April", "2024-04-01", "2024-05-01"),
        ("in may", "2024-05-01", "2024-06-01"),
        ("in March 2024", "2024-03-01", "2024-04-01"),
        ("in 2024-03", "2024-03-01", "2024-04-01"),
        ("last March", "2024-03-01", "2024-04-01"),
        ("last February", "2025-02-01", "2025-03-01"),
        ("this March", "2025-03-01", "2025-04-01"),
        ("next March", "2026-03-01", "2026-04-01"),
        ("next April", "2025-04-01", "2025-05-01"),
        ("in March of last year", "2024-03-01", "2024-04-01"),
        ("last year in March", "2024-03-01", "2024-04-01"),
        ("in 2023", "2023-01-01", "2024-01-01"),
        ("in the year 2023", "2023-01-01", "2024-01-01"),
        ("in the 1990s", "1990-01-01", "2000-01-01"),
        ("in the 90s", "1990-01-01", "2000-01-01"),
        ("on March 5", "2025-03-05", "2025-03-06"),
        ("on March 12", "2025-03-12", "2025-03-13"),
        ("on March 13", "2024-03-13", "2024-03-14"),
        ("on february 29", "2024-02-29", "2024-03-01"),
        ("on 5 March 2024", "2024-03-05", "2024-03-06"),
        ("on the 5th of March", "2025-03-05", "2025-03-06"),
        ("on 1st of march", "2025-03-01", "2025-03-02"),
        ("on 1 mar 2024", "2024-03-01", "2024-03-02"),
        ("on the 5th", "2025-03-05", "2025-03-06"),
        ("on the 31st", "2025-01-31", "2025-02-01"),
        ("on the 5th of last month", "2025-02-05", "2025-02-06"),
        ("on the first day of February", "2025-02-01", "2025-02-02"),
        ("on the last day of February", "2025-02-28", "2025-03-01"),
        ("on 2024-03-05", "2024-03-05", "2024-03-06"),
        ("on 3/5/2024", "2024-03-05", "2024-03-06"),
        ("on 25/2/2024", "2024-02-25", "2024-02-26"),
        ("on 5.3.2024", "2024-03-05", "2024-03-06"),
        ("on Saturday, March 8", "2025-03-08", "2025-03-09"),
        ("in early March", "2025-03-01", "2025-03-11"),
        ("in mid-February", "2025-02-11", "2025-02-21"),
        ("in late February", "2025-02-21", "2025-03-01"),
        ("at the end of last month", "2025-02-21", "2025-03-01"),
        ("in late 2024", "2024-09-01", "2025-01-01"),
        ("in the first week of February", "2025-02-01", "2025-02-08"),
        ("in the fifth week of January", "2025-01-29", "2025-02-01"),
        ("in the last week of February", "2025-02-22", "2025-03-01"),
        ("in the first half of February", "2025-02-01", "2025-02-16"),
        ("in the second half of February", "2025-02-16", "2025-03-01"),
        ("the week of March 5", "2025-03-03", "2025-03-10"),
    ],
)
def test_a_date_or_month_without_a_year_is_the_latest(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)


@pytest.mark.requirement("ruling:E.phrase:season", "ruling:E.phrase:weekend", "ruling:E.phrase:quarter")
@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("last summer", "2024-06-01", "2024-09-01"),
        ("last fall", "2024-09-01", "2024-12-01"),
        ("last winter", "2024-12-01", "2025-03-01"),
        ("the summer before last", "2023-06-01", "2023-09-01"),
        ("this summer", "2025-06-01", "2025-09-01"),
        ("next spring", "2026-03-01", "2026-06-01"),
        ("next summer", "2025-06-01", "2025-09-01"),
        ("in the spring", "2025-03-01", "2025-06-01"),
        ("in the summer of 2023", "2023-06-01", "2023-09-01"),
        ("last weekend", "2025-03-08", "2025-03-10"),
        ("over the weekend", "2025-03-08", "2025-03-10"),
        ("the weekend before last", "2025-03-01", "2025-03-03"),
        ("this weekend", "2025-03-15", "2025-03-17"),
        ("on the weekend of March 1", "2025-03-01", "2025-03-03"),
        ("next weekend", "2025-03-22", "2025-03-24"),
        ("in Q1 2024", "2024-01-01", "2024-04-01"),
        ("in 2024 Q4", "2024-10-01", "2025-01-01"),
        ("in Q4", "2024-10-01", "2025-01-01"),
        ("in the third quarter of 2024", "2024-07-01", "2024-10-01"),
        ("in the last quarter of 2023", "2023-10-01", "2024-01-01"),
        ("in the first half of 2023", "2023-01-01", "2023-07-01"),
        ("in H2 2023", "2023-07-01", "2024-01-01"),
    ],
)
def test_seasons_weekends_and_parts_of_years(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)


@pytest.mark.parametrize(
    ("phrase", "hemisphere", "start"),
    [
        ("last summer", "south", "2024-12-01"),
        ("last winter", "south", "2024-06-01"),
        ("last autumn", "south", "2024-03-01"),
        ("last spring", "south", "2024-09-01"),
        ("this winter", "north", "2024-12-01"),
    ],
)
def test_the_hemisphere_is_a_setting(phrase: str, hemisphere: Hemisphere, start: str) -> None:
    january = datetime(2025, 2, 1, tzinfo=UTC) if "this" in phrase else NOW
    found = meant(phrase, NlqSettings(hemisphere=hemisphere), january)
    assert found is not None
    assert found.start == moment(start)


@pytest.mark.requirement("ruling:E.phrase:part-of-day")
@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("this morning", "2025-03-12T05:00", "2025-03-12T12:00"),
        ("this afternoon", "2025-03-12T12:00", "2025-03-12T17:00"),
        ("this evening", "2025-03-12T17:00", "2025-03-12T22:00"),
        ("last night", "2025-03-11T22:00", "2025-03-12T05:00"),
        ("the night before last", "2025-03-10T22:00", "2025-03-11T05:00"),
        ("last evening", "2025-03-11T17:00", "2025-03-11T22:00"),
        ("tonight", "2025-03-12T22:00", "2025-03-13T05:00"),
        ("yesterday evening", "2025-03-11T17:00", "2025-03-11T22:00"),
        ("on Monday morning", "2025-03-10T05:00", "2025-03-10T12:00"),
        ("on the morning of March 5", "2025-03-05T05:00", "2025-03-05T12:00"),
        ("on the evening of Friday", "2025-03-07T17:00", "2025-03-07T22:00"),
        ("at noon yesterday", "2025-03-11T11:00", "2025-03-11T13:00"),
        ("at 3pm yesterday", "2025-03-11T15:00", "2025-03-11T16:00"),
        ("yesterday at 12am", "2025-03-11T00:00", "2025-03-11T01:00"),
        ("at 3 o'clock on Monday", "2025-03-10T03:00", "2025-03-10T04:00"),
        ("Monday at 15:30", "2025-03-10T15:30", "2025-03-10T16:30"),
        ("3 hours ago", "2025-03-12T12:00", "2025-03-12T13:00"),
    ],
)
def test_parts_and_times_of_days(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)

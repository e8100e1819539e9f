"""What holds for every question, moment and zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables import tables
from voice.core.nlq.parse import parse_query, time_asked
from voice.core.nlq.parsed_query import NlqSettings

TABLES = tables(__file__)

ZONES = st.sampled_from(TABLES["zones"])
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
PAST = st.sampled_from(TABLES["past"])
_SALAD = """
last next this the first of in on at since before between and from to until day week month year friday March may 5 2024
2024-02-30 3rd 5pm morning weekend summer ago two couple a Q1 half quarter early - . ? ' " vor seit letzte el pasado
hace semana
"""
WORDS = st.lists(st.sampled_from(_SALAD.split()), max_size=12).map(" ".join)


@pytest.mark.requirement("s3:time:half-open", "ruling:E.3")
@given(WORDS | st.text(max_size=80), MOMENTS, ZONES, st.sampled_from(["north", "south"]))
def test_any_string_is_a_question_and_a_window_is_never_empty(
    question: str, now: datetime, name: str, half: str
) -> None:
    settings = NlqSettings(hemisphere=half)  # pyright: ignore[reportArgumentType]
    parsed = parse_query(question, now=now, timezone=name, settings=settings)
    assert parsed == parse_query(question, now=now, timezone=name, settings=settings)
    if parsed.time is None:
        return
    window = parsed.time.window
    assert window.start or window.end
    assert window.start is None or window.end is None or window.start < window.end
    assert question[parsed.time.start : parsed.time.end] == parsed.time.text
    for edge in (window.start, window.end):
        assert edge is None or edge.tzinfo is UTC


@pytest.mark.requirement("s3:time:half-open")
@given(WORDS | st.text(max_size=80), MOMENTS, ZONES)
def test_the_time_alone_is_read_as_it_is_with_all_else(question: str, now: datetime, name: str) -> None:
    whole = parse_query(question, now=now, timezone=name)
    alone = time_asked(question, now=now, timezone=name, settings=NlqSettings())
    assert (alone.time, alone.language, alone.notices) == (whole.time, whole.language, whole.notices)
    assert (alone.untimed, alone.window) == (whole.untimed, whole.window)


@settings(deadline=None)
@given(PAST, MOMENTS, ZONES)
def test_what_is_past_begins_before_now(phrase: str, now: datetime, name: str) -> None:
    window = parse_query(f"what did i write {phrase}", now=now, timezone=name).window
    assert window is None or window.start is None or window.start <= now


@settings(deadline=None)
@given(MOMENTS, ZONES)
def test_a_week_later_yesterday_is_a_week_later_on_the_calendar(now: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    first = parse_query("yesterday", now=now, timezone=name).window
    later = parse_query("yesterday", now=now + timedelta(days=7), timezone=name).window
    if first is None or later is None:
        return  # a day that the zone skipped
    assert first.start is not None
    assert later.start is not None
    between = later.start.astimezone(zone).date() - first.start.astimezone(zone).date()
    moved = (now + timedelta(days=7)).astimezone(zone).date() - now.astimezone(zone).date()
    assert between == moved


@settings(deadline=None)
@given(MOMENTS, ZONES)
def test_today_holds_now_and_touches_yesterday(now: datetime, name: str) -> None:
    today = parse_query("today", now=now, timezone=name).window
    yesterday = parse_query("yesterday", now=now, timezone=name).window
    assert today is not None
    assert today.admits(now)
    assert yesterday is None or yesterday.end == today.start

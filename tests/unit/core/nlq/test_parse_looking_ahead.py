"""Times that are still to come, and those that look like it."""

from datetime import UTC, datetime

import pytest

from tables import tables, utc, window
from voice.core.nlq.calendar import Calendar, zone
from voice.core.nlq.parse import explicit_time, parse_query
from voice.core.nlq.parsed_query import NlqSettings
from voice.core.retrieval.values import Window

TABLES = tables(__file__)
pytestmark = pytest.mark.requirement("ruling:I3")
NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "start", "end"), [*TABLES["a_time_ahead_is_the_next_one"], *TABLES["what_is_past_stays_so"]]
)
def test_a_time_ahead_is_the_next_one_and_what_is_past_stays_so(
    question: str, start: str | None, end: str | None
) -> None:
    assert parse_query(question, now=NOW, timezone="UTC").window == window(start, end)


@pytest.mark.parametrize(("past", "ahead", "start", "end"), TABLES["what_is_past_is_in_no_time_ahead"])
def test_what_is_past_is_in_no_time_ahead(past: str, ahead: str, start: str, end: str) -> None:
    assert parse_query(past, now=NOW, timezone="UTC").window is None
    assert parse_query(ahead, now=NOW, timezone="UTC").window == window(start, end)


@pytest.mark.parametrize("asked_in", [11, 8, 7])
@pytest.mark.parametrize("question", TABLES["what_is_planned_for_a_month_that_is_over_is_planned_for_the_next_one"])
def test_what_is_planned_for_a_month_that_is_over_is_planned_for_the_next_one(question: str, asked_in: int) -> None:
    now = datetime(2025, asked_in, 12, tzinfo=UTC)
    time = parse_query(question, now=now, timezone="UTC").time
    assert time is not None
    assert time.window == window("2026-06-01", "2026-07-01")


@pytest.mark.parametrize("question", TABLES["for_a_month_is_no_time_unless_something_is_planned"])
def test_a_month_goes_on_until_it_is_over_and_for_a_month_is_a_time_of_plans_alone(question: str) -> None:
    june = datetime(2025, 6, 20, tzinfo=UTC)
    planned = parse_query("What is planned for June?", now=june, timezone="UTC")
    assert planned.window == window("2025-06-01", "2025-07-01")
    assert parse_query(question, now=june, timezone="UTC").window is None


@pytest.mark.parametrize(("when", "start", "end"), TABLES["an_explicit_time_looks_ahead_by_its_own_words"])
def test_an_explicit_time_looks_ahead_by_its_own_words(when: str, start: str | None, end: str | None) -> None:
    phrase = explicit_time(when, Calendar(now=NOW, zone=zone("UTC")), NlqSettings())
    assert phrase.window == window(start, end)


def test_where_nothing_is_told_of_a_time_ahead_any_time_is_looked_at_next() -> None:
    time = parse_query("What is the rent from April?", now=NOW, timezone="UTC").time
    assert time is not None
    assert time.widenings == (Window(),)
    assert time.note == "from April: 2025-04-01 to … (UTC)"


def test_at_the_end_of_the_calendar_there_is_no_time_ahead() -> None:
    parsed = parse_query("What is the rent from January?", now=utc("9999-06-01"), timezone="UTC")
    assert parsed.window == window("9999-01-01", "9999-02-01")


@pytest.mark.requirement("ruling:E.5")
@pytest.mark.parametrize(("question", "said"), TABLES["a_time_without_a_window_is_said_not_to_be_understood"])
def test_a_time_without_a_window_is_said_not_to_be_understood(question: str, said: str | None) -> None:
    parsed = parse_query(question, now=NOW, timezone="UTC")
    told = [notice.detail for notice in parsed.notices if notice.code == "when_unparsed"]
    assert (parsed.window, told) == (None, [f"not understood as a time: {said}"] if said else [])

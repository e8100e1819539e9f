"""An explicit `when`, what is not understood, and what is said beside a window."""

from datetime import UTC, datetime

import pytest

from tables import tables, utc, window
from voice.core.errors import InvalidParams
from voice.core.nlq.parse import parse_query
from voice.core.retrieval.values import Window

TABLES = tables(__file__)

NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC)
"""A Wednesday."""


@pytest.mark.requirement("ruling:E.4a")
def test_a_day_far_back_may_be_widened_and_says_so() -> None:
    parsed = parse_query("What did I say two weeks ago?", now=NOW, timezone="UTC")
    assert parsed.time is not None
    assert parsed.time.widenings == (window("2025-02-25", "2025-02-28"), window("2025-02-23", "2025-03-02"))
    assert parsed.time.note == "two weeks ago: 2025-02-26 (UTC)"


def test_hours_ago_widen_by_hours() -> None:
    parsed = parse_query("What did I say 3 hours ago?", now=NOW, timezone="UTC")
    assert parsed.time is not None
    assert parsed.time.widenings == (window("2025-03-12T10:00", "2025-03-12T15:00"),)


def test_the_future_widens_to_any_time_because_plans_are_written_before() -> None:
    parsed = parse_query("What is planned for tomorrow?", now=NOW, timezone="UTC")
    assert parsed.time is not None
    assert parsed.time.widenings == (Window(),)


@pytest.mark.requirement("ruling:E.1", "ruling:E.5", "s3:api:when")
def test_an_explicit_when_overrides_the_question() -> None:
    parsed = parse_query("What did I say yesterday?", now=NOW, timezone="UTC", when="last month")
    assert (parsed.window, parsed.time_from_when) == (window("2025-02-01", "2025-03-01"), True)


@pytest.mark.parametrize(("when", "start", "end"), TABLES["a_when_may_be_as_short_as_people_write_it"])
def test_a_when_may_be_as_short_as_people_write_it(when: str, start: str, end: str) -> None:
    assert parse_query("runs", now=NOW, timezone="UTC", when=when).window == window(start, end)


@pytest.mark.requirement("ruling:E.5")
@pytest.mark.parametrize("when", ["", "   ", "soon", "yesterday or so", "2024-02-30", "x" * 5000])
def test_a_when_that_is_not_understood_is_an_error(when: str) -> None:
    with pytest.raises(InvalidParams, match="last week"):
        parse_query("runs", now=NOW, timezone="UTC", when=when)


@pytest.mark.requirement("ruling:E.5", "s3:time:unknown-phrase")
@pytest.mark.parametrize(("question", "code"), TABLES["what_is_not_understood_gives_no_window_and_a_notice"])
def test_what_is_not_understood_gives_no_window_and_a_notice(question: str, code: str) -> None:
    parsed = parse_query(question, now=NOW, timezone="UTC")
    assert (parsed.window, [notice.code for notice in parsed.notices]) == (None, [code])


@pytest.mark.parametrize("when", ["February 30", "9999-12-31", "999999999 years ago", "after today"])
def test_a_when_that_there_is_not_is_told_from_one_that_is_not_understood(when: str) -> None:
    with pytest.raises(InvalidParams, match="does not exist"):
        parse_query("", now=NOW, timezone="UTC", when=when)
    with pytest.raises(InvalidParams, match="is unclear"):
        parse_query("", now=NOW, timezone="UTC", when=f"{when} or so")


def test_a_skipped_day_has_no_window() -> None:
    noon = datetime(2012, 1, 1, 0, tzinfo=UTC)
    parsed = parse_query("What did I do on December 30?", now=noon, timezone="Pacific/Apia")
    assert (parsed.window, [notice.code for notice in parsed.notices]) == (None, ["window_empty"])


def test_the_first_of_several_phrases_that_is_not_possessive_is_taken() -> None:
    parsed = parse_query("Did yesterday's deploy fix what broke last week?", now=NOW, timezone="UTC")
    assert parsed.window == window("2025-03-03", "2025-03-10")
    assert [notice.code for notice in parsed.notices] == ["several_phrases"]


@pytest.mark.parametrize("now", ["0001-01-02T00:00", "9999-12-30T00:00"])
def test_the_ends_of_the_calendar_are_no_exception(now: str) -> None:
    for phrase in ("last year", "two weeks ago", "next week", "since last month", "last summer", "on February 29"):
        got = parse_query(phrase, now=utc(now), timezone="UTC")
        assert (got.time is None) == ([notice.code for notice in got.notices] == ["window_empty"])

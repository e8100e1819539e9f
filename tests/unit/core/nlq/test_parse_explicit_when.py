"""An explicit `when`, what is not understood, and what is said beside a window."""

from datetime import UTC, datetime

import pytest

from voice.core.errors import InvalidParams
from voice.core.nlq.parse import parse_query
from voice.core.retrieval.values import Window

NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC)
"""A Wednesday."""


def window(start: str, end: str) -> Window:
    return Window(
        start=datetime.fromisoformat(start).replace(tzinfo=UTC), end=datetime.fromisoformat(end).replace(tzinfo=UTC)
    )


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


@pytest.mark.parametrize(
    ("when", "start", "end"),
    [
        ("March", "2025-03-01", "2025-04-01"),
        ("Friday", "2025-03-07", "2025-03-08"),
        ("2023", "2023-01-01", "2024-01-01"),
        ("on the 5th.", "2025-03-05", "2025-03-06"),
        ("at 9am", "2025-03-12T09:00", "2025-03-12T10:00"),
        ("2024-01-05..2024-02-01", "2024-01-05", "2024-02-02"),
        ("gestern", "2025-03-11", "2025-03-12"),
        ("la semana pasada", "2025-03-03", "2025-03-10"),
    ],
)
def test_a_when_may_be_as_short_as_people_write_it(when: str, start: str, end: str) -> None:
    assert parse_query("runs", now=NOW, timezone="UTC", when=when).window == window(start, end)


@pytest.mark.requirement("ruling:E.5")
@pytest.mark.parametrize("when", ["", "   ", "soon", "yesterday or so", "2024-02-30", "x" * 5000])
def test_a_when_that_is_not_understood_is_an_error(when: str) -> None:
    with pytest.raises(InvalidParams, match="last week"):
        parse_query("runs", now=NOW, timezone="UTC", when=when)


@pytest.mark.requirement("ruling:E.5", "s3:time:unknown-phrase")
@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("What did I read the other day?", "when_unparsed"),
        ("What have I been up to recently?", "when_unparsed"),
        ("What did I write on February 30?", "window_empty"),
        ("What did I write after tomorrow?", "window_empty"),
        ("What did I write in the fifth week of February?", "window_empty"),
        ("What did I write on the 31st of last month?", "window_empty"),
        ("What happened on the fifth Monday of February?", "window_empty"),
        ("What happened 3000 years ago?", "window_empty"),
        ("What happened in the fifth quarter of 2024?", "window_empty"),
    ],
)
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
        got = parse_query(phrase, now=datetime.fromisoformat(now).replace(tzinfo=UTC), timezone="UTC")
        assert (got.time is None) == ([notice.code for notice in got.notices] == ["window_empty"])

"""Where a query's own time is looked in, and what is said of it."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from retrieval_doubles import NOW
from voice.core.nlq.calendar import Calendar, in_earlier_years
from voice.core.nlq.intervals import Month
from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import ParsedQuery, search_windows, time_notices, unparsed_time_notice
from voice.core.nlq.points import DayInMonth
from voice.core.retrieval.values import Window

pytestmark = pytest.mark.requirement("ruling:E.1", "ruling:A22")


def read(query: str, when: str | None = None) -> ParsedQuery:
    return parse_query(query, now=NOW, timezone="UTC", when=when)


def test_without_a_time_it_is_looked_at_any_time_and_nothing_is_said() -> None:
    parsed = read("the kiln")
    assert list(search_windows(parsed)) == [(None, Window())]
    assert (unparsed_time_notice(parsed), time_notices(parsed)) == (None, ())


@pytest.mark.requirement("ruling:E.4a")
def test_the_time_in_a_query_is_looked_in_and_then_its_own_more_or_less() -> None:
    parsed = read("the kiln two weeks ago")
    assert parsed.time is not None
    (said, first), *wider = search_windows(parsed)
    assert (first, said) == (
        parsed.time.window,
        f"{parsed.time.note}: only notes from that time, or about it, were searched",
    )
    assert [window for _, window in wider] == [*parsed.time.widenings]
    assert {note for note, _ in wider} == {f"{parsed.time.note} — no notes from that time; searched a little wider"}


@pytest.mark.requirement("ruling:E.4a")
@pytest.mark.parametrize(
    "said", ["in March", "on 5 March", "in mid March", "on the first Monday of March", "in spring"]
)
def test_a_time_that_every_year_has_is_looked_in_year_after_year(said: str) -> None:
    parsed = read(f"the kiln {said}")
    assert parsed.time is not None
    (_, latest), *earlier = search_windows(parsed)
    starts = [window.start.year for _, window in earlier if window.start is not None]
    assert latest.start is not None
    assert starts == list(range(latest.start.year - 1, latest.start.year - 10, -1))
    assert {note for note, _ in earlier} == {
        f"{parsed.time.note} — no notes from that time; searched the same time of an earlier year"
    }


@pytest.mark.parametrize("said", ["in March 2024", "last March", "this spring", "last week", "on 5 March 2024"])
def test_a_time_of_one_year_is_looked_in_alone(said: str) -> None:
    assert len(list(search_windows(read(f"the kiln {said}")))) == 1


def test_a_day_that_few_years_have_is_looked_for_in_these() -> None:
    starts = [window.start for _, window in search_windows(read("the kiln on 29 February")) if window.start]
    assert all((start.month, start.day) == (2, 29) for start in starts)
    assert len(starts) == len({start.year for start in starts}) > 1


def test_an_explicit_time_is_looked_in_as_it_stands() -> None:
    parsed = read("the kiln yesterday", when="two weeks ago")
    assert parsed.time is not None
    assert list(search_windows(parsed)) == [(None, parsed.time.window)]


@pytest.mark.requirement("ruling:E.5")
def test_what_sounds_like_a_time_and_is_none_is_said() -> None:
    parsed = read("the kiln the other day")
    assert list(search_windows(parsed)) == [(None, Window())]
    assert unparsed_time_notice(parsed) == "not understood as a time: the other day"
    assert time_notices(parsed) == ("not understood as a time: the other day; searched all times",)


def test_that_one_of_several_times_was_taken_is_said() -> None:
    told = time_notices(read("the kiln yesterday and the shed last week"))
    assert [note.startswith("used ") for note in told] == [True]


def test_a_year_that_lacks_such_a_day_is_passed_over() -> None:
    calendar = Calendar(now=datetime(2028, 4, 1, tzinfo=UTC), zone=ZoneInfo("UTC"))
    found = list(in_earlier_years(DayInMonth(29, Month(2)), calendar))
    assert [window.start.year for window in found if window.start] == [2024, 2020]

"""Where a query's own time is looked in, and what is said of it."""

import pytest

from retrieval_doubles import NOW
from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import ParsedQuery, search_windows, time_notices, unparsed_time_notice
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
    assert {note for note, _ in wider} == {
        f"{parsed.time.note} — no notes from that time or about it; searched a little wider"
    }


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

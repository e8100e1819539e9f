"""When an event was that a question counts from, by what the memory says."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from store_values import observation
from tables import tables
from voice.core.nlq.calendar import Calendar, zone
from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import ParsedQuery
from voice.core.nlq.relative_times import find_event, with_event_time
from voice.core.records import Row
from voice.core.retrieval.values import Window
from voice.core.text.instants import UNDATED

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:I3")
NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC)
TOLD = datetime(2024, 9, 1, tzinfo=UTC)
HERE = Calendar(now=NOW, zone=zone("UTC"))


def said(key: str, text: str, at: datetime = TOLD) -> Row:
    return replace(observation(key, text), created_at=at)


def dated(question: str, *rows: Row) -> ParsedQuery:
    event = find_event(question)
    assert event is not None
    return with_event_time(parse_query(question, now=NOW, timezone="UTC"), event, rows, HERE)


@pytest.mark.parametrize(("question", "words"), TABLES["an_event_is_what_a_question_counts_from"])
def test_an_event_is_what_a_question_counts_from(question: str, words: str | None) -> None:
    event = find_event(question)
    assert (event and event.words) == words


def test_the_day_that_a_row_names_counts_before_the_day_it_was_told_on() -> None:
    found = dated(
        "What have I bought since the move?",
        said("1", "The move was hard."),
        said("2", "We moved on 2 June 2024; the next move is on 1 May 2031.", UNDATED),
    )
    assert found.window == Window(start=datetime(2024, 6, 2, tzinfo=UTC), end=NOW)
    assert found.time is not None
    assert found.time.note == "since the move: since 2024-06-02 (UTC), by o:2"
    assert (found.untimed, found.notices) == ("What have I bought ?", ())


def test_the_day_it_was_told_on_counts_where_none_is_named() -> None:
    found = dated("What have I bought since the move?", said("1", "The move was hard."))
    assert found.window == Window(start=TOLD, end=NOW)


@pytest.mark.parametrize(
    "row",
    [
        said("1", "The kettle is blue."),
        said("2", "The move was hard.", UNDATED),
        said("3", "We move on 1 May 2031.", UNDATED),
    ],
)
def test_where_no_row_says_when_it_was_the_time_stays_not_understood(row: Row) -> None:
    question = "What have I bought since the move?"
    assert dated(question, row) == parse_query(question, now=NOW, timezone="UTC")


def test_a_word_of_no_topic_names_no_event() -> None:
    question = "What have I bought since the other?"
    assert dated(question, said("1", "The other day.")).time is None

"""What people also say of time, beyond the table of the ruling, and how hastily they spell it."""

from datetime import UTC, datetime

import pytest

from voice.core.nlq.parse import parse_query
from voice.core.retrieval.values import Window

NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC)
"""A Wednesday."""


def moment(text: str) -> datetime | None:
    if text == "…":
        return None
    return NOW if text == "now" else datetime.fromisoformat(text).replace(tzinfo=UTC)


def window(start: str, end: str) -> Window:
    return Window(start=moment(start), end=moment(end))


def meant(phrase: str) -> Window | None:
    return parse_query(f"What did I write {phrase}?", now=NOW, timezone="UTC").window


@pytest.mark.requirement("ruling:E.1")
@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("from 2 to 4 pm yesterday", "2025-03-11T14:00", "2025-03-11T16:00"),
        ("between 11 and 1 pm yesterday", "2025-03-11T11:00", "2025-03-11T13:00"),
        ("yesterday from 9 to 5pm", "2025-03-11T09:00", "2025-03-11T17:00"),
        ("on Monday from 2 to 4 pm", "2025-03-10T14:00", "2025-03-10T16:00"),
        ("between 2 and 4 pm on Monday", "2025-03-10T14:00", "2025-03-10T16:00"),
        ("from 9 to 5 yesterday", "2025-03-11T09:00", "2025-03-11T17:00"),
        ("later that evening yesterday", "2025-03-11T17:00", "2025-03-11T22:00"),
        ("the week before Christmas", "2024-12-18", "2024-12-25"),
        ("in the week after Christmas", "2024-12-26", "2025-01-02"),
        ("during the month before 1 March 2025", "2025-02-01", "2025-03-01"),
        ("in '24", "2024-01-01", "2025-01-01"),
        ("in ’98", "1998-01-01", "1999-01-01"),
        ("in the '90s", "1990-01-01", "2000-01-01"),
        ("before the end of February", "…", "2025-03-01"),
        ("until the end of last week", "…", "2025-03-10"),
        ("by the end of last year", "…", "2025-01-01"),
        ("since the end of last year", "2025-01-01", "now"),
        ("after the start of March", "2025-03-01", "now"),
        ("up to and including 1 March 2025", "…", "2025-03-02"),
        ("on or after 1 March 2025", "2025-03-01", "now"),
        ("February onwards", "2025-02-01", "now"),
        ("earlier this week", "2025-03-10", "now"),
        ("in the 4th quarter of 2024", "2024-10-01", "2025-01-01"),
        ("on New Year's Day 2024", "2024-01-01", "2024-01-02"),
        ("between 9 and 11 this morning", "2025-03-12T09:00", "2025-03-12T11:00"),
        ("from 2 to 4 yesterday afternoon", "2025-03-11T14:00", "2025-03-11T16:00"),
        ("between 14 and 16 yesterday afternoon", "2025-03-11T14:00", "2025-03-11T16:00"),
        ("at 9 this morning", "2025-03-12T09:00", "2025-03-12T10:00"),
        ("at 12 this afternoon", "2025-03-12T12:00", "2025-03-12T13:00"),
        ("at 9 in the morning on March 5", "2025-03-05T09:00", "2025-03-05T10:00"),
        ("yesterday at 9 in the morning", "2025-03-11T09:00", "2025-03-11T10:00"),
        ("last night at 11", "2025-03-11T23:00", "2025-03-12"),
        ("last night at 1", "2025-03-12T01:00", "2025-03-12T02:00"),
        ("at 2am last night", "2025-03-12T02:00", "2025-03-12T03:00"),
        ("last night at 11pm", "2025-03-11T23:00", "2025-03-12"),
        ("from 9am to 5pm on Monday", "2025-03-10T09:00", "2025-03-10T17:00"),
        ("since 9 this morning", "2025-03-12T09:00", "now"),
        ("two Fridays ago", "2025-02-28", "2025-03-01"),
        ("two weekends ago", "2025-03-01", "2025-03-03"),
        ("two summers ago", "2023-06-01", "2023-09-01"),
        ("the last weekend in May", "2024-05-25", "2024-05-27"),
        ("the first weekend of March", "2025-03-01", "2025-03-03"),
        ("on Friday the 7th", "2025-03-07", "2025-03-08"),
        ("this time last year", "2024-03-12", "2024-03-13"),
        ("over a year ago", "…", "2024-03-12"),
        ("more than two weeks ago", "…", "2025-02-26"),
        ("less than a week ago", "2025-03-05", "now"),
        ("no later than March 5", "…", "2025-03-06"),
        ("no earlier than March 5", "2025-03-05", "now"),
        ("in the last half hour", "2025-03-12T15:00", "now"),
        ("one hundred days ago", "2024-12-02", "2024-12-03"),
        ("a hundred days ago", "2024-12-02", "2024-12-03"),
        ("two hundred days ago", "2024-08-24", "2024-08-25"),
        ("one hundred and twenty-one days ago", "2024-11-11", "2024-11-12"),
        ("seventy days ago", "2025-01-01", "2025-01-02"),
        ("on the first of March", "2025-03-01", "2025-03-02"),
        ("on the twenty-first of May 2024", "2024-05-21", "2024-05-22"),
        ("on the first of the month", "2025-03-01", "2025-03-02"),
        ("on 3 nov", "2024-11-03", "2024-11-04"),
        ("on 3/5", "2025-03-05", "2025-03-06"),
        ("on Oct. 16th", "2024-10-16", "2024-10-17"),
        ("in Sept. 2023", "2023-09-01", "2023-10-01"),
        ("on sat", "2025-03-08", "2025-03-09"),
        ("January through March", "2025-01-01", "2025-04-01"),
        ("in March and April 2024", "2024-03-01", "2024-05-01"),
        ("in Q1 or Q2 2024", "2024-01-01", "2024-07-01"),
        ("in week 53 of 2020", "2020-12-28", "2021-01-04"),
        ("in 2020-W53", "2020-12-28", "2021-01-04"),
        ("in week 10", "2025-03-03", "2025-03-10"),
        ("in week 12", "2024-03-18", "2024-03-25"),
        ("in week 53", "2020-12-28", "2021-01-04"),
        ("on Christmas 2023", "2023-12-25", "2023-12-26"),
        ("early this month", "2025-03-01", "2025-03-11"),
        ("in august pls", "2024-08-01", "2024-09-01"),
    ],
)
def test_what_people_also_say(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("todays todo list", "2025-03-12", "2025-03-13"),
        ("yesterdays meeting", "2025-03-11", "2025-03-12"),
        ("last weeks notes", "2025-03-03", "2025-03-10"),
        ("last fridays demo", "2025-03-07", "2025-03-08"),
        ("last summers trip", "2024-06-01", "2024-09-01"),
        ("last nights dream", "2025-03-11T22:00", "2025-03-12T05:00"),
        ("Anything from yesterday on the lease?", "2025-03-11", "2025-03-12"),
        ("Anything from yesterday on?", "2025-03-11", "now"),
        ("what did codex say friday", "2025-03-07", "2025-03-08"),
    ],
)
def test_hasty_spelling_is_understood(question: str, start: str, end: str) -> None:
    assert parse_query(question, now=NOW, timezone="UTC").window == window(start, end)


@pytest.mark.parametrize("question", ["my last weeks at school", "what the last weeks were like", "in week 54"])
def test_what_is_no_possessive_and_no_week_has_no_window(question: str) -> None:
    assert parse_query(question, now=NOW, timezone="UTC").window is None
    assert parse_query("in week 40", now=NOW, timezone="UTC").window is not None


def test_an_hour_ago_is_an_hour_of_the_local_clock() -> None:
    found = parse_query("what did I say 3 hours ago?", now=NOW, timezone="Asia/Kathmandu").window
    assert found == window("2025-03-12T12:15", "2025-03-12T13:15")


@pytest.mark.requirement("ruling:E.1")
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which highlights of 2024 did I list?", "of 2024"),
        ("October's expenses", "October's"),
        ("March 5: what happened?", "March 5"),
        ("In March: what did Sam say?", "In March"),
        ("Show the 2025-03-05 entry", "2025-03-05"),
        ("What did I think in February of the job?", "in February"),
        ("Who was in the class of 2024?", None),
        ("April's notes", None),
        ("What did I do in May 2024, I mean in June 2024?", "in June 2024"),
        ("What did I do yesterday? In June, I mean the month before, I slept.", "yesterday"),
        ("What is in October's?", None),
        ("Is it in March: A Novel?", None),
        ("Wednesday Addams: who is she?", None),
        ("Wednesday Addams said what?", None),
    ],
)
def test_what_stands_beside_a_name_of_the_calendar_decides(question: str, said: str | None) -> None:
    time = parse_query(question, now=NOW, timezone="UTC").time
    assert (time.text if time else None) == said


@pytest.mark.requirement("ruling:E.5")
@pytest.mark.parametrize("said", ["the week before", "the day after", "the month before", "the weekend after"])
def test_a_time_beside_something_that_is_no_date_is_said_and_not_guessed(said: str) -> None:
    parsed = parse_query(f"What did I write {said} the wedding?", now=NOW, timezone="UTC")
    assert parsed.window is None
    assert [(notice.code, notice.detail) for notice in parsed.notices] == [
        ("when_unparsed", f"not understood as a time: {said}")
    ]

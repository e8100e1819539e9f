"""Times that are still to come, and those that look like it."""

from datetime import UTC, datetime

import pytest

from tables import tables
from voice.core.nlq.calendar import Calendar, zone
from voice.core.nlq.parse import explicit_time, parse_query
from voice.core.nlq.parsed_query import NlqSettings
from voice.core.retrieval.values import Window

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:I3")
NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC)


def day(year: int, month: int, number: int = 1) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


def asked(question: str) -> Window | None:
    return parse_query(question, now=NOW, timezone="UTC").window


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What is the rent from April?", day(2025, 4), None),
        ("What changes from May on?", day(2025, 5), None),
        ("What do we pay starting in June?", day(2025, 6), None),
        ("rent from May", day(2025, 5), None),
        ("What do I need from May?", day(2025, 5), None),
        ("What is the rent from January?", day(2025, 1), None),
        ("What is the rent from November?", day(2025, 11), None),
        ("What must I pay until June?", None, day(2025, 7)),
        ("Was ändert sich ab April?", day(2025, 4), None),
        ("What do I do until May?", None, day(2025, 6)),
        ("What must be done until next April?", None, day(2025, 5)),
        ("What do we have to pay from June?", day(2025, 6), None),
        ("What must I pay in June?", day(2025, 6), day(2025, 7)),
        ("Is there anything I need to pay from May?", day(2025, 5), None),
        ("What happens next April?", day(2025, 4), day(2025, 5)),
        ("What will happen in June?", day(2025, 6), day(2025, 7)),
        ("What happens in May?", day(2025, 5), day(2025, 6)),
        ("What do I need before winter?", None, day(2025, 12)),
        ("What is planned for 3 May?", day(2025, 5, 3), day(2025, 5, 4)),
    ],
)
def test_a_time_ahead_is_the_next_one(question: str, start: datetime | None, end: datetime | None) -> None:
    assert asked(question) == Window(start=start, end=end)


@pytest.mark.parametrize("asked_in", [11, 8, 7])
@pytest.mark.parametrize("question", TABLES["what_is_planned_for_a_month_that_is_over_is_planned_for_the_next_one"])
def test_what_is_planned_for_a_month_that_is_over_is_planned_for_the_next_one(question: str, asked_in: int) -> None:
    now = datetime(2025, asked_in, 12, tzinfo=UTC)
    time = parse_query(question, now=now, timezone="UTC").time
    assert time is not None
    assert time.window == Window(start=day(2026, 6), end=day(2026, 7))


@pytest.mark.parametrize(
    ("question", "window"),
    [
        ("What is planned for June?", Window(start=day(2025, 6), end=day(2025, 7))),
        ("What was planned for June?", None),
        ("What did I plan for June?", None),
        ("Was war für Juni geplant?", None),
        ("What is the budget for June?", None),
        ("Who is the present for June meant for?", None),
    ],
)
def test_a_month_goes_on_until_it_is_over_and_for_a_month_is_a_time_of_plans_alone(
    question: str, window: Window | None
) -> None:
    assert parse_query(question, now=datetime(2025, 6, 20, tzinfo=UTC), timezone="UTC").window == window


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What did I write from April?", day(2024, 4), day(2024, 5)),
        ("Show me notes from April", day(2024, 4), day(2024, 5)),
        ("anything from before August about the divorce", None, day(2024, 8)),
        ("Anything about the merger after August?", day(2024, 9), NOW),
        ("Which notes about the merger are from August?", day(2024, 8), day(2024, 9)),
        ("What have I done since April?", day(2024, 4), NOW),
        ("What is new since April?", day(2024, 4), NOW),
        ("What happened in June?", day(2024, 6), day(2024, 7)),
        ("What is the rent from April 2024?", day(2024, 4), day(2024, 5)),
        ("What must I pay until March?", None, day(2025, 4)),
        ("What did I do until April?", None, day(2024, 5)),
        ("What will we do with the notes from yesterday?", day(2025, 3, 11), day(2025, 3, 12)),
    ],
)
def test_what_is_past_stays_so(question: str, start: datetime | None, end: datetime | None) -> None:
    assert asked(question) == Window(start=start, end=end)


@pytest.mark.parametrize(
    ("when", "start", "end"),
    [("from May", day(2025, 5), None), ("until May", None, day(2025, 6)), ("in May", day(2024, 5), day(2024, 6))],
)
def test_an_explicit_time_looks_ahead_by_its_own_words(when: str, start: datetime | None, end: datetime | None) -> None:
    phrase = explicit_time(when, Calendar(now=NOW, zone=zone("UTC")), NlqSettings())
    assert phrase.window == Window(start=start, end=end)


def test_where_nothing_is_told_of_a_time_ahead_any_time_is_looked_at_next() -> None:
    time = parse_query("What is the rent from April?", now=NOW, timezone="UTC").time
    assert time is not None
    assert time.widenings == (Window(),)
    assert time.note == "from April: 2025-04-01 to … (UTC)"


def test_at_the_end_of_the_calendar_there_is_no_time_ahead() -> None:
    late = datetime(9999, 6, 1, tzinfo=UTC)
    window = parse_query("What is the rent from January?", now=late, timezone="UTC").window
    assert window == Window(start=day(9999, 1), end=day(9999, 2))


@pytest.mark.parametrize(("question", "said"), TABLES["a_time_named_by_an_event_is_said_not_to_be_understood"])
def test_a_time_named_by_an_event_is_said_not_to_be_understood(question: str, said: str | None) -> None:
    parsed = parse_query(question, now=NOW, timezone="UTC")
    told = [notice.detail for notice in parsed.notices if notice.code == "when_unparsed"]
    assert (parsed.window, told) == (None, [f"not understood as a time: {said}"] if said else [])

"""An explicit `when`, what is not understood, and what is said beside a window.

Times that are still to come, and those that look like it.
"""

from datetime import UTC, datetime

import pytest

from voice.core.errors import InvalidParams
from voice.core.nlq.calendar import Calendar, zone
from voice.core.nlq.parse import explicit_time, parse_query
from voice.core.nlq.parsed_query import NlqSettings
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
    with pytest.raises(InvalidParams, match="names no possible time"):
        parse_query("", now=NOW, timezone="UTC", when=when)
    with pytest.raises(InvalidParams, match="is not understood"):
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


def day(year: int, month: int, number: int = 1) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


def asked(question: str) -> Window | None:
    return parse_query(question, now=NOW, timezone="UTC").window


@pytest.mark.requirement("ruling:I3")
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


@pytest.mark.requirement("ruling:I3")
@pytest.mark.parametrize("asked_in", [11, 8, 7])
@pytest.mark.parametrize(
    "question",
    [
        "What is planned for June?",
        "What are my plans for June?",
        "Which trips have I planned for June?",
        "What is the plan for June with Ida?",
        "What is scheduled for June?",
        "What is planned in June?",
        "What do I have to do in June?",
        "Was ist für Juni geplant?",
        "Welche Pläne habe ich für den Juni?",
        "¿Qué está planeado para junio?",
    ],
)
def test_what_is_planned_for_a_month_that_is_over_is_planned_for_the_next_one(question: str, asked_in: int) -> None:
    now = datetime(2025, asked_in, 12, tzinfo=UTC)
    time = parse_query(question, now=now, timezone="UTC").time
    assert time is not None
    assert time.window == Window(start=day(2026, 6), end=day(2026, 7))


@pytest.mark.requirement("ruling:I3")
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


@pytest.mark.requirement("ruling:I3")
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


@pytest.mark.requirement("ruling:I3")
@pytest.mark.parametrize(
    ("when", "start", "end"),
    [("from May", day(2025, 5), None), ("until May", None, day(2025, 6)), ("in May", day(2024, 5), day(2024, 6))],
)
def test_an_explicit_time_looks_ahead_by_its_own_words(when: str, start: datetime | None, end: datetime | None) -> None:
    phrase = explicit_time(when, Calendar(now=NOW, zone=zone("UTC")), NlqSettings())
    assert phrase.window == Window(start=start, end=end)


@pytest.mark.requirement("ruling:I3")
def test_where_nothing_is_told_of_a_time_ahead_any_time_is_looked_at_next() -> None:
    time = parse_query("What is the rent from April?", now=NOW, timezone="UTC").time
    assert time is not None
    assert time.widenings == (Window(),)
    assert time.note == "from April: 2025-04-01 to … (UTC)"


@pytest.mark.requirement("ruling:I3")
def test_at_the_end_of_the_calendar_there_is_no_time_ahead() -> None:
    late = datetime(9999, 6, 1, tzinfo=UTC)
    window = parse_query("What is the rent from January?", now=late, timezone="UTC").window
    assert window == Window(start=day(9999, 1), end=day(9999, 2))


@pytest.mark.requirement("ruling:I3")
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What have I done since the move?", "since the move"),
        ("What changed since my move to Porto?", "since my move to Porto"),
        ("Was hat sich seit dem Umzug geändert?", None),
        ("Was ist neu seit dem Umzug?", "seit dem Umzug"),
        ("Since my brother left, who waters the plants?", None),
    ],
)
def test_a_time_named_by_an_event_is_said_not_to_be_understood(question: str, said: str | None) -> None:
    parsed = parse_query(question, now=NOW, timezone="UTC")
    told = [notice.detail for notice in parsed.notices if notice.code == "when_unparsed"]
    assert (parsed.window, told) == (None, [f"not understood as a time: {said}"] if said else [])

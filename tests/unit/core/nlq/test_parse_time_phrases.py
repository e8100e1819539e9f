"""What a phrase means: the table of the ruling, line by line, and its natural variants.

What people also say of time, beyond the table of the ruling, and how hastily they spell it.
Sentences that only look like time, and how the context of a phrase decides.
"""

from datetime import UTC, datetime

import pytest

from tables import tables
from voice.core.nlq.parse import TABLES as PHRASE_TABLES
from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import Hemisphere, NlqSettings
from voice.core.nlq.phrase_tables.table import PhraseTable
from voice.core.records import EntityName
from voice.core.retrieval.values import Window

TABLES = tables(__file__)
NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC)
"""A Wednesday."""


def moment(text: str) -> datetime | None:
    if text == "…":
        return None
    return NOW if text == "now" else datetime.fromisoformat(text).replace(tzinfo=UTC)


def window(start: str, end: str) -> Window:
    return Window(start=moment(start), end=moment(end))


def meant(phrase: str, settings: NlqSettings = NlqSettings(), now: datetime = NOW) -> Window | None:  # noqa: B008
    return parse_query(f"What did I write {phrase}?", now=now, timezone="UTC", settings=settings).window


@pytest.mark.requirement(
    "ruling:E.1", "ruling:E.11", "ruling:E.phrase:day", "ruling:E.phrase:ago", "ruling:E.4a", "s3:time:clock"
)
@pytest.mark.parametrize(("phrase", "day"), TABLES["a_day_is_named_by_its_distance"])
def test_a_day_is_named_by_its_distance(phrase: str, day: str) -> None:
    start = datetime.fromisoformat(day).replace(tzinfo=UTC)
    found = meant(phrase)
    assert found is not None
    assert (found.start, found.end and (found.end - start).days) == (start, 1)


@pytest.mark.requirement("ruling:E.phrase:calendar-unit", "ruling:E.4d", "s3:test:windows")
@pytest.mark.parametrize(("phrase", "start", "end"), TABLES["a_calendar_unit_is_whole"])
def test_a_calendar_unit_is_whole(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)


@pytest.mark.requirement("ruling:E.phrase:last-n-days", "ruling:E.phrase:last-n-hours")
@pytest.mark.parametrize(("phrase", "start"), TABLES["the_last_n_units_run_until_now"])
def test_the_last_n_units_run_until_now(phrase: str, start: str) -> None:
    assert meant(phrase) == window(start, "now")


@pytest.mark.requirement("ruling:E.phrase:since", "ruling:E.phrase:between")
@pytest.mark.parametrize(("phrase", "start", "end"), TABLES["a_relation_takes_the_ends_of_its_times"])
def test_a_relation_takes_the_ends_of_its_times(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)


@pytest.mark.requirement("ruling:E.phrase:weekday", "ruling:E.4c")
@pytest.mark.parametrize(("phrase", "start"), TABLES["a_weekday_is_the_latest_strictly_before_today"])
def test_a_weekday_is_the_latest_strictly_before_today(phrase: str, start: str) -> None:
    found = meant(phrase)
    assert found is not None
    assert found.start == moment(start)


@pytest.mark.requirement("ruling:E.phrase:month-year", "ruling:E.phrase:date", "ruling:E.phrase:part-of-month")
@pytest.mark.parametrize(("phrase", "start", "end"), TABLES["a_date_or_month_without_a_year_is_the_latest"])
def test_a_date_or_month_without_a_year_is_the_latest(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)


@pytest.mark.requirement("ruling:E.phrase:season", "ruling:E.phrase:weekend", "ruling:E.phrase:quarter")
@pytest.mark.parametrize(("phrase", "start", "end"), TABLES["seasons_weekends_and_parts_of_years"])
def test_seasons_weekends_and_parts_of_years(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)


@pytest.mark.parametrize(("phrase", "hemisphere", "start"), TABLES["the_hemisphere_is_a_setting"])
def test_the_hemisphere_is_a_setting(phrase: str, hemisphere: Hemisphere, start: str) -> None:
    january = datetime(2025, 2, 1, tzinfo=UTC) if "this" in phrase else NOW
    found = meant(phrase, NlqSettings(hemisphere=hemisphere), january)
    assert found is not None
    assert found.start == moment(start)


@pytest.mark.requirement("ruling:E.phrase:part-of-day")
@pytest.mark.parametrize(("phrase", "start", "end"), TABLES["parts_and_times_of_days"])
def test_parts_and_times_of_days(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)


@pytest.mark.requirement("ruling:E.1")
@pytest.mark.parametrize(("phrase", "start", "end"), TABLES["what_people_also_say"])
def test_what_people_also_say(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)


@pytest.mark.parametrize(("question", "start", "end"), TABLES["hasty_spelling_is_understood"])
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
@pytest.mark.parametrize(("question", "said"), TABLES["what_stands_beside_a_name_of_the_calendar_decides"])
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


def phrase(question: str, *known: str) -> str | None:
    rows = [EntityName(id=f"e:{at}", name=name, entity_type="concept") for at, name in enumerate(known)]
    time = parse_query(question, now=NOW, timezone="UTC", entities=rows).time
    return time.text if time else None


@pytest.mark.parametrize("question", TABLES["what_only_looks_like_time_gets_no_window"])
def test_what_only_looks_like_time_gets_no_window(question: str) -> None:
    assert phrase(question) is None
    assert phrase("What did I write yesterday?") is not None


@pytest.mark.parametrize(("question", "said"), TABLES["the_context_lets_a_phrase_be_a_time"])
def test_the_context_lets_a_phrase_be_a_time(question: str, said: str) -> None:
    assert phrase(question) == said


@pytest.mark.parametrize(("question", "known", "said"), TABLES["a_name_the_graph_knows_is_not_a_time"])
def test_a_name_the_graph_knows_is_not_a_time(question: str, known: str, said: str | None) -> None:
    assert phrase(question, known) == said


_GROUPS_USED = ("phrase", "bare", "owner", "alone", "ahead")


def meaning(question: str, language: str) -> tuple[str | None, str | None]:
    window = parse_query(question, now=NOW, timezone="UTC", settings=NlqSettings(language=language)).window  # pyright: ignore[reportArgumentType]
    if window is None:
        return None, None
    edges = (window.start, window.end)
    start, end = (edge and edge.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00") for edge in edges)
    return start, "now" if window.end == NOW else end


@pytest.mark.parametrize(("phrase", "start", "end"), TABLES["german"])
def test_german(phrase: str, start: str | None, end: str) -> None:
    assert meaning(f"Was habe ich {phrase}?", "de") == (start, end)


@pytest.mark.parametrize(("phrase", "start", "end"), TABLES["spanish"])
def test_spanish(phrase: str, start: str | None, end: str) -> None:
    assert meaning(f"¿Qué escribí {phrase}?", "es") == (start, end)


@pytest.mark.parametrize(("question", "language"), TABLES["the_language_of_a_question_is_found"])
def test_the_language_of_a_question_is_found(question: str, language: str) -> None:
    assert parse_query(question, now=NOW, timezone="UTC").language == language


@pytest.mark.parametrize("table", PHRASE_TABLES.values(), ids=list(PHRASE_TABLES))
def test_every_rule_names_groups_and_classes_that_exist(table: PhraseTable) -> None:
    groups = {rule.group for rule in table.rules}
    named = [part.strip("?") for rule in table.rules for part in rule.pattern.split()]
    asked = {part[1:-1] for part in named if part.startswith("<")}
    figures = {"int", "hour", "year", "dom", "ordinal", "date", "year_month", "month_day", "iso_week", "clock"}
    codes = {"quarter", "half", "decade"}
    classes = {part[1:-1] for part in named if part.startswith("{")}
    assert asked <= groups
    assert groups <= asked | set(_GROUPS_USED)
    assert classes <= figures | codes | table.lexicon.keys() | {"soft_month", "soft_weekday"}

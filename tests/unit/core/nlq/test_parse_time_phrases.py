"""What a phrase means: the table of the ruling, line by line, and its natural variants.

What people also say of time, beyond the table of the ruling, and how hastily they spell it.
Sentences that only look like time, and how the context of a phrase decides.
"""

from datetime import UTC, datetime, time
from inspect import signature
from typing import get_args

import pytest

from tables import by_law, tables
from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import Hemisphere, NlqSettings
from voice.core.nlq.phrase_tables.reading import phrase_table, read_table
from voice.core.records import EntityName
from voice.core.retrieval.values import Window
from voice.core.text.word_lists import Language

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
    "ruling:E.1", "ruling:E.4a", "ruling:E.4c", "ruling:E.4d", "ruling:E.11", "ruling:E.phrase:day",
    "ruling:E.phrase:ago", "ruling:E.phrase:calendar-unit", "ruling:E.phrase:last-n-days",
    "ruling:E.phrase:last-n-hours", "ruling:E.phrase:since", "ruling:E.phrase:between", "ruling:E.phrase:weekday",
    "ruling:E.phrase:month-year", "ruling:E.phrase:date", "ruling:E.phrase:part-of-month", "ruling:E.phrase:season",
    "ruling:E.phrase:weekend", "ruling:E.phrase:quarter", "ruling:E.phrase:part-of-day", "s3:time:clock",
    "s3:test:windows",
)  # fmt: skip
@pytest.mark.parametrize(("phrase", "start", "end"), by_law(TABLES["a_phrase_means_its_window"]))
def test_a_phrase_means_its_window(phrase: str, start: str, end: str) -> None:
    assert meant(phrase) == window(start, end)


@pytest.mark.parametrize(("phrase", "hemisphere", "start"), TABLES["the_hemisphere_is_a_setting"])
def test_the_hemisphere_is_a_setting(phrase: str, hemisphere: Hemisphere, start: str) -> None:
    january = datetime(2025, 2, 1, tzinfo=UTC) if "this" in phrase else NOW
    found = meant(phrase, NlqSettings(hemisphere=hemisphere), january)
    assert found is not None
    assert found.start == moment(start)


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


ASKED_IN = {"de": "Was habe ich {}?", "es": "¿Qué escribí {}?"}


@pytest.mark.parametrize(
    ("language", "phrase", "start", "end"),
    [
        (language, *row)
        for language, rows in TABLES["another_language_says_it_in_its_own_words"].items()
        for row in rows
    ],
)
def test_another_language_says_it_in_its_own_words(language: Language, phrase: str, start: str, end: str) -> None:
    asked = ASKED_IN[language].format(phrase)
    parsed = parse_query(asked, now=NOW, timezone="UTC", settings=NlqSettings(language=language))
    assert parsed.window == window(start, end)


@pytest.mark.parametrize(("question", "language"), TABLES["the_language_of_a_question_is_found"])
def test_the_language_of_a_question_is_found(question: str, language: str) -> None:
    assert parse_query(question, now=NOW, timezone="UTC").language == language


@pytest.mark.parametrize("language", get_args(Language))
def test_every_pattern_has_classes_that_exist_and_gives_its_builder_what_that_takes(language: Language) -> None:
    table = phrase_table(language)
    figures = {"int", "hour", "year", "dom", "ordinal", "date", "year_month", "month_day", "iso_week", "clock"}
    codes = {"quarter", "half", "decade"}
    known = figures | codes | table.lexicon.keys() | {"soft_month", "soft_weekday"}
    for rule in table.rules:
        given = [part.strip("?") for part in rule.pattern.split() if part[0] in "<{"]
        assert {part[1:-1] for part in given if part[0] == "{"} <= known, rule
        if getattr(rule.build, "func", rule.build) is not time:  # which tells nobody what it takes
            signature(rule.build).bind(*given)


@pytest.mark.parametrize(("said", "wrong"), TABLES["a_table_that_cannot_be_read_names_the_line_and_what_is_wrong"])
def test_a_table_that_cannot_be_read_names_the_line_and_what_is_wrong(said: str, wrong: str) -> None:
    shared = (
        "# a comment\ndate_order = day_first\nuntil = bis\n    ab\n\n[phrase]\n<plain> = same\n[plain]\nheute = Day 0\n"
    )
    read = read_table("de", {"times.txt": shared})
    assert (read.until, [rule.pattern for rule in read.rules]) == ({"bis", "ab"}, ["<plain>", "heute"])
    with pytest.raises(ValueError, match=f"^{wrong}$"):
        read_table("de", {"times.txt": shared, "times.de.txt": said})

"""A row is in a time that it was told in or speaks of."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from store_values import entity, observation, relation, thought
from tables import tables, utc, window
from voice.core.records import Observation, Row, RowStatus
from voice.core.retrieval.searchable_text import days_within, is_in, is_told_of, mentioned_days
from voice.core.retrieval.values import Window
from voice.core.text.instants import UNDATED

TABLES = tables(__file__)
pytestmark = pytest.mark.requirement("ruling:I3")
TOLD = utc("2025-03-12T09:00")
MAY = window("2025-05-01", "2025-06-01")


def said(text: str, at: datetime = TOLD) -> Observation:
    return replace(observation("1", text), created_at=at)


def spoken(row: Row) -> list[tuple[str, str]]:
    start = date(1970, 1, 1)
    return [(f"{start + timedelta(first)}", f"{start + timedelta(last)}") for first, last in mentioned_days(row)]


@pytest.mark.parametrize(("text", "first", "last"), TABLES["a_row_speaks_of_the_days_its_words_name"])
def test_a_row_speaks_of_the_days_its_words_name(text: str, first: str, last: str) -> None:
    assert spoken(said(text)) == [(first, last)]


def test_of_an_undated_row_only_dates_with_their_year_are_known() -> None:
    undated = said("On 3 May we leave; in 2024 we stayed; tomorrow I fly.", UNDATED)
    assert spoken(undated) == [("2024-01-01", "2024-12-31")]


def test_what_no_calendar_holds_and_what_is_redacted_speaks_of_nothing() -> None:
    assert spoken(said("It was 29 February.")) == []
    assert spoken(replace(said("It was 3 May 2025."), status=RowStatus.REDACTED)) == []
    assert spoken(said("No day at all.")) == []


def test_every_kind_of_row_speaks() -> None:
    rows = (
        thought("1", "On 3 May 2025."),
        replace(entity("1", "Lease"), description="ends on 3 May 2025"),
        replace(relation("1", "e:a", "e:b"), description="until 3 May 2025"),
    )
    assert [spoken(row) for row in rows] == [[("2025-05-03", "2025-05-03")]] * 3


@pytest.mark.parametrize(
    ("text", "told", "is_there"), TABLES["a_window_holds_what_was_told_in_it_or_speaks_of_a_date_in_it"]
)
def test_a_window_holds_what_was_told_in_it_or_speaks_of_a_date_in_it(
    text: str, told: str | None, *, is_there: bool
) -> None:
    assert is_in(MAY, said(text, utc(told))) == is_there


@pytest.mark.parametrize(
    ("text", "path", "told", "is_then"), TABLES["a_statement_is_about_the_day_it_states_or_stands_under"]
)
def test_a_statement_is_about_the_day_it_states_or_stands_under(
    text: str, path: tuple[str, ...], told: str | None, *, is_then: bool
) -> None:
    at = utc(told)
    row = replace(said(text, at), context_path=path)
    assert is_told_of(MAY, row) == is_then
    assert is_told_of(Window(start=at, end=at + timedelta(hours=1)), row) == (told is not None)


def test_an_open_side_holds_every_date_on_it() -> None:
    row = said("The lease ends on 3 May 2025.", UNDATED)
    assert is_in(Window(start=TOLD), row)
    assert not is_in(Window(end=TOLD), row)
    assert is_in(Window(end=MAY.end), row)


def test_a_day_is_whole_wherever_the_person_lives_and_a_part_of_one_holds_none() -> None:
    third = (date(2025, 5, 3) - date(1970, 1, 1)).days
    for hours in (-11, 0, 11):
        start = datetime(2025, 5, 3, tzinfo=UTC) + timedelta(hours=hours)
        assert days_within(Window(start=start, end=start + timedelta(days=1))) == (third, third)
    assert days_within(Window(start=TOLD, end=TOLD + timedelta(hours=5))) is None


@pytest.mark.parametrize(("step", "first", "last"), TABLES["the_titles_and_headings_over_a_sentence_speak_for_it"])
def test_the_titles_and_headings_over_a_sentence_speak_for_it(step: str, first: str, last: str) -> None:
    placed = replace(observation("1", "I deleted the ticket."), created_at=UNDATED, context_path=("Diary", step))
    assert spoken(placed) == [(first, last)]
    assert spoken(replace(placed, context_path=("Diary",))) == []

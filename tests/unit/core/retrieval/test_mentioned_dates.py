"""A row is in a time that it was told in or speaks of."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from store_values import entity, observation, relation, thought
from voice.core.records import Observation, Row, RowStatus
from voice.core.retrieval.searchable_text import days_within, is_in, is_told_of, mentioned_days
from voice.core.retrieval.values import Window
from voice.core.text.instants import UNDATED

pytestmark = pytest.mark.requirement("ruling:I3")
TOLD = datetime(2025, 3, 12, 9, tzinfo=UTC)
MAY = Window(start=datetime(2025, 5, 1, tzinfo=UTC), end=datetime(2025, 6, 1, tzinfo=UTC))


def said(text: str, at: datetime = TOLD) -> Observation:
    return replace(observation("1", text), created_at=at)


def spoken(row: Row) -> list[tuple[date, date]]:
    start = date(1970, 1, 1)
    return [(start + timedelta(days=first), start + timedelta(days=last)) for first, last in mentioned_days(row)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("The lease ends on 3 May 2025.", date(2025, 5, 3), date(2025, 5, 3)),
        ("The lease ends on 3 May.", date(2025, 5, 3), date(2025, 5, 3)),
        ("The rent rises in May.", date(2025, 5, 1), date(2025, 5, 31)),
        ("The lease began in 2023.", date(2023, 1, 1), date(2023, 12, 31)),
        ("Tomorrow I fly.", date(2025, 3, 13), date(2025, 3, 13)),
        ("Last month it rained.", date(2025, 2, 1), date(2025, 2, 28)),
    ],
)
def test_a_row_speaks_of_the_days_its_words_name(text: str, first: date, last: date) -> None:
    assert spoken(said(text)) == [(first, last)]


def test_of_an_undated_row_only_dates_with_their_year_are_known() -> None:
    assert spoken(said("On 3 May we leave; in 2024 we stayed; tomorrow I fly.", UNDATED)) == [
        (date(2024, 1, 1), date(2024, 12, 31))
    ]


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
    assert [spoken(row) for row in rows] == [[(date(2025, 5, 3), date(2025, 5, 3))]] * 3


@pytest.mark.parametrize(
    ("text", "at", "is_there"),
    [
        ("Nothing with a date.", datetime(2025, 5, 2, tzinfo=UTC), True),
        ("The lease ends on 3 May.", TOLD, True),
        ("The rent rises in May.", TOLD, True),
        ("The lease ends on 3 May 2025.", UNDATED, True),
        ("The lease ends on 3 May.", UNDATED, False),
        ("All of 2025 is let.", TOLD, False),
        ("The lease ends on 3 June.", TOLD, False),
    ],
)
def test_a_window_holds_what_was_told_in_it_or_speaks_of_a_date_in_it(
    text: str, at: datetime, *, is_there: bool
) -> None:
    assert is_in(MAY, said(text, at)) == is_there


@pytest.mark.parametrize(
    ("text", "path", "at", "is_then"),
    [
        ("Nothing with a date.", (), datetime(2025, 5, 2, tzinfo=UTC), True),
        ("The lease ended on 3 May.", ("2025-06-10",), TOLD, True),
        ("Repaired the sink.", ("Log", "2025-05-03"), UNDATED, True),
        ("Repaired the sink.", ("Log", "2025-04-03"), datetime(2025, 5, 2, tzinfo=UTC), False),
        ("Ran 40 km.", ("May 2025",), TOLD, True),
        ("Plan for May: find a flat.", (), TOLD, False),
        ("Lisbon, May 2025, with Tom.", (), UNDATED, True),
        ("Repaired the sink.", (), UNDATED, False),
    ],
)
def test_a_statement_is_about_the_day_it_states_or_stands_under(
    text: str, path: tuple[str, ...], at: datetime, *, is_then: bool
) -> None:
    row = replace(said(text, at), context_path=path)
    assert is_told_of(MAY, row) == is_then
    assert is_told_of(Window(start=at, end=at + timedelta(hours=1)), row) == (at is not UNDATED)


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


@pytest.mark.parametrize(
    ("step", "first", "last"),
    [
        ("2018-july", date(2018, 7, 1), date(2018, 7, 31)),
        ("2018 July", date(2018, 7, 1), date(2018, 7, 31)),
        ("2018_07_14", date(2018, 7, 14), date(2018, 7, 14)),
        ("Trip of 14 July 2018", date(2018, 7, 14), date(2018, 7, 14)),
    ],
)
def test_the_titles_and_headings_over_a_sentence_speak_for_it(step: str, first: date, last: date) -> None:
    placed = replace(observation("1", "I deleted the ticket."), created_at=UNDATED, context_path=("Diary", step))
    assert spoken(placed) == [(first, last)]
    assert spoken(replace(placed, context_path=("Diary",))) == []

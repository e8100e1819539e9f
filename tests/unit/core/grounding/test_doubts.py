"""What a sentence says and nothing it cites gives: numbers, dates, names, identifiers."""

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from grounding_rows import UNDATED, row
from tables import tables
from voice.core.grounding.doubts import GivenContext, doubts_of, is_derived
from voice.core.text.numbers import Quantity

pytestmark = pytest.mark.requirement("grounding:guards")
TABLES = tables(__file__)

TODAY = date(2026, 3, 20)
AT = datetime(2025, 6, 24, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("sentence", "sources", "more", "found"), TABLES["what_is_neither_given_nor_follows_from_it_is_doubted"]
)
def test_what_is_neither_given_nor_follows_from_it_is_doubted(
    sentence: str, sources: tuple[str, ...], more: dict[str, Any], found: object
) -> None:
    rows = [row(f"S{n}", text, at=AT, **more.get("row", {})) for n, text in enumerate(sources, 1)]
    doubts = doubts_of(sentence, GivenContext(tuple(rows), question=more.get("question", ""), today=TODAY))
    assert tuple((one.flag, sentence[one.start : one.end], one.is_exact) for one in doubts) == found


def test_the_end_of_a_row_is_a_day_that_is_given() -> None:
    ended = row("S1", "The rent is 640.", at=AT, until=datetime(2025, 9, 1, tzinfo=UTC))
    assert doubts_of("Until 1 September 2025 the rent was 640.", GivenContext((ended,))) == ()


def test_an_undated_row_gives_no_day() -> None:
    (doubt,) = doubts_of("It broke in June.", GivenContext((row("S1", "It broke.", at=UNDATED),)))
    assert doubt.flag == "date"


def test_a_doubt_says_where_and_repeats_no_name() -> None:
    sentence = "You met Clara and paid 77 euros on 3 May."
    found = doubts_of(sentence, GivenContext((row("S1", "I met her.", at=AT),)))
    assert [(one.flag, sentence[one.start : one.end]) for one in found] == [
        ("name", "Clara"),
        ("number", "77 euros"),
        ("date", "3 May."),
    ]
    assert [one.message for one in found] == [
        "the cited sources do not name a person or thing that the answer names",
        "the cited sources do not give 77 euros",
        "the cited sources do not give the date 3 May",
    ]
    assert [one.is_exact for one in found] == [False, True, False]


def test_a_number_follows_from_two_or_from_the_time_between_two_days() -> None:
    seven, three = Quantity(Decimal(7), None, "7", 0, 1), Quantity(Decimal(3), None, "3", 2, 3)
    early, late, ends = date(2024, 1, 10), date(2026, 3, 5), (1, 2)
    of_days, of_two = {785, 786, 112, 113, 26, 25, 2, 3}, {10, 4, 21, 43, 233}
    for value in {*of_days, *of_two, *(each + by for each in (*of_days, *of_two) for by in ends)}:
        claimed = Quantity(Decimal(value), None, f"{value}", 0, 1)
        assert is_derived(claimed, (), (late, early), ()) is (value in of_days)
        assert is_derived(claimed, (seven, three), (), ()) is (value in of_two)
    for value, days in ((2017, (early,)), (2031, (early,)), (2016, ()), (2032, (late,))):
        assert is_derived(Quantity(Decimal(value), None, "", 0, 1), (seven,), days, ()) is (days == (early,))


@pytest.mark.requirement("ruling:I1")
def test_the_name_of_the_conversation_that_a_source_was_said_in_is_given() -> None:
    told = "In the chat Kiln Club the kiln is called done."
    said = row("S1", "The kiln is done.", at=AT)
    assert [doubt.flag for doubt in doubts_of(told, GivenContext((said,), today=TODAY))] == ["name"]
    named = replace(said, thread="whatsapp/Kiln Club")
    assert doubts_of(told, GivenContext((named,), today=TODAY)) == ()

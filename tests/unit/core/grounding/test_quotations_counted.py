"""A sentence of ours that counts what it cites."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from grounding_rows import row
from voice.core.grounding.quotations import CitedSpan, CountOf, is_correct_count
from voice.core.grounding.values import Evidence
from voice.core.text.instants import UNDATED

pytestmark = pytest.mark.requirement("answers:count")
BOOKS = replace(row("S1", "## Books\n- Dune\n- Emma\n- Dune Messiah"), context="Reading")
HEAD = "3 items under “Books” in “Reading”:"


def cited(*said: str, of: Evidence = BOOKS) -> list[CitedSpan]:
    return [CitedSpan(of, of.text.index(each), of.text.index(each) + len(each)) for each in said]


def climbed(day: int, *, alias: str) -> CitedSpan:
    told = row(alias, "Went climbing with Jonas.", thoughts=(f"t:{alias}",))
    return CitedSpan(replace(told, created_at=datetime(2025, 5, 1, tzinfo=UTC) + timedelta(days=day)), 0, 25)


@pytest.mark.parametrize("said", [
    "3 items under “Films” in “Reading”:", "3 items under “Books” in “Shelf”:", "3 items in “Shelf”:", "3 items:",
    "3 books:", "I own 3 items.",
])  # fmt: skip
def test_items_stand_where_the_sentence_says(said: str) -> None:
    assert not is_correct_count(said, cited("Dune", "Emma", "Dune Messiah"))
    assert not any(is_correct_count(HEAD, few) for few in (cited("Dune", "Emma"), []))
    for right in (HEAD, "3 items under “Books”:", "3 items in “Reading”:"):
        assert is_correct_count(right, cited("Dune", "Emma", "Dune Messiah"))
    assert is_correct_count("3 items in “Shelf”:", cited("Dune", "Emma", "Dune Messiah"), is_renamed=True)


def test_days_and_notes_are_counted_once_each_and_mention_the_word() -> None:
    told = [climbed(1, alias="S1"), climbed(1, alias="S2"), climbed(4, alias="S3")]
    assert is_correct_count("2 days that mention “climbing”:", told)
    assert is_correct_count("3 notes that mention “climbing”:", told)
    assert not is_correct_count("2 days that mention “swimming”:", told)
    undated = CitedSpan(replace(told[0].row, created_at=UNDATED), 0, 25)
    assert not is_correct_count("1 day that mentions “climbing”:", [undated])


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (CountOf(unit="day", word="climbing"), "1 day that mentions “climbing”:"),
        (CountOf(unit="note", word="went climbing"), "1 note that mentions “went climbing”:"),
        (CountOf(unit="note", word="Jonas climbed"), "1 note that mentions Jonas, climbed:"),
        (CountOf(unit="item", head="Books"), "1 item under “Books”:"),
    ],
)
def test_a_count_says_its_number_and_what_it_counts_and_quotes_only_what_is_said_so(of: CountOf, said: str) -> None:
    told = [climbed(1, alias="S1")]
    assert of.told(told) == said
    assert is_correct_count(said, told) == bool(of.word)
    assert (
        CountOf(unit="day", word="climbing").told([*told, climbed(2, alias="S2")]) == "2 days that mention “climbing”:"
    )

"""An answer about a whole time says what it leaves out, and how to see it."""

from datetime import UTC, datetime

import pytest

from grounding_rows import row
from voice.core.context.left_out import left_out
from voice.core.grounding.values import Evidence
from voice.core.nlq.parse import parse_query
from voice.core.nlq.values import NlqSettings

NOW = datetime(2026, 3, 20, 18, tzinfo=UTC)


def note(number: int, *, month: int = 3) -> Evidence:
    return row(f"S{number}", f"Wrote page {number}.", at=datetime(2026, month, 2 + number, 12, tzinfo=UTC))


MARCH = tuple(note(number) for number in range(1, 7))


def told(question: str, sent: tuple[Evidence, ...] = MARCH, cited: frozenset[str] = frozenset({"o:s1", "o:s2"})) -> str:
    parsed = parse_query(question, now=NOW, timezone="UTC", settings=NlqSettings())
    return left_out(parsed, sent, cited) or ""


@pytest.mark.parametrize("question", ["What happened in March?", "What did I do in March?"])
def test_a_few_notes_of_a_month_are_said_to_be_a_few(question: str) -> None:
    assert told(question) == (
        "the answer gives 2 of at least 6 notes of that time; see them all with "
        '`voice retrieve "notes" --when "in March" --floor=-1 -k 50`'
    )


def test_notes_of_another_time_are_not_counted() -> None:
    assert "2 of at least 6" in told("What happened in March?", (*MARCH, note(9, month=1)))


def test_nothing_is_said_where_nothing_is_left_out_or_something_else_is_asked() -> None:
    assert told("What happened in March?", MARCH[:2]) == ""
    assert told("What happened in March?", cited=frozenset()) == ""
    assert told("Which page did I write in March?") == ""
    assert told("What happened?") == ""

"""An answer about a whole time says what it leaves out, and how to see it."""

from datetime import UTC, datetime

import pytest

from grounding_rows import row
from voice.core.answering.refusal_remarks import uncited_notes_notice

MARCH = tuple(
    row(f"S{number}", f"Wrote page {number}.", at=datetime(2026, 3, 2 + number, 12, tzinfo=UTC))
    for number in range(1, 7)
)
TWO = frozenset({"o:s1", "o:s2"})


@pytest.mark.parametrize("question", ["What happened ?", "What did I do ?"])
def test_a_few_notes_of_a_month_are_said_to_be_a_few(question: str) -> None:
    told = "the answer cites 2 of at least 6 passages from that time; to see more, ask about part of it"
    assert uncited_notes_notice(question, MARCH, TWO) == told


def test_nothing_is_said_where_nothing_is_left_out_or_something_else_is_asked() -> None:
    assert uncited_notes_notice("What happened?", MARCH[:2], TWO) is None
    assert uncited_notes_notice("What happened?", MARCH, frozenset()) is None
    assert uncited_notes_notice("Which page did I write?", MARCH, TWO) is None
    assert uncited_notes_notice("What happened?", MARCH, TWO) is not None

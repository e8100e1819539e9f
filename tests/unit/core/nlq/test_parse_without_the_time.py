"""What a question is about, beside the time it asks about (ruling E.1)."""

from datetime import UTC, datetime

import pytest

from voice.core.nlq.parse import parse_query

NOW = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)


@pytest.mark.requirement("ruling:E.1")
@pytest.mark.parametrize(
    ("question", "untimed"),
    [
        ("What happened in the choir last weekend?", "What happened in the choir ?"),
        ("Last month, what did I buy?", ", what did I buy?"),
        ("Was ist am 18. November 2025 passiert?", "Was ist passiert?"),
        ("Where is the kiln?", "Where is the kiln?"),
        ("yesterday", "yesterday"),
        ("yesterday?", "yesterday?"),
    ],
)
def test_the_time_is_taken_out_unless_nothing_would_be_left(question: str, untimed: str) -> None:
    assert parse_query(question, now=NOW, timezone="UTC").untimed == untimed


def test_an_explicit_when_leaves_the_question_as_it_is() -> None:
    parsed = parse_query("What did I say yesterday?", now=NOW, timezone="UTC", when="last week")
    assert parsed.untimed == parsed.question

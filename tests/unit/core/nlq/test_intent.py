"""Questions for the rows of a time."""

from datetime import UTC, datetime

import pytest

from tables import tables
from voice.core.nlq.intent import asks_for_rows, query_topic
from voice.core.nlq.parse import parse_query

TABLES = tables(__file__)

NOW = datetime(2026, 3, 5, 14, tzinfo=UTC)


@pytest.mark.requirement("s3:query:offline")
@pytest.mark.parametrize(
    ("question", "asks"), TABLES["rows_are_asked_for_by_what_they_are_called_or_by_number_and_in_a_time"]
)
def test_rows_are_asked_for_by_what_they_are_called_or_by_number_and_in_a_time(question: str, *, asks: bool) -> None:
    assert asks_for_rows(parse_query(question, now=NOW, timezone="UTC")) is asks


@pytest.mark.requirement("s3:query:offline")
@pytest.mark.parametrize(("question", "words_left"), TABLES["what_the_rows_are_called_is_not_looked_for"])
def test_what_the_rows_are_called_is_not_looked_for(question: str, words_left: str) -> None:
    assert query_topic(parse_query(question, now=NOW, timezone="UTC")) == words_left

"""Apostrophes of every kind and letters of either case mean the same (ruling E.2)."""

from datetime import UTC, datetime

import pytest

from voice.core.nlq.parse import parse_query

NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC)


@pytest.mark.requirement("ruling:E.2")
@pytest.mark.parametrize("mark", ["'", "’", "‘", "ʼ", "`", "´"])
@pytest.mark.parametrize("form", [str, str.upper, str.title])
def test_marks_and_case_change_nothing(mark: str, form: type[str]) -> None:
    said = "What were last month's proud moments, and what wasn't"
    plain = parse_query(said, now=NOW, timezone="UTC")
    other = parse_query(form(said).replace("'", mark), now=NOW, timezone="UTC")
    assert plain.window is not None
    assert (other.window, other.terms) == (plain.window, plain.terms)

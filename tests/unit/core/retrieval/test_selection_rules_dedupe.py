"""One text, one result (rulings C7, C8)."""

import pytest

from retrieval_rows import candidate, observation, thought
from voice.core.records import Origin, TrustTier
from voice.core.retrieval.ranking import by_cosine
from voice.core.retrieval.selection_rules import dedupe


@pytest.mark.requirement("s0:behavior:6", "s0:test:dedupe", "s0:constraint:dedupe", "ruling:C7")
def test_the_same_text_in_two_tables_is_one_result() -> None:
    kept = candidate(observation("1", "I met Ada."), 0.8)
    double = candidate(thought("1", "  i met ADA. "), 0.7)
    result = dedupe([double, kept], by_cosine)
    assert result.kept == (kept,)
    assert result.duplicates == ((double, "o:1"),)
    assert result.also_in == {"o:1": ("t:1",)}


@pytest.mark.requirement("ruling:C8")
def test_the_more_trusted_of_two_stays_even_with_the_lower_score() -> None:
    trusted = candidate(thought("1", "same", origin=Origin.HUMAN), 0.3)
    written = candidate(thought("2", "same", origin=Origin.MODEL), 0.9)
    half = candidate(observation("3", "same", trust=TrustTier.AMBER), 0.95)
    result = dedupe([written, half, trusted], by_cosine)
    assert result.kept == (trusted,)
    assert result.also_in == {"t:1": ("o:3", "t:2")}


@pytest.mark.requirement("ruling:C8", "ruling:C9")
def test_of_equally_trusted_rows_the_better_scoring_stays_then_table_and_id() -> None:
    low, high = candidate(thought("a", "same"), 0.3), candidate(thought("b", "same"), 0.4)
    assert dedupe([low, high], by_cosine).kept == (high,)
    level = [
        candidate(thought("b", "same"), 0.4),
        candidate(thought("a", "same"), 0.4),
        candidate(observation("z", "same"), 0.4),
    ]
    assert [one.row.id for one in dedupe(level, by_cosine).kept] == ["o:z"]


def test_the_same_row_found_twice_is_one_row_and_no_duplicate() -> None:
    once = candidate(thought("1"), 0.4)
    result = dedupe([once, candidate(thought("1"), 0.5)], by_cosine)
    assert [one.score for one in result.kept] == [0.5]
    assert result.duplicates == ()

"""How new a row is, and how much that counts (ruling G)."""

from datetime import timedelta

import pytest

from retrieval_rows import AT
from voice.core.retrieval.ranking import fts_score, recency


@pytest.mark.requirement("ruling:G.2c")
def test_recency_halves_with_every_half_life() -> None:
    ages = [recency(AT - timedelta(days=days), AT, half_life_days=30) for days in (0, 30, 60)]
    assert ages == [1.0, 0.5, 0.25]


@pytest.mark.requirement("ruling:G.2c")
def test_recency_stays_between_nought_and_one() -> None:
    assert recency(AT + timedelta(days=365), AT, half_life_days=30) == 1.0
    assert recency(AT - timedelta(days=10**5), AT, half_life_days=0.5) == 0.0


@pytest.mark.requirement("s4:provider:local-fts", "ruling:A24")
def test_words_count_seven_tenths_and_recency_three() -> None:
    assert fts_score(0.5, 0.25) == 0.425
    assert fts_score(1.0, 1.0) == 1.0

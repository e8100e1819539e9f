"""What a found row ranks by, and what raised it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_rows import AT
from voice.core.records import Table
from voice.core.retrieval.ranking import FusionProfile, own_score, rank_by_vector, rank_by_words, rank_fused, unit_score
from voice.core.retrieval.values import Found, Hit

PROFILE = FusionProfile(vector=0.4, lexical=0.6, speaker=0.06, neighbour=0.3)


def _fused(hit: Hit) -> Found:
    found = rank_fused(PROFILE)(hit)
    assert found is not None
    return found


def _hit(cosine: float | None, lexical: float, *, neighbour: float = 0.0, is_speaker: bool = False) -> Hit:
    return Hit(
        row_id="t:1", table=Table.THOUGHTS, cosine=cosine, lexical=lexical, neighbour=neighbour, is_speaker=is_speaker
    )


def _made(days_ago: int) -> int:
    return round((AT - timedelta(days=days_ago)).timestamp()) * 1_000_000


def test_the_fused_rank_is_the_rows_own_score() -> None:
    ranked = _fused(_hit(0.5, 0.25))
    assert ranked.rank_score == round(own_score(0.5, 0.25, PROFILE.weights), 6)
    assert ranked.score == unit_score(ranked.rank_score)
    assert ranked.boosts == ()


def test_what_is_not_an_arm_is_named_as_a_boost_and_added() -> None:
    plain = _fused(_hit(0.5, 0.25))
    raised = _fused(_hit(0.5, 0.25, neighbour=0.5, is_speaker=True))
    assert raised.boosts == (("neighbour", 0.15), ("speaker", 0.06))
    assert raised.rank_score == pytest.approx(plain.rank_score + 0.15 + 0.06)


def test_a_row_without_a_vector_ranks_by_its_words() -> None:
    assert 0.0 < _fused(_hit(None, 0.5)).score < _fused(_hit(0.2, 0.5)).score


@pytest.mark.requirement("s4:provider:local-fts", "ruling:A24", "ruling:G.2c")
def test_words_alone_rank_by_words_and_recency() -> None:
    rank = rank_by_words(AT, half_life_days=30)
    ranked = rank(replace(_hit(0.9, 0.5), created_us=_made(30)))
    assert ranked is not None
    assert (ranked.score, ranked.rank_score) == (0.5, 0.5)
    assert ranked.boosts == (("recency", 0.15),)


@pytest.mark.requirement("ruling:G.2c")
def test_a_row_of_unknown_age_counts_as_old_and_one_of_tomorrow_as_new() -> None:
    rank = rank_by_words(AT, half_life_days=30)
    unknown, future = rank(_hit(None, 0.5)), rank(replace(_hit(None, 0.5), created_us=_made(-1)))
    assert unknown is not None
    assert future is not None
    assert (unknown.score, future.score) == (0.35, 0.65)


def test_words_alone_rank_nothing_that_shares_no_word() -> None:
    rank = rank_by_words(AT, half_life_days=30)
    assert rank(_hit(0.9, 0.0)) is None
    assert rank(_hit(0.9, 0.1)) is not None


@pytest.mark.requirement("promise:5", "s0:test:dim-filter")
def test_vectors_alone_rank_nothing_without_a_comparable_one() -> None:
    assert rank_by_vector(_hit(None, 0.9)) is None
    assert rank_by_vector(_hit(0.1, 0.9)) is not None


def test_vectors_alone_rank_by_a_cosine_that_is_no_less_than_nothing() -> None:
    near, far = rank_by_vector(_hit(0.5, 0.9)), rank_by_vector(_hit(-0.5, 0.9))
    assert near is not None
    assert far is not None
    assert (near.score, near.rank_score, far.score) == (0.5, 0.5, 0.0)


@given(st.floats(0.0, 1e9), st.floats(0.0, 1e9))
def test_a_rank_without_an_end_becomes_a_score_in_the_same_order(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= unit_score(low) <= unit_score(high) <= 1.0

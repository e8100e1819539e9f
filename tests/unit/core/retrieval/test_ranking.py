"""What a found row ranks by, and what raised it.

How new a row is, and how much that counts (ruling G).
The one order of everything that is ranked.
The calibrated sum.
"""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_rows import AT, candidate, observation, thought
from voice.core.records import Table
from voice.core.retrieval.ranking import (
    DEFAULT_PROFILE,
    WORDS_UNIT,
    FusionProfile,
    by_cosine,
    by_rank,
    fusion_profile,
    hit_boosts,
    in_shown_order,
    own_score,
    rank_by_vector,
    rank_by_words,
    rank_fused,
    rank_score,
    ranked,
    recency,
    shown_by,
    unit_score,
)
from voice.core.retrieval.values import Candidate, Found, Hit
from voice.core.text.instants import UNDATED

PROFILE = FusionProfile(vector=0.4, lexical=0.6, speaker=0.06, neighbour=0.3, coverage=0.2, question=0.1)


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
    assert (ranked.hit, ranked.boosts) == (_hit(0.5, 0.25), ())


def test_what_is_not_an_arm_is_named_as_a_boost_and_added() -> None:
    plain = _fused(_hit(0.5, 0.25))
    raised = _fused(replace(_hit(0.5, 0.25, neighbour=1 / 3, is_speaker=True), coverage=2 / 3, asking=1 / 7))
    assert raised.boosts == (("neighbour", 0.1), ("coverage", 0.133333), ("speaker", 0.06), ("question", -0.014286))
    assert raised.rank_score == pytest.approx(plain.rank_score + 0.1 + 0.133333 + 0.06 - 0.014286)


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


@pytest.mark.requirement("ruling:G.2c")
def test_recency_halves_with_every_half_life() -> None:
    ages = [recency(AT - timedelta(days=days), AT, half_life_days=30) for days in (0, 30, 60)]
    assert ages == [1.0, 0.5, 0.25]


@pytest.mark.requirement("ruling:G.2c")
def test_recency_stays_between_nought_and_one() -> None:
    assert recency(AT + timedelta(days=365), AT, half_life_days=30) == 1.0
    assert recency(AT - timedelta(days=10**5), AT, half_life_days=0.5) == 0.0


def _ids(candidates: tuple[Candidate, ...]) -> list[str]:
    return [one.row.id for one in candidates]


@pytest.mark.requirement("ruling:C9", "s0:behavior:8")
def test_the_order_is_score_then_table_then_id() -> None:
    mixed = [
        candidate(thought("b"), 0.5),
        candidate(observation("z"), 0.5),
        candidate(thought("a"), 0.5),
        candidate(thought("c"), 0.6),
        candidate(thought("d"), None),
    ]
    assert _ids(ranked(mixed, by_cosine)) == ["t:c", "o:z", "t:a", "t:b", "t:d"]


@pytest.mark.requirement("ruling:C20")
def test_where_vectors_are_compared_the_cosine_is_shown_and_elsewhere_the_providers_score() -> None:
    found_by_words = replace(candidate(thought("a"), 0.1, rank=0.9), relevance=0.5)
    assert by_rank(found_by_words) == 0.9
    assert [shown_by(name)(found_by_words) for name in ("local-vector", "local-hybrid")] == [0.1, 0.1]
    assert [shown_by(name)(found_by_words) for name in ("local-fts", "somebody-elses")] == [0.5, 0.5]


@pytest.mark.requirement("ruling:E.9")
def test_an_order_by_date_keeps_the_rank_among_equals() -> None:
    best, second = candidate(thought("b"), 0.9), candidate(thought("a"), 0.8)
    older = candidate(thought("c", at=AT - timedelta(days=1)), 0.7)
    by_score = ranked([older, second, best], by_rank)
    assert _ids(in_shown_order(by_score, None)) == ["t:b", "t:a", "t:c"]
    assert _ids(in_shown_order(by_score, "created_at_desc")) == ["t:b", "t:a", "t:c"]
    assert _ids(in_shown_order(by_score, "created_at_asc")) == ["t:c", "t:b", "t:a"]


@pytest.mark.requirement("ruling:I2")
def test_what_is_undated_is_shown_last_in_either_order() -> None:
    undated, told = candidate(thought("a", at=UNDATED), 0.9), candidate(thought("b"), 0.1)
    for order in ("created_at_asc", "created_at_desc"):
        assert _ids(in_shown_order([undated, told], order)) == ["t:b", "t:a"]


def test_a_bm25_score_of_one_unit_weighs_as_much_as_a_cosine_of_one() -> None:
    as_share = WORDS_UNIT / (WORDS_UNIT + WORDS_UNIT)
    assert own_score(1.0, 0.0, (0.5, 0.5)) == own_score(None, as_share, (0.5, 0.5)) == 0.5


@pytest.mark.parametrize("cosine", [None, 0.0, -0.4])
def test_what_points_elsewhere_counts_as_no_vector(cosine: float | None) -> None:
    assert own_score(cosine, 0.2, (0.3, 0.7)) == own_score(None, 0.2, (0.3, 0.7))


@given(st.floats(0, 1), st.floats(0, 0.99), st.floats(0, 0.99))
def test_more_matching_words_never_lower_a_score(cosine: float, fewer: float, more: float) -> None:
    low, high = sorted((fewer, more))
    assert own_score(cosine, low, PROFILE.weights) <= own_score(cosine, high, PROFILE.weights)


@pytest.mark.requirement("ruling:G.2b")
def test_the_rank_score_is_the_own_score_and_the_boosts_to_six_places() -> None:
    found = _hit(0.5, 0.5, neighbour=1 / 7, is_speaker=True)
    assert rank_score(found, PROFILE.weights) == 0.8
    assert rank_score(found, PROFILE.weights, hit_boosts(found, PROFILE)) == 0.902857


@pytest.mark.requirement("ruling:C4")
def test_a_model_that_was_not_calibrated_has_the_default_profile() -> None:
    assert fusion_profile("somebody/else") == DEFAULT_PROFILE
    assert sum(fusion_profile("all-MiniLM-L6-v2-int8").weights) == pytest.approx(1.0)

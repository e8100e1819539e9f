"""What a found row ranks by, and what raised it."""

from datetime import timedelta

import pytest

from retrieval_rows import AT, thought
from voice.core.records import Table
from voice.core.retrieval.fusion import FusionProfile, own_score
from voice.core.retrieval.rank import rank_by_words, rank_fused, search_profile
from voice.core.retrieval.values import Hit

PROFILE = FusionProfile(vector=0.4, lexical=0.6, speaker=0.06, neighbour=0.3)


def _hit(cosine: float | None, lexical: float, *, neighbour: float = 0.0, is_speaker: bool = False) -> Hit:
    return Hit(
        row_id="t:1", table=Table.THOUGHTS, cosine=cosine, lexical=lexical, neighbour=neighbour, is_speaker=is_speaker
    )


def test_the_fused_rank_is_the_rows_own_score() -> None:
    ranked = rank_fused(PROFILE)(_hit(0.5, 0.25), thought("1"))
    assert ranked.score == round(own_score(0.5, 0.25, PROFILE.weights), 6)
    assert ranked.boosts == ()


def test_what_is_not_an_arm_is_named_as_a_boost_and_added() -> None:
    plain = rank_fused(PROFILE)(_hit(0.5, 0.25), thought("1"))
    raised = rank_fused(PROFILE)(_hit(0.5, 0.25, neighbour=0.5, is_speaker=True), thought("1"))
    assert raised.boosts == (("neighbour", 0.15), ("speaker", 0.06))
    assert raised.score == pytest.approx(plain.score + 0.15 + 0.06)


def test_a_row_without_a_vector_ranks_by_its_words() -> None:
    rank = rank_fused(PROFILE)
    assert 0.0 < rank(_hit(None, 0.5), thought("1")).score < rank(_hit(0.2, 0.5), thought("1")).score


@pytest.mark.requirement("s4:provider:local-fts", "ruling:A24", "ruling:G.2c")
def test_words_alone_rank_by_words_and_recency() -> None:
    rank = rank_by_words(AT, half_life_days=30)
    ranked = rank(_hit(0.9, 0.5), thought("1", at=AT - timedelta(days=30)))
    assert ranked.score == 0.5
    assert ranked.boosts == (("recency", 0.15),)


@pytest.mark.requirement("ruling:C20")
def test_an_index_chooses_by_the_arms_of_the_provider() -> None:
    assert search_profile("local-vector", PROFILE).weights == (1.0, 0.0)
    assert search_profile("local-fts", PROFILE).weights == (0.0, 1.0)
    assert search_profile("local-hybrid", PROFILE) is PROFILE

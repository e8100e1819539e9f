"""What a hit ranks by, and what raised it.

Law: a rank is a sum of absolute parts of one hit, rounded to 6 places; nothing else that was found has a part in it.
What is not one of the two arms is named as a boost, so that the explain form can show it (promise 9). A score is the
rank brought into [0, 1] in the same order.

    provider        rank                                        score
    local-vector    max(cosine, 0)                              the rank
    local-fts       0.7 of the words + 0.3 of the recency (S4)  the rank
    local-hybrid    the calibrated sum of both arms, the        rank / (1 + rank)
                    speaker named, the rows next to it, the
                    words they cover together; less for a
                    mere question

Source: DESIGN 5; spec retrieval-contract, Local FTS Provider; rulings A24, C20, G.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from voice.core.retrieval.fusion import FusionProfile, hit_boosts, rank_score
from voice.core.retrieval.recency import RECENCY_SHARE, fts_score, recency
from voice.core.retrieval.values import Found, Hit
from voice.core.text.instants import UNDATED

PLACES: Final = 6
VECTOR_ONLY: Final = FusionProfile(vector=1.0, lexical=0.0, speaker=0.0, neighbour=0.0)
WORDS_ONLY: Final = FusionProfile(vector=0.0, lexical=1.0, speaker=0.0, neighbour=0.0)
"""How an index chooses what to return when one arm alone ranks."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_UNDATED_US: Final = (UNDATED.replace(year=2) - _EPOCH) // timedelta(microseconds=1) - 1

Rank = Callable[[Hit], Found | None]
"""What becomes of a hit; None: it cannot be ranked this way."""


def rank_by_vector(hit: Hit) -> Found | None:
    """Return the hit by its cosine; None without a comparable vector (promise 5)."""
    if hit.cosine is None:
        return None
    score = max(hit.cosine, 0.0)
    return Found(hit=hit, score=score, rank_score=score)


def rank_fused(profile: FusionProfile) -> Rank:
    """Return the ranking by the calibrated sum of both arms and their boosts."""

    def rank(hit: Hit) -> Found:
        boosts = hit_boosts(hit, profile)
        total = rank_score(hit, profile.weights, boosts)
        return Found(hit=hit, score=unit_score(total), rank_score=total, boosts=boosts)

    return rank


def rank_by_words(now: datetime, *, half_life_days: float) -> Rank:
    """Return the ranking by S4's formula, measured from `now`; a hit that shares no word is none."""

    def rank(hit: Hit) -> Found | None:
        if hit.lexical <= 0.0:
            return None
        fresh = _recency_of(hit, now, half_life_days)
        score = fts_score(hit.lexical, fresh)
        return Found(
            hit=hit, score=score, rank_score=score, boosts=(("recency", round(RECENCY_SHARE * fresh, PLACES)),)
        )

    return rank


def unit_score(rank: float) -> float:
    """Return a rank without an upper end as a number in [0, 1), in the same order."""
    raised = max(0.0, rank)
    return round(raised / (1.0 + raised), PLACES)


def _recency_of(hit: Hit, now: datetime, half_life_days: float) -> float:
    """Return how new the row is; what the index does not know the age of counts as old."""
    if hit.created_us is None or hit.created_us <= _LAST_UNDATED_US:
        return 0.0
    return recency(_EPOCH + timedelta(microseconds=hit.created_us), now, half_life_days=half_life_days)

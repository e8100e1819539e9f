"""What a found row ranks by, and what raised it.

Law: a rank is a sum of absolute parts, rounded to 6 places; what is not one of the two arms is named as a boost, so
that the explain form can show it (promise 9). Which arms count is the provider's definition.

    provider        vector : words     besides
    local-vector    1 : 0              nothing
    local-hybrid    the profile's      the speaker named, the rows next to it
    local-fts       0 : 1              0.7 of the words and 0.3 of the recency (S4)

Source: DESIGN 5; spec retrieval-contract, Local FTS Provider; rulings A24, C20, G.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from voice.core.records import Row
from voice.core.retrieval.fusion import FusionProfile, hit_boosts, rank_score
from voice.core.retrieval.recency import RECENCY_SHARE, fts_score, recency
from voice.core.retrieval.values import Hit, ProviderName

PLACES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A rank score and the parts of it that are not an arm."""

    score: float
    boosts: tuple[tuple[str, float], ...] = ()


Rank = Callable[[Hit, Row], Ranked]


def search_profile(provider: ProviderName, profile: FusionProfile) -> FusionProfile:
    """Return how much each part counts when an index chooses which rows to return for `provider`."""
    if provider == "local-vector":
        return FusionProfile(vector=1.0, lexical=0.0, speaker=0.0, neighbour=0.0)
    if provider == "local-fts":
        return FusionProfile(vector=0.0, lexical=1.0, speaker=0.0, neighbour=0.0)
    return profile


def rank_fused(profile: FusionProfile) -> Rank:
    """Return the calibrated sum of both arms and their boosts."""

    def rank(hit: Hit, row: Row) -> Ranked:
        del row
        boosts = hit_boosts(hit, profile)
        return Ranked(score=rank_score(hit, profile.weights, boosts), boosts=boosts)

    return rank


def rank_by_words(now: datetime, *, half_life_days: float) -> Rank:
    """Return S4's formula, measured from `now`."""

    def rank(hit: Hit, row: Row) -> Ranked:
        fresh = recency(row.created_at, now, half_life_days=half_life_days)
        return Ranked(score=fts_score(hit.lexical, fresh), boosts=(("recency", round(RECENCY_SHARE * fresh, PLACES)),))

    return rank

"""Scores and order of hits: the calibrated sum, recency, and the one total order.

Law: scores are absolute: they depend on question, row and neighbours, never on other hits or limits. Constants come
from `python -m bench.calibrate` (`docs/retrieval-quality.md`). Rank fusion was worse than words alone on dialogue
turns.

  own score  = vector × max(cosine, 0) + lexical × BM25 / WORDS_UNIT
  rank score = own score
             + neighbour × the best share lent by the adjacent rows
             + coverage × weight of the question's words in the row or around it, each once
             + speaker, if the person asked about said it
             - question × how much of a mere question the row is

`Hit.lexical` is `BM25 / (BM25 + WORDS_UNIT)`, in [0, 1); the sum uses BM25 itself, so that a long match can outweigh
the cosine. The order `(-score, table, id)` is total (ruling C9).

  provider        chosen by: rank, to 6 places                score shown        final order
  local-vector    max(cosine, 0)                              cosine             cosine
  local-hybrid    the rank score above                        cosine             cosine (S0, Behavior 8)
   without a comparable vector: rank / (1 + rank) in place of the cosine
  local-fts       0.7 of the words + 0.3 of the recency (S4)  the rank           the rank
  any other       its own rank                                its own score      its own score
Source: DESIGN 5; rulings A24, C4, C9, C20, E, G; spec inner_voice.retrieve, Behavior 4, 8; spec retrieval-contract.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from voice.core.records import Table
from voice.core.retrieval.values import LOCAL_HYBRID, LOCAL_VECTOR, Candidate, Found, Hit, Order
from voice.core.text.instants import UNDATED, date_sort_key

WORDS_UNIT: Final = 20.0
"""The BM25 score worth a cosine of 1; good matches of single rows score 10 to 40."""
PLACES: Final = 6  # of every score: equal rows must tie, in whatever order their parts were added


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionProfile:
    """Weights of the parts, for one embedding model."""

    vector: float
    lexical: float
    speaker: float
    """Added to rows said by the one person asked about."""
    neighbour: float
    """Share of the best score lent by the adjacent rows."""
    coverage: float = 0.0
    """Weight of the question's words in a row and its neighbours together."""
    question: float = 0.0
    """Subtracted from mere questions."""

    @property
    def weights(self) -> tuple[float, float]:
        """The (vector, lexical) weights for a search index."""
        return self.vector, self.lexical


DEFAULT_PROFILE: Final = FusionProfile(vector=0.4, lexical=0.6, speaker=0.2, neighbour=0.5, coverage=0.3, question=0.1)
"""For models that were not calibrated."""
_CALIBRATED: Final = {"all-MiniLM-L6-v2-int8": DEFAULT_PROFILE}  # by `bench.calibrate`


def fusion_profile(model: str) -> FusionProfile:
    """Return the profile of an embedding model (ruling C4)."""
    return _CALIBRATED.get(model, DEFAULT_PROFILE)


def is_calibrated(model: str) -> bool:
    """Return whether the weights were calibrated for an embedding model."""
    return model in _CALIBRATED


def own_score(cosine: float | None, lexical: float, weights: tuple[float, float]) -> float:
    """Return a row's own score from its arms and the (vector, lexical) weights."""
    vector, words = weights
    # The share is turned back into BM25 (in `WORDS_UNIT`s), because below 1 good matches hardly differ.
    return vector * max(cosine or 0.0, 0.0) + words * lexical / (1.0 - lexical)


def hit_boosts(hit: Hit, profile: FusionProfile) -> tuple[tuple[str, float], ...]:
    """Return the named, non-zero additions to a hit's own score."""
    found = (
        ("neighbour", profile.neighbour * hit.neighbour),
        ("coverage", profile.coverage * hit.coverage),
        ("speaker", profile.speaker * hit.is_speaker),
        ("question", -profile.question * hit.asking),
    )
    return tuple((name, round(value, PLACES)) for name, value in found if value)


def rank_score(hit: Hit, weights: tuple[float, float], boosts: Iterable[tuple[str, float]] = ()) -> float:
    """Return the fused score: own score and boosts, to 6 places."""
    return round(own_score(hit.cosine, hit.lexical, weights) + sum(value for _, value in boosts), PLACES)


VECTOR_ONLY: Final = FusionProfile(vector=1.0, lexical=0.0, speaker=0.0, neighbour=0.0)
WORDS_ONLY: Final = FusionProfile(vector=0.0, lexical=1.0, speaker=0.0, neighbour=0.0)
"""Profile for an index that ranks by one arm alone."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# An undated row's time is in year 1 (`UNDATED`); an index knows it only as microseconds.
_LAST_UNDATED_US: Final = (UNDATED.replace(year=2) - _EPOCH) // timedelta(microseconds=1) - 1

Rank = Callable[[Hit], Found | None]
"""Ranks a hit; None: it cannot be ranked this way."""


def rank_by_vector(hit: Hit) -> Found | None:
    """Rank a hit by cosine; None without a comparable vector (promise 5)."""
    if hit.cosine is None:
        return None
    score = max(hit.cosine, 0.0)  # scores are in [0, 1]
    return Found(hit=hit, score=score, rank_score=score)


def rank_fused(profile: FusionProfile) -> Rank:
    """Return the ranking by the calibrated sum of both arms and their boosts."""

    def rank(hit: Hit) -> Found:
        boosts = hit_boosts(hit, profile)
        total = rank_score(hit, profile.weights, boosts)
        return Found(hit=hit, score=unit_score(total), rank_score=total, boosts=boosts)

    return rank


def rank_by_words(now: datetime, *, half_life_days: float) -> Rank:
    """Return S4's ranking, with recency from `now`; hits without a common word are dropped."""

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
    """Map a rank without upper bound to [0, 1), monotonically."""
    raised = max(0.0, rank)
    return round(raised / (1.0 + raised), PLACES)


def _recency_of(hit: Hit, now: datetime, half_life_days: float) -> float:
    """Return a row's recency; unknown age counts as old."""
    if hit.created_us is None or hit.created_us <= _LAST_UNDATED_US:
        return 0.0
    return recency(_EPOCH + timedelta(microseconds=hit.created_us), now, half_life_days=half_life_days)


FTS_SHARE = 0.7  # S4's formula (ruling A24)
RECENCY_SHARE = 0.3
_SECONDS_PER_DAY = 86_400.0


def recency(created_at: datetime, now: datetime, *, half_life_days: float) -> float:
    """Return `0.5 ** (age / half-life)`; 1.0 for the future."""
    age_days = (now - created_at).total_seconds() / _SECONDS_PER_DAY
    return 1.0 if age_days <= 0.0 else 0.5 ** (age_days / half_life_days)  # the future is as new as now


def fts_score(lexical: float, recency_score: float) -> float:
    """Return S4's score, rounded to 6 places (ruling G)."""
    return round(FTS_SHARE * lexical + RECENCY_SHARE * recency_score, PLACES)


Measure = Callable[[Candidate], float]
SortKey = tuple[float, Table, str]


def by_cosine(candidate: Candidate) -> float:
    """Return the cosine, or the provider's own score if there is none."""
    return candidate.relevance if candidate.cosine is None else candidate.cosine


def by_rank(candidate: Candidate) -> float:
    """Return the provider's rank score."""
    return candidate.rank_score


def by_relevance(candidate: Candidate) -> float:
    """Return the provider's own score."""
    return candidate.relevance


def shown_by(provider: str) -> Measure:
    """Return the measure that a provider's results show as `score` and are sorted by."""
    return by_cosine if provider in (LOCAL_VECTOR, LOCAL_HYBRID) else by_relevance


def sort_key(measure: Measure, candidate: Candidate) -> SortKey:
    """Return the key of the total order."""
    return (-measure(candidate), candidate.table, candidate.row.id)  # total: no two rows share an id (ruling C9)


def ranked(candidates: Iterable[Candidate], measure: Measure) -> tuple[Candidate, ...]:
    """Sort candidates best first."""
    return tuple(sorted(candidates, key=lambda candidate: sort_key(measure, candidate)))


def in_shown_order(candidates: Sequence[Candidate], order: Order | None) -> tuple[Candidate, ...]:
    """Return chosen candidates in display order: as ranked, or by date if requested (ruling E), undated last."""
    if order is None:
        return tuple(candidates)
    return tuple(
        sorted(candidates, key=lambda each: date_sort_key(each.row.created_at, latest_first=order == "created_at_desc"))
    )

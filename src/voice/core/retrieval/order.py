"""The one order of everything that is ranked.

Law: `(-score, table, id)` is total, so the same candidates come out in the same order however they came in (ruling C9).
Every provider chooses by its rank. What is shown as `score` is the cosine where vectors were compared (ruling C20),
else the provider's own score (ruling A24).

    provider        chosen by        score shown        final order
    local-vector    cosine           cosine             cosine
    local-hybrid    fused rank       cosine             cosine (S0, Behavior 8)
      without a vector of this encoder: its own score, in the place of the cosine
    any other       its own rank     its own score      its own score

Source: spec inner_voice.retrieve, Behavior 4 and 8; rulings A24, C9, C20, E.
"""

from collections.abc import Callable, Iterable, Sequence

from voice.core.records import Table
from voice.core.retrieval.values import LOCAL_HYBRID, LOCAL_VECTOR, Candidate, Order
from voice.core.text.instants import date_sort_key

Measure = Callable[[Candidate], float]
SortKey = tuple[float, Table, str]


def by_cosine(candidate: Candidate) -> float:
    """Return the cosine; of a row that no vector could be compared of, its provider's own score."""
    return candidate.relevance if candidate.cosine is None else candidate.cosine


def by_rank(candidate: Candidate) -> float:
    """Return what its provider ranked it by."""
    return candidate.rank_score


def by_relevance(candidate: Candidate) -> float:
    """Return its provider's own score."""
    return candidate.relevance


def shown_by(provider: str) -> Measure:
    """Return what the results of a provider show as `score`, and are sorted by."""
    return by_cosine if provider in (LOCAL_VECTOR, LOCAL_HYBRID) else by_relevance


def sort_key(measure: Measure, candidate: Candidate) -> SortKey:
    """Return the key of the total order."""
    return (-measure(candidate), candidate.table, candidate.row.id)


def ranked(candidates: Iterable[Candidate], measure: Measure) -> tuple[Candidate, ...]:
    """Return the candidates, best first."""
    return tuple(sorted(candidates, key=lambda candidate: sort_key(measure, candidate)))


def presented(candidates: Sequence[Candidate], order: Order | None) -> tuple[Candidate, ...]:
    """Return the chosen candidates as they are shown: as ranked, or by date where that was asked for (ruling E),
    the undated last."""
    if order is None:
        return tuple(candidates)
    return tuple(
        sorted(candidates, key=lambda each: date_sort_key(each.row.created_at, latest_first=order == "created_at_desc"))
    )

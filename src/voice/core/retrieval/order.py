"""The one order of everything that is ranked.

Law: `(-score, table, id)` is total, so the same candidates come out in the same order however they came in (ruling C9).
What ranks and what is shown are two numbers for `local-hybrid`: it chooses by the fused score and shows the cosine
(ruling C20). `local-fts` ranks by, and shows, its own formula (ruling A24).

    provider        chosen by      score shown    final order
    local-vector    cosine         cosine         cosine
    local-hybrid    rank_score     cosine         cosine (S0, Behavior 8)
    local-fts       rank_score     rank_score     rank_score

Source: spec inner_voice.retrieve, Behavior 4 and 8; rulings A24, C9, C20, E.
"""

from collections.abc import Callable, Iterable, Sequence

from voice.core.records import Table
from voice.core.retrieval.values import Candidate, Order, ProviderName

Measure = Callable[[Candidate], float]
SortKey = tuple[float, Table, str]


def by_cosine(candidate: Candidate) -> float:
    """Return the cosine, 0.0 without one."""
    return candidate.score


def by_rank(candidate: Candidate) -> float:
    """Return the fused score."""
    return candidate.rank_score


MERIT: dict[ProviderName, Measure] = {"local-vector": by_cosine, "local-hybrid": by_rank, "local-fts": by_rank}
"""What a provider chooses by."""

SHOWN: dict[ProviderName, Measure] = {"local-vector": by_cosine, "local-hybrid": by_cosine, "local-fts": by_rank}
"""What a provider shows as `score` and sorts the final list by."""


def sort_key(measure: Measure, candidate: Candidate) -> SortKey:
    """Return the key of the total order."""
    return (-measure(candidate), candidate.table, candidate.row.id)


def ranked(candidates: Iterable[Candidate], measure: Measure) -> tuple[Candidate, ...]:
    """Return the candidates, best first."""
    return tuple(sorted(candidates, key=lambda candidate: sort_key(measure, candidate)))


def presented(candidates: Sequence[Candidate], order: Order | None) -> tuple[Candidate, ...]:
    """Return the chosen candidates as they are shown: as ranked, or by date where that was asked for (ruling E)."""
    if order is None:
        return tuple(candidates)
    return tuple(sorted(candidates, key=lambda candidate: candidate.row.created_at, reverse=order == "created_at_desc"))

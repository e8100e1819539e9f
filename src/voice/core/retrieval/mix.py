"""Dividing the places between the graph and the thoughts.

Law: `kg_slots = floor(mix * top_k + 0.5)` (ruling C5); with a true mix each source that has anything gets at least one
place; 0 and 1 are strict (ruling C6); places that one source cannot fill go to the other, best first, until `top_k` or
until nothing is left (ruling C7). A single place goes to the best of all (ruling C6).

Source: spec inner_voice.retrieve, Behavior 5; rulings C5, C6, C7.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from voice.core.retrieval.order import Measure, ranked
from voice.core.retrieval.values import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """Who got the places."""

    chosen: tuple[Candidate, ...]
    """Best first, at most `top_k`."""
    left_out: tuple[Candidate, ...]
    """Best first."""
    kg_slots: int
    thought_slots: int
    """The places set aside for each source; together `top_k`, or none where a single place goes to the best of all."""
    backfilled: int
    """How many places a source took over from the other."""


def slots(top_k: int, mix: float, *, both: bool) -> tuple[int, int]:
    """Return the places for the graph and for thoughts.

    Args:
        top_k: all places, at least 1.
        mix: the graph's share.
        both: whether both sources have something to show; a true mix then gives each at least one of several places.
    """
    kg = math.floor(mix * top_k + 0.5)
    if both and top_k > 1 and 0.0 < mix < 1.0:
        kg = min(max(kg, 1), top_k - 1)
    return kg, top_k - kg


def allocate(
    kg: Sequence[Candidate], thoughts: Sequence[Candidate], measure: Measure, *, top_k: int, mix: float
) -> Allocation:
    """Return who gets the `top_k` places.

    Args:
        kg: what the graph has to show, without duplicates, in any order.
        thoughts: what the thoughts have to show, likewise.
        measure: what the provider chooses by.
        top_k: all places, at least 1.
        mix: the graph's share; with 0 or 1 the other source gets nothing, whatever is free.
    """
    kg_slots, thought_slots = slots(top_k, mix, both=bool(kg and thoughts))
    if mix in (0.0, 1.0):
        only = ranked(kg if mix else thoughts, measure)
        left = (*only[top_k:], *ranked(thoughts if mix else kg, measure))
        return _allocation(only[:top_k], left, (kg_slots, thought_slots), 0)
    pool = ranked((*kg, *thoughts), measure)
    if top_k == 1:
        return _allocation(pool[:1], pool[1:], (0, 0), 0)
    entitled = {
        candidate.row.id for candidate in (*ranked(kg, measure)[:kg_slots], *ranked(thoughts, measure)[:thought_slots])
    }
    spare = [candidate.row.id for candidate in pool if candidate.row.id not in entitled]
    taken = entitled.union(spare[: top_k - len(entitled)])
    chosen = tuple(candidate for candidate in pool if candidate.row.id in taken)
    left = tuple(candidate for candidate in pool if candidate.row.id not in taken)
    return _allocation(chosen, left, (kg_slots, thought_slots), len(chosen) - len(entitled))


def _allocation(
    chosen: tuple[Candidate, ...], left: tuple[Candidate, ...], places: tuple[int, int], backfilled: int
) -> Allocation:
    kg_slots, thought_slots = places
    return Allocation(
        chosen=chosen, left_out=left, kg_slots=kg_slots, thought_slots=thought_slots, backfilled=backfilled
    )

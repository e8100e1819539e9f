"""One text, one result.

Law: no row comes twice and no text comes twice, across all sources, and this is decided before any slot is given away
(rulings C7, A11). Of rows that say the same the most trusted stays, then the best scoring; the others are named with it
(ruling C8).

Source: spec inner_voice.retrieve, Behavior 6; rulings A11, C7, C8, C9.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from voice.core.records import TRUST_RANK
from voice.core.retrieval.order import Measure, SortKey, sort_key
from voice.core.retrieval.values import Candidate

_KEY_DIGITS: Final = 16


def text_key(content_hash: str) -> int:
    """Return the first 64 bits of a content hash, never 0: what an index keeps of what a row says."""
    return int(content_hash[:_KEY_DIGITS], 16) or 1


def preference(measure: Measure, candidate: Candidate) -> tuple[int, SortKey]:
    """Return the key by which one of several rows that say the same is kept: the least."""
    return -TRUST_RANK[candidate.row.trust], sort_key(measure, candidate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deduped:
    """What is left, and what each one stands for."""

    kept: tuple[Candidate, ...]
    also_in: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """For the id of a kept row: the ids of other rows with the same text, in order."""
    duplicates: tuple[tuple[Candidate, str], ...] = ()
    """What was left out, with the id of the row that was kept instead."""


def dedupe(candidates: Iterable[Candidate], measure: Measure) -> Deduped:
    """Return each text once; `kept` is in the order of preference: trust, then `measure`, table and id.

    Args:
        candidates: of all sources together.
        measure: what the provider chooses by.
    """
    preferred = sorted(candidates, key=lambda candidate: preference(measure, candidate))
    kept: dict[str, Candidate] = {}
    seen: set[str] = set()
    duplicates: list[tuple[Candidate, str]] = []
    for candidate in preferred:
        if candidate.row.id in seen:
            continue
        seen.add(candidate.row.id)
        first = kept.setdefault(candidate.content_hash, candidate)
        if first is not candidate:
            duplicates.append((candidate, first.row.id))
    return Deduped(kept=tuple(kept.values()), also_in=_others(duplicates), duplicates=tuple(duplicates))


def _others(duplicates: Iterable[tuple[Candidate, str]]) -> dict[str, tuple[str, ...]]:
    others: dict[str, tuple[str, ...]] = {}
    for candidate, kept_id in duplicates:
        others[kept_id] = tuple(sorted((*others.get(kept_id, ()), candidate.row.id)))
    return others

"""From sentences to a ratio and a number of sources.

Law: coverage is the share of the claims' content words that stand in proven sentences, computed on the whole draft
(ruling D1); a sentence said twice counts once, so that repeating what is true cannot dilute what is not. A source
counts when it carries at least a quarter of a proven claim, and two rows of one thought or of one text are one source
(ruling D2).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from voice.core.grounding.values import Evidence
from voice.core.text.normalise import norm_v1
from voice.core.text.words import content_words, stems_in

_Z = 1.2816
"""One-sided 90 %."""


class Weighed(NamedTuple):
    """A claim as coverage sees it."""

    text: str
    weight: float
    is_proven: bool


def coverage_of(claims: Sequence[Weighed]) -> float:
    """Return the weighted share of claims that are proven; 0.0 when nothing is claimed."""
    seen: dict[str, Weighed] = {}
    for claim in claims:
        if claim.weight > 0:
            seen.setdefault(norm_v1(claim.text), claim)
    total = sum(claim.weight for claim in seen.values())
    return sum(claim.weight for claim in seen.values() if claim.is_proven) / total if total else 0.0


def carriers_of(text: str, grounds: Sequence[tuple[Evidence, int, int]], min_share: float) -> tuple[Evidence, ...]:
    """Return the rows that carry a proven claim, in the order of `grounds` (ruling D2).

    Args:
        text: the claim.
        grounds: the whole sentences it rests on, as row and offsets.
        min_share: a row carries it with this share, 0-1, of what all of them hold of its words.
    """
    stems = {word.stem for word in content_words(text)}
    held: dict[str, set[str]] = {}
    rows: dict[str, Evidence] = {}
    for row, start, end in grounds:
        rows[row.alias] = row
        held.setdefault(row.alias, set()).update(stems & stems_in(row.text[start:end]))
    total = len(set[str]().union(*held.values()))
    carrying = [row for alias, row in rows.items() if total and len(held[alias]) >= min_share * total]
    return tuple(carrying) or tuple(rows.values())[:1]


def count_sources(rows: Sequence[Evidence]) -> int:
    """Return how many distinct sources `rows` are: rows that share a thought or a text are one (ruling D2)."""
    groups: list[set[str]] = []
    for row in rows:
        marks = {
            f"row {row.row_id}",
            f"text {row.content_hash}",
            *(f"thought {thought}" for thought in row.thought_ids),
        }
        touching = [group for group in groups if group & marks]
        groups = [group for group in groups if not group & marks]
        groups.append(marks.union(*touching))
    return len(groups)


def confidence_of(coverage: float, claim_weight: float) -> float:
    """Return the Wilson lower bound (one-sided 90 %) of the coverage over the claims' content words.

    A short answer can be wholly covered and still rest on little; the bound says so: 1.0 over eight content words is
    0.83, over forty 0.96. It is computed, never the model's own number (ruling A3).
    """
    if claim_weight <= 0:
        return 0.0
    square = _Z * _Z
    middle = coverage + square / (2 * claim_weight)
    spread = _Z * math.sqrt((coverage * (1 - coverage) + square / (4 * claim_weight)) / claim_weight)
    return max(0.0, min(1.0, (middle - spread) / (1 + square / claim_weight)))

"""From sentences to a ratio and a number of sources.

Law: coverage is the share of the claims' content words that stand in supported sentences, computed on the whole draft
(ruling D1); a sentence said twice counts once, so that repeating what is true cannot dilute what is not. A source
counts when it carries at least a quarter of a supported claim, and two rows of one thought or of one text are one
source (ruling D2).
"""

import math
from collections.abc import Callable, Sequence

from voice.core.grounding.claims import Judged
from voice.core.grounding.passages import Passage
from voice.core.grounding.support import carried_share
from voice.core.grounding.values import Evidence
from voice.core.text.normalise import norm_v1

_Z = 1.2816
"""One-sided 90 %."""
_NEAR_THE_BEST = 0.5


def coverage_of(sentences: Sequence[tuple[str, Judged]]) -> float:
    """Return the weighted share of claims that are supported; 0.0 when nothing is claimed."""
    seen: dict[str, Judged] = {}
    for text, judged in sentences:
        if judged.weight > 0:
            seen.setdefault(norm_v1(text), judged)
    total = sum(judged.weight for judged in seen.values())
    held = sum(judged.weight for judged in seen.values() if judged.verdict == "supported")
    return held / total if total else 0.0


def carriers_of(
    judged: Judged, passages: Sequence[Passage], min_share: float, holds_alone: Callable[[Sequence[Passage]], bool]
) -> tuple[Evidence, ...]:
    """Return the rows that carry a supported claim, in the order of `passages` (ruling D2).

    A row carries it with at least `min_share` of its weight, if it holds the claim by itself, and at least half of what
    the best row holds, or adds `min_share` to the rows before it. A row that shares the claim's subject with the row
    that says it, or says the same of another number, is padding. Of a claim that its rows say in other words, the
    shares are those of what they hold of it together.

    Args:
        judged: the outcome for the sentence.
        passages: what it was held against.
        min_share: from 0 to 1.
        holds_alone: whether the passages of one row would support the sentence.
    """
    by_row: dict[str, list[Passage]] = {}
    for passage in passages:
        by_row.setdefault(passage.row.alias, []).append(passage)
    held_in_all = carried_share(judged.content, passages) if _is_paraphrase(judged) else 1.0
    if not held_in_all:
        return (passages[0].row,)
    shares = {alias: carried_share(judged.content, own) / held_in_all for alias, own in by_row.items()}
    enough = [alias for alias in shares if shares[alias] >= min_share]
    near = _NEAR_THE_BEST * max(shares.values())
    holding = {a for a in enough if shares[a] >= near and (len(by_row) == 1 or holds_alone(by_row[a]))}
    carrying: set[str] = set()
    for alias in sorted(enough, key=lambda alias: (alias not in holding, -shares[alias])):
        held = [passage for other in carrying for passage in by_row[other]]
        added = carried_share(judged.content, [*held, *by_row[alias]]) - carried_share(judged.content, held)
        if alias in holding or added >= min_share:
            carrying.add(alias)
    return tuple(own[0].row for alias, own in by_row.items() if alias in carrying)


def _is_paraphrase(judged: Judged) -> bool:
    return any(finding.flag == "paraphrase" for finding in judged.findings)


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

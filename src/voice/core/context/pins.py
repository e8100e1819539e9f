"""Pinned rows as evidence of a prompt, under their own cap.

Law: a pin overrides the ranking, never a filter, and needs a graph row (ruling A2). Newest first under a hard cap; what
does not fit is skipped and counted (ruling A17). A row that was also found keeps its relevance.
Source: spec retrieval-contract, Tier 1; rulings A2, A17, D14, H.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from voice.core.grounding.values import Evidence

PINS_SHARE = 0.2
"""Share of the variable part; with 15 % summary and a third recent, about a third remains for hits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedRows:
    """A pin's graph rows: the target, or those distilled from the target thought."""

    pin_id: str
    rows: tuple[Evidence, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedPart:
    """The rows shown for their pins, with their tokens."""

    rows: tuple[Evidence, ...]
    tokens: int
    skipped: tuple[str, ...] = ()
    """Ids of rows that did not fit and were not found otherwise."""


def pinned_part(
    pins: Iterable[PinnedRows], evidence: Sequence[Evidence], cost: Callable[[Evidence], int], cap: int
) -> PinnedPart:
    """Choose rows for pins, each text once, within `cap` tokens.

    Args:
        pins: newest first.
        evidence: hits, whose relevance is kept.
        cost: tokens of an aliased row.
    """
    found = {row.row_id: row for row in evidence}
    shown: dict[str, Evidence] = {}
    skipped: list[str] = []
    tokens = 0
    for row in (row for pin in pins for row in pin.rows):
        hit = found.get(row.row_id, row)
        aliased = replace(row, relevance=hit.relevance, score=hit.score, alias=f"S{len(shown) + 1}")
        needed = cost(aliased)
        if row.content_hash in shown:
            continue
        if tokens + needed <= cap:
            shown[row.content_hash] = aliased
            tokens += needed
        elif row.row_id not in found:
            skipped.append(row.row_id)
    return PinnedPart(rows=tuple(shown.values()), tokens=tokens, skipped=tuple(dict.fromkeys(skipped)))


def not_pinned(evidence: Iterable[Evidence], part: PinnedPart) -> list[Evidence]:
    """Return the hits not shown for a pin already."""
    hashes = {row.content_hash for row in part.rows}
    return [row for row in evidence if row.content_hash not in hashes]


def count_truncated_pins(pins: Iterable[PinnedRows], shown: Iterable[Evidence]) -> int:
    """Count the pins that are not shown in full."""
    hashes = {row.content_hash for row in shown}
    return sum(any(row.content_hash not in hashes for row in pin.rows) for pin in pins)

"""Pinned rows as evidence of a prompt, under their own cap.

Law: a pin lifts a row over the ranking, never over a filter: it is shown first and is not crowded out, but only where
the row could be shown at all, and only as a row of the graph (ruling A2). A prompt must fit the model, so pins have a
hard cap; the newest come first, one that does not fit is passed over for the next, and how many are not wholly shown
is said (ruling A17). A row that was found as well keeps the place its pin gives it and the relevance it was found with.

Source: spec retrieval-contract, Tier 1; rulings A2, A17, D14, H.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from voice.core.grounding.values import Evidence

PINS_SHARE = 0.2
"""What pins may take of what is left beside instructions and question: with the summary's 15 % and the third of recent
exchanges, a third stays for what the question itself finds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedRows:
    """A pin's rows of the graph: the pinned one, or what was distilled from the pinned thought."""

    pin_id: str
    rows: tuple[Evidence, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedPart:
    """The rows that are shown for their pins, and what they cost."""

    rows: tuple[Evidence, ...]
    tokens: int
    skipped: tuple[str, ...] = ()
    """Ids of rows that took too much and have no other way into the prompt: they were not found."""


def pinned_part(
    pins: Iterable[PinnedRows], evidence: Sequence[Evidence], cost: Callable[[Evidence], int], cap: int
) -> PinnedPart:
    """Return the rows that are shown for their pins, each text once, within `cap` tokens.

    Args:
        pins: the newest first.
        evidence: what was found, whose relevance a row takes that is among it.
        cost: what a row takes, under the alias it bears.
        cap: tokens they may take together.
    """
    found = {row.row_id: row for row in evidence}
    shown: dict[str, Evidence] = {}
    skipped: list[str] = []
    tokens = 0
    for row in (row for pin in pins for row in pin.rows):
        aliased = replace(_as_found(row, found.get(row.row_id)), alias=f"S{len(shown) + 1}")
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
    """Return what was found and is not shown for a pin already."""
    said = {row.content_hash for row in part.rows}
    return [row for row in evidence if row.content_hash not in said]


def count_truncated_pins(pins: Iterable[PinnedRows], shown: Iterable[Evidence]) -> int:
    """Return how many pins are not wholly among what is shown."""
    said = {row.content_hash for row in shown}
    return sum(any(row.content_hash not in said for row in pin.rows) for pin in pins)


def _as_found(row: Evidence, found: Evidence | None) -> Evidence:
    """Return the row with the relevance it was found with, if it was."""
    return row if found is None else replace(row, relevance=found.relevance, score=found.score)

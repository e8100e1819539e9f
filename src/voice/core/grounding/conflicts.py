"""What of the evidence has ended, and what took its place.

Law: the graph decides, by structure: a row that was superseded, or whose validity is over, has ended; two relations of
one subject and one predicate that holds one value at a time disagree. No grammar of any language is read for it.

Source: DESIGN 2 promise 1; S2 "Where sources disagree, give both with their dates"; ruling F (a correction supersedes).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from voice.core.grounding.values import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two rows of one prompt that cannot both hold now."""

    earlier: Evidence
    later: Evidence
    is_replaced: bool
    """Whether the later took the earlier one's place; otherwise both are held to be so."""


def has_ended(row: Evidence, now: datetime | None) -> bool:
    """Return whether `row` no longer holds; without `now` every row that has an end counts as ended."""
    if row.superseded_by is not None:
        return True
    return row.valid_until is not None and (now is None or row.valid_until <= now)


def conflicts_among(rows: Sequence[Evidence], now: datetime | None) -> tuple[Conflict, ...]:
    """Return the pairs of `rows` of which the graph knows that one took the other's place, the earlier first."""
    by_id = {row.row_id: row for row in rows}
    return tuple(
        Conflict(earlier=row, later=by_id[row.superseded_by], is_replaced=True)
        for row in rows
        if row.superseded_by in by_id and has_ended(row, now)
    )


def end_of(row: Evidence) -> str:
    """Return a human sentence on how a row ended."""
    if row.valid_until is not None:
        return f"the source held until {row.valid_until.day} {row.valid_until:%B %Y}; the answer tells it as current"
    return "a later note took the source's place; the answer tells it as current"

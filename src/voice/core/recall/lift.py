"""From what a provider found to what stands for it.

Law: what is found again is asked again whether it may be seen (promise 6). S4's observation is a thought: a row of the
graph that rests on a thought the reader may see gives that thought its score, if it is better than the thought's own;
one that rests on none, or on several without being their words, stands for itself (ruling C19). A row that says again
what a redacted, hidden or private thought said, or one that is shown already, is not shown at all. Every row stands
for one thing at most, so there are never more candidates than rows that matched. Scores are brought into [0, 1].

Source: spec retrieval-contract, Tier 3 and Provider Contract; rulings A13, C10, C19, G, H.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from voice.core.recall.telling import behind, may_be_told, thoughts_behind
from voice.core.records import Row
from voice.core.retrieval.values import Found, RowFilter
from voice.core.retrieval.visibility import admits

_PLACES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifted:
    """A row that is a candidate, with its best score and the row that gave it, unless that is its own."""

    row_id: str
    score: float
    found_by: str | None = None


def lift(
    found: Iterable[Found], rows: Mapping[str, Row], row_filter: RowFilter, shown: frozenset[str]
) -> tuple[Lifted, ...]:
    """Return what stands for the found rows, each once, by id.

    Args:
        found: as the provider gave it.
        rows: the found rows and the thoughts behind them, by id, as they now stand.
        row_filter: what the reader may see.
        shown: ids that another tier shows.
    """
    best: dict[str, Lifted] = {}
    for one in found:
        row = rows.get(one.hit.row_id)
        if row is None or says_again(row, shown) or not may_be_told(row, rows, row_filter):
            continue
        lifted = _standing_for(row, _bounded(one.score), rows, row_filter)
        known = best.get(lifted.row_id)
        if known is None or _preference(lifted) < _preference(known):
            best[lifted.row_id] = lifted
    return tuple(best[row_id] for row_id in sorted(best))


def says_again(row: Row, shown: frozenset[str]) -> bool:
    """Return whether what the row says is shown already: it is, or a thought is that it says again."""
    return row.id in shown or not shown.isdisjoint(thoughts_behind(row))


def _standing_for(row: Row, score: float, rows: Mapping[str, Row], row_filter: RowFilter) -> Lifted:
    """Return the newest thought that the row says again and that may be seen, or the row itself."""
    seen = [thought for thought in behind(row, rows) if admits(row_filter, thought)]
    if not seen:
        return Lifted(row_id=row.id, score=score)
    newest = max(seen, key=lambda thought: (thought.created_at, thought.id))
    return Lifted(row_id=newest.id, score=score, found_by=row.id)


def _preference(lifted: Lifted) -> tuple[float, str]:
    """Sort the better score first, and the row's own before what lifted it."""
    return -lifted.score, lifted.found_by or ""


def _bounded(score: float) -> float:
    return 0.0 if math.isnan(score) else round(min(max(score, 0.0), 1.0), _PLACES)

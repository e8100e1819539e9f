"""From what a provider found to what stands for it.

Law: what is found again is asked again whether it may be seen (promise 6). S4's observation is a thought: a row of the
graph that rests on a thought the reader may see gives that thought its score, if it is better than the thought's own;
one that rests on none, or on several without being their words, stands for itself (ruling C19). A row that says again
what a redacted, hidden or private thought said is not shown at all. Scores are brought into [0, 1].

Source: spec retrieval-contract, Tier 3 and Provider Contract; rulings A13, C10, C19, G, H.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from voice.core.records import Observation, Row, RowStatus, Thought
from voice.core.retrieval.values import Found, RowFilter
from voice.core.retrieval.visibility import admits

_PLACES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifted:
    """A row that is a candidate, with its best score and the row that gave it, unless that is its own."""

    row_id: str
    score: float
    found_by: str | None = None


def thoughts_behind(row: Row) -> tuple[str, ...]:
    """Return the thoughts that a row says again: an observation all it rests on, another row the only one."""
    if isinstance(row, Thought):
        return ()
    behind = tuple(dict.fromkeys(origin.thought_id for origin in row.provenance))
    return behind if isinstance(row, Observation) or len(behind) == 1 else ()


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
        if row is None or row.id in shown or not admits(row_filter, row):
            continue
        for lifted in _standing_for(row, _bounded(one.score), rows, row_filter):
            known = best.get(lifted.row_id)
            if lifted.row_id not in shown and (known is None or _preference(lifted) < _preference(known)):
                best[lifted.row_id] = lifted
    return tuple(best[row_id] for row_id in sorted(best))


def _standing_for(row: Row, score: float, rows: Mapping[str, Row], row_filter: RowFilter) -> Iterable[Lifted]:
    behind = [thought for thought in map(rows.get, thoughts_behind(row)) if isinstance(thought, Thought)]
    if any(_silences(thought, row_filter) for thought in behind):
        return ()
    seen = [thought.id for thought in behind if admits(row_filter, thought)]
    if not seen:
        return (Lifted(row_id=row.id, score=score),)
    return [Lifted(row_id=thought_id, score=score, found_by=row.id) for thought_id in seen]


def _silences(thought: Thought, row_filter: RowFilter) -> bool:
    """Return whether nothing that was taken from the thought may be shown."""
    is_hidden = thought.is_private and not row_filter.include_private
    return is_hidden or thought.is_synthesis or thought.status is RowStatus.REDACTED


def _preference(lifted: Lifted) -> tuple[float, str]:
    """Sort the better score first, and the row's own before what lifted it."""
    return -lifted.score, lifted.found_by or ""


def _bounded(score: float) -> float:
    return 0.0 if math.isnan(score) else round(min(max(score, 0.0), 1.0), _PLACES)

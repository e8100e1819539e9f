"""Whether a row may be told, by what stands behind it.

Law: a row of the graph says again what thoughts said. So what was redacted in a thought is told by nothing that says it
again, and what is private in a thought is private in all of it (promise 6; ruling H). Pins, summaries, digests and
candidates all ask here, and nowhere else.

Source: spec retrieval-contract, Redaction Handling; rulings A13, C19, H.
"""

from collections.abc import Iterable, Mapping

from voice.core.records import Observation, Row, RowStatus, Thought
from voice.core.retrieval.values import RowFilter
from voice.core.retrieval.visibility import admits


def thoughts_behind(row: Row) -> tuple[str, ...]:
    """Return the thoughts that a row says again: an observation all it rests on, another row the only one."""
    if isinstance(row, Thought):
        return ()
    behind = tuple(dict.fromkeys(origin.thought_id for origin in row.provenance))
    return behind if isinstance(row, Observation) or len(behind) == 1 else ()


def missing_behind(rows: Mapping[str, Row]) -> list[str]:
    """Return the ids of the thoughts behind `rows` that are not among them, in order."""
    return sorted({thought_id for row in rows.values() for thought_id in thoughts_behind(row)} - rows.keys())


def may_be_told(row: Row, rows: Mapping[str, Row], row_filter: RowFilter) -> bool:
    """Return whether the reader may be told what the row says.

    Args:
        row: any.
        rows: the thoughts behind it, by id, as they now stand.
        row_filter: what the reader may see.
    """
    hides = tells_private(row, rows) and not row_filter.include_private
    return admits(row_filter, row) and not is_silenced(row, rows) and not hides


def is_silenced(row: Row, rows: Mapping[str, Row]) -> bool:
    """Return whether it says again what a redacted thought said, or what the inner voice said itself."""
    return any(thought.status is RowStatus.REDACTED or thought.is_synthesis for thought in behind(row, rows))


def tells_private(row: Row, rows: Mapping[str, Row]) -> bool:
    """Return whether it is private or says again what a private thought said."""
    return row.is_private or any(thought.is_private for thought in behind(row, rows))


def behind(row: Row, rows: Mapping[str, Row]) -> Iterable[Thought]:
    """Return those of `rows` that are thoughts which the row says again, in order."""
    return (thought for thought in map(rows.get, thoughts_behind(row)) if isinstance(thought, Thought))

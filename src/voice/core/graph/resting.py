"""What rests on thoughts that leave, and on nothing else.

Law: an observation or a relation rests on the thoughts of its provenance, what the inner voice summed up on what it
sums up, an entity on its provenance and on every row that names it. What rests on leaving thoughts alone leaves with
them and comes back with them; what a person entered without a thought rests on none. What is redacted has no words
that could leave.

Source: ruling F ("marked thoughts leave retrieval, and with them …").
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime

from voice.core.graph.row_lifetime import back_at
from voice.core.graph.uniting import named_by
from voice.core.records import Entity, GraphRow, Row, RowStatus, Thought


def rests_on(row: Row) -> frozenset[str]:
    """Return the ids of the thoughts that a row rests on; none where it rests on none, as a thought of its own does."""
    if isinstance(row, Thought):
        return frozenset(row.summary_of if row.is_synthesis else ())
    return frozenset(origin.thought_id for origin in row.provenance)


def nodes_of(row: Row) -> tuple[str, ...]:
    """Return the ids of the entities that a row names."""
    return () if isinstance(row, Thought | Entity) else named_by(row)


def is_alone(row: Row, leaving: Collection[str]) -> bool:
    """Return whether a row rests on leaving thoughts alone, whatever names it.

    Args:
        row: of any kind.
        leaving: the ids of the thoughts that leave, or are gone.
    """
    behind = rests_on(row)
    return bool(behind) and behind <= set(leaving) and row.status is not RowStatus.REDACTED


def resting_alone(rows: Iterable[Row], leaving: Collection[str]) -> frozenset[str]:
    """Return the ids of those rows that rest on leaving thoughts alone.

    Args:
        rows: what may leave, and whatever names an entity among them.
        leaving: the ids of the thoughts that leave, or are gone.
    """
    every = tuple(rows)
    alone = {row.id for row in every if not isinstance(row, Entity) and is_alone(row, leaving)}
    named = {node for row in every if row.id not in alone for node in nodes_of(row)}
    unnamed = (row for row in every if isinstance(row, Entity) and row.id not in named)
    return frozenset(alone | {row.id for row in unnamed if is_alone(row, leaving)})


def following(
    rows: Iterable[Row], leaving: Collection[str], now: datetime, *, are_gone: bool = False
) -> tuple[GraphRow, ...]:
    """Return those rows of the graph that leave retrieval or come back to it, as they are from then on, by id.

    Args:
        rows: as for `resting_alone`.
        leaving: the ids of the thoughts that are marked, or gone.
        now: the instant at which they leave or come back.
        are_gone: whether their notes went, so that they are found as of before; else they are marked for other reasons.
    """
    graph = sorted((row for row in rows if not isinstance(row, Thought)), key=lambda row: row.id)
    alone = resting_alone(graph, leaving)
    gone_at = now if are_gone else None
    changed = (_left(row, gone_at) if row.id in alone else _returned(row, now) for row in graph)
    return tuple(row for row in changed if row is not None)


def back_in_use(row: GraphRow, now: datetime) -> GraphRow:
    """Return a row of the graph as it is in use from then on."""
    return _returned(row, now) or row


def _left(row: GraphRow, gone_at: datetime | None) -> GraphRow | None:
    if row.status is not RowStatus.ACTIVE:
        return None
    return replace(row, status=RowStatus.REMOVAL, superseded_at=gone_at, revision=row.revision + 1)


def _returned(row: GraphRow, now: datetime) -> GraphRow | None:
    if row.status is not RowStatus.REMOVAL:
        return None
    away, revision = back_at(row, now), row.revision + 1
    return replace(row, status=RowStatus.ACTIVE, superseded_at=None, away=away, revision=revision)

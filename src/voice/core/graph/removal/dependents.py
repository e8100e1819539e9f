"""Rows that depend on leaving thoughts, and why a row is forgotten along with another.

Law: observations and relations rest on the thoughts of their provenance, summaries on what they sum up, entities on
provenance and on rows that name them. Rows leave and return with their last thought; redacted rows do not. The reasons
follow `plan_forget` and form no cycle; they end at what was meant.
Source: rulings A21, F, G.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from voice.core.graph.removal.forget_cascade import ForgetPlan, thoughts_of
from voice.core.graph.removal.lifecycle import unmarked
from voice.core.graph.row_text import named_by, readable_text_of
from voice.core.records import Entity, GraphRow, Observation, Relation, Row, RowStatus, Thought
from voice.core.text.normalise import content_hash


def rests_on(row: Row) -> frozenset[str]:
    """Return the thoughts a row rests on; empty for an ordinary thought."""
    if isinstance(row, Thought):
        return frozenset(row.summary_of if row.is_synthesis else ())
    return frozenset(origin.thought_id for origin in row.provenance)


def rests_only_on(row: Row, leaving: Collection[str]) -> bool:
    """Return whether a row rests only on leaving thoughts; `leaving` are their ids."""
    behind = rests_on(row)
    return bool(behind) and behind <= set(leaving) and row.status is not RowStatus.REDACTED


def rows_resting_only_on(rows: Iterable[Row], leaving: Collection[str]) -> frozenset[str]:
    """Return the ids of rows that rest only on leaving thoughts.

    Args:
        rows: includes everything that names an entity among them.
        leaving: ids of thoughts that leave or are gone.
    """
    candidates = tuple(rows)
    alone = {row.id for row in candidates if not isinstance(row, Entity) and rests_only_on(row, leaving)}
    named = {node for row in candidates if row.id not in alone for node in named_by(row)}
    unnamed = (row for row in candidates if isinstance(row, Entity) and row.id not in named)
    return frozenset(alone | {row.id for row in unnamed if rests_only_on(row, leaving)})


def rows_after_removal(
    rows: Iterable[Row], leaving: Collection[str], now: datetime, *, are_gone: bool = False
) -> tuple[GraphRow, ...]:
    """Return the graph rows that leave or return, updated, sorted by id.

    Args:
        rows: as for `rows_resting_only_on`.
        leaving: ids of marked or gone thoughts.
        now: when they leave or return.
        are_gone: whether their notes are gone, so that the rows stay visible in the past.
    """
    graph = sorted((row for row in rows if not isinstance(row, Thought)), key=lambda row: row.id)
    alone = rows_resting_only_on(graph, leaving)
    gone_at = now if are_gone else None
    changed: list[GraphRow] = []
    for row in graph:
        if row.id not in alone:
            back = unmarked(row, now)
            changed += [back] if back is not None else []
        elif row.status is RowStatus.ACTIVE:
            changed.append(replace(row, status=RowStatus.REMOVAL, superseded_at=gone_at, revision=row.revision + 1))
    return tuple(changed)


class DependencyReason(StrEnum):
    """Why a row goes along with another."""

    SENTENCE = "sentence"
    """A sentence of that note."""
    RESTS = "rests"
    """Found in that note, without a remaining source."""
    EARLIER = "earlier"
    """An earlier value of that row."""
    SUMMARY = "summary"
    """A summary of that note."""
    END = "end"
    """An edge of that entity."""
    SAME_WORDS = "same_words"
    """The same text as that row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DependentRow:
    """A row that goes along."""

    row: Row
    tie: DependencyReason
    to: str
    """The id of the row it goes with."""


def dependent_rows(found: ForgetPlan, before: Collection[str] = ()) -> tuple[DependentRow, ...]:
    """Return the derived rows with reasons, in the order of `found.derived`.

    Args:
        found: from `plan_forget`.
        before: ids that went earlier.
    """
    gone = {row.id for row in found.meant}.union(before)
    by_text = {content_hash(readable_text_of(row)): row.id for row in reversed(found.meant)}
    explained: dict[str, DependentRow] = {}
    left = found.derived
    while known := [each for row in left if (each := _dependent(row, gone, by_text)) is not None]:
        for each in known:
            explained[each.row.id] = each
            by_text.setdefault(content_hash(readable_text_of(each.row)), each.row.id)
        gone.update(explained)
        left = tuple(row for row in left if row.id not in explained)
    return tuple(explained[row.id] for row in found.derived)


def _dependent(row: Row, gone: Collection[str], by_text: Mapping[str, str]) -> DependentRow | None:
    """Return why a row goes with those known to go; None if it does not."""
    sources = [each for each in thoughts_of(row) if each in gone]
    if sources and isinstance(row, Observation):
        return DependentRow(row=row, tie=DependencyReason.SENTENCE, to=sources[0])
    if sources and len(sources) == len(thoughts_of(row)):
        return DependentRow(row=row, tie=DependencyReason.RESTS, to=sources[0])
    if row.superseded_by is not None and row.superseded_by in gone:
        return DependentRow(row=row, tie=DependencyReason.EARLIER, to=row.superseded_by)
    summed = [each for each in row.summary_of if each in gone] if isinstance(row, Thought) else []
    if summed:
        return DependentRow(row=row, tie=DependencyReason.SUMMARY, to=summed[0])
    ends = [each for each in (row.source_id, row.target_id) if each in gone] if isinstance(row, Relation) else []
    if ends:
        return DependentRow(row=row, tie=DependencyReason.END, to=ends[0])
    same = by_text.get(content_hash(readable_text_of(row))) if isinstance(row, Thought | Observation) else None
    return None if same is None else DependentRow(row=row, tie=DependencyReason.SAME_WORDS, to=same)

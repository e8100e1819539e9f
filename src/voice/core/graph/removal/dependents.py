"""What rests on thoughts that leave, and why a row goes along with another.

Law: an observation or a relation rests on the thoughts of its provenance, what the inner voice summed up on what it
sums up, an entity on its provenance and on every row that names it. What rests on leaving thoughts alone leaves with
them and comes back with them; what a person entered without a thought rests on none. What is redacted has no words
that could leave.

Why a row goes along with what is forgotten. A row that goes without having been meant goes because of another one that
goes, and can say which and why. A note is the unit: each of its sentences goes with it, whatever it speaks of and
whether or not it was corrected since, and so does what was found in that note alone. What took a sentence's place rests
on no note and stays, unless it says the same words. The reasons are those by which `reach` decides; nothing is decided
here. No two rows go for one another: whoever follows the reasons comes to what was meant.

Source: ruling F ("marked thoughts leave retrieval, and with them …"); rulings A21 (sentences stand in their note, word
for word), G ("reaches text, vector, index, derived rows").
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
    """Return the ids of the thoughts that a row rests on; none where it rests on none, as a thought of its own does."""
    if isinstance(row, Thought):
        return frozenset(row.summary_of if row.is_synthesis else ())
    return frozenset(origin.thought_id for origin in row.provenance)


def rests_only_on(row: Row, leaving: Collection[str]) -> bool:
    """Return whether a row rests on leaving thoughts alone, whatever names it.

    Args:
        row: of any kind.
        leaving: the ids of the thoughts that leave, or are gone.
    """
    behind = rests_on(row)
    return bool(behind) and behind <= set(leaving) and row.status is not RowStatus.REDACTED


def rows_resting_only_on(rows: Iterable[Row], leaving: Collection[str]) -> frozenset[str]:
    """Return the ids of those rows that rest on leaving thoughts alone.

    Args:
        rows: what may leave, and whatever names an entity among them.
        leaving: the ids of the thoughts that leave, or are gone.
    """
    every = tuple(rows)
    alone = {row.id for row in every if not isinstance(row, Entity) and rests_only_on(row, leaving)}
    named = {node for row in every if row.id not in alone for node in named_by(row)}
    unnamed = (row for row in every if isinstance(row, Entity) and row.id not in named)
    return frozenset(alone | {row.id for row in unnamed if rests_only_on(row, leaving)})


def rows_after_removal(
    rows: Iterable[Row], leaving: Collection[str], now: datetime, *, are_gone: bool = False
) -> tuple[GraphRow, ...]:
    """Return those rows of the graph that leave retrieval or come back to it, as they are from then on, by id.

    Args:
        rows: as for `rows_resting_only_on`.
        leaving: the ids of the thoughts that are marked, or gone.
        are_gone: whether their notes went, so that they are found as of before; else they are marked for other reasons.
    """
    graph = sorted((row for row in rows if not isinstance(row, Thought)), key=lambda row: row.id)
    alone = rows_resting_only_on(graph, leaving)
    gone_at = now if are_gone else None
    changed = (_left(row, gone_at) if row.id in alone else unmarked(row, now) for row in graph)
    return tuple(row for row in changed if row is not None)


def _left(row: GraphRow, gone_at: datetime | None) -> GraphRow | None:
    if row.status is not RowStatus.ACTIVE:
        return None
    return replace(row, status=RowStatus.REMOVAL, superseded_at=gone_at, revision=row.revision + 1)


class DependencyReason(StrEnum):
    """What ties a row to the one that takes it along."""

    SENTENCE = "sentence"
    """It is a sentence of that note."""
    RESTS = "rests"
    """It was found in that note, and rests on nothing that stays."""
    EARLIER = "earlier"
    """It is what that row said before it was corrected."""
    SUMMARY = "summary"
    """It sums that note up."""
    END = "end"
    """It leads to or from that entity."""
    SAME_WORDS = "same_words"
    """It says the same as that row, word for word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DependentRow:
    """A row that goes along."""

    row: Row
    tie: DependencyReason
    to: str
    """The id of what takes it along."""


def dependent_rows(found: ForgetPlan, before: Collection[str] = ()) -> tuple[DependentRow, ...]:
    """Return each row that goes without having been meant, with why, in the order of `found.derived`.

    Args:
        found: what `reach` found.
        before: the ids of what was named and went before.
    """
    out = {row.id for row in found.meant}.union(before)
    same = {content_hash(readable_text_of(row)): row.id for row in reversed(found.meant)}
    tied: dict[str, DependentRow] = {}
    left = found.derived
    while known := [each for row in left if (each := _along(row, out, same)) is not None]:
        for each in known:
            tied[each.row.id] = each
            same.setdefault(content_hash(readable_text_of(each.row)), each.row.id)
        out.update(tied)
        left = tuple(row for row in left if row.id not in tied)
    return tuple(tied[row.id] for row in found.derived)


def _along(row: Row, out: Collection[str], same: Mapping[str, str]) -> DependentRow | None:
    """Return why a row goes along with what is known to go; None where it goes with nothing of that."""
    behind = [each for each in thoughts_of(row) if each in out]
    if behind and isinstance(row, Observation):
        return DependentRow(row=row, tie=DependencyReason.SENTENCE, to=behind[0])
    if behind and len(behind) == len(thoughts_of(row)):
        return DependentRow(row=row, tie=DependencyReason.RESTS, to=behind[0])
    if row.superseded_by is not None and row.superseded_by in out:
        return DependentRow(row=row, tie=DependencyReason.EARLIER, to=row.superseded_by)
    summed = [each for each in row.summary_of if each in out] if isinstance(row, Thought) else []
    if summed:
        return DependentRow(row=row, tie=DependencyReason.SUMMARY, to=summed[0])
    ends = [each for each in (row.source_id, row.target_id) if each in out] if isinstance(row, Relation) else []
    if ends:
        return DependentRow(row=row, tie=DependencyReason.END, to=ends[0])
    again = same.get(content_hash(readable_text_of(row))) if isinstance(row, Thought | Observation) else None
    return None if again is None else DependentRow(row=row, tie=DependencyReason.SAME_WORDS, to=again)

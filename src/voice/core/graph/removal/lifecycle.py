"""Marked, past, archived, returned: when a row is held, may go and may come back.

Law: a thought is taken away only when nothing stands in the way: it is marked, the days of its retention, counted from
the day of marking where the person lives, are over, no candidate from it waits for a human, and an archive that was
read again from the disk holds it exactly as it stands. Each reason that does stand in the way is told. What was
forgotten or redacted does not come back, and what comes back is what went. What a person said of a mark stands: one
that was taken away, or whose thought was brought back, is not set again by a program.

What a memory held once, and does not hold any more. A row is past when it was superseded, or left with its note; of
either it is kept when that was. A note that is back was away: what rests on it was held before and after, and not in
between. What somebody marked for removal, redacted or forgot is no past: it was hidden, and stays so.

Source: spec rag-organize 4 and 5; rulings F, H; rulings F, I4.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from voice.core.errors import InvalidParams
from voice.core.messages import memory as messages
from voice.core.records import EmbeddingStatus, GraphRow, Row, RowStatus, Thought, Tombstone
from voice.core.text.instants import in_zone

_Row = TypeVar("_Row", Thought, GraphRow, Row)


class RemovalObstacle(StrEnum):
    """Why a thought may not go yet."""

    NOT_DUE = "not_due"
    UNDECIDED = "candidates_undecided"
    NOT_ARCHIVED = "not_archived"
    CHANGED = "changed_since_archived"


class Archived(StrEnum):
    """What the archives that could be verified say of a thought."""

    AS_IT_STANDS = "as_it_stands"
    CHANGED = "changed"
    NO = "no"


class Return(StrEnum):
    """What becomes of an archived row that is to come back."""

    BACK = "back"
    THERE = "there"
    FORGOTTEN = "forgotten"
    ALTERED = "altered"
    """It says something else than what was taken away under its id, or says openly what was private."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long a marked thought stays."""

    days: int
    timezone: str

    def due_on(self, marked_at: datetime) -> date:
        """Return the first day on which a thought that was marked then may go; days are the person's own."""
        try:
            return in_zone(marked_at, self.timezone).date() + timedelta(days=self.days)
        except OverflowError:
            return date.max

    def is_over(self, thought: Thought, now: datetime) -> bool:
        """Return whether the retention of `thought` is over; one without a day of marking has not begun it."""
        marked_at = thought.removal_marked_at
        return marked_at is not None and in_zone(now, self.timezone).date() >= self.due_on(marked_at)


def removal_obstacles(
    thought: Thought, *, retention: Retention, now: datetime, undecided: int, archived: Archived
) -> tuple[RemovalObstacle, ...]:
    """Return everything that keeps a marked thought from going; nothing means that it may.

    Args:
        retention: how long it stays.
        undecided: candidates from it that wait for a human.
        archived: what verified archives hold of it.
    """
    found: list[RemovalObstacle] = []
    if not retention.is_over(thought, now):
        found.append(RemovalObstacle.NOT_DUE)
    if undecided:
        found.append(RemovalObstacle.UNDECIDED)
    if archived is Archived.NO:
        found.append(RemovalObstacle.NOT_ARCHIVED)
    elif archived is Archived.CHANGED:
        found.append(RemovalObstacle.CHANGED)
    return tuple(found)


def marked(thought: Thought, now: datetime, *, is_gone: bool = False) -> Thought | None:
    """Return the thought as marked for removal; None when it is already, and keeps its day.

    Args:
        is_gone: whether its note is gone, and nothing is said of whether it was true: it is found as of before.

    Raises:
        InvalidParams: it is not a live thought.
    """
    if thought.status is RowStatus.REMOVAL and thought.removal_marked_at is not None:
        return None
    if thought.status not in (RowStatus.ACTIVE, RowStatus.REMOVAL):
        raise InvalidParams(messages.cannot_mark(thought.id, thought.status))
    ended = now if is_gone else None
    return replace(
        thought,
        status=RowStatus.REMOVAL,
        removal_marked_at=now,
        superseded_at=ended,
        revision=thought.revision + 1,
    )


def unmarked(row: _Row, now: datetime) -> _Row | None:
    """Return a row with its mark taken away; None when it has none.

    The day of the mark stays with a thought, and tells that somebody took it away (`is_kept`).

    Args:
        now: the instant from which it is there again.
    """
    if row.status is not RowStatus.REMOVAL:
        return None
    away, revision = back_at(row, now), row.revision + 1
    return replace(row, status=RowStatus.ACTIVE, superseded_at=None, away=away, revision=revision)


def is_kept(thought: Thought) -> bool:
    """Return whether somebody took the mark of a thought away: nothing but a person marks it again.

    Other words are another thought, of which nobody has said so yet.
    """
    return thought.status is RowStatus.ACTIVE and thought.removal_marked_at is not None


def as_archived(row: Row) -> Row:
    """Return what of a row an archive keeps: all but what its store assigns to it (its number, its vector's state)."""
    return replace(row, seq=0, embedding_status=EmbeddingStatus.PENDING)


def returning(
    row: Row, *, is_stored: bool, stone: Tombstone | None, taken_hash: str | None, is_forgotten: bool
) -> Return:
    """Return what becomes of an archived row that is to come back.

    Args:
        row: as the archive holds it.
        is_stored: whether the store has a row of its id.
        stone: the tombstone that bears its id.
        taken_hash: what a tombstone of `row` would hold if it were taken away as it is; None where it says nothing.
        is_forgotten: whether what it says was forgotten, under its id or another one (ruling H).
    """
    if is_forgotten or row.status is RowStatus.REDACTED or (stone is not None and stone.reason != "finalised"):
        return Return.FORGOTTEN
    if is_stored:
        return Return.THERE
    return Return.ALTERED if stone is not None and stone.keyed_hash != taken_hash else Return.BACK


def is_no_longer_held(row: Row) -> bool:
    """Return whether a row is what the memory held once."""
    has_left = row.status is RowStatus.REMOVAL and row.superseded_at is not None
    return has_left or row.status is RowStatus.SUPERSEDED


def was_held(row: Row, moment: datetime) -> bool:
    """Return whether the memory held a row at `moment`: recorded by then, not yet superseded, its note there."""
    if row.recorded_at > moment or was_away(row.away, moment):
        return False
    if is_no_longer_held(row):
        return row.superseded_at is not None and row.superseded_at > moment
    return row.status is RowStatus.ACTIVE


def was_away(away: Sequence[datetime], moment: datetime) -> bool:
    """Return whether what left and came back at these instants, by turns, was away at `moment`."""
    return sum(each <= moment for each in away) % 2 == 1


def back_at(row: Row, now: datetime) -> tuple[datetime, ...]:
    """Return when a row that is back was away; one that was hidden for another reason than its note was not."""
    return row.away if row.superseded_at is None else (*row.away, row.superseded_at, now)

"""Life cycle of rows: marked, removed, archived, returned, past.

Law: a marked thought is removed only after its retention (days in the person's zone), without pending candidates, and
if a verified archive has it unchanged. Forgotten or redacted rows never return; programs do not re-mark what a person
unmarked. The past are rows superseded or gone with their note; hidden rows (marked, redacted, forgotten) are not.
Source: spec rag-organize 4 and 5; rulings F, H, I4.
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
    """Why a thought may not be removed yet."""

    NOT_DUE = "not_due"
    UNDECIDED = "candidates_undecided"
    NOT_ARCHIVED = "not_archived"
    CHANGED = "changed_since_archived"


class Archived(StrEnum):
    """A thought's state in the verified archives."""

    AS_IT_STANDS = "as_it_stands"
    CHANGED = "changed"
    NO = "no"


class Return(StrEnum):
    """Outcome for an archived row to be restored."""

    BACK = "back"
    THERE = "there"
    FORGOTTEN = "forgotten"
    ALTERED = "altered"
    """Differs from the tombstone of its id, or would publish what was private."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long a marked thought stays."""

    days: int
    timezone: str

    def due_on(self, marked_at: datetime) -> date:
        """Return the first day on which it may be removed, in the person's zone."""
        try:
            return in_zone(marked_at, self.timezone).date() + timedelta(days=self.days)
        except OverflowError:
            return date.max  # beyond the calendar: never

    def is_over(self, thought: Thought, now: datetime) -> bool:
        """Return whether the retention is over; False without a mark's date."""
        marked_at = thought.removal_marked_at
        return marked_at is not None and in_zone(now, self.timezone).date() >= self.due_on(marked_at)


def removal_obstacles(
    thought: Thought, *, retention: Retention, now: datetime, undecided: int, archived: Archived
) -> tuple[RemovalObstacle, ...]:
    """Return everything that prevents a marked thought's removal; empty allows it."""
    stands = {
        RemovalObstacle.NOT_DUE: not retention.is_over(thought, now),
        RemovalObstacle.UNDECIDED: undecided > 0,
        RemovalObstacle.NOT_ARCHIVED: archived is Archived.NO,
        RemovalObstacle.CHANGED: archived is Archived.CHANGED,
    }
    return tuple(obstacle for obstacle, is_there in stands.items() if is_there)


def marked(thought: Thought, now: datetime, *, is_gone: bool = False) -> Thought | None:
    """Return the thought marked for removal; None if already marked, which keeps the date.

    With `is_gone` its note is gone, and it stays visible in the past. Raises InvalidParams: it is not active.
    """
    if thought.status is RowStatus.REMOVAL and thought.removal_marked_at is not None:
        return None
    if thought.status not in (RowStatus.ACTIVE, RowStatus.REMOVAL):
        raise InvalidParams(messages.cannot_mark(thought.id, thought.status))
    return replace(
        thought,
        status=RowStatus.REMOVAL,
        removal_marked_at=now,
        superseded_at=now if is_gone else None,
        revision=thought.revision + 1,
    )


def unmarked(row: _Row, now: datetime) -> _Row | None:
    """Return the thought unmarked, with the mark's date as a record (`is_kept`); None if it has no mark."""
    if row.status is not RowStatus.REMOVAL:
        return None
    # Only a row whose note was gone was away: a mark alone hides it.
    away = row.away if row.superseded_at is None else (*row.away, row.superseded_at, now)
    return replace(row, status=RowStatus.ACTIVE, superseded_at=None, away=away, revision=row.revision + 1)


def is_kept(thought: Thought) -> bool:
    """Return whether a person unmarked a thought, so that programs must not mark it again."""
    return thought.status is RowStatus.ACTIVE and thought.removal_marked_at is not None


def as_archived(row: Row) -> Row:
    """Return a row without the values its store assigns (`seq`, vector state)."""
    return replace(row, seq=0, embedding_status=EmbeddingStatus.PENDING)


def returning(
    row: Row, *, is_stored: bool, stone: Tombstone | None, taken_hash: str | None, is_forgotten: bool
) -> Return:
    """Decide on an archived row to be restored.

    Args:
        taken_hash: the hash a tombstone of `row` would have; None without content.
        is_forgotten: whether its content was forgotten, under any id (ruling H).
    """
    # First: what was forgotten does not return, even where the row is still stored.
    if is_forgotten or row.status is RowStatus.REDACTED or (stone is not None and stone.reason != "finalised"):
        return Return.FORGOTTEN
    if is_stored:
        return Return.THERE
    return Return.ALTERED if stone is not None and stone.keyed_hash != taken_hash else Return.BACK


def is_no_longer_held(row: Row) -> bool:
    """Return whether a row belongs to the past."""
    has_left = row.status is RowStatus.REMOVAL and row.superseded_at is not None
    return has_left or row.status is RowStatus.SUPERSEDED


def was_held(row: Row, moment: datetime) -> bool:
    """Return whether the memory held a row at `moment`."""
    if row.recorded_at > moment or was_away(row.away, moment):
        return False
    if is_no_longer_held(row):
        return row.superseded_at is not None and row.superseded_at > moment
    return row.status is RowStatus.ACTIVE


def was_away(away: Sequence[datetime], moment: datetime) -> bool:
    """Return whether `moment` is in an absence; `away` alternates departures and returns."""
    return sum(each <= moment for each in away) % 2 == 1  # odd: departed, not back yet

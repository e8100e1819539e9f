"""What a memory held once, and does not hold any more.

Law: a row is past when it was superseded, or left with its note; of either it is kept when that was. A note that is
back was away: what rests on it was held before and after, and not in between. What somebody marked for removal,
redacted or forgot is no past: it was hidden, and stays so.

Source: rulings F, I4.
"""

from collections.abc import Sequence
from datetime import datetime

from voice.core.records import Row, RowStatus


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

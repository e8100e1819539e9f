"""What a memory held once, and does not hold any more.

Law: a row is past when it was superseded, or left with its note; of either it is kept when that was. What somebody
marked for removal, redacted or forgot is no past: it was hidden, and stays so.

Source: rulings F, I4.
"""

from datetime import datetime

from voice.core.records import Row, RowStatus


def is_past(row: Row) -> bool:
    """Return whether a row is what the memory held once."""
    has_left = row.status is RowStatus.REMOVAL and row.superseded_at is not None
    return has_left or row.status is RowStatus.SUPERSEDED


def was_held(row: Row, moment: datetime) -> bool:
    """Return whether the memory held a row at `moment`: recorded by then, not yet superseded, its note still there."""
    if row.recorded_at > moment:
        return False
    if is_past(row):
        return row.superseded_at is not None and row.superseded_at > moment
    return row.status is RowStatus.ACTIVE

"""The day a person's calendar shows.

Law: instants are UTC; a day is a day of somebody's zone (ruling E). Whatever names a day to a person or to a model goes
through here, so that "today", the date of a source and the date of a digest line are days of one calendar.
"""

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def in_zone(moment: datetime, timezone: str) -> datetime:
    """Return the same instant as clocks in `timezone` show it; one at the very end of the calendar as it is."""
    try:
        return moment.astimezone(ZoneInfo(timezone))
    except OverflowError:
        return moment


def is_zone(timezone: str) -> bool:
    """Return whether a time zone of that name is known here; a conversation may come from where others are."""
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True

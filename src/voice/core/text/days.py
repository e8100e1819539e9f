"""The day a person's calendar shows.

Law: instants are UTC; a day is a day of somebody's zone (ruling E). Whatever names a day to a person or to a model goes
through here, so that "today", the date of a source and the date of a digest line are days of one calendar.
"""

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

LONGEST_ZONE = 100
"""As many characters as the name of a time zone may have; a longer one is looked for in folders without end."""


def in_zone(moment: datetime, timezone: str) -> datetime:
    """Return the same instant as clocks in `timezone` show it; one at the very end of the calendar as it is."""
    try:
        return moment.astimezone(ZoneInfo(timezone))
    except OverflowError:
        return moment


def is_zone(timezone: str) -> bool:
    """Return whether a time zone of that name is known here; a conversation may come from where others are."""
    if len(timezone) > LONGEST_ZONE:
        return False
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True

"""Instants as programs write them, undated rows, and instants in a person's time zone.

Law: one form everywhere: in UTC, ending in `Z` (spec inner_voice.retrieve, Output Schema). A zone is named beside it
where days of a zone are meant. A row whose date nobody told has none that is shown, searched or counted (ruling I2).

The day a person's calendar shows. Instants are UTC; a day is a day of somebody's zone (ruling E). Whatever names a day
to a person or to a model goes through here, so that "today", the date of a source and the date of a digest line are
days of one calendar.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

UNDATED: Final = datetime.min.replace(tzinfo=UTC)
"""Stands where nobody said when a thing was told (ruling I2); nobody can name its year."""


def has_date(moment: datetime) -> bool:
    """Return whether a row's date was told; the first year of the calendar, in any zone, stands for "unknown"."""
    return moment.year > UNDATED.year


def earliest_date(moments: Iterable[datetime]) -> datetime:
    """Return the earliest date that was told; `UNDATED` where none was."""
    return min(filter(has_date, moments), default=UNDATED)


def date_sort_key(moment: datetime, *, latest_first: bool = False) -> tuple[bool, float]:
    """Return the key that sorts by date; what is undated comes last in either order."""
    seconds = (moment - UNDATED.replace(tzinfo=moment.tzinfo)).total_seconds()
    return not has_date(moment), -seconds if latest_first else seconds


def render_if_dated(moment: datetime) -> str | None:
    """Return a row's date as programs read it; None where it is undated."""
    return render_instant(moment) if has_date(moment) else None


def render_instant(moment: datetime) -> str:
    """Return an instant as `2026-03-05T14:00:00Z`, with a fraction of a second only where there is one."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


LONGEST_ZONE = 100
"""As many characters as the name of a time zone may have; a longer one is looked for in folders without end."""


def in_zone(moment: datetime, timezone: str) -> datetime:
    """Return the same instant as clocks in `timezone` show it; one at the very end of the calendar as it is."""
    try:
        return moment.astimezone(ZoneInfo(timezone))
    except OverflowError:
        return moment


def is_time_zone(timezone: str) -> bool:
    """Return whether a time zone of that name is known here; a conversation may come from where others are."""
    if len(timezone) > LONGEST_ZONE:
        return False
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True

"""Instants: format, parse, undated rows, time zones.

Law: stored and printed instants are UTC, ending in `Z`; a day is a day of a named zone (ruling E). Undated rows have no
date that is shown, searched or counted (ruling I2). Parsed instants are aware, years 2 to 9998, so that every zone can
show them; a bare date is its first instant in the person's zone (ruling B10).
"""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from voice.core.errors import InvalidParams
from voice.core.messages import files as messages
from voice.core.records import OUT_OF_RANGE, YEARS

UNDATED: Final = datetime.min.replace(tzinfo=UTC)
"""Stands for an unknown date (ruling I2); its year cannot be entered."""


def has_date(moment: datetime) -> bool:
    """Return whether a row's date is known; year 1, in any zone, means unknown."""
    return moment.year > UNDATED.year


def earliest_date(moments: Iterable[datetime]) -> datetime:
    """Return the earliest known date; `UNDATED` if there is none."""
    return min(filter(has_date, moments), default=UNDATED)


def date_sort_key(moment: datetime, *, latest_first: bool = False) -> tuple[bool, float]:
    """Sort key by date; undated last in both orders."""
    seconds = (moment - UNDATED.replace(tzinfo=moment.tzinfo)).total_seconds()
    return not has_date(moment), -seconds if latest_first else seconds


def day_or_undated(moment: datetime) -> str:
    """Return a row's day as a prompt says it: `2026-03-05`, or `undated`."""
    return f"{moment:%Y-%m-%d}" if has_date(moment) else "undated"


def render_if_dated(moment: datetime) -> str | None:
    """Format a row's date; None if undated."""
    return render_instant(moment) if has_date(moment) else None


def render_instant(moment: datetime) -> str:
    """Format an instant as `2026-03-05T14:00:00Z`, with a fraction only if it has one."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


_LONGEST_ZONE = 100  # characters of a time zone's name


def in_zone(moment: datetime, timezone: str) -> datetime:
    """Convert an instant to a zone; unchanged at the end of the calendar."""
    try:
        return moment.astimezone(ZoneInfo(timezone))
    except OverflowError:
        return moment


def is_time_zone(timezone: str) -> bool:
    """Return whether the time zone is installed."""
    if len(timezone) > _LONGEST_ZONE:
        return False
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: "Europe" is a folder
        return False
    return True


_DATE_ONLY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATE_WITH_ZULU: Final = re.compile(r"(\d{4}-\d{2}-\d{2})[Zz]")  # `fromisoformat` refuses a zone behind a date


def parse_instant(text: str, zone: tzinfo = UTC, *, naive_is_local: bool = False) -> datetime:
    """Parse an instant to UTC.

    Args:
        text: ISO 8601 with offset or `Z`, `2026-03-05` (midnight in `zone`) or `2026-03-05Z` (midnight UTC).

    Raises InvalidParams: not a date, no zone, or year out of range.
    """
    stripped = text.strip()
    if zulu := _DATE_WITH_ZULU.fullmatch(stripped):
        return parse_instant(zulu[1], UTC)
    try:
        if _DATE_ONLY.fullmatch(stripped):
            return start_of_day(date.fromisoformat(stripped), zone)
        moment = datetime.fromisoformat(stripped)
    except ValueError:
        raise InvalidParams(messages.NOT_A_DATE) from None
    if moment.tzinfo is None and not naive_is_local:
        raise InvalidParams(messages.NO_TIME_ZONE)
    return to_utc(moment if moment.tzinfo is not None else moment.replace(tzinfo=zone))


def start_of_day(day: date, zone: tzinfo) -> datetime:
    """Return a day's first valid instant in a zone, in UTC. Raises InvalidParams: year out of range."""
    return to_utc(datetime.combine(day, time(), tzinfo=zone))  # a skipped midnight reads as the change itself


def to_utc(moment: datetime) -> datetime:
    """Convert an aware instant to UTC. Raises InvalidParams: year out of range."""
    if moment.year not in YEARS:
        raise InvalidParams(OUT_OF_RANGE)
    return moment.astimezone(UTC)

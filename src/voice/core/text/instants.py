"""Instants as programs write and read them, undated rows, and instants in a person's time zone.

Law: one form everywhere: in UTC, ending in `Z` (spec inner_voice.retrieve, Output Schema). A zone is named beside it
where days of a zone are meant. A row whose date nobody told has none that is shown, searched or counted (ruling I2).

The day a person's calendar shows. Instants are UTC; a day is a day of somebody's zone (ruling E). Whatever names a day
to a person or to a model goes through here, so that "today", the date of a source and the date of a digest line are
days of one calendar.

Parse instants and calendar dates in files. An instant is aware UTC or it is refused (ruling B10). A bare calendar date
is that day's first valid instant in the person's zone. Years run from 2 to 9998, so that every instant can be shown in
every zone.
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


def day_or_undated(moment: datetime) -> str:
    """Return a row's day as a prompt says it: `2026-03-05`, or `undated`."""
    return f"{moment:%Y-%m-%d}" if has_date(moment) else "undated"


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


_DATE_ONLY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATE_WITH_ZULU: Final = re.compile(r"(\d{4}-\d{2}-\d{2})[Zz]")


def parse_instant(text: str, zone: tzinfo = UTC, *, naive_is_local: bool = False) -> datetime:
    """Return the instant `text` names, in UTC.

    Args:
        text: `2026-03-05T14:00:00Z`, any ISO 8601 form with an offset, `2026-03-05` (midnight in `zone`) or
            `2026-03-05Z` (midnight UTC).
        zone: the person's zone.
        naive_is_local: read a time without an offset in `zone` instead of refusing it.

    Raises:
        InvalidParams: it is no date, has no zone, or its year is out of range.
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
    """Return the first valid instant of a day in a zone, in UTC.

    Raises:
        InvalidParams: the year is out of range.
    """
    return to_utc(datetime.combine(day, time(), tzinfo=zone))


def to_utc(moment: datetime) -> datetime:
    """Return an aware instant in UTC.

    Raises:
        InvalidParams: the year is out of range.
    """
    if moment.year not in YEARS:
        raise InvalidParams(OUT_OF_RANGE)
    return moment.astimezone(UTC)

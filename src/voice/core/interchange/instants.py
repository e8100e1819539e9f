"""Parse instants and calendar dates in files.

Law: an instant is aware UTC or it is refused (ruling B10). A bare calendar date is that day's first valid instant in
the person's zone. Years run from 2 to 9998, so that every instant can be shown in every zone.
"""

import re
from datetime import UTC, date, datetime, time, tzinfo
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.records import OUT_OF_RANGE, YEARS

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
        raise InvalidParams("is not a date; write it like 2026-03-05T14:00:00Z or 2026-03-05") from None
    if moment.tzinfo is None and not naive_is_local:
        raise InvalidParams("has no time zone; write it like 2026-03-05T14:00:00Z")
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

"""Read dates in notes, names and paths.

Law: only unambiguous dates are read; `05/06/2024` is rejected unless an order is set. File modification times are not
dates of content (ruling I2).
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from email.utils import parsedate_to_datetime
from typing import Final, cast

from voice.core.errors import InvalidParams
from voice.core.messages import files as messages
from voice.core.text.dates import DateOrder, month_named, stated_dates
from voice.core.text.instants import parse_instant, start_of_day, to_utc

_MOST_CHARS: Final = 80  # more is prose, not a date
# "2024-5-6 10:00"; then "6.5.2024" and "6. 5. 2024", with one mark; then "Walk 2024-05-06", not "12024-05-06".
_YEAR_FIRST: Final = re.compile(r"(\d{4})[-/._](\d{1,2})[-/._](\d{1,2})(?P<time>[T ].{1,40})?", re.DOTALL)
_YEAR_LAST: Final = re.compile(r"(?P<a>\d{1,2})(?P<mark>[-/._])\s?(?P<b>\d{1,2})(?P=mark)\s?(?P<y>\d{4})")
_IN_NAME: Final = re.compile(r"(?<!\d)(?P<y>\d{4})[-_.](?P<m>\d{1,2})[-_.](?P<d>\d{1,2})(?!\d)")
_LAST_IN_VALUE: Final = re.compile(rf"{_YEAR_LAST.pattern}(?P<time>[T ].{{1,40}})?", re.DOTALL)
_LAST_IN_NAME: Final = re.compile(rf"(?<!\d){_YEAR_LAST.pattern}(?!\d)")
# A day in year and month folders: `Journal/2024/May/1`, `2024/05-May/1`, `2024-05/01`.
_IN_PATH: Final = re.compile(
    r"(?:^|/)(?P<y>\d{4})[/_-](?:(?P<m>\d{1,2})(?:[ _-]\w+)?|(?P<name>[^\W\d_]+))/(?P<d>\d{1,2})$"
)
_TIME: Final = re.compile(r"[T ]\s{0,3}(\d{1,2})[:.](\d\d)(?:[:.](\d\d))?")  # " 9:05", "T9.05.30"
_SECONDS: Final = re.compile(r"-?\d{9,10}(?:\.\d{1,9})?")  # not 8 digits, which are a day: 20240506
_MILLISECONDS: Final = re.compile(r"\d{12,13}")
_MONTHS: Final = range(1, 13)
_NO_DATE: Final = messages.NOT_A_DATE
_TWO_DATES: Final = messages.DATE_AMBIGUOUS


@dataclass(frozen=True, slots=True, kw_only=True)
class DateReading:
    """How dates in a person's files are read."""

    zone: tzinfo = UTC
    """For times without offset."""
    order: DateOrder | None = None
    """Reading of 05/06/2024; None: ambiguous, hence rejected."""

    def instant(self, value: object) -> datetime | None:
        """Return a value's instant in UTC; None if empty. Raises InvalidParams: not a date, or ambiguous."""
        return parsed_instant(value, self.zone, self.order)

    def day_of_path(self, path: str) -> datetime | None:
        """Return the start of the day that a file or its folders are named after; None if none."""
        bare = path.rpartition(".")[0] or path  # without the file's ending
        try:
            return self._of_name(bare.rpartition("/")[2]) or self._of_path(bare)
        except InvalidParams:
            return None

    def _of_name(self, stem: str) -> datetime | None:
        if found := _IN_NAME.search(stem):
            return _day(found["y"], found["m"], found["d"], self.zone)
        if found := _LAST_IN_NAME.search(stem):
            return _year_last(found, self.zone, self.order)
        # The whole name must be the day: not "Notes of May 6".
        whole = [each for each in stated_dates(stem[:_MOST_CHARS]) if each.text == stem and each.day]
        return _named_day(stem, self.zone) if whole else None

    def _of_path(self, path: str) -> datetime | None:
        found = _IN_PATH.search(path)
        month = found and (found["m"] or month_named(found["name"]))
        return _day(found["y"], str(month), found["d"], self.zone) if found and month else None


def parsed_instant(value: object, zone: tzinfo, order: DateOrder | None = None) -> datetime | None:
    """Return a value's instant in UTC; None if empty.

    Args:
        value: text, seconds or milliseconds since 1970, a date, or a list with one of these.
        zone: for times without offset.
        order: reading of 05/06/2024.

    Raises:
        InvalidParams: not a date, or ambiguous.
    """
    while isinstance(value, list) and len(cast("list[object]", value)) == 1:  # YAML reads a link, [[2024-05-06]], so
        value = cast("list[object]", value)[0]
    match value:
        case None:
            return None
        case datetime():
            return to_utc(value if value.tzinfo else value.replace(tzinfo=zone))
        case date():
            return start_of_day(value, zone)
        case bool() | list() | dict():
            raise InvalidParams(_NO_DATE)
        case _:
            text = str(value).strip().strip("[]\"'").strip()  # links and quotation marks around it
    if len(text) > _MOST_CHARS:
        raise InvalidParams(_NO_DATE)
    return _of_text(text, zone, order) if text else None


def _of_text(text: str, zone: tzinfo, order: DateOrder | None) -> datetime:
    if _SECONDS.fullmatch(text) or _MILLISECONDS.fullmatch(text):
        seconds = float(text) / (1000 if _MILLISECONDS.fullmatch(text) else 1)
        return to_utc(datetime.fromtimestamp(seconds, UTC))
    if found := _YEAR_FIRST.fullmatch(text):
        year, month, day, time = found.groups()
        return parse_instant(f"{year}-{month:0>2}-{day:0>2}{_iso_time(time or '')}", zone, naive_is_local=True)
    if found := _LAST_IN_VALUE.fullmatch(text):
        return _year_last(found, zone, order)
    try:
        return parse_instant(text, zone, naive_is_local=True)
    except InvalidParams:
        return _mail_date(text, zone) or _named_day(text, zone)


def _day(year: str, month: str, day: str, zone: tzinfo) -> datetime:
    return parse_instant(f"{year}-{month:0>2}-{day:0>2}", zone)


def _year_last(found: re.Match[str], zone: tzinfo, order: DateOrder | None) -> datetime:
    """Parse a date with the year last; with dots the day is always first."""
    first, second = int(found["a"]), int(found["b"])
    readings: dict[DateOrder, tuple[int, int]] = {"day_first": (second, first)}  # (month, day)
    if found["mark"] != ".":
        readings["month_first"] = (first, second)
    readings = {name: (month, day) for name, (month, day) in readings.items() if month in _MONTHS}  # 13/05: one left
    chosen = {readings[order]} if order in readings else set(readings.values())  # 05/05 has two readings and one day
    if len(chosen) != 1:
        raise InvalidParams(_TWO_DATES if chosen else _NO_DATE)
    ((month, day),) = chosen
    time = _iso_time(found.groupdict().get("time") or "")
    return parse_instant(f"{found['y']}-{month:02}-{day:02}{time}", zone, naive_is_local=True)


def _iso_time(time: str) -> str:
    """Pad a time of day: ` 9:05` to `T09:05:00`."""
    found = _TIME.match(time)
    if found is None:
        return time
    hour, minute, second = found.groups()
    rest = time[found.end() :].strip()
    return f"T{hour:0>2}:{minute}:{second or '00'}{'+00:00' if rest.lower() == 'z' else rest}"  # "10:00 Z"


def _mail_date(text: str, zone: tzinfo) -> datetime | None:
    """Parse a mail date: `Thu, 09 May 2024 10:00:00 +0200`."""
    try:
        moment = parsedate_to_datetime(text) if ":" in text else None  # a mere day is read elsewhere
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment and to_utc(moment if moment.tzinfo else moment.replace(tzinfo=zone))


def _named_day(text: str, zone: tzinfo) -> datetime:
    """Parse a day in words or figures: `May 6, 2024`, `6. Mai 2024`."""
    days = {(each.year, each.month, each.day) for each in stated_dates(text)}
    whole = [date(year, month, day) for year, month, day in days if year and month and day]
    if len(whole) != len(days) or len(whole) != 1:
        raise InvalidParams(_TWO_DATES if len(whole) > 1 else _NO_DATE)
    return start_of_day(whole[0], zone)

"""Read dates in notes, names and paths.

Law: only unambiguous dates are read; `05/06/2024` is rejected unless an order is set. File modification times are not
dates of content (ruling I2).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from email.utils import parsedate_to_datetime
from typing import Final, cast

from voice.core.errors import InvalidParams
from voice.core.messages import files as messages
from voice.core.text.dates import DateOrder, month_named, stated_dates, week_named
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
# "2025-40 Berlin". Alone it tells no week, because "2025-10" may be a month and "2024-25" a season.
_NUMBERED: Final = re.compile(r"(\d{4})-(\d{2})(?![^\W_]|[-_.]\d)")
_LAST_WEEK: Final = 53
_TIME: Final = re.compile(r"[T ]\s{0,3}(\d{1,2})[:.](\d\d)(?:[:.](\d\d))?")  # " 9:05", "T9.05.30"
# "2:02 PM", "10 a.m.".
_HALF_DAY: Final = re.compile(r"(?<![\d:.])(1[0-2]|0?[1-9])((?:[:.]\d\d){0,2})\s?([AaPp])\.?\s?[Mm]\b\.?")
_SECONDS: Final = re.compile(r"-?\d{9,10}(?:\.\d{1,9})?")  # not 8 digits, which are a day: 20240506
_MILLISECONDS: Final = re.compile(r"\d{12,13}")
_MONTHS: Final = range(1, 13)


def folders_of_weeks(paths: Iterable[str]) -> frozenset[str]:
    """Return the folders where `2025-10` is a week: beside names that are no month and no season (`2024-25`)."""
    beyond: dict[str, list[int]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        found = _NUMBERED.match(name)
        if found and int(found[2]) not in {*_MONTHS, (int(found[1]) + 1) % 100}:
            beyond.setdefault(folder, []).append(int(found[2]))
    return frozenset(folder for folder, numbers in beyond.items() if len(numbers) > 1 and max(numbers) <= _LAST_WEEK)


@dataclass(frozen=True, slots=True, kw_only=True)
class DateReading:
    """How dates in a person's files are read."""

    zone: tzinfo = UTC
    """For times without offset."""
    order: DateOrder | None = None
    """Reading of 05/06/2024; None: ambiguous, hence rejected."""
    weeks: frozenset[str] = frozenset()
    """The folders in which `2025-10` is a week (`folders_of_weeks`)."""

    def instant(self, value: object) -> datetime | None:
        """Return the instant in UTC of a text, a date, seconds or milliseconds since 1970, or a list with one of these.

        None if empty. Raises InvalidParams: not a date, or ambiguous.
        """
        # YAML reads a link, [[2024-05-06]], as a list in a list.
        while isinstance(value, list) and len(cast("list[object]", value)) == 1:
            value = cast("list[object]", value)[0]
        match value:
            case None:
                return None
            case datetime():
                return to_utc(value if value.tzinfo else value.replace(tzinfo=self.zone))
            case date():
                return start_of_day(value, self.zone)
            case bool() | list() | dict():
                raise InvalidParams(messages.NOT_A_DATE)
            case _:
                text = str(value).strip().strip("[]\"'").strip()  # links and quotation marks around it
        if len(text) > _MOST_CHARS:
            raise InvalidParams(messages.NOT_A_DATE)
        return self._of_text(text) if text else None

    def day_of_path(self, path: str) -> datetime | None:
        """Return the start of the day, or of the week, that a file or its folders are named after; None if none."""
        try:
            return self._of_file(path)
        except InvalidParams:
            return None

    def is_unclear(self, path: str) -> bool:
        """Return whether a file is named after a day whose month and day may be swapped."""
        try:
            self._of_file(path)
        except InvalidParams as fault:
            return fault.message == messages.DATE_AMBIGUOUS
        return False

    def _of_file(self, path: str) -> datetime | None:
        bare = path.rpartition(".")[0] or path  # without the file's ending
        folder, _, stem = bare.rpartition("/")
        return self._of_name(stem) or self._of_path(bare) or self._of_week(folder, stem)

    def _of_text(self, said: str) -> datetime:
        text = _HALF_DAY.sub(_in_24_hours, said)
        if _SECONDS.fullmatch(text) or _MILLISECONDS.fullmatch(text):
            seconds = float(text) / (1000 if _MILLISECONDS.fullmatch(text) else 1)
            return to_utc(datetime.fromtimestamp(seconds, UTC))
        if found := _YEAR_FIRST.fullmatch(text):
            return self._moment(*found.groups())
        if found := _LAST_IN_VALUE.fullmatch(text):
            return self._year_last(found)
        try:
            return parse_instant(text, self.zone, naive_is_local=True)
        except InvalidParams:
            return self._mail_date(text) or self._named_day(text)

    def _of_name(self, stem: str) -> datetime | None:
        if found := _IN_NAME.search(stem):
            return self._moment(found["y"], found["m"], found["d"])
        if found := _LAST_IN_NAME.search(stem):
            return self._year_last(found)
        # The whole name must be the day: not "Notes of May 6".
        whole = [each for each in stated_dates(stem[:_MOST_CHARS]) if each.text == stem and each.day]
        return self._named_day(stem) if whole else None

    def _of_path(self, path: str) -> datetime | None:
        found = _IN_PATH.search(path)
        month = found and (found["m"] or month_named(found["name"]))
        return self._moment(found["y"], month, found["d"]) if found and month else None

    def _of_week(self, folder: str, stem: str) -> datetime | None:
        monday = week_named(stem) if folder in self.weeks or not _NUMBERED.match(stem) else None
        return monday and start_of_day(monday, self.zone)

    def _moment(self, year: str, month: str | int, day: str | int, time: str | None = None) -> datetime:
        return parse_instant(f"{year}-{month:0>2}-{day:0>2}{_iso_time(time or '')}", self.zone, naive_is_local=True)

    def _year_last(self, found: re.Match[str]) -> datetime:
        """Parse a date with the year last; with dots the day is always first."""
        first, second = int(found["a"]), int(found["b"])
        readings: dict[DateOrder, tuple[int, int]] = {"day_first": (second, first)}  # (month, day)
        if found["mark"] != ".":
            readings["month_first"] = (first, second)
        # 13/05 has one reading left, 05/05 has two of one day.
        readings = {name: (month, day) for name, (month, day) in readings.items() if month in _MONTHS}
        chosen = {readings[self.order]} if self.order in readings else set(readings.values())
        if len(chosen) != 1:
            raise InvalidParams(messages.DATE_AMBIGUOUS if chosen else messages.NOT_A_DATE)
        return self._moment(found["y"], *chosen.pop(), found.groupdict().get("time"))

    def _mail_date(self, text: str) -> datetime | None:
        """Parse a mail date: `Thu, 09 May 2024 10:00:00 +0200`."""
        try:
            moment = parsedate_to_datetime(text) if ":" in text else None  # a mere day is read elsewhere
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        return moment and to_utc(moment if moment.tzinfo else moment.replace(tzinfo=self.zone))

    def _named_day(self, text: str) -> datetime:
        """Parse a day in words or figures: `May 6, 2024`, `6. Mai 2024`."""
        days = {(each.year, each.month, each.day) for each in stated_dates(text)}
        whole = [date(year, month, day) for year, month, day in days if year and month and day]
        if len(whole) != len(days) or len(whole) != 1:
            raise InvalidParams(messages.DATE_AMBIGUOUS if len(whole) > 1 else messages.NOT_A_DATE)
        return start_of_day(whole[0], self.zone)


def _in_24_hours(clock: re.Match[str]) -> str:
    return f"{int(clock[1]) % 12 + 12 * (clock[3] in 'pP'):02}{clock[2] or ':00'}"


def _iso_time(time: str) -> str:
    """Pad a time of day: ` 9:05` to `T09:05:00`."""
    found = _TIME.match(time)
    if found is None:
        return time
    hour, minute, second = found.groups()
    rest = time[found.end() :].strip()
    return f"T{hour:0>2}:{minute}:{second or '00'}{'+00:00' if rest.lower() == 'z' else rest}"  # "10:00 Z"

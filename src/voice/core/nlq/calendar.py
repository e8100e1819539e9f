"""A person's calendar at one moment, and the protocol of time expressions on it.

Law: days, weeks, months and years are local calendar units; arithmetic is on dates, and only its result becomes an
instant. A wall time that does not exist takes the first instant after the gap; one that exists twice takes its first.
Hours and minutes are lengths of time, not of the clock. Windows are half-open and never empty.

What every time expression is. An expression is a value; `bounds` gives its half-open window on a calendar, or raises
ValueError or OverflowError when there is no such time. Expressions know no word of any language: the tables of phrases
build them.

    points      Day, Ago, Weekday, WeekdayOf, OnDate, MonthDate, DayOfMonth, DayIn, At, HourFrom, Now
    stretches   CurrentUnit, Rolling, Month, PartOf, Edge, SoFar, NthSlice, Year, Fraction, Season, Weekend, DayPart
    relations   Since, After, Before, Until, Between, Both, Beside

Source: ruling E; spec nlq 3; ruling E and its table.
"""

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from typing import Literal, Protocol, runtime_checkable
from zoneinfo import ZoneInfo

from voice.core.errors import ConfigurationError
from voice.core.messages import asking as messages
from voice.core.nlq.parsed_query import Hemisphere, WeekStart
from voice.core.retrieval.values import Window
from voice.core.text.instants import is_time_zone

MIDNIGHT = time()
_FIRST_WEEKDAY: dict[WeekStart, int] = {"monday": 0, "saturday": 5, "sunday": 6}


class Unit(Enum):
    """Lengths that time phrases speak of."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    FORTNIGHT = "fortnight"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"


MONTHS_IN = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12, Unit.DECADE: 120}
DAYS_IN = {Unit.DAY: 1, Unit.WEEK: 7, Unit.FORTNIGHT: 14}
LENGTH_OF = {Unit.MINUTE: timedelta(minutes=1), Unit.HOUR: timedelta(hours=1)}


def zone(name: str) -> ZoneInfo:
    """Return the time zone called `name`.

    Raises:
        ConfigurationError: there is no such zone (ruling E.6).
    """
    if not is_time_zone(name):
        raise ConfigurationError(messages.TIME_ZONE_UNKNOWN)
    return ZoneInfo(name)


def shift_months(day: date, months: int) -> date:
    """Return `day` moved by `months`, clamped to the month's last day (ruling E).

    Raises:
        ValueError: the result lies outside the calendar.
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not date.min.year <= year <= date.max.year:
        raise ValueError("outside the calendar")
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def shift(day: date, count: int, unit: Unit) -> date:
    """Return `day` moved by `count` units of a day or longer."""
    if unit in MONTHS_IN:
        return shift_months(day, count * MONTHS_IN[unit])
    return day + timedelta(days=count * DAYS_IN[unit])


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """Where and when a question is asked."""

    now: datetime
    """Aware UTC."""
    zone: ZoneInfo
    week_start: WeekStart = "monday"
    hemisphere: Hemisphere = "north"

    @property
    def today(self) -> date:
        """The local date."""
        return self.now.astimezone(self.zone).date()

    def seen_from(self, moment: datetime) -> "Calendar":
        """Return this calendar at another moment."""
        return replace(self, now=moment)

    def instant(self, day: date, clock: time = MIDNIGHT) -> datetime:
        """Return the first instant at or after the wall time `clock` of `day`, in UTC."""
        wall = datetime.combine(day, clock)
        found = wall.replace(tzinfo=self.zone).astimezone(UTC)
        if found.astimezone(self.zone).replace(tzinfo=None) == wall:
            return found
        return self._end_of_gap(wall.replace(tzinfo=self.zone, fold=1).astimezone(UTC), found)

    def days(self, first: date, after: date) -> Window:
        """Return the window `[first, after)` of local days."""
        return Window(start=self.instant(first), end=self.instant(after))

    def day(self, day: date) -> Window:
        """Return the window of one local day."""
        return self.days(day, day + timedelta(days=1))

    def unit(self, unit: Unit, offset: int) -> Window:
        """Return the calendar unit `offset` units from the current one."""
        first = shift(self.first_of(unit, self.today), offset, unit)
        return self.days(first, shift(first, 1, unit))

    def first_of(self, unit: Unit, day: date) -> date:
        """Return the first day of the calendar unit that holds `day`."""
        match unit:
            case Unit.WEEK | Unit.FORTNIGHT:
                return day - timedelta(days=(day.weekday() - _FIRST_WEEKDAY[self.week_start]) % 7)
            case Unit.MONTH:
                return day.replace(day=1)
            case Unit.QUARTER:
                return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
            case Unit.YEAR:
                return day.replace(month=1, day=1)
            case Unit.DECADE:
                return date(max(day.year // 10 * 10, 1), 1, 1)
            case _:
                return day

    def _end_of_gap(self, before: datetime, after: datetime) -> datetime:
        """Return the instant in `(before, after]` at which the offset changes."""
        offset = after.astimezone(self.zone).utcoffset()
        low, high = int(before.timestamp()), int(after.timestamp())
        while high - low > 1:
            middle = (low + high) // 2
            at = datetime.fromtimestamp(middle, self.zone)
            low, high = (low, middle) if at.utcoffset() == offset else (middle, high)
        return datetime.fromtimestamp(high, UTC)


Which = Literal["last", "this", "next", "bare"]

ONE_DAY = timedelta(days=1)


class Expression(Protocol):
    """A time that was spoken of."""

    def bounds(self, calendar: Calendar) -> Window:
        """Return its window on `calendar`; a window whose ends meet is an instant.

        Raises:
            ValueError: there is no such time, e.g. 30 February.
            OverflowError: it lies outside the calendar.
        """
        ...


@runtime_checkable
class Widening(Protocol):
    """An expression that names one day of something vaguer."""

    def widened(self, calendar: Calendar) -> tuple[Window, ...]:
        """Return the wider windows to try in turn when the day is empty, each holding the one before it."""
        ...


def start_of(window: Window) -> datetime:
    """Return the start of a window that is closed on that side."""
    assert window.start is not None
    return window.start


def end_of(window: Window) -> datetime:
    """Return the end of a window that is closed on that side."""
    assert window.end is not None
    return window.end


@dataclass(frozen=True, slots=True)
class YearRef:
    """A year by number, or by its distance from the current one."""

    value: int
    relative: bool = False

    def of(self, calendar: Calendar) -> int:
        """Return the year's number."""
        return calendar.today.year + self.value if self.relative else self.value


def days_of(what: Expression, calendar: Calendar) -> tuple[date, date]:
    """Return the first local day of `what` and the day after its last."""
    window = what.bounds(calendar)
    first, after = (moment.astimezone(calendar.zone).date() for moment in (start_of(window), end_of(window)))
    return first, max(after, first + ONE_DAY)

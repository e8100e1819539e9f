"""A person's calendar at one moment, and the protocol of time expressions.

Law: units are local calendar units; arithmetic is on dates. A wall time in a gap is the first instant after it, an
ambiguous one the first. Hours and minutes are durations. Windows are half-open, never empty. Expressions are values
without words; phrase tables build them.
Source: ruling E and its table; spec nlq 3.
"""

from calendar import monthrange
from collections.abc import Iterator
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
_FIRST_WEEKDAY: dict[WeekStart, int] = {"monday": 0, "saturday": 5, "sunday": 6}  # as `date.weekday` counts


class Unit(Enum):
    """Units of time phrases."""

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
    """Return the time zone called `name`. Raises ConfigurationError: unknown zone (ruling E.6)."""
    if not is_time_zone(name):
        raise ConfigurationError(messages.TIME_ZONE_UNKNOWN)
    return ZoneInfo(name)


def shift_months(day: date, months: int) -> date:
    """Move `day` by `months`, clamped to the month's last day (ruling E). Raises ValueError: outside the calendar."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)  # months since January of year 0
    if not date.min.year <= year <= date.max.year:
        raise ValueError("outside the calendar")
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def shift(day: date, count: int, unit: Unit) -> date:
    """Move `day`, by hours or minutes from its beginning to the day they lead to."""
    if unit in MONTHS_IN:
        return shift_months(day, count * MONTHS_IN[unit])
    return day + count * (LENGTH_OF.get(unit) or timedelta(days=DAYS_IN[unit]))


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
        """Return the first instant at or after a local wall time, in UTC."""
        wall = datetime.combine(day, clock)
        found = wall.replace(tzinfo=self.zone).astimezone(UTC)
        if found.astimezone(self.zone).replace(tzinfo=None) == wall:  # else the clocks skip it
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
        """Return the first day of the unit that contains `day`."""
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
                return date(max(day.year // 10 * 10, 1), 1, 1)  # there is no year 0
            case _:
                return day

    def _end_of_gap(self, before: datetime, after: datetime) -> datetime:
        """Bisect `(before, after]` for the instant at which the UTC offset changes."""
        offset = after.astimezone(self.zone).utcoffset()
        low, high = int(before.timestamp()), int(after.timestamp())  # offsets change at whole seconds
        while high - low > 1:
            middle = (low + high) // 2
            at = datetime.fromtimestamp(middle, self.zone)
            low, high = (low, middle) if at.utcoffset() == offset else (middle, high)
        return datetime.fromtimestamp(high, UTC)


Which = Literal["last", "this", "next", "bare"]
ONE_DAY = timedelta(days=1)


class Expression(Protocol):
    """A time expression."""

    def bounds(self, calendar: Calendar) -> Window:
        """Return its window on `calendar`; equal ends are an instant.

        Raises ValueError: no such time, e.g. 30 February; OverflowError: outside the calendar.
        """
        ...


@runtime_checkable
class Widening(Protocol):
    """An expression that names one day but means it vaguely."""

    def widened(self, calendar: Calendar) -> tuple[Window, ...]:
        """Return wider windows to try in turn if the day is empty, each containing the previous."""
        ...


_YEARS_BACK = 9  # years in which a name without a year is looked for


def in_earlier_years(expression: Expression, calendar: Calendar) -> Iterator[Window]:
    """Yield the windows that an expression without a year had in the years before, the latest first."""
    for back in range(1, _YEARS_BACK + 1):
        then = calendar.instant(shift(calendar.today, -back, Unit.YEAR))  # the expression is read as if asked then
        try:
            yield expression.bounds(calendar.seen_from(then))
        except (ValueError, OverflowError):  # 29 February
            continue


def start_of(window: Window) -> datetime:
    """Return the start of a window with a start."""
    assert window.start is not None
    return window.start


def end_of(window: Window) -> datetime:
    """Return the end of a window with an end."""
    assert window.end is not None
    return window.end


@dataclass(frozen=True, slots=True)
class YearRef:
    """A year by number, or relative to the current one."""

    value: int
    relative: bool = False

    def of(self, calendar: Calendar) -> int:
        """Return the year's number."""
        return calendar.today.year + self.value if self.relative else self.value


def days_of(what: Expression, calendar: Calendar) -> tuple[date, date]:
    """Return the first local day of `what` and the day after its last."""
    window = what.bounds(calendar)
    first, after = (moment.astimezone(calendar.zone).date() for moment in (start_of(window), end_of(window)))
    return first, max(after, first + ONE_DAY)  # an instant or a part of a day is its whole day

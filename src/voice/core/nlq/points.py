"""Time expressions for single days and instants.

Law: days are counted on the calendar, not in hours. Without a year the latest past date is meant; a bare weekday is the
latest strictly before today.
Source: ruling E and its table.
"""

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, time, timedelta

from voice.core.nlq.calendar import (
    LENGTH_OF,
    ONE_DAY,
    Calendar,
    Expression,
    Unit,
    Which,
    YearRef,
    days_of,
    end_of,
    shift,
    start_of,
)
from voice.core.retrieval.values import Window


@dataclass(frozen=True, slots=True)
class Now:
    """This instant."""

    def bounds(self, calendar: Calendar) -> Window:
        return Window(start=calendar.now, end=calendar.now)


@dataclass(frozen=True, slots=True)
class Day:
    """Today, or an offset in days."""

    offset: int

    def bounds(self, calendar: Calendar) -> Window:
        return calendar.day(calendar.today + timedelta(days=self.offset))


# Widening steps, in days to each side, by unit.
_SLACK = {Unit.DAY: (1,), Unit.WEEK: (1, 3), Unit.FORTNIGHT: (1, 4), Unit.MONTH: (3, 15), Unit.QUARTER: (7, 45)}


@dataclass(frozen=True, slots=True)
class Ago:
    """N units ago: that day; for hours and minutes that clock hour."""

    count: int
    unit: Unit

    def bounds(self, calendar: Calendar) -> Window:
        if self.unit in LENGTH_OF:
            then = (calendar.now - self.count * LENGTH_OF[self.unit]).astimezone(calendar.zone)
            hour = then.replace(minute=0, second=0, microsecond=0).astimezone(UTC)
            return Window(start=hour, end=hour + timedelta(hours=1))
        return calendar.day(shift(calendar.today, -self.count, self.unit))

    def widened(self, calendar: Calendar) -> tuple[Window, ...]:
        """See `Widening`: one or two steps, up to half a unit to each side."""
        if self.unit in LENGTH_OF:
            window = self.bounds(calendar)
            return (Window(start=start_of(window) - timedelta(hours=2), end=end_of(window) + timedelta(hours=2)),)
        day = shift(calendar.today, -self.count, self.unit)
        steps = [timedelta(days=days) for days in _SLACK.get(self.unit, (30, 182))]  # else years and decades
        return tuple(calendar.days(day - step, day + step + ONE_DAY) for step in steps)


@dataclass(frozen=True, slots=True)
class Weekday:
    """A weekday, Monday 0; `weeks` further back ("Friday before last")."""

    weekday: int
    which: Which = "bare"
    weeks: int = 0

    def bounds(self, calendar: Calendar) -> Window:
        """See `Expression`: bare and last are the latest strictly before today."""
        today = calendar.today
        if self.which in {"this", "next"}:
            first = calendar.first_of(Unit.WEEK, today) + timedelta(days=7 * (self.which == "next"))
            return calendar.day(first + timedelta(days=(self.weekday - first.weekday()) % 7))
        back = (today.weekday() - self.weekday - 1) % 7 + 1  # 1 to 7: asked on a Friday, "Friday" is a week ago
        return calendar.day(today - timedelta(days=back + 7 * self.weeks))


@dataclass(frozen=True, slots=True)
class WeekdayOf:
    """A weekday of a given week: "Tuesday of last week"."""

    weekday: int
    week: Expression

    def bounds(self, calendar: Calendar) -> Window:
        first = start_of(self.week.bounds(calendar)).astimezone(calendar.zone).date()
        return calendar.day(first + timedelta(days=(self.weekday - first.weekday()) % 7))


@dataclass(frozen=True, slots=True)
class OnDate:
    """A date with its year."""

    day: date

    def bounds(self, calendar: Calendar) -> Window:
        return calendar.day(self.day)


@dataclass(frozen=True, slots=True)
class MonthDate:
    """A day of a month; without a year the latest past one."""

    month: int
    day: int
    year: YearRef | None = None

    def bounds(self, calendar: Calendar) -> Window:
        if self.year is not None:
            return calendar.day(date(self.year.of(calendar), self.month, self.day))
        today = calendar.today
        for year in range(today.year, max(today.year - 9, 0), -1):  # 29 February: 8 years apart around 1900 and 2100
            if self.day <= monthrange(year, self.month)[1] and date(year, self.month, self.day) <= today:
                return calendar.day(date(year, self.month, self.day))
        raise ValueError("no such date")


@dataclass(frozen=True, slots=True)
class DayOfMonth:
    """A day number alone: the latest past one."""

    day: int

    def bounds(self, calendar: Calendar) -> Window:
        months = (shift(calendar.today.replace(day=1), -back, Unit.MONTH) for back in range(12))
        days = (m.replace(day=self.day) for m in months if self.day <= monthrange(m.year, m.month)[1])
        return calendar.day(next(day for day in days if day <= calendar.today))  # of 12 months each day number has one


@dataclass(frozen=True, slots=True)
class DayInMonth:
    """A day number in a given month: "the 5th of last month"; -1 is the last day."""

    day: int
    month: Expression

    def bounds(self, calendar: Calendar) -> Window:
        first, after = days_of(self.month, calendar)
        day = after - ONE_DAY if self.day < 0 else first + timedelta(days=self.day - 1)
        if not first <= day < after:
            raise ValueError("no such day")
        return calendar.day(day)


@dataclass(frozen=True, slots=True)
class NthWeekday:
    """The n-th weekday of a month, -1 the last: "the first Monday of March"."""

    nth: int
    weekday: int
    month: Expression

    def bounds(self, calendar: Calendar) -> Window:
        first, after = days_of(self.month, calendar)
        earliest = first + timedelta(days=(self.weekday - first.weekday()) % 7)
        latest = after - timedelta(days=(after.weekday() - self.weekday - 1) % 7 + 1)
        day = latest if self.nth < 0 else earliest + timedelta(days=7 * (self.nth - 1))
        if day >= after:  # no fifth Monday
            raise ValueError("no such day")
        return calendar.day(day)


@dataclass(frozen=True, slots=True)
class At:
    """A wall time on a day; an instant."""

    clock: time
    day: Expression = Day(0)

    def bounds(self, calendar: Calendar) -> Window:
        day = start_of(self.day.bounds(calendar)).astimezone(calendar.zone).date()
        moment = calendar.instant(day, self.clock)
        return Window(start=moment, end=moment)


@dataclass(frozen=True, slots=True)
class HourFrom:
    """The hour from an instant: "at 3pm" alone."""

    moment: Expression

    def bounds(self, calendar: Calendar) -> Window:
        start = start_of(self.moment.bounds(calendar))
        return Window(start=start, end=start + timedelta(hours=1))

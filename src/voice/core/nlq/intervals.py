"""Time expressions for intervals: units and parts, seasons, weekends, parts of a day.

Law: an interval is whole local days or hours of one day. Without a year it is the latest that has begun; "last" is the
latest that is over.
Source: ruling E and its table.
"""

from dataclasses import dataclass, field
from datetime import date, time, timedelta
from typing import Literal

from voice.core.nlq.calendar import (
    LENGTH_OF,
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
from voice.core.nlq.points import Day, DayInMonth, MonthDate, NthWeekday
from voice.core.retrieval.values import Window

Part = Literal["morning", "afternoon", "evening", "night", "noon"]
SeasonName = Literal["spring", "summer", "autumn", "winter"]
Third = Literal["early", "mid", "late"]
Side = Literal["start", "end"]

_PART_HOURS: dict[Part, tuple[int, int]] = {
    "morning": (5, 12),
    "afternoon": (12, 17),
    "evening": (17, 22),
    "night": (22, 29),  # until 5 in the morning
    "noon": (11, 13),
}
_FIRST_MONTH: dict[SeasonName, int] = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


@dataclass(frozen=True, slots=True)
class CurrentUnit:
    """This (0), last (-1) or next (1) calendar unit."""

    offset: int
    unit: Unit

    def bounds(self, calendar: Calendar) -> Window:
        return calendar.unit(self.unit, self.offset)


@dataclass(frozen=True, slots=True)
class Rolling:
    """The last N units until now; from days on they start at midnight."""

    count: int
    unit: Unit

    def bounds(self, calendar: Calendar) -> Window:
        if self.unit in LENGTH_OF:  # a duration: not rounded to days
            return Window(start=calendar.now - self.count * LENGTH_OF[self.unit], end=calendar.now)
        return Window(start=calendar.instant(shift(calendar.today, -self.count, self.unit)), end=calendar.now)


@dataclass(frozen=True, slots=True)
class ReadOn:
    """An expression as it is read on a day: "the week of March 3"."""

    what: Expression
    day: Expression

    def bounds(self, calendar: Calendar) -> Window:
        return self.what.bounds(calendar.seen_from(start_of(self.day.bounds(calendar))))


@dataclass(frozen=True, slots=True)
class Month:
    """A month; `bare` is the latest that has begun, `last` the latest that is over."""

    month: int
    year: YearRef | None = None
    which: Which = "bare"

    def bounds(self, calendar: Calendar) -> Window:
        today = calendar.today
        year = self.year.of(calendar) if self.year else today.year
        latest = today.month - 1 if self.which == "last" else today.month  # the current one has begun, and is not over
        if self.year is None and self.which in {"bare", "last"} and self.month > latest:
            year -= 1
        if self.which == "next" and self.month <= today.month:
            year += 1
        first = date(year, self.month, 1)
        return calendar.days(first, shift(first, 1, Unit.MONTH))


@dataclass(frozen=True, slots=True)
class PartOf:
    """The early, mid or late part: days 1-10, 11-20, 21-end of a month, or four months of a year."""

    part: Third
    whole: Expression

    def bounds(self, calendar: Calendar) -> Window:
        first, after = days_of(self.whole, calendar)
        if (after - first).days > 31:  # longer than a month: a year
            cuts = [first, shift(first, 4, Unit.MONTH), shift(first, 8, Unit.MONTH), after]
        else:
            cuts = [first, first + timedelta(days=10), first + timedelta(days=20), after]
        at = ("early", "mid", "late").index(self.part)
        return calendar.days(cuts[at], cuts[at + 1])


@dataclass(frozen=True, slots=True)
class Edge:
    """The instant at which something begins or ends, as in "until the end of March"."""

    edge: Side
    whole: Expression

    def bounds(self, calendar: Calendar) -> Window:
        window = self.whole.bounds(calendar)
        moment = start_of(window) if self.edge == "start" else end_of(window)
        return Window(start=moment, end=moment)


@dataclass(frozen=True, slots=True)
class NthWeek:
    """The n-th seven days of a month, -1 the last: "the first week of March"."""

    nth: int
    month: Expression

    def bounds(self, calendar: Calendar) -> Window:
        first, after = days_of(self.month, calendar)
        length = timedelta(days=7)
        start = after - length if self.nth < 0 else first + length * (self.nth - 1)  # the last counts from the end
        if not first <= start < after:
            raise ValueError("no such part")
        return calendar.days(start, min(start + length, after))  # the fifth week of a month is a short one


@dataclass(frozen=True, slots=True)
class Year:
    """A calendar year."""

    year: YearRef

    def bounds(self, calendar: Calendar) -> Window:
        first = date(self.year.of(calendar), 1, 1)
        return calendar.days(first, shift(first, 1, Unit.YEAR))


@dataclass(frozen=True, slots=True)
class Fraction:
    """The n-th of `parts` equal parts of a year: quarters (4), halves (2); -1 is the last."""

    nth: int
    year: YearRef | None = None
    parts: int = field(kw_only=True)

    def bounds(self, calendar: Calendar) -> Window:
        """See `Expression`: without a year the latest that has begun."""
        months = 12 // self.parts
        nth = self.nth if self.nth > 0 else self.parts
        if not 1 <= nth <= self.parts:
            raise ValueError("no such part of a year")
        year = self.year.of(calendar) if self.year else calendar.today.year
        first = date(year, months * (nth - 1) + 1, 1)
        if self.year is None and first > calendar.today:
            first = shift(first, -1, Unit.YEAR)
        return calendar.days(first, shift(first, months, Unit.MONTH))


@dataclass(frozen=True, slots=True)
class HalfMonth:
    """The first (days 1-15) or second half of a month."""

    nth: int
    month: Expression

    def bounds(self, calendar: Calendar) -> Window:
        first, after = days_of(self.month, calendar)
        middle = first + timedelta(days=15)
        return calendar.days(first, middle) if self.nth == 1 else calendar.days(middle, after)


@dataclass(frozen=True, slots=True)
class Season:
    """A meteorological season of the calendar's hemisphere; `last` is the latest completed one."""

    name: SeasonName
    year: YearRef | None = None
    which: Which = "bare"
    back: int = 0
    """Additional years back: "the summer before last"."""

    def bounds(self, calendar: Calendar) -> Window:
        # In the south each season begins six months later: summer in December.
        month = _FIRST_MONTH[self.name] if calendar.hemisphere == "north" else (_FIRST_MONTH[self.name] + 5) % 12 + 1
        year = self.year.of(calendar) if self.year else calendar.today.year
        first = date(year, month, 1)
        if self.year is None:
            first = shift(self._occurrence(first, calendar.today), -self.back, Unit.YEAR)
        return calendar.days(first, shift(first, 3, Unit.MONTH))

    def _occurrence(self, first: date, today: date) -> date:
        """Return the first day of the season that is meant, given its first day this year."""
        if self.which == "next":
            return first if first > today else shift(first, 1, Unit.YEAR)
        if self.which == "this":
            running = shift(first, -9, Unit.MONTH) > today  # a winter that began last December: in January it runs
            return shift(first, -1, Unit.YEAR) if running else first
        reached = shift(first, 3, Unit.MONTH) if self.which == "last" else first  # over, or begun
        while reached > today:
            first, reached = shift(first, -1, Unit.YEAR), shift(reached, -1, Unit.YEAR)
        return first


@dataclass(frozen=True, slots=True)
class Weekend:
    """Saturday and Sunday; `last` is the latest completed, `weeks` further back."""

    which: Which = "last"
    weeks: int = 0

    def bounds(self, calendar: Calendar) -> Window:
        today = calendar.today
        if self.which in {"this", "next"}:
            saturday = today + timedelta(days=5 - today.weekday() + 7 * (self.which == "next"))  # on Sunday: yesterday
        else:
            saturday = today - timedelta(days=today.weekday() + 2 + 7 * self.weeks)  # of the week before
        return calendar.days(saturday, saturday + timedelta(days=2))


@dataclass(frozen=True, slots=True)
class WeekendIn:
    """The n-th weekend of a month, by its Saturday; -1 is the last."""

    nth: int
    month: Expression

    def bounds(self, calendar: Calendar) -> Window:
        saturday, _ = days_of(NthWeekday(self.nth, 5, self.month), calendar)
        return calendar.days(saturday, saturday + timedelta(days=2))


_HOURS_FROM: dict[Part, int] = {"morning": 0, "afternoon": 12, "evening": 13, "night": 18, "noon": 11}


@dataclass(frozen=True, slots=True)
class HourOf:
    """An hour within a part of a day, without am or pm: "9 this morning"; an instant."""

    hour: int
    part: "DayPart"

    def bounds(self, calendar: Calendar) -> Window:
        """See `Expression`: the first such hour of that part of the clock; from 13 on the hour is what it says."""
        first = _HOURS_FROM[self.part.part]
        hour = self.hour if self.hour > 12 else first + (self.hour - first) % 12
        day = self.part.day_in(calendar) + timedelta(days=hour // 24)  # "2 last night" is after midnight
        moment = calendar.instant(day, time(hour % 24))
        return Window(start=moment, end=moment)


@dataclass(frozen=True, slots=True)
class SevenDays:
    """Seven days from a given one, such as an ISO week, independent of `week_start`."""

    first: date

    def bounds(self, calendar: Calendar) -> Window:
        return calendar.days(self.first, self.first + timedelta(days=7))


@dataclass(frozen=True, slots=True)
class WeekNumber:
    """An ISO week; without a year the latest that has begun."""

    number: int
    year: YearRef | None = None

    def bounds(self, calendar: Calendar) -> Window:
        if self.year is not None:
            return SevenDays(date.fromisocalendar(self.year.of(calendar), self.number, 1)).bounds(calendar)
        latest = calendar.today.isocalendar().year
        # Not every year has a week 53; two that have are seven years apart at most.
        for year in range(latest, latest - 9, -1):
            if self.number <= date(year, 12, 28).isocalendar().week:  # 28 December is always in the last week
                first = date.fromisocalendar(year, self.number, 1)
                if first <= calendar.today:
                    return SevenDays(first).bounds(calendar)
        raise ValueError("no such week")


@dataclass(frozen=True, slots=True)
class DayPart:
    """A part of a day; a night ends the next morning."""

    part: Part
    day: Expression = Day(0)

    def bounds(self, calendar: Calendar) -> Window:
        day = self.day_in(calendar)
        first, after = _PART_HOURS[self.part]
        end_day = day + timedelta(days=after // 24)
        return Window(start=calendar.instant(day, time(first)), end=calendar.instant(end_day, time(after % 24)))

    def day_in(self, calendar: Calendar) -> date:
        """Return the local day on which it begins."""
        return start_of(self.day.bounds(calendar)).astimezone(calendar.zone).date()


def names_no_year(expression: Expression) -> bool:
    """Return whether an expression is called by its name alone, which every year has: "in March", "on 5 May"."""
    match expression:
        case Month(year=None, which="bare") | MonthDate(year=None):
            return True
        case Season(year=None, which="bare", back=0):
            return True
        case PartOf(whole=inner) | HalfMonth(month=inner) | DayInMonth(month=inner) | NthWeekday(month=inner):
            return names_no_year(inner)
        case _:
            return False

"""Builders of time expressions that the phrase tables name, of days first and then of times of a day.

Source: ruling E and its table.
"""

from collections.abc import Callable
from datetime import date, time
from functools import partial
from operator import add, mul
from typing import TypeVar

from voice.core.nlq.calendar import LENGTH_OF, Expression, Unit, YearRef
from voice.core.nlq.intervals import (
    CurrentUnit,
    DayPart,
    Edge,
    Fraction,
    HourOf,
    Month,
    NthWeek,
    Part,
    PartOf,
    ReadOn,
    Rolling,
    Season,
    SeasonName,
    Weekend,
    Year,
)
from voice.core.nlq.points import Ago, At, Day, DayInMonth, DayOfMonth, HourFrom, MonthDate, Weekday, WeekdayOf
from voice.core.nlq.relative_times import After, Before, Between, Both, OffsetFrom, Since

_First = TypeVar("_First")
_Second = TypeVar("_Second")
_Inner = TypeVar("_Inner")
_Built = TypeVar("_Built")


def same(value: _Inner) -> _Inner:
    """Return the captured value."""
    return value


def swapped(build: Callable[[_Second, _First], _Built]) -> Callable[[_First, _Second], _Built]:
    """Return a builder whose two captures come in the other order."""
    return lambda first, second: build(second, first)


def last_first(build: Callable[[_First, _Second, _Inner], _Built]) -> Callable[[_Inner, _First, _Second], _Built]:
    """Return a builder of three captures whose last comes first."""
    return lambda last, first, second: build(first, second, last)


def composed(outer: Callable[[_Inner], _Built], inner: Callable[..., _Inner]) -> Callable[..., _Built]:
    """Return a builder of `outer` around what `inner` makes of all captures."""
    return lambda *captures: outer(inner(*captures))


def of_both(outer: Callable[[_Inner, _Inner], _Built], inner: Callable[[int], _Inner]) -> Callable[[int, int], _Built]:
    """Return a builder of `outer` around what `inner` makes of each of two captures."""
    return lambda first, second: outer(inner(first), inner(second))


def with_last(outer: Callable[..., _Built], inner: Callable[[_First], object]) -> Callable[..., _Built]:
    """Return a builder of `outer` that gets what `inner` makes of the last capture."""
    return lambda *captures: outer(*captures[:-1], inner(captures[-1]))


def starred(build: Callable[[_First, _Second], _Built]) -> Callable[[tuple[_First, _Second]], _Built]:
    """Return a builder whose two captures come as one pair."""
    return lambda pair: build(*pair)


last_month = partial(Month, which="last")  # "last March": the latest that is over
this_month = partial(Month, which="this")
next_month = partial(Month, which="next")
last_weekday = partial(Weekday, which="last")
this_weekday = partial(Weekday, which="this")
next_weekday = partial(Weekday, which="next")
weekday_before_last = partial(Weekday, which="last", weeks=1)  # "Friday before last"
last_season = partial(Season, which="last")
this_season = partial(Season, which="this")
next_season = partial(Season, which="next")
season_before_last = partial(Season, which="last", back=1)
week_of = partial(ReadOn, CurrentUnit(0, Unit.WEEK))  # "the week of March 3"
weekend_of = partial(ReadOn, Weekend("this"))  # "the weekend of March 3"
last_week_of = partial(NthWeek, -1)  # "the last week of March"
last_day_of = partial(DayInMonth, -1)
day_before = partial(OffsetFrom, -1, Unit.DAY)  # "the day before March 5"
day_after = partial(OffsetFrom, 1, Unit.DAY)
ahead = partial(OffsetFrom, what=Day(0))  # "two weeks from now"
tens_and = add  # "twenty-one"
hundreds = partial(mul, 100)  # "three hundred"
relative_year = partial(YearRef, relative=True)  # -1: "last year"
week_then_weekday = swapped(WeekdayOf)  # "last week on Tuesday"
year_first = swapped(Month)  # "last year in March"


def ago_twice(count: int, unit: Unit, more: int, smaller: Unit) -> OffsetFrom | Ago:
    """Two weeks and three days ago; of hours only the first count."""
    return Ago(count, unit) if smaller in LENGTH_OF else OffsetFrom(-more, smaller, Ago(count, unit))


half_ago = starred(Ago)  # "half a year ago"


def one_and_half_ago(half: tuple[int, Unit]) -> Ago:
    """A year and a half ago."""
    return Ago(3 * half[0], half[1])


def days_before(count: int, unit: Unit, what: Expression) -> Between:
    """The three days before March 5."""
    return Between(OffsetFrom(-count, unit, what), day_before(what))


def days_after(count: int, unit: Unit, what: Expression) -> Between:
    """The three days after March 5."""
    return Between(day_after(what), OffsetFrom(count, unit, what))


weekday_to_weekday = of_both(Between, Weekday)  # "Monday through Wednesday"


def weekday_ago(count: int, unit: Unit, weekday: int) -> WeekdayOf:
    """Three weeks ago on Tuesday."""
    return WeekdayOf(weekday, week_of(Ago(count, unit)))


weekday_then_ago = last_first(weekday_ago)  # "Tuesday three weeks ago"


def weekdays_ago(count: int, weekday: int) -> Weekday:
    """Two Fridays ago."""
    return Weekday(weekday, "last", count - 1)


def second(_: object, what: _Inner) -> _Inner:
    """Tuesday, March 5: the date decides."""
    return what


weekday_number = composed(DayOfMonth, second)  # "Friday the 6th"
months = of_both(Between, Month)  # "January through March"
weekdays = of_both(Both, Weekday)  # "on Monday and Tuesday"


def day_month(day: int, month: int, year: YearRef | None = None) -> MonthDate:
    """5 March 2024."""
    return MonthDate(month, day, year)


def month_days(month: int, first: int, last: int, year: YearRef | None = None) -> Between:
    """March 3-10, 2024."""
    return Between(MonthDate(month, first, year), MonthDate(month, last, year))


def days_month(first: int, last: int, month: int, year: YearRef | None = None) -> Between:
    """3-10 March 2024."""
    return month_days(month, first, last, year)


def year_month(first_day: date) -> Month:
    """2024-03."""
    return Month(first_day.month, YearRef(first_day.year))


last_half = starred(Rolling)  # "the last half hour"


def seasons_ago(count: int, name: SeasonName) -> Season:
    """Two summers ago."""
    return Season(name, which="last", back=count - 1)


def weekends_ago(count: int) -> Weekend:
    """Two weekends ago."""
    return Weekend("last", count - 1)


def slashed(day: date) -> MonthDate:
    """3/5, without its year."""
    return MonthDate(day.month, day.day)


def hundreds_and(count: int, more: int) -> int:
    """Three hundred and twenty."""
    return 100 * count + more


def day_of_tens(tens: int, nth: int, month: int, year: YearRef | None = None) -> MonthDate:
    """The twenty-first of June."""
    return MonthDate(month, tens + nth, year)


quarter_of = partial(Fraction, parts=4)  # "Q1 2024"
half_of = partial(Fraction, parts=2)  # "H1 2024", "the first half of 2023"
year_then_quarter = swapped(quarter_of)  # "2024 Q1"


def decade(first: int) -> Between:
    """The 1990s."""
    return years(first, first + 9)


def beside_before(count: int, unit: Unit, what: Expression) -> OffsetFrom:
    """Two days before March 5."""
    return OffsetFrom(-count, unit, what)


calendar_year = composed(Year, YearRef)  # "the year 2023"
years = of_both(Between, calendar_year)  # "2020-2022"
part_of_year = with_last(PartOf, Year)  # "early 2023"
part_of_month = with_last(PartOf, Month)  # "early March"
more_than = composed(Before, Ago)  # "more than two weeks ago"
less_than = composed(Since, Ago)  # "less than two weeks ago"
since_month = composed(Since, Month)  # "March onwards"
so_far = composed(Since, partial(CurrentUnit, 0))  # "earlier this week"
before_weekday = composed(Before, Weekday)  # "antes del lunes"
after_weekday = composed(After, Weekday)  # "después del lunes"
before_end = composed(Before, partial(Edge, "end"))  # "vor Ende März": any time before it is over
day_then_part = swapped(DayPart)  # "yesterday evening"
day_then_clock = swapped(At)  # "yesterday at 3pm"
part_then_hour = swapped(HourOf)  # "last night at 11"
part_tomorrow = partial(DayPart, day=Day(1))
part_of_day = with_last(DayPart, Day)  # "last night"
part_of_weekday = with_last(DayPart, Weekday)  # "the evening of Friday"
weekday_part = swapped(part_of_weekday)  # "Monday morning"
weekday_and_part = starred(weekday_part)  # "Freitagabend"


def day_then_hour(day: Expression, hour: int) -> At:
    """Yesterday at 15 o'clock."""
    return At(time(hour), day)


hour_at = composed(HourFrom, At)  # "at 3pm", alone: today


def hours_of(first: int, last: int, part: DayPart) -> Between:
    """Between 9 and 11 this morning."""
    return Between(HourOf(first, part), HourOf(last, part))


def hour_of_part(hour: int, part: Part, day: Expression) -> HourOf:
    """9 in the morning on March 5."""
    return HourOf(hour, DayPart(part, day))


day_then_hour_of_part = composed(HourFrom, last_first(hour_of_part))  # "yesterday at 9 in the morning"


def clock_of(clock: time, part: DayPart) -> At:
    """2am last night: the hours after midnight belong to the next day."""
    after_midnight = part.part == "night" and clock.hour < 12
    return At(clock, OffsetFrom(1, Unit.DAY, part.day) if after_midnight else part.day)


part_then_clock = swapped(clock_of)  # "last night at 2am"


since_clock = composed(Since, At)  # "since 9am"


def clocks_then_day(first: time, last: time, day: Expression) -> Between:
    """Between 2pm and 4pm yesterday."""
    return Between(At(first, day), At(last, day))


clocks_then_weekday = with_last(clocks_then_day, Weekday)  # "from 9am to 5pm on Monday"
day_then_clocks = last_first(clocks_then_day)  # "yesterday between 2pm and 4pm"


def hours_then_day(first: int, last: int, day: Expression) -> Between:
    """From 9 to 5 yesterday: an end that is not later on the clock is in the afternoon."""
    end = last if last > first else last + 12
    return clocks_then_day(time(min(first, 23)), time(min(end, 23)), day)


def hours_to_clock(first: int, last: time, day: Expression) -> Between:
    """From 2 to 4 pm yesterday: the first hour is the latest on the clock's face before the second."""
    faces = [hour for hour in (first, first + 12, first % 12) if hour <= 23 and time(hour) < last]
    return clocks_then_day(time(max(faces, default=min(first, 23))), last, day)


day_then_hours = last_first(hours_then_day)  # "gestern zwischen 14 und 16 Uhr"
day_then_hours_to_clock = last_first(hours_to_clock)  # "yesterday from 2 to 4 pm"
hours_to_clock_on_weekday = with_last(hours_to_clock, Weekday)  # "from 2 to 4 pm on Friday"
weekday_then_hours_to_clock = last_first(hours_to_clock_on_weekday)  # "on Friday from 2 to 4 pm"
clock_on_weekday = with_last(At, Weekday)  # "3pm on Monday"
weekday_at_clock = swapped(clock_on_weekday)  # "Monday at 3pm"

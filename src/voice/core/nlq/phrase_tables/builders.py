"""Builders of time expressions that the phrase tables share.

Source: ruling E and its table.
"""

from datetime import date
from typing import Literal

from voice.core.nlq.calendar import Expression, Unit, YearRef
from voice.core.nlq.intervals import (
    CurrentUnit,
    Edge,
    ElapsedPart,
    Fraction,
    HalfMonth,
    Month,
    NthSlice,
    PartOf,
    Rolling,
    Season,
    SeasonName,
    SevenDays,
    UnitContaining,
    Weekend,
    WeekNumber,
    Year,
)
from voice.core.nlq.points import Ago, Day, DayInMonth, DayOfMonth, MonthDate, NthWeekday, OnDate, Weekday, WeekdayOf
from voice.core.nlq.relative_times import After, Before, Between, Both, OffsetFrom, Since


def add(tens: int, ones: int) -> int:
    """Twenty, one: 21."""
    return tens + ones


def ago_twice(count: int, unit: Unit, more: int, smaller: Unit) -> OffsetFrom:
    """Two weeks and three days ago."""
    return OffsetFrom(-more, smaller, Ago(count, unit))


def half_ago(half: tuple[int, Unit]) -> Ago:
    """Half a year ago."""
    return Ago(*half)


def one_and_half_ago(half: tuple[int, Unit]) -> Ago:
    """A year and a half ago."""
    return Ago(3 * half[0], half[1])


def days_before(count: int, unit: Unit, what: Expression) -> Between:
    """The three days before March 5."""
    return Between(OffsetFrom(-count, unit, what), day_before(what))


def days_after(count: int, unit: Unit, what: Expression) -> Between:
    """The three days after March 5."""
    return Between(day_after(what), OffsetFrom(count, unit, what))


def weekday_to_weekday(first: int, last: int) -> Between:
    """Monday through Wednesday."""
    return Between(Weekday(first), Weekday(last))


def weekday_ago(count: int, unit: Unit, weekday: int) -> WeekdayOf:
    """Three weeks ago on Tuesday."""
    return WeekdayOf(weekday, UnitContaining(Unit.WEEK, Ago(count, unit)))


def weekday_then_ago(weekday: int, count: int, unit: Unit) -> WeekdayOf:
    """Tuesday three weeks ago."""
    return weekday_ago(count, unit, weekday)


def nth_weekday(nth: int, weekday: int, month: Expression) -> NthWeekday:
    """The first Monday of March."""
    return NthWeekday(nth, weekday, month)


def weekdays_ago(count: int, weekday: int) -> Weekday:
    """Two Fridays ago."""
    return Weekday(weekday, "last", count - 1)


def weekday_number(_: int, day: int) -> DayOfMonth:
    """Friday the 6th: the number decides."""
    return DayOfMonth(day)


def months(first: int, last: int) -> Between:
    """January through March."""
    return Between(Month(first), Month(last))


def weekdays(one: int, other: int) -> Both:
    """On Monday and Tuesday."""
    return Both(Weekday(one), Weekday(other))


def season_before_last(name: SeasonName) -> Season:
    """The summer before last."""
    return Season(name, "last", back=1)


def year_ref(year: int) -> YearRef:
    """A year by number."""
    return YearRef(year)


def month_day(month: int, day: int, year: YearRef | None = None) -> MonthDate:
    """March 5, 2024."""
    return MonthDate(month, day, year)


def day_month(day: int, month: int, year: YearRef | None = None) -> MonthDate:
    """5 March 2024."""
    return MonthDate(month, day, year)


def on_date(day: date) -> OnDate:
    """2024-03-05."""
    return OnDate(day)


def month_days(month: int, first: int, last: int, year: YearRef | None = None) -> Between:
    """March 3-10, 2024."""
    return Between(MonthDate(month, first, year), MonthDate(month, last, year))


def days_month(first: int, last: int, month: int, year: YearRef | None = None) -> Between:
    """3-10 March 2024."""
    return month_days(month, first, last, year)


def month_of(month: int, year: YearRef | None = None) -> Month:
    """March 2024."""
    return Month(month, year)


def year_first(year: YearRef, month: int) -> Month:
    """Last year in March."""
    return Month(month, year)


def year_month(first_day: date) -> Month:
    """2024-03."""
    return Month(first_day.month, YearRef(first_day.year))


def last_month(month: int) -> Month:
    """Last March: the latest that is over."""
    return Month(month, which="last")


def this_month(month: int) -> Month:
    """This March: of the current year."""
    return Month(month, which="this")


def next_month(month: int) -> Month:
    """Next March."""
    return Month(month, which="next")


def last_weekday(weekday: int) -> Weekday:
    """Last Friday."""
    return Weekday(weekday, "last")


def this_weekday(weekday: int) -> Weekday:
    """This Friday."""
    return Weekday(weekday, "this")


def next_weekday(weekday: int) -> Weekday:
    """Next Friday."""
    return Weekday(weekday, "next")


def weekday_before_last(weekday: int) -> Weekday:
    """Friday before last."""
    return Weekday(weekday, "last", 1)


def week_then_weekday(week: Expression, weekday: int) -> WeekdayOf:
    """Last week on Tuesday."""
    return WeekdayOf(weekday, week)


def last_half(half: tuple[int, Unit]) -> Rolling:
    """The last half hour."""
    return Rolling(*half)


def seasons_ago(count: int, name: SeasonName) -> Season:
    """Two summers ago."""
    return Season(name, "last", back=count - 1)


def weekends_ago(count: int) -> Weekend:
    """Two weekends ago."""
    return Weekend("last", count - 1)


def slashed(day: date) -> MonthDate:
    """3/5, without its year."""
    return MonthDate(day.month, day.day)


def hundreds(count: int) -> int:
    """Three hundred."""
    return 100 * count


def hundreds_and(count: int, more: int) -> int:
    """Three hundred and twenty."""
    return 100 * count + more


def day_of_tens(tens: int, nth: int, month: int, year: YearRef | None = None) -> MonthDate:
    """The twenty-first of June."""
    return MonthDate(month, tens + nth, year)


def iso_week(monday: date) -> SevenDays:
    """2025-W45."""
    return SevenDays(monday)


def week_number(number: int, year: YearRef | None = None) -> WeekNumber:
    """Week 45 of 2025."""
    return WeekNumber(number, year)


def last_season(name: SeasonName) -> Season:
    """Last summer."""
    return Season(name, "last")


def this_season(name: SeasonName) -> Season:
    """This summer."""
    return Season(name, "this")


def next_season(name: SeasonName) -> Season:
    """Next summer."""
    return Season(name, "next")


def season_of(name: SeasonName, year: YearRef) -> Season:
    """Summer 2023."""
    return Season(name, year=year)


def quarter_of(quarter: int, year: YearRef | None = None) -> Fraction:
    """Q1 2024."""
    return Fraction(quarter, 4, year)


def half_of(half: int, year: YearRef | None = None) -> Fraction:
    """H1 2024; the first half of 2023."""
    return Fraction(half, 2, year)


def half_of_month(half: int, month: Expression) -> HalfMonth:
    """The first half of March."""
    return HalfMonth(half, month)


def year_then_quarter(year: YearRef, quarter: int) -> Fraction:
    """2024 Q1."""
    return Fraction(quarter, 4, year)


def nth_week(nth: int, month: Expression) -> NthSlice:
    """The first week of March."""
    return NthSlice(nth, 7, month)


def last_week_of(month: Expression) -> NthSlice:
    """The last week of March."""
    return NthSlice(-1, 7, month)


def nth_day(nth: int, month: Expression) -> DayInMonth:
    """The 5th of last month."""
    return DayInMonth(nth, month)


def last_day_of(month: Expression) -> DayInMonth:
    """The last day of March."""
    return DayInMonth(-1, month)


def decade(first: int) -> Between:
    """The 1990s."""
    return Between(Year(YearRef(first)), Year(YearRef(first + 9)))


def beside_before(count: int, unit: Unit, what: Expression) -> OffsetFrom:
    """Two days before March 5."""
    return OffsetFrom(-count, unit, what)


def beside_after(count: int, unit: Unit, what: Expression) -> OffsetFrom:
    """Two days after March 5."""
    return OffsetFrom(count, unit, what)


def day_before(what: Expression) -> OffsetFrom:
    """The day before March 5."""
    return OffsetFrom(-1, Unit.DAY, what)


def day_after(what: Expression) -> OffsetFrom:
    """The day after March 5."""
    return OffsetFrom(1, Unit.DAY, what)


def ahead(count: int, unit: Unit) -> OffsetFrom:
    """Two weeks from now."""
    return OffsetFrom(count, unit, Day(0))


def day_number(day: int) -> DayOfMonth:
    """The 5th."""
    return DayOfMonth(day)


def second(_: object, what: Expression) -> Expression:
    """Tuesday, March 5: the date decides."""
    return what


def years(first: int, last: int) -> Between:
    """2020-2022."""
    return Between(Year(YearRef(first)), Year(YearRef(last)))


def calendar_year(year: int) -> Year:
    """The year 2023."""
    return Year(YearRef(year))


def part_of_year(part: Literal["early", "mid", "late"], year: YearRef) -> PartOf:
    """Early 2023."""
    return PartOf(part, Year(year))


def part_of_month(part: Literal["early", "mid", "late"], month: int) -> PartOf:
    """Early March."""
    return PartOf(part, Month(month))


def weekday_last_week(weekday: int) -> WeekdayOf:
    """Tuesday last week."""
    return WeekdayOf(weekday, CurrentUnit(-1, Unit.WEEK))


def more_than(count: int, unit: Unit) -> Before:
    """More than two weeks ago."""
    return Before(Ago(count, unit))


def less_than(count: int, unit: Unit) -> Since:
    """Less than two weeks ago."""
    return Since(Ago(count, unit))


def since_month(month: int) -> Since:
    """March onwards."""
    return Since(Month(month))


def so_far(unit: Unit) -> ElapsedPart:
    """Earlier this week."""
    return ElapsedPart(CurrentUnit(0, unit))


def before_weekday(weekday: int) -> Before:
    """Before Monday."""
    return Before(Weekday(weekday))


def after_weekday(weekday: int) -> After:
    """After Monday."""
    return After(Weekday(weekday))


def before_end(whole: Expression) -> Before:
    """Vor Ende März: any time before it is over."""
    return Before(Edge("end", whole))

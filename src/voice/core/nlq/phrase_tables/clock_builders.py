"""Builders that the phrase tables share for times of a day.

Source: ruling E and its table.
"""

from datetime import time
from functools import partial

from voice.core.nlq.calendar import Expression, Unit
from voice.core.nlq.intervals import DayPart, HourOf, Part
from voice.core.nlq.phrase_tables.builders import swapped
from voice.core.nlq.points import At, Day, HourFrom, Weekday
from voice.core.nlq.relative_times import Between, OffsetFrom, Since

day_then_part = swapped(DayPart)  # "yesterday evening"
day_then_clock = swapped(At)  # "yesterday at 3pm"
part_then_hour = swapped(HourOf)  # "last night at 11"
part_tomorrow = partial(DayPart, day=Day(1))


def weekday_part(weekday: int, part: Part) -> DayPart:
    """Monday morning."""
    return DayPart(part, Weekday(weekday))


def day_then_hour(day: Expression, hour: int) -> At:
    """Yesterday at 15 o'clock."""
    return At(time(hour), day)


def hour_at(clock: time) -> HourFrom:
    """At 3pm, alone: today."""
    return HourFrom(At(clock))


def hours_of(first: int, last: int, part: DayPart) -> Between:
    """Between 9 and 11 this morning."""
    return Between(HourOf(first, part), HourOf(last, part))


def hour_of_part(hour: int, part: Part, day: Expression) -> HourOf:
    """9 in the morning on March 5."""
    return HourOf(hour, DayPart(part, day))


def day_then_hour_of_part(day: Expression, hour: int, part: Part) -> HourFrom:
    """Yesterday at 9 in the morning."""
    return HourFrom(HourOf(hour, DayPart(part, day)))


def clock_of(clock: time, part: DayPart) -> At:
    """2am last night: the hours after midnight belong to the next day."""
    after_midnight = part.part == "night" and clock.hour < 12
    return At(clock, OffsetFrom(1, Unit.DAY, part.day) if after_midnight else part.day)


part_then_clock = swapped(clock_of)  # "last night at 2am"


def clocks_then_weekday(first: time, last: time, weekday: int) -> Between:
    """From 9am to 5pm on Monday."""
    return clocks_then_day(first, last, Weekday(weekday))


def since_clock(clock: time) -> Since:
    """Since 9am."""
    return Since(At(clock))


def clocks_then_day(first: time, last: time, day: Expression) -> Between:
    """Between 2pm and 4pm yesterday."""
    return Between(At(first, day), At(last, day))


def day_then_clocks(day: Expression, first: time, last: time) -> Between:
    """Yesterday between 2pm and 4pm."""
    return clocks_then_day(first, last, day)


def day_then_hours(day: Expression, first: int, last: int) -> Between:
    """Gestern zwischen 14 und 16 Uhr."""
    return hours_then_day(first, last, day)


def hours_then_day(first: int, last: int, day: Expression) -> Between:
    """From 9 to 5 yesterday: an end that is not later on the clock is in the afternoon."""
    end = last if last > first else last + 12
    return clocks_then_day(time(min(first, 23)), time(min(end, 23)), day)


def hours_to_clock(first: int, last: time, day: Expression) -> Between:
    """From 2 to 4 pm yesterday: the first hour is the latest on the clock's face before the second."""
    faces = [hour for hour in (first, first + 12, first % 12) if hour <= 23 and time(hour) < last]
    return clocks_then_day(time(max(faces, default=min(first, 23))), last, day)


def day_then_hours_to_clock(day: Expression, first: int, last: time) -> Between:
    """Yesterday from 2 to 4 pm."""
    return hours_to_clock(first, last, day)


def hours_to_clock_on_weekday(first: int, last: time, weekday: int) -> Between:
    """From 2 to 4 pm on Friday."""
    return hours_to_clock(first, last, Weekday(weekday))


def weekday_then_hours_to_clock(weekday: int, first: int, last: time) -> Between:
    """On Friday from 2 to 4 pm."""
    return hours_to_clock(first, last, Weekday(weekday))


part_of_weekday = swapped(weekday_part)  # "the evening of Friday"


def weekday_and_part(both: tuple[int, Part]) -> DayPart:
    """Freitagabend."""
    return weekday_part(*both)


def clock_on_weekday(clock: time, weekday: int) -> At:
    """3pm on Monday."""
    return At(clock, Weekday(weekday))


weekday_at_clock = swapped(clock_on_weekday)  # "Monday at 3pm"

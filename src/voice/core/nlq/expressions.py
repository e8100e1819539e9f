"""What every time expression is.

Law: an expression is a value; `bounds` gives its half-open window on a calendar, or raises ValueError or OverflowError
when there is no such time. Expressions know no word of any language: the tables of phrases build them.

    points      Day, Ago, Weekday, WeekdayOf, OnDate, MonthDate, DayOfMonth, DayIn, At, HourFrom, Now
    stretches   CurrentUnit, Rolling, Month, PartOf, Edge, SoFar, NthSlice, Year, Fraction, Season, Weekend, DayPart
    relations   Since, After, Before, Until, Between, Both, Beside

Source: ruling E and its table.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal, Protocol, runtime_checkable

from voice.core.nlq.calendar import Calendar
from voice.core.retrieval.values import Window

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

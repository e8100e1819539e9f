"""Times said by their relation to other times.

Law: since starts where its time starts, after where it ends; before ends where it starts, until where it ends; an open
side stays open, and what runs on runs until now.

Source: ruling E and its table.
"""

from dataclasses import dataclass, replace

from voice.core.nlq.calendar import Calendar, Unit, shift
from voice.core.nlq.expressions import ONE_DAY, Expression, YearRef, days_of, end_of, start_of
from voice.core.nlq.points import MonthDate
from voice.core.nlq.stretches import Fraction, Month, Season
from voice.core.retrieval.values import Window


@dataclass(frozen=True, slots=True)
class Since:
    """From the start of something until now."""

    what: Expression

    def bounds(self, calendar: Calendar) -> Window:
        """See `Expression`."""
        return Window(start=start_of(self.what.bounds(calendar)), end=calendar.now)


@dataclass(frozen=True, slots=True)
class After:
    """From the end of something until now."""

    what: Expression

    def bounds(self, calendar: Calendar) -> Window:
        """See `Expression`."""
        return Window(start=end_of(self.what.bounds(calendar)), end=calendar.now)


@dataclass(frozen=True, slots=True)
class Before:
    """Any time before something."""

    what: Expression

    def bounds(self, calendar: Calendar) -> Window:
        """See `Expression`."""
        return Window(end=start_of(self.what.bounds(calendar)))


@dataclass(frozen=True, slots=True)
class Until:
    """Any time up to the end of something."""

    what: Expression

    def bounds(self, calendar: Calendar) -> Window:
        """See `Expression`."""
        return Window(end=end_of(self.what.bounds(calendar)))


@dataclass(frozen=True, slots=True)
class Between:
    """From the start of one time to the end of another; what the first leaves open the second settles."""

    first: Expression
    last: Expression

    def bounds(self, calendar: Calendar) -> Window:
        """See `Expression`: a first time that would come after the last is the one before it."""
        last = _in_year_of(self.last, self.first)
        ends = last.bounds(calendar)
        first = _in_year_of(self.first, last)
        starts = first.bounds(calendar)
        if start_of(starts) > end_of(ends):
            starts = self._brought_before(first, ends, calendar)
        return Window(start=start_of(starts), end=end_of(ends))

    def _brought_before(self, first: Expression, ends: Window, calendar: Calendar) -> Window:
        if isinstance(first, _YEARLY) and first.year is not None and not first.year.relative and self.first != first:
            return replace(first, year=YearRef(first.year.value - 1)).bounds(calendar)
        return first.bounds(calendar.seen_from(start_of(ends)))


@dataclass(frozen=True, slots=True)
class Both:
    """Two times named together: everything from the earlier to the later."""

    one: Expression
    other: Expression

    def bounds(self, calendar: Calendar) -> Window:
        """See `Expression`."""
        windows = [_in_year_of(self.one, self.other).bounds(calendar), self.other.bounds(calendar)]
        return Window(start=min(map(start_of, windows)), end=max(map(end_of, windows)))


@dataclass(frozen=True, slots=True)
class Beside:
    """N units before (negative) or after something, as one day."""

    count: int
    unit: Unit
    what: Expression

    def bounds(self, calendar: Calendar) -> Window:
        """See `Expression`."""
        first, after = days_of(self.what, calendar)
        return calendar.day(shift(first if self.count < 0 else after - ONE_DAY, self.count, self.unit))


_YEARLY = (MonthDate, Month, Fraction, Season)


def _in_year_of(what: Expression, other: Expression) -> Expression:
    """Return `what`, in the year that `other` names when it names none itself."""
    if isinstance(what, _YEARLY) and what.year is None and isinstance(other, _YEARLY) and other.year is not None:
        return replace(what, year=other.year)
    return what

"""Relative times: since, before, between, since an event, and times in the future.

Law: since starts with its time, after at its end; before ends with its start, until at its end. A yearly time without
year is the latest begun, unless the question looks ahead; then it is the next, open-ended for "from". "Since" always
looks back.
An event's time is that of the first row with all its words and a past date; without one the time stays unparsed.
Source: ruling E and its table; ruling I3.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import time, timedelta
from functools import partial
from typing import Final

from voice.core.nlq.calendar import ONE_DAY, Calendar, Expression, Unit, YearRef, days_of, end_of, shift, start_of
from voice.core.nlq.intervals import Fraction, Month, Season
from voice.core.nlq.parsed_query import ParsedQuery, TimePhrase
from voice.core.nlq.points import MonthDate
from voice.core.records import Row
from voice.core.retrieval.searchable_text import EPOCH, mentioned_days, own_words
from voice.core.retrieval.values import Window
from voice.core.text.instants import has_date
from voice.core.text.language_data import listed_pattern
from voice.core.text.word_lists import Language, is_stopword
from voice.core.text.words import stems_in


@dataclass(frozen=True, slots=True)
class Since:
    """From the start of something until now."""

    what: Expression

    def bounds(self, calendar: Calendar) -> Window:
        return Window(start=start_of(self.what.bounds(calendar)), end=calendar.now)


@dataclass(frozen=True, slots=True)
class After:
    """From the end of something until now."""

    what: Expression

    def bounds(self, calendar: Calendar) -> Window:
        return Window(start=end_of(self.what.bounds(calendar)), end=calendar.now)


@dataclass(frozen=True, slots=True)
class Before:
    """Any time before something."""

    what: Expression

    def bounds(self, calendar: Calendar) -> Window:
        return Window(end=start_of(self.what.bounds(calendar)))


@dataclass(frozen=True, slots=True)
class UntilTime:
    """Any time up to the end of something."""

    what: Expression

    def bounds(self, calendar: Calendar) -> Window:
        return Window(end=end_of(self.what.bounds(calendar)))


@dataclass(frozen=True, slots=True)
class Between:
    """From the start of one time to the end of another; a missing year comes from the other."""

    first: Expression
    last: Expression

    def bounds(self, calendar: Calendar) -> Window:
        """See `Expression`: if the first would follow the last, the previous occurrence is meant."""
        last = _in_year_of(self.last, self.first)
        ends = last.bounds(calendar)
        first = _in_year_of(self.first, last)
        starts = first.bounds(calendar)
        if start_of(starts) > end_of(ends):  # "from November to March" is of two years
            year = first.year if isinstance(first, _YEARLY) else None
            if isinstance(first, _YEARLY) and year is not None and not year.relative and self.first != first:
                starts = replace(first, year=YearRef(year.value - 1)).bounds(calendar)
            else:
                starts = first.bounds(calendar.seen_from(start_of(ends)))
        return Window(start=start_of(starts), end=end_of(ends))


@dataclass(frozen=True, slots=True)
class Both:
    """Two times named together: from the earlier to the later."""

    one: Expression
    other: Expression

    def bounds(self, calendar: Calendar) -> Window:
        windows = [_in_year_of(self.one, self.other).bounds(calendar), self.other.bounds(calendar)]
        return Window(start=min(map(start_of, windows)), end=max(map(end_of, windows)))


@dataclass(frozen=True, slots=True)
class OffsetFrom:
    """N units before (negative) or after something, as one day."""

    count: int
    unit: Unit
    what: Expression

    def bounds(self, calendar: Calendar) -> Window:
        first, after = days_of(self.what, calendar)
        # Counted from its near end: "a week before May" from 1 May, "a week after May" from 31 May.
        return calendar.day(shift(first if self.count < 0 else after - ONE_DAY, self.count, self.unit))


_YEARLY = (MonthDate, Month, Fraction, Season)


def _in_year_of(what: Expression, other: Expression) -> Expression:
    """Return `what` with the year of `other` if it has none."""
    if isinstance(what, _YEARLY) and what.year is None and isinstance(other, _YEARLY) and other.year is not None:
        return replace(what, year=other.year)
    return what


_NOON: Final = time(12)
_every = partial(listed_pattern, "intent", "every")
# Something begun within this time is meant instead of the next: "from January", asked in March.
_JUST_BEGUN: Final = timedelta(days=92)


def asks_for_plans(text: str, language: Language) -> bool:
    """Return whether a question asks for plans rather than the past."""
    return _every("plans").search(text) is not None and listed_pattern("intent", language, "was").search(text) is None


def asks_ahead(text: str, language: Language) -> bool:
    """Return whether a question asks for what is to come."""
    if _is_of_the_future(text):
        return listed_pattern("intent", language, "was").search(text) is None
    return _every("must").search(text) is not None and listed_pattern("intent", language, "past").search(text) is None


def _is_of_the_future(text: str) -> bool:
    return bool(_every("will").search(text) or _every("plans").search(text))


def from_today(window: Window, expression: Expression, text: str, language: Language, calendar: Calendar) -> Window:
    """Return the window of a time "until June", from today on where a question asks what is to come until then."""
    today = calendar.instant(calendar.today)
    is_until = isinstance(expression, (UntilTime, Before)) and window.end is not None and window.end > today
    if is_until and _is_of_the_future(text) and listed_pattern("intent", language, "was").search(text) is None:
        return replace(window, start=today)
    return window


def future_window(
    expression: Expression, text: str, span: tuple[int, int], language: Language, calendar: Calendar
) -> Window | None:
    """Return the window of a future time; None if the past is meant. An explicit time stands alone."""
    said = text[span[0] : span[1]].strip()
    if isinstance(expression, Since) and not _every("from").search(said):
        return None
    inner = expression.what if isinstance(expression, (Since, After, UntilTime, Before)) else expression
    if not isinstance(inner, _YEARLY) or inner.year is not None or not _looks_ahead(said, text, span[0], language):
        return None
    if isinstance(inner, (Month, Season)) and inner.which != "bare":  # "last March" is past, "next March" ahead already
        return None
    is_from = _every("from").search(said) is not None
    try:
        bounds = inner.bounds(calendar)
        has_ended = bounds.end is not None and bounds.end <= calendar.now
        # The latest occurrence is too old to be meant.
        if calendar.now - start_of(bounds) > _JUST_BEGUN or (has_ended and not is_from):
            # Read as if asked a year from now less a day: the latest one then is the next one now.
            year = shift(calendar.today, 1, Unit.YEAR) - ONE_DAY
            calendar = calendar.seen_from(calendar.instant(year, _NOON))
        elif not is_from:
            return None
        window = expression.bounds(calendar)
    except (ValueError, OverflowError):
        return None
    return Window(start=window.start) if is_from else window  # "from May": open, not until now


def _looks_ahead(said: str, text: str, start: int, language: Language) -> bool:
    if _every("will").search(text) or asks_for_plans(text, language):
        return True
    if listed_pattern("intent", language, "past").search(text):  # before duties: "what had to be done by May"
        return False
    if _every("must").search(text):
        return True
    is_open = _every("from").search(said) is not None or _every("up_to").search(said) is not None
    # "notes from May" were told then; "the rent from May" is to come.
    return is_open and not _every("rows").search(text, 0, start)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEvent:
    """An event that names a time, with its span."""

    words: str
    start: int
    end: int


def find_event(text: str) -> NamedEvent | None:
    """Return the event that a question counts from; None if there is none."""
    found = _every("event").search(text)
    return None if found is None else NamedEvent(words=found["what"], start=found.start(), end=found.end())


def with_event_time(parsed: ParsedQuery, event: NamedEvent, rows: Sequence[Row], calendar: Calendar) -> ParsedQuery:
    """Add to a question without a time that since an event; `rows` are found for its words, best first, and date it."""
    wanted = stems_in(" ".join(word for word in event.words.split() if not is_stopword(word, parsed.language)))
    matching = [row for row in rows if wanted and wanted <= stems_in(own_words(row))]
    days = ((EPOCH + timedelta(days=first), row) for row in matching for first, _ in mentioned_days(row))
    # A day that a row states is better than the day on which it was told.
    dates = [(day, row) for day, row in days if day <= calendar.today] or [
        (row.created_at.astimezone(calendar.zone).date(), row) for row in matching if has_date(row.created_at)
    ]
    if not dates:
        return parsed
    day, row = dates[0]
    text = parsed.question[event.start : event.end]
    time = TimePhrase(
        window=Window(start=calendar.instant(day), end=calendar.now),
        text=text,
        start=event.start,
        end=event.end,
        note=f"{text}: since {day} ({calendar.zone.key}), by {row.id}",
    )
    notices = tuple(notice for notice in parsed.notices if notice.code != "when_unparsed")
    return replace(parsed, time=time, notices=notices)

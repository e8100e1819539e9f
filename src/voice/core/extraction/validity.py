"""Parse the period in which a sentence says that something held.

Law: only the sentence's own words bound it: since, after, until, before, from … to. A deadline ("by Friday") is not a
bound, and an end needs a past tense. A plain time ("in March") is only the start of what begins then ("moved to Lisbon
in March"). Times are parsed as in questions, relative to the day of writing; without one, only absolute times count.
Source: ruling E and its table; ruling F.6.
"""

from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from typing import Final, NamedTuple, cast
from zoneinfo import ZoneInfo

import regex

from voice.core.nlq.calendar import Calendar, Expression
from voice.core.nlq.parse import TABLES
from voice.core.nlq.relative_times import After, Before, Between, Since, UntilTime
from voice.core.nlq.time_finder import MOST_READ, TimeFinder
from voice.core.retrieval.values import Window
from voice.core.text.instants import UNDATED, has_date
from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import Language

_UTC = ZoneInfo("UTC")
_ANY_DAYS: Final = (datetime(4001, 2, 3, tzinfo=UTC), datetime(5112, 9, 20, tzinfo=UTC))
"""Undated sentences are parsed from both: bounds that agree are independent of the day of writing."""
_PAST_TENSE = late_pattern(
    r"\b(?:was|were|had|did|been|lived|worked|stayed|led|ran|taught|studied|\p{L}{2,}ed|war|waren|hatte|hat"
    r"|wohnte|lebte|arbeitete|studierte|vivió|vivía|trabajó|trabajaba|estuvo|fue|era|estudió)\b",
    regex.IGNORECASE,
)


class Period(NamedTuple):
    """A half-open period; None is open."""

    start: datetime | None = None
    end: datetime | None = None


NO_PERIOD = Period()


def calendar_at(moment: datetime) -> Calendar:
    """Return the calendar of a day of writing."""
    now = moment.astimezone(UTC) if has_date(moment) else UNDATED
    return Calendar(now=now, zone=_UTC, week_start="monday", hemisphere="north")


def period_in(text: str, language: Language, calendar: Calendar, *, begins: bool = False) -> Period:
    """Return the period in `text`; ambiguous bounds are open.

    Args:
        text: a sentence or a part of one.
        calendar: of the day of writing.
        begins: whether it begins at the time it names ("joined in May").
    """
    found: list[Period] = []
    for phrase in TimeFinder.of(text[:MOST_READ], TABLES[language], None, ()).phrases():
        expression = cast("Expression", phrase.match.value)
        try:
            window = expression.bounds(calendar) if has_date(calendar.now) else _absolute_bounds(expression)
        except (ValueError, OverflowError):
            continue
        found.append(_period(expression, window, text, begins=begins))
    start = _only({period.start for period in found if period.start is not None})
    end = _only({period.end for period in found if period.end is not None})
    return NO_PERIOD if start is not None and end is not None and start >= end else Period(start, end)


def _only(moments: AbstractSet[datetime]) -> datetime | None:
    return next(iter(moments)) if len(moments) == 1 else None


def _absolute_bounds(expression: Expression) -> Window:
    """Return the bounds that are independent of the day of writing (ruling I2)."""
    one, other = (expression.bounds(calendar_at(day)) for day in _ANY_DAYS)
    start, end = one.start if one.start == other.start else None, one.end if one.end == other.end else None
    return Window(start=start, end=end)


def _period(expression: Expression, window: Window, text: str, *, begins: bool) -> Period:
    if isinstance(expression, (Since, After)):
        return Period(start=window.start)
    if isinstance(expression, Between):
        return Period(window.start, window.end)
    if isinstance(expression, (UntilTime, Before)):
        return Period(end=window.end) if _PAST_TENSE.search(text) else NO_PERIOD
    return Period(start=window.start) if begins else NO_PERIOD

"""Times that are named by what happened then: "since the move".

Law: when that was is what the memory says: the first row found for the event's words that holds all of them and names a
day that is past, else the first that was told on one. Where no row says so, the time stays not understood.

Source: ruling I3.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

import regex

from voice.core.nlq.calendar import Calendar
from voice.core.nlq.values import ParsedQuery, TimePhrase
from voice.core.records import Row
from voice.core.retrieval.spoken import EPOCH, own_words, spoken_days
from voice.core.retrieval.values import Window
from voice.core.text.instants import is_told
from voice.core.text.patterns import late_pattern
from voice.core.text.stopwords import is_stopword
from voice.core.text.words import stems_in

_EVENT: Final = late_pattern(
    r"\b(?:since|seit|desde)\s+(?:the|my|our|de[mr]|meine[mr]|unsere[mr]|el|la|mi|nuestr[oa])\s+"
    r"(?P<what>[\p{L}-]+(?:\s+(?:to|in|of|from|with|nach|von|mit|a|de|con)\s+(?:the\s+)?[\p{L}-]+)?)(?=\s*(?:[?.,;!]|$))",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What a time is named by, and where that stands in the question."""

    words: str
    start: int
    end: int


def event_in(text: str) -> Event | None:
    """Return the event that a question counts from; None where it names none."""
    found = _EVENT.search(text)
    return None if found is None else Event(words=found["what"], start=found.start(), end=found.end())


def dated_by(parsed: ParsedQuery, event: Event, rows: Sequence[Row], calendar: Calendar) -> ParsedQuery:
    """Return the question with the time since an event; as it was where no row says when that happened.

    Args:
        parsed: a question without a time.
        event: what it counts from.
        rows: what was found for the event's words, best first.
        calendar: when and where it is asked.
    """
    wanted = stems_in(" ".join(word for word in event.words.split() if not is_stopword(word, parsed.language)))
    telling = [row for row in rows if wanted and wanted <= stems_in(own_words(row))]
    said = [(day, row) for row in telling for day in _past_days(row, calendar.today)]
    told = [(row.created_at.astimezone(calendar.zone).date(), row) for row in telling if is_told(row.created_at)]
    if not (said or told):
        return parsed
    day, row = (said or told)[0]
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


def _past_days(row: Row, today: date) -> list[date]:
    days = (EPOCH + timedelta(days=first) for first, _ in spoken_days(row))
    return [day for day in days if day <= today]

"""Labels that give a row's location and date: "2026-05-06 › Moving house".

Law: a label depends on its row alone, so that the judge can recompute it. It has the note's title, the nearest steps
of the path, and the day once.
Source: DESIGN 5 "A line is nothing without its place"; rulings D1, I1.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from voice.core.grounding.quotable_sentences import tokens_of
from voice.core.grounding.values import Evidence
from voice.core.text.dates import DateMention, mention_of_day, stated_dates, supports_date
from voice.core.text.instants import has_date
from voice.core.text.language_data import entries
from voice.core.text.note_context import page_name

_BETWEEN: Final = " › "
_NEAREST: Final = 2  # path steps in a label besides the title: the heading, and the bullet directly above
_LONGEST: Final = 60  # characters of a step; longer ones are dropped, the last is shortened
_NUMBERS: Final = re.compile(r"\d+")
_LETTERS: Final = re.compile(r"[^\W\d_]")
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # with the separators of lines and paragraphs
_MARKS: Final = re.compile(r"\*\*|__|`|==|\[\[|\]\]|^#{1,6}\s+")  # bold, code, highlights, links, headings


def said_on(row: Evidence) -> date | None:
    """Return the day a row was told; None if unknown."""
    return row.created_at.date() if has_date(row.created_at) else None


def path_labels(row: Evidence) -> tuple[str, ...]:
    """Return the row's whole path, with and without its day; empty if unknown."""
    day = said_on(row)
    context = _on_one_line(row.context or "")
    if not context:
        return ()
    return (f"{day.isoformat()}, {context}", context) if day else (context,)  # the longer first


def short_labels(row: Evidence) -> tuple[str, ...]:
    """Return the row's short labels, longest first; empty if unknown."""
    return tuple(dict.fromkeys(filter(None, map(_on_one_line, _labels(row))))) if row.context else ()


def _on_one_line(place: str) -> str:
    """Remove line breaks and control characters, which could forge a line of the answer."""
    return " ".join(_CONTROLS.sub(" ", place).split())


def _labels(row: Evidence) -> Iterator[str]:
    steps = (row.context or "").split(_BETWEEN)
    title, day = page_name(steps[0]), said_on(row)
    own = [step for step in steps[1:] if _plain(step).casefold() != title.casefold()]
    # A path that states a date says itself when; the day would stand there twice.
    if day is not None and not stated_dates(row.context or ""):
        title = day.isoformat() if _is_day(title, day) else f"{day.isoformat()}, {title}"
    yield _BETWEEN.join((title, *_near(own)))
    yield title


def _is_day(title: str, day: date) -> bool:
    """Return whether a title is only the day: `2026_05_06`, or `6` in a month's folder."""
    numbers = {int(found) for found in _NUMBERS.findall(title[:_LONGEST])}
    return bool(numbers) and _LETTERS.search(title) is None and numbers <= {day.year, day.month, day.day}


def _near(steps: list[str]) -> Iterator[str]:
    """Yield the nearest steps without markup; long ones are dropped, the last is always kept."""
    for step in steps[-_NEAREST:-1]:
        if len(plain := _plain(step)) <= _LONGEST:
            yield plain
    yield from (_shortened(_plain(step)) for step in steps[-1:])


def _plain(step: str) -> str:
    return _MARKS.sub("", step).strip().rstrip(":：. ")


def _shortened(step: str) -> str:
    if len(step) <= _LONGEST:
        return step
    head, colon, _ = step.partition(": ")  # "Budget: what is left after …" is "Budget"
    if colon and " " in head and len(head) <= _LONGEST:  # one word says too little
        return head
    whole, space, _ = step[:_LONGEST].rpartition(" ")
    return f"{whole if space else step[:_LONGEST]}…"


def is_dated(row: Evidence, mentions: Sequence[DateMention]) -> bool:
    """Return whether one of `mentions` gives the day of `row`."""
    day = said_on(row)
    return day is not None and any(supports_date(mention, mention_of_day(day)) for mention in mentions)


def is_day_or_speaker_of(row: Evidence, words: str) -> bool:
    """Return whether `words` are only the date of `row`, its speaker, or both."""
    rest = words
    mentions = stated_dates(words)
    if mentions:
        if not is_dated(row, mentions):
            return False
        first, last = mentions[0].start, max(mention.end for mention in mentions)  # readings of one date overlap
        rest = f"{words[:first]} {words[last:]}"
    own = {*tokens_of(row.speaker or ""), *entries("deixis", "lead")}
    left = tokens_of(rest)
    return bool(mentions or left) and all(token in own for token in left)

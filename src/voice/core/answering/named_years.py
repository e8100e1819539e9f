"""The years of a question that belong to a name: "Cybercon 2023", "the taxes 2021".

Law: a year directly behind a word says which one of several is meant. A passage is of that year where its words have
the year behind the same word; where they have no year there, it states the year elsewhere, or in its path, or was told
in it. A month, a season or a stop word before a year makes it a time, and no part of a name.

Source: ruling D5; ruling I2.
"""

import itertools
from collections.abc import Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from voice.core.retrieval.passages import Passage
from voice.core.text.dates import month_named, relative_dates, stated_dates
from voice.core.text.instants import is_told
from voice.core.text.language_data import every_word
from voice.core.text.words import Word, words

_YEARS: Final = range(1000, 3000)
_DIGITS: Final = 4
_SHORT: Final = 2
"""Digits of a year whose century is left out ("Cybercon '23")."""
_A_DAY: Final = timedelta(hours=14)
"""The most that local time differs from UTC."""
_BETWEEN: Final = frozenset(" \t'’‘,›>:\n")
"""What may stand between a word and its year, in a passage or its path."""


class NamedYear(NamedTuple):
    """A year with the word that it stands behind."""

    year: int
    noun: str
    """The stem of the word."""

    def is_told_in(self, passage: Passage) -> bool:
        """Return whether a passage, with its path and its date, is of this year."""
        text = passage.placed_text
        behind = _years_behind(text, self.noun)
        if behind:
            return self.year in behind
        if any(day.year == self.year for day in stated_dates(text)) or self.year in _numbers(text):
            return True
        for each in passage.rows:
            at = each.row.created_at
            if is_told(at) and self.year in {(at - _A_DAY).year, (at + _A_DAY).year}:
                return True
            if is_told(at) and any(day.year == self.year for day in relative_dates(each.text, at.date())):
                return True
        return False


def years_of(question: str) -> tuple[NamedYear, ...]:
    """Return the years of a question that belong to a name, in order."""
    found = words(question)
    return tuple(
        NamedYear(int(word.text), before.stem)
        for before, word in itertools.pairwise(found)
        if _is_year(word) and _names_something(before) and question[before.end : word.start].isspace()
    )


def _is_year(word: Word) -> bool:
    return len(word.text) == _DIGITS and word.text.isdecimal() and int(word.text) in _YEARS


def _names_something(word: Word) -> bool:
    is_time = month_named(word.key) is not None
    return not (word.is_stop or word.is_number or is_time or word.key in every_word("identifiers", "marks"))


def _years_behind(text: str, noun: str) -> set[int]:
    """Return the years that a text has directly behind a word."""
    found = words(text)
    return {
        year
        for before, word in itertools.pairwise(found)
        if before.stem == noun and _BETWEEN.issuperset(text[before.end : word.start])
        for year in _read(word, text)
    }


def _read(word: Word, text: str) -> Sequence[int]:
    if _is_year(word):
        return (int(word.text),)
    is_short = len(word.text) == _SHORT and word.text.isdecimal() and text[: word.start].endswith(("'", "’", "‘"))
    return (1900 + int(word.text), 2000 + int(word.text)) if is_short else ()


def _numbers(text: str) -> set[int]:
    return {int(word.text) for word in words(text) if _is_year(word)}

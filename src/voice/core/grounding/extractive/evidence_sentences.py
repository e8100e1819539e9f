"""The sentences of evidence rows, prepared for comparison.

Law: the unit of comparison is a whole sentence; speaker and date belong to it, because the prompt shows them.
Source: DESIGN 5 (`[date] Speaker: text`), DESIGN 6; rulings C13, D1.
"""

from datetime import date
from functools import cached_property, lru_cache

import regex

from voice.core.grounding.source_labels import said_on
from voice.core.grounding.values import Evidence
from voice.core.text.compound_quantities import durations
from voice.core.text.dates import date_spellings
from voice.core.text.language_data import every_phrase, every_word
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import cells_of, header_above
from voice.core.text.numbers import quantities
from voice.core.text.sentences import sentence_spans
from voice.core.text.words import Word, stems_in, words

_MAY_HOLD_TIME = late_pattern(r"\p{Nd}(?::\p{Nd}|\s?[ap]\.?\s?m\b)", regex.IGNORECASE)


def other_time_spellings(text: str) -> tuple[str, ...]:
    """Return other spellings of the clock times and durations in `text`."""
    return _time_spellings(text) if _MAY_HOLD_TIME.search(text) else ()


@lru_cache(maxsize=1024)
def _time_spellings(text: str) -> tuple[str, ...]:
    seconds = {int(time.value) for time in durations(text)}
    clocks = [_clock(int(time.value), certain=time.unit is not None) for time in quantities(text) if time.is_time]
    return (*clocks, *map(_duration, sorted(seconds)))


def _clock(minutes: int, *, certain: bool) -> str:
    hour, minute = divmod(minutes, 60)
    short = f"{(hour - 1) % 12 + 1}:{minute:02}"
    half = f" {'pm' if hour % 24 >= 12 else 'am'}" if certain else ""
    return f"{hour}:{minute:02} {hour:02}:{minute:02} {short}{half}"


def _duration(seconds: int) -> str:
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour} hours {minute} minutes {second} seconds"


_LABEL = late_pattern(r"^(\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*)?):\s")

MOST_READ = 2_000
"""Characters of a question that are read; a longer sentence is a text without full stops and is skipped."""
_NOTHING = frozenset[str]()


class EvidenceSentence:
    """One sentence of a row; `start:end` are offsets into the row's text."""

    def __init__(self, row: Evidence, start: int, end: int) -> None:
        self.row = row
        self.start = start
        self.end = end
        self.text = row.text[start:end]

    @cached_property
    def words(self) -> list[Word]:
        """Its words; offsets are relative to `text`."""
        return words(self.text)

    @cached_property
    def own_stems(self) -> frozenset[str]:
        """Stems of its own words."""
        return stems_in(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of the sentence, its speaker and the entities of its row."""
        return self.own_stems | self.given if self.given else self.own_stems

    @cached_property
    def given(self) -> frozenset[str]:
        """Stems of its metadata: speaker, date, entities, table header, other spellings of times."""
        day = self.said_on
        spelt = (date_spellings(day),) if day else ()
        names = (self.speaker, *self.row.entity_names, *spelt, *self.header, *other_time_spellings(self.text))
        return _NOTHING.union(*(stems_in(name) for name in names if name))

    @cached_property
    def speaker(self) -> str | None:
        """The row's speaker, or the label at the start of the row ("Anna: …")."""
        return speaker_of(self.row)

    @property
    def header(self) -> tuple[str, ...]:
        """The column names of a table row; empty otherwise."""
        is_row = "|" in self.text and cells_of(self.text)
        return (header_above(self.row.text, self.start) or ()) if is_row else ()

    @property
    def said_on(self) -> date | None:
        """The date it was said; None if unknown."""
        return said_on(self.row)


def speaker_of(row: Evidence) -> str | None:
    """Return the row's speaker, else the name before a colon at its start, else None."""
    if row.speaker:
        return row.speaker
    label = _LABEL.match(row.text) if ":" in row.text else None
    if label is None or label.group(1).lower().rstrip(".") in every_word("names", "not_people"):
        return None
    return label.group(1)


@lru_cache(maxsize=256)  # a row that is cited is read for the question, for the answer and against the others
def _statements(text: str) -> tuple[tuple[int, int], ...]:
    """Return sentence spans; a sentence that corrects the previous one is merged with it."""
    corrects = every_phrase("persons", "corrects")
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        is_one = spans and corrects.match(text, start)
        spans.append((spans.pop()[0] if is_one else start, end))
    return tuple(spans)


def sentences_of(row: Evidence) -> list[EvidenceSentence]:
    """Return the sentences of `row`, except those longer than `MOST_READ`."""
    return [EvidenceSentence(row, start, end) for start, end in _statements(row.text) if end - start <= MOST_READ]

"""The rows of a memory, as far as questions can be made of them.

Law: a term is a word of a row, or a name that the graph knows, as the row has it. It tells the more, the fewer rows
hold it and the less of an everyday word it is; words that only ask, everyday words, numbers and times are none. Two
terms belong together where one row holds both, or one note, or one day of one conversation: what is said in the next
breath is connected, too.

Source: DESIGN 6 ("word lists are data files"); ruling E.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from voice.core.records import EntityName, Observation
from voice.core.text.dates import month_named, weekdays
from voice.core.text.instants import has_date, in_zone
from voice.core.text.language_data import every_word
from voice.core.text.normalise import norm_v1
from voice.core.text.prompt_injection.detection import find_instruction
from voice.core.text.word_lists import Language
from voice.core.text.word_weights import word_weight
from voice.core.text.words import Word, content_words, language_of, stems_in, words

PERSON: Final = "person"
_WORD: Final = "word"
_NAME: Final = "name"
_LEAST_LETTERS: Final = 4
_EVERYDAY: Final = word_weight("day")
_MOST_CHARACTERS: Final = 400
"""A longer row is no single statement."""
_LONGEST_LABEL: Final = 40
_ASKS: Final = ("?", "？", ";")
"""How a row ends that asks itself: with a mark of Latin, Chinese or Greek script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """What a question can be about."""

    text: str
    stems: frozenset[str]
    sort: str
    """The type of the entity that it names; else whether it is written like a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamRow:
    """One row, read."""

    row_id: str
    text: str = field(repr=False)
    normal: str = field(repr=False)
    """Its text as texts are compared."""
    stems: frozenset[str] = field(repr=False)
    """Of its text, and of where it stands."""
    speaker: str | None
    day: date | None
    """On which it was told, where that is known."""
    group: str
    """What it was told together with: its note, or the day of its conversation."""
    label: tuple[str, str] | None
    """The label of a line `label: value`, and the title of its note."""
    language: Language | None
    """None: no word of it shows one."""
    terms: tuple[Term, ...]

    @classmethod
    def of(cls, row: Observation, names: Mapping[str, EntityName], timezone: str) -> "ExamRow":
        """Return `row`, read.

        Args:
            row: the row.
            names: what entities are called, by id.
            timezone: whose days count.
        """
        day = in_zone(row.created_at, timezone).date() if has_date(row.created_at) else None
        return cls(
            row_id=row.id,
            text=row.text,
            normal=norm_v1(row.text),
            stems=stems_in(" ".join((row.text, *row.context_path))),
            speaker=row.speaker,
            day=day,
            group=_group(row, day),
            label=_label(row),
            language=_language(row.text),
            terms=_terms(row, names) if _states(row.text) else (),
        )


@dataclass(frozen=True, slots=True)
class ExamMemory:
    """The rows, by what they hold."""

    rows: tuple[ExamRow, ...]
    _by_stem: Mapping[str, frozenset[int]] = field(repr=False)

    @classmethod
    def of(cls, rows: Iterable[Observation], names: Iterable[EntityName], *, timezone: str) -> "ExamMemory":
        """Return what `rows` hold, in the order of their ids.

        Args:
            rows: those that may be seen.
            names: of the graph's entities.
            timezone: whose days count.
        """
        known = {name.id: name for name in names}
        read = tuple(ExamRow.of(row, known, timezone) for row in sorted(rows, key=lambda row: row.id))
        places: defaultdict[str, set[int]] = defaultdict(set)
        for place, row in enumerate(read):
            for stem in row.stems:
                places[stem].add(place)
        return cls(read, {stem: frozenset(found) for stem, found in places.items()})

    def holding(self, *terms: Term) -> tuple[ExamRow, ...]:
        """Return the rows that hold every one of `terms`."""
        found = [self._by_stem.get(stem, frozenset[int]()) for term in terms for stem in term.stems]
        both = found[0].intersection(*found[1:]) if found else frozenset[int]()
        return tuple(self.rows[place] for place in sorted(both))

    def are_together(self, one: Term, other: Term) -> bool:
        """Return whether two terms belong together: one note holds both, or one day of a conversation."""
        groups = {row.group for row in self.holding(one)}
        return any(row.group in groups for row in self.holding(other))

    def telling(self, row: ExamRow) -> Sequence[Term]:
        """Return the terms of `row`, the most telling first; none that stands in another."""
        told: list[Term] = []
        for term in sorted(row.terms, key=self._weight, reverse=True):
            if not any(term.stems & other.stems for other in told):
                told.append(term)
        return told

    def _weight(self, term: Term) -> float:
        rarity = math.log((len(self.rows) + 1) / max(len(self.holding(term)), 1))
        return rarity * max(map(word_weight, term.stems))


def _language(text: str) -> Language | None:
    found = words(text)
    return language_of(found) if any(word.is_stop for word in found) else None


def _group(row: Observation, day: date | None) -> str:
    if row.thread is not None and row.speaker is not None:
        return f"thread {row.thread} {day}"
    return row.provenance[0].thought_id if row.provenance else row.id


def _label(row: Observation) -> tuple[str, str] | None:
    key, colon, value = row.text.partition(": ")
    title = row.context_path[0].strip() if row.context_path else ""
    is_short = 0 < len(key.strip()) <= _LONGEST_LABEL and 0 < len(title) <= _LONGEST_LABEL
    if not colon or not value.strip() or not is_short or "\n" in row.text.strip():
        return None
    return key.strip("-*• \t"), title


def _states(text: str) -> bool:
    """Return whether a text is one statement that a question can be made of."""
    plain = text.strip()
    return len(plain) <= _MOST_CHARACTERS and not plain.endswith(_ASKS) and find_instruction(plain) is None


def _terms(row: Observation, names: Mapping[str, EntityName]) -> tuple[Term, ...]:
    named = [names[each] for each in row.entity_ids if each in names]
    stems = stems_in(row.text)
    said = [
        Term(text=name.name, stems=parts, sort=name.entity_type)
        for name in named
        if (parts := stems_in(name.name)) and parts <= stems and not _is_of(row.speaker, parts)
    ]
    idle = every_word("questions", "asking", "rows", "light")
    start = next(iter(content_words(row.text)), None)
    plain = [
        Term(text=word.text, stems=frozenset({word.stem}), sort=_sort(word, is_first=word is start))
        for word in content_words(row.text)
        if len(word.key) >= _LEAST_LETTERS and not (word.is_number or word.key in idle or _is_plain(word))
    ]
    return (*said, *(term for term in plain if not _is_of(row.speaker, term.stems)))


def _is_of(speaker: str | None, stems: frozenset[str]) -> bool:
    return speaker is not None and bool(stems & stems_in(speaker))


def _sort(word: Word, *, is_first: bool) -> str:
    return _NAME if word.is_capital and not is_first else _WORD


def _is_plain(word: Word) -> bool:
    """Return whether a word tells nothing by itself: an everyday one, a month, a day of the week."""
    return word_weight(word.stem) <= _EVERYDAY or month_named(word.text) is not None or bool(weekdays(word.text))

"""Make the questions of an exam from the rows of a memory.

Law: the questions follow from the rows and a seed alone: the same memory and the same seed give the same exam. A
question is about the terms of its row that fewest rows hold, in the row's own words and a sentence of its language
that is data. Asked straight or with its day, the rows that hold all of it are its answer. A near miss keeps one term
and takes another of the same sort that the memory connects with it nowhere; of a swapped person is asked what somebody
else said, who never said a word of it, nor is named with one. Both have no answer. A row serves a kind once.

The rows of a memory, as far as questions can be made of them. A term is a word of a row, or a name that the graph
knows, as the row has it. It tells the more, the fewer rows hold it and the less of an everyday word it is; words that
only ask, everyday words, numbers and times are none. Two terms belong together where one row holds both, or one note,
or one day of one conversation: what is said in the next breath is connected, too.

Source: promise 2; DESIGN 6 ("no grammar of a language"); DESIGN 6 ("word lists are data files"); ruling E.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import chain, islice
from typing import Final, TypeVar, cast

from blake3 import blake3

from voice.core.exam.results import KINDS, ExamQuestion, Kind
from voice.core.records import EntityName, Observation
from voice.core.text.dates import month_named, weekdays
from voice.core.text.instants import has_date, in_zone
from voice.core.text.language_data import every_word, language_tables
from voice.core.text.normalise import keyed_hash, norm_v1
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
class ExamTerm:
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
    terms: tuple[ExamTerm, ...]

    @classmethod
    def of(cls, row: Observation, names: Mapping[str, EntityName], timezone: str) -> "ExamRow":
        """Return `row`, read.

        Args:
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

    def holding(self, *terms: ExamTerm) -> tuple[ExamRow, ...]:
        """Return the rows that hold every one of `terms`."""
        found = [self._by_stem.get(stem, frozenset[int]()) for term in terms for stem in term.stems]
        both = found[0].intersection(*found[1:]) if found else frozenset[int]()
        return tuple(self.rows[place] for place in sorted(both))

    def are_together(self, one: ExamTerm, other: ExamTerm) -> bool:
        """Return whether two terms belong together: one note holds both, or one day of a conversation."""
        groups = {row.group for row in self.holding(one)}
        return any(row.group in groups for row in self.holding(other))

    def telling(self, row: ExamRow) -> Sequence[ExamTerm]:
        """Return the terms of `row`, the most telling first; none that stands in another."""
        told: list[ExamTerm] = []
        for term in sorted(row.terms, key=self._weight, reverse=True):
            if not any(term.stems & other.stems for other in told):
                told.append(term)
        return told

    def _weight(self, term: ExamTerm) -> float:
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


def _terms(row: Observation, names: Mapping[str, EntityName]) -> tuple[ExamTerm, ...]:
    named = [names[each] for each in row.entity_ids if each in names]
    stems = stems_in(row.text)
    said = [
        ExamTerm(text=name.name, stems=parts, sort=name.entity_type)
        for name in named
        if (parts := stems_in(name.name)) and parts <= stems and not _is_of(row.speaker, parts)
    ]
    idle = every_word("questions", "asking", "rows", "light")
    start = next(iter(content_words(row.text)), None)
    plain = [
        ExamTerm(text=word.text, stems=frozenset({word.stem}), sort=_sort(word, is_first=word is start))
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


_SHARES: Final[Mapping[Kind, int]] = {"dated": 5, "near_miss": 5, "swapped": 5}
"""One in so many questions is of that kind; the others are asked straight."""
_ID_LENGTH: Final = 16
_MOST_READ: Final = 2_000
"""Rows whose terms a near miss is made of."""
_T = TypeVar("_T")

AsksForTime = Callable[[str], bool]
"""Says whether a question names a time."""


@dataclass(frozen=True, kw_only=True)
class ExamMaker:
    """Makes questions of one memory."""

    memory: ExamMemory
    seed: int
    key: bytes = field(repr=False)
    """Of the memory; without it the id of a question tells nothing of its words."""
    language: Language
    """Of a row that shows none."""
    asks_for_time: AsksForTime

    def make(self, n: int) -> tuple[ExamQuestion, ...]:
        """Return `n` questions, fewer where the memory does not hold as many; by kind.

        Args:
            n: how many. What a kind lacks is made up by straight questions, then by dated ones.
        """
        quotas = {kind: n // share for kind, share in _SHARES.items()}
        quotas["straight"] = n - sum(quotas.values())
        made = {kind: self._of_kind(kind) for kind in KINDS}
        chosen = {kind: list(islice(made[kind], quotas[kind])) for kind in KINDS}
        for kind in KINDS[:2]:
            chosen[kind] += islice(made[kind], n - sum(map(len, chosen.values())))
        return tuple(chain.from_iterable(chosen[kind] for kind in KINDS))

    def _of_kind(self, kind: Kind) -> Iterator[ExamQuestion]:
        makers: Mapping[Kind, Callable[[ExamRow], ExamQuestion | None]] = {
            "straight": self._straight,
            "dated": self._dated,
            "near_miss": self._near_miss,
            "swapped": self._swapped,
        }
        make = makers[kind]
        seen: set[str] = set()
        for row in self._drawn(kind):
            question = make(row)
            if question and question.text not in seen and self.asks_for_time(question.text) == (kind == "dated"):
                seen.add(question.text)
                yield question

    def _straight(self, row: ExamRow) -> ExamQuestion | None:
        if row.label is not None and row.terms:
            key, title = row.label
            text = self._sentence("labelled", row).format(key=key, title=title)
            return self._question("straight", row, text, accepted=self._like(row, ()))
        terms = self.memory.telling(row)[:2]
        if len(terms) < 2:
            return None
        text = self._about(row, *terms)
        return self._question("straight", row, text, accepted=self._like(row, terms))

    def _dated(self, row: ExamRow) -> ExamQuestion | None:
        terms = self.memory.telling(row)[:2]
        if row.day is None or len(terms) < 2:
            return None
        one, other = terms
        sentence = self._sentence("said_on" if row.speaker else "noted_on", row)
        text = sentence.format(name=row.speaker, one=one.text, other=other.text, day=row.day.isoformat())
        like = [each for each in self._like_rows(row, terms) if each.day == row.day]
        return self._question("dated", row, text, accepted=frozenset(each.row_id for each in like))

    def _near_miss(self, row: ExamRow) -> ExamQuestion | None:
        terms = [term for term in self.memory.telling(row) if term.sort != PERSON][:2]
        if len(terms) < 2:
            return None
        kept, lost = terms
        stranger = self._stranger(row, kept, lost.sort)
        return stranger and self._question("near_miss", row, self._about(row, kept, stranger))

    def _stranger(self, row: ExamRow, kept: ExamTerm, sort: str) -> ExamTerm | None:
        """Return a term of that sort which the memory does not connect with `kept`."""
        found = self._from_anywhere(self._strangers.get((sort, row.language), ()), row.normal)
        return next((each for each in found if not self.memory.are_together(kept, each)), None)

    def _swapped(self, row: ExamRow) -> ExamQuestion | None:
        return self._other_speaker(row) if row.speaker else self._other_person(row)

    def _other_speaker(self, row: ExamRow) -> ExamQuestion | None:
        terms = self.memory.telling(row)[:2]
        others = self._from_anywhere(self._speakers, row.normal)
        other = next((each for each in others if self._never_said(each, terms)), None)
        if other is None or len(terms) < 2:
            return None
        return self._question("swapped", row, self._about(replace(row, speaker=other), *terms))

    def _other_person(self, row: ExamRow) -> ExamQuestion | None:
        terms = self.memory.telling(row)
        kept = next((term for term in terms if term.sort != PERSON), None)
        if kept is None or all(term.sort != PERSON for term in terms):
            return None
        other = self._stranger(row, kept, PERSON)
        return other and self._question("swapped", row, self._about(row, other, kept))

    def _never_said(self, name: str, terms: Iterable[ExamTerm]) -> bool:
        """Return whether no row of that person's holds one of `terms`, and none that names them."""
        named = stems_in(name)
        about = (row for term in terms for row in self.memory.holding(term))
        return not any((row.speaker or "").casefold() == name.casefold() or named <= row.stems for row in about)

    def _like(self, row: ExamRow, terms: Iterable[ExamTerm]) -> frozenset[str]:
        return frozenset(each.row_id for each in self._like_rows(row, tuple(terms)))

    def _like_rows(self, row: ExamRow, terms: Iterable[ExamTerm]) -> list[ExamRow]:
        """Return the rows that say the same: the same words, or all of `terms` by the same person."""
        by_terms = [each for each in self.memory.holding(*terms) if each.speaker == row.speaker]
        return [row, *by_terms, *self._by_text[row.normal]]

    def _about(self, row: ExamRow, one: ExamTerm, other: ExamTerm) -> str:
        sentence = self._sentence("said" if row.speaker else "noted", row)
        return sentence.format(name=row.speaker, one=one.text, other=other.text)

    def _sentence(self, name: str, row: ExamRow) -> str:
        tables = language_tables("exam")
        return cast("str", tables[row.language or self.language][name])

    def _question(self, kind: Kind, row: ExamRow, text: str, *, accepted: frozenset[str] = frozenset()) -> ExamQuestion:
        told = keyed_hash(self.key, f"exam question\n{kind}\n{row.row_id}\n{text}")
        return ExamQuestion(id=told[:_ID_LENGTH], kind=kind, text=text, row_id=row.row_id, accepted=accepted)

    def _drawn(self, kind: str) -> list[ExamRow]:
        """Return the rows in an order of chance, which is the same for the same words under other ids."""
        return sorted(self.memory.rows, key=lambda row: (self._digest(kind, row.normal), row.row_id))

    def _from_anywhere(self, items: Sequence[_T], salt: str) -> Iterator[_T]:
        """Yield `items` in their order, beginning anywhere."""
        start = int.from_bytes(self._digest("start", salt)[:4], "big") % max(len(items), 1)
        return chain(items[start:], items[:start])

    def _digest(self, *parts: str) -> bytes:
        return blake3("\n".join((str(self.seed), *parts)).encode("utf-8", "surrogatepass")).digest()

    @cached_property
    def _strangers(self) -> Mapping[tuple[str, Language | None], Sequence[ExamTerm]]:
        """People and telling terms that a near miss may be about, by their sort and their row's language."""
        found: defaultdict[tuple[str, Language | None], dict[str, ExamTerm]] = defaultdict(dict)
        for row in self._drawn("strangers")[:_MOST_READ]:
            for place, term in enumerate(self.memory.telling(row)):
                if place < 2 or term.sort == PERSON:
                    found[term.sort, row.language][term.text] = term
        return {sort: [term for _, term in sorted(terms.items())] for sort, terms in found.items()}

    @cached_property
    def _speakers(self) -> Sequence[str]:
        return sorted({row.speaker.casefold(): row.speaker for row in self.memory.rows if row.speaker}.values())

    @cached_property
    def _by_text(self) -> Mapping[str, Sequence[ExamRow]]:
        found: defaultdict[str, list[ExamRow]] = defaultdict(list)
        for row in self.memory.rows:
            found[row.normal].append(row)
        return found

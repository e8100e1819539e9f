"""Make exam questions from the rows of a memory.

Law: rows and seed determine the exam. A question is about its row's rarest terms, in the row's words and a template of
its language. Straight and dated questions are answered by the rows with all terms. A near miss replaces one term by one
of the same sort that the memory never connects with the other; a swapped question replaces the person by one who
never said, and is never named with, its terms. Both have no answer. A row serves each kind once.

A term is a content word of a row or an entity's name in it, not an everyday word, number or time. Terms are connected
if a row, a note, or a day of a conversation has both.
Source: promise 2; DESIGN 6 ("no grammar of a language"; "word lists are data files"); ruling E.
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
from voice.core.text.language_data import every_word, language_tables, word_weight
from voice.core.text.normalise import keyed_hash, norm_v1
from voice.core.text.prompt_injection import find_instruction
from voice.core.text.sentences import ASKED
from voice.core.text.word_lists import Language
from voice.core.text.words import Word, content_words, language_of, stems_in, words

PERSON: Final = "person"
_WORD: Final = "word"
_NAME: Final = "name"
_LEAST_LETTERS: Final = 4  # of a word that a question can be about
_EVERYDAY: Final = word_weight("day")  # weight of an everyday word
_LONGEST_ROW: Final = 400  # characters; a longer row is not a single statement
_LONGEST_LABEL: Final = 40  # characters of a label or title in a question


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamTerm:
    """A word or name that a question can be about."""

    text: str
    stems: frozenset[str]
    sort: str
    """The type of its entity; else `name` or `word`, by its capital."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamRow:
    """One row, parsed for questions."""

    row_id: str
    text: str = field(repr=False)
    normal: str = field(repr=False)
    stems: frozenset[str] = field(repr=False)
    """Of its text and context path."""
    speaker: str | None
    day: date | None
    group: str
    """Its note, or the day of its conversation."""
    label: tuple[str, str] | None
    """The label of a line `label: value`, and its note's title."""
    language: Language | None
    """None: no stop word shows it."""
    terms: tuple[ExamTerm, ...]

    @classmethod
    def of(cls, row: Observation, names: Mapping[str, EntityName], timezone: str) -> "ExamRow":
        """Parse `row`; `names` are entities by id, `timezone` is that of days."""
        day = in_zone(row.created_at, timezone).date() if has_date(row.created_at) else None
        return cls(
            row_id=row.id,
            text=row.text,
            normal=norm_v1(row.text),
            stems=stems_in(" ".join((row.text, *row.context_path))),  # a line's place is part of what it says
            speaker=row.speaker,
            day=day,
            group=_group(row, day),
            label=_label(row),
            language=_language(row.text),
            terms=_terms(row, names) if _is_statement(row.text) else (),
        )


@dataclass(frozen=True, slots=True)
class ExamMemory:
    """The rows, indexed by their stems."""

    rows: tuple[ExamRow, ...]
    _by_stem: Mapping[str, frozenset[int]] = field(repr=False)

    @classmethod
    def of(cls, rows: Iterable[Observation], names: Iterable[EntityName], *, timezone: str) -> "ExamMemory":
        """Index visible `rows`, in order of their ids; `names` are the graph's, `timezone` is that of days."""
        known = {name.id: name for name in names}
        parsed = tuple(ExamRow.of(row, known, timezone) for row in sorted(rows, key=lambda row: row.id))
        places: defaultdict[str, set[int]] = defaultdict(set)
        for place, row in enumerate(parsed):
            for stem in row.stems:
                places[stem].add(place)
        return cls(parsed, {stem: frozenset(found) for stem, found in places.items()})

    def holding(self, *terms: ExamTerm) -> tuple[ExamRow, ...]:
        """Return the rows with all `terms`."""
        found = [self._by_stem.get(stem, frozenset[int]()) for term in terms for stem in term.stems]
        places = found[0].intersection(*found[1:]) if found else frozenset[int]()  # none without terms
        return tuple(self.rows[place] for place in sorted(places))

    def are_connected(self, one: ExamTerm, other: ExamTerm) -> bool:
        """Return whether a note, or a day of a conversation, has both terms."""
        groups = {row.group for row in self.holding(one)}
        return any(row.group in groups for row in self.holding(other))

    def rarest_terms(self, row: ExamRow) -> Sequence[ExamTerm]:
        """Return the terms of `row`, rarest first, without overlaps."""
        found: list[ExamTerm] = []
        for term in sorted(row.terms, key=self._weight, reverse=True):
            if not any(term.stems & other.stems for other in found):
                found.append(term)
        return found

    def _weight(self, term: ExamTerm) -> float:
        rarity = math.log((len(self.rows) + 1) / max(len(self.holding(term)), 1))
        return rarity * max(map(word_weight, term.stems))  # a name weighs as much as its heaviest word


def _language(text: str) -> Language | None:
    found = words(text)
    return language_of(found) if any(word.is_stop for word in found) else None  # without a stop word any language fits


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
    return key.strip("-*• \t"), title  # without the mark of a list


def _is_statement(text: str) -> bool:
    plain = text.strip()
    return len(plain) <= _LONGEST_ROW and not ASKED.search(plain) and find_instruction(plain) is None


def _terms(row: Observation, names: Mapping[str, EntityName]) -> tuple[ExamTerm, ...]:
    """Return the entities named in a row, then its words, without the speaker's name."""
    stems = stems_in(row.text)
    found = [
        ExamTerm(text=name.name, stems=parts, sort=name.entity_type)
        for name in (names[each] for each in row.entity_ids if each in names)
        if (parts := stems_in(name.name)) and parts <= stems  # all of its words
    ]
    idle = every_word("questions", "asking", "rows", "light")
    for place, word in enumerate(content_words(row.text)):
        if len(word.key) >= _LEAST_LETTERS and not (word.is_number or word.key in idle or _is_everyday(word)):
            sort = _NAME if word.is_capital and place > 0 else _WORD  # the first word has its capital anyway
            found.append(ExamTerm(text=word.text, stems=frozenset({word.stem}), sort=sort))
    speaker = stems_in(row.speaker or "")
    return tuple(term for term in found if not term.stems & speaker)  # the question names the speaker anyway


def _is_everyday(word: Word) -> bool:
    """Return whether a word is too common for a question, a month or a weekday."""
    return word_weight(word.stem) <= _EVERYDAY or month_named(word.text) is not None or bool(weekdays(word.text))


# One in so many questions is of that kind; the others are straight.
_SHARES: Final[Mapping[Kind, int]] = {"dated": 5, "near_miss": 5, "swapped": 5}
_ID_LENGTH: Final = 16  # 64 bits in hex, enough for one memory
_MOST_READ: Final = 2_000  # rows that replacement terms are taken from
_T = TypeVar("_T")

AsksForTime = Callable[[str], bool]
"""Returns whether a question names a time."""


@dataclass(frozen=True, kw_only=True)
class ExamMaker:
    """Makes questions from one memory."""

    memory: ExamMemory
    seed: int
    key: bytes = field(repr=False)
    """The memory's, for question ids."""
    language: Language
    """For rows whose language is unknown."""
    asks_for_time: AsksForTime

    def make(self, n: int) -> tuple[ExamQuestion, ...]:
        """Return up to `n` questions, by kind; what a kind lacks is replaced by straight, then dated ones."""
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
        for row in self._shuffled(kind):
            question = make(row)
            # A label or title may read as a time: "March".
            if question and question.text not in seen and self.asks_for_time(question.text) == (kind == "dated"):
                seen.add(question.text)
                yield question

    def _straight(self, row: ExamRow) -> ExamQuestion | None:
        if row.label is not None and row.terms:
            key, title = row.label
            text = self._template("labelled", row).format(key=key, title=title)
            return self._question("straight", row, text, accepted=self._equivalent(row, ()))
        terms = self.memory.rarest_terms(row)[:2]
        if len(terms) < 2:  # one term alone may stand in many rows
            return None
        text = self._about(row, *terms)
        return self._question("straight", row, text, accepted=self._equivalent(row, terms))

    def _dated(self, row: ExamRow) -> ExamQuestion | None:
        terms = self.memory.rarest_terms(row)[:2]
        if row.day is None or len(terms) < 2:
            return None
        one, other = terms
        template = self._template("said_on" if row.speaker else "noted_on", row)
        text = template.format(name=row.speaker, one=one.text, other=other.text, day=row.day.isoformat())
        # The same said on another day is not the answer.
        accepted = [each for each in self._equivalent(row, terms) if each.day == row.day]
        return self._question("dated", row, text, accepted=accepted)

    def _near_miss(self, row: ExamRow) -> ExamQuestion | None:
        terms = [term for term in self.memory.rarest_terms(row) if term.sort != PERSON][:2]  # `swapped` replaces people
        if len(terms) < 2:
            return None
        kept, lost = terms
        stranger = self._stranger(row, kept, lost.sort)
        return stranger and self._question("near_miss", row, self._about(row, kept, stranger))

    def _stranger(self, row: ExamRow, kept: ExamTerm, sort: str) -> ExamTerm | None:
        """Return a term of that sort that is not connected with `kept`."""
        found = self._rotated(self._strangers.get((sort, row.language), ()), row.normal)
        return next((each for each in found if not self.memory.are_connected(kept, each)), None)

    def _swapped(self, row: ExamRow) -> ExamQuestion | None:
        terms = self.memory.rarest_terms(row)
        if row.speaker:
            speakers = self._rotated(self._speakers, row.normal)
            speaker = next((each for each in speakers if self._never_said(each, terms[:2])), None)
            if speaker is None or len(terms) < 2:
                return None
            return self._question("swapped", row, self._about(replace(row, speaker=speaker), *terms[:2]))
        kept = next((term for term in terms if term.sort != PERSON), None)
        if kept is None or all(term.sort != PERSON for term in terms):
            return None
        person = self._stranger(row, kept, PERSON)  # here the person is the stranger
        return person and self._question("swapped", row, self._about(row, person, kept))

    def _never_said(self, name: str, terms: Iterable[ExamTerm]) -> bool:
        """Return whether no row with one of `terms` is by that person or names them."""
        named = stems_in(name)
        about = (row for term in terms for row in self.memory.holding(term))
        return not any((row.speaker or "").casefold() == name.casefold() or named <= row.stems for row in about)

    def _equivalent(self, row: ExamRow, terms: Iterable[ExamTerm]) -> list[ExamRow]:
        """Return the rows with the same words, or with all `terms` by the same person."""
        by_terms = [each for each in self.memory.holding(*terms) if each.speaker == row.speaker]
        return [row, *by_terms, *self._by_text[row.normal]]  # equal words answer as well

    def _about(self, row: ExamRow, one: ExamTerm, other: ExamTerm) -> str:
        template = self._template("said" if row.speaker else "noted", row)
        return template.format(name=row.speaker, one=one.text, other=other.text)

    def _template(self, name: str, row: ExamRow) -> str:
        return cast("str", language_tables("exam")[row.language or self.language][name])

    def _question(self, kind: Kind, row: ExamRow, text: str, *, accepted: Iterable[ExamRow] = ()) -> ExamQuestion:
        # Keyed: a stored id confirms no guess of a row's words.
        key = keyed_hash(self.key, f"exam question\n{kind}\n{row.row_id}\n{text}")[:_ID_LENGTH]
        ids = frozenset(each.row_id for each in accepted)
        return ExamQuestion(id=key, kind=kind, text=text, row_id=row.row_id, accepted=ids)

    def _shuffled(self, kind: str) -> list[ExamRow]:
        """Return the rows in pseudo-random order, which is the same for the same words under other ids."""
        return sorted(self.memory.rows, key=lambda row: (self._digest(kind, row.normal), row.row_id))

    def _rotated(self, items: Sequence[_T], salt: str) -> Iterator[_T]:
        """Yield `items` in order from a pseudo-random start."""
        start = int.from_bytes(self._digest("start", salt)[:4], "big") % max(len(items), 1)
        return chain(items[start:], items[:start])

    def _digest(self, *parts: str) -> bytes:
        return blake3("\n".join((str(self.seed), *parts)).encode("utf-8", "surrogatepass")).digest()

    @cached_property
    def _strangers(self) -> Mapping[tuple[str, Language | None], Sequence[ExamTerm]]:
        """People and rare terms as replacements, by sort and language."""
        found: defaultdict[tuple[str, Language | None], dict[str, ExamTerm]] = defaultdict(dict)
        for row in self._shuffled("strangers")[:_MOST_READ]:
            for place, term in enumerate(self.memory.rarest_terms(row)):
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

"""The words of a question that identify one thing, and whether a passage is about that thing.

Law: a name, a number with its noun ("boat number 12"), a version, an id and a day of a question stand in a passage or
in its path, or the passage answers nothing. The day of a date is no number of anything else, and neither is a year. A
name is what is written with a capital where other words are not; it is there under every name that the graph knows for
the same one, and in short ("Mel"). A question in small letters names nobody: the other figures of the rule decide. Of a
question that tells much and names no person, what tells all of it but a name is not another thing.

Source: DESIGN 6 "Asking costs less than guessing"; ruling D5.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from typing import Final

import regex

from voice.core.answering.identifying_numbers import IdentifyingNumber, NumberedText, holds_code
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.question_terms import term_weights
from voice.core.grounding.answerability.evidence_sentences import MOST_READ
from voice.core.grounding.answerability.person_names import proper_names, same_name
from voice.core.records import Entity, EntityName, Observation
from voice.core.retrieval.passages import Passage
from voice.core.text.background import is_known_word
from voice.core.text.dates import DateMention, stated_dates
from voice.core.text.first_names import is_first_name
from voice.core.text.instants import is_told
from voice.core.text.language_data import entries, every_word
from voice.core.text.patterns import late_pattern
from voice.core.text.words import Word, fold_key, side_by_side, stems_in, words

_CALL: Final = 2
"""In more words than these that all have a capital, capitals tell no name: "WHERE IS THE BOAT"."""
_MOST: Final = 8
"""The most names, numbers and ids of a question that are looked for."""
_MUCH: Final = 4
"""So many words describe one thing well enough for it to be recognised under another name."""
_A_DAY: Final = timedelta(hours=14)
"""The most that local time differs from UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name in a question."""

    keys: tuple[str, ...]
    """The words of the name, in order, as words are compared."""
    stems: tuple[str, ...] = ()
    """Their stems."""
    others: frozenset[str] = frozenset()
    """Words of other names of the same entity."""
    ids: frozenset[str] = frozenset()
    """The entities that have the name."""
    is_person: bool = False
    start: int = 0
    end: int = 0
    """Where the question says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifiers:
    """What a passage must hold to be about what a question asks."""

    names: tuple[Name, ...] = ()
    numbers: tuple[IdentifyingNumber, ...] = ()
    codes: tuple[str, ...] = ()
    """Ids, as they are written."""
    days: tuple[DateMention, ...] = ()
    rest: frozenset[str] = frozenset()
    """Stems of the question's other telling words, if it names no person."""

    @classmethod
    def of(
        cls, question: str, entities: Sequence[Entity | EntityName] = (), owner: MemoryOwner | None = None
    ) -> "Identifiers":
        """Return the identifiers of a question.

        Args:
            question: the person's own words, without their time.
            entities: of the graph; they tell which names are of one.
            owner: who is "I" in the notes, and not named there.
        """
        question = question[:MOST_READ]
        reading = NumberedText.of(question)
        own = owner.keys if owner else frozenset[str]()
        named = (name for name in _names(question, entities) if own.isdisjoint(name.keys))
        names = tuple(_apart(question, named))[:_MOST]
        return cls(
            names=names,
            numbers=reading.numbered[:_MOST],
            codes=reading.codes[:_MOST],
            days=tuple(day for day in stated_dates(question) if day.month and day.day)[:_MOST],
            rest=_rest_of(question, names),
        )

    def is_missing_from(self, passage: Passage) -> bool:
        """Return whether a passage, with its path, lacks an identifier."""
        text = passage.placed_text
        if not all(holds_code(text, code) for code in self.codes):
            return True
        if self.numbers:
            reading = NumberedText.of(text)
            if not all(map(reading.holds, self.numbers)):
                return True
        return self._lacks_name(passage) or self._lacks_day(passage)

    def _lacks_name(self, passage: Passage) -> bool:
        if not self.names or self._is_told_but_for_names(passage):
            return False
        found = [*words(passage.placed_text), *_words_of_speakers(passage)]
        told = frozenset(entity for row in _observations(passage) for entity in row.entity_ids)
        return not all(name.ids & told or _is_told(name, found) for name in self.names)

    def _is_told_but_for_names(self, passage: Passage) -> bool:
        """Return whether a passage holds all else that a long question tells: the same thing under another name."""
        return len(self.rest) >= _MUCH and self.rest <= stems_in(passage.placed_text)

    def _lacks_day(self, passage: Passage) -> bool:
        if not self.days:
            return False
        told = stated_dates(passage.placed_text)
        moments = [each.row.created_at for each in passage.rows if is_told(each.row.created_at)]
        near = {(at + by).date() for at in moments for by in (-_A_DAY, timedelta(), _A_DAY)}
        # A date that can be read in two ways ("03/04/2024") is there once for each.
        return not any(
            any(_agree(day, other) for other in told)
            or any((day.month, day.day) == (one.month, one.day) and day.year in {None, one.year} for one in near)
            for day in self.days
        )


def _rest_of(question: str, names: Sequence[Name]) -> frozenset[str]:
    if any(name.is_person for name in names):
        return frozenset()
    return frozenset(term_weights(question)).difference(*(name.stems for name in names))


def _agree(one: DateMention, other: DateMention) -> bool:
    is_same_year = one.year is None or other.year is None or one.year == other.year
    return is_same_year and (one.month, one.day) == (other.month, other.day)


def _observations(passage: Passage) -> list[Observation]:
    return [each.row for each in passage.rows if isinstance(each.row, Observation)]


def _words_of_speakers(passage: Passage) -> list[Word]:
    return [word for row in _observations(passage) for word in words(row.speaker or "")]


def _names(question: str, entities: Sequence[Entity | EntityName]) -> Iterable[Name]:
    """Yield the names in a question: words with a capital, the first one only if it is rare or a known name."""
    found, labels = words(question), every_word("identifiers", "labels")
    named = [word for word in proper_names(question, found) if word.key not in labels]
    if len(found) > _CALL and all(word.is_capital for word in found):
        return
    first = next((word for word in found[:1] if word.is_capital and not word.is_stop), None)
    if first is not None and first not in named and any(_bears(entity, (first.key,)) for entity in entities):
        named = [first, *named]
    for run in side_by_side(question, named):
        keys = tuple(word.key for word in run)
        same = [entity for entity in entities if _bears(entity, keys)]
        others = (word for entity in same for name in (entity.name, *entity.aliases) for word in words(name))
        yield Name(
            keys=keys,
            stems=tuple(word.stem for word in run),
            others=frozenset(word.key for word in others if not word.is_stop),
            ids=frozenset(entity.id for entity in same),
            is_person=is_first_name(run[0].text) or any(each.entity_type == "person" for each in same),
            start=run[0].start,
            end=run[-1].end,
        )


def _apart(question: str, names: Iterable[Name]) -> Iterator[Name]:
    """Yield names, alternatives ("Porto or Braga", "Tom and Ana") merged into one of which either will do."""
    last: Name | None = None
    for name in names:
        if last is not None and _joins().fullmatch(question, last.end, name.start):
            others = last.others | name.others | frozenset(name.keys) | frozenset(name.stems)
            last = replace(
                last,
                others=others,
                ids=last.ids | name.ids,
                is_person=last.is_person or name.is_person,
                end=name.end,
            )
            continue
        if last is not None:
            yield last
        last = name
    if last is not None:
        yield last


@cache
def _joins() -> "regex.Pattern[str]":
    """Return what stands between two alternatives; up to two small words may follow ("or in the")."""
    return late_pattern(
        r"[,\s]++(?:\L<joins>\b\.?|/)(?:\s++\p{Ll}{1,4}+){0,2}+\s++",
        regex.IGNORECASE,
        joins=sorted(entries("identifiers", "joins")),
    )


def _bears(entity: Entity | EntityName, keys: tuple[str, ...]) -> bool:
    """Return whether an entity has a name of just these words."""
    return any(
        keys[0] in fold_key(name) and tuple(word.key for word in words(name) if not word.is_stop) == keys
        for name in (entity.name, *entity.aliases)
    )


def _is_told(name: Name, found: Sequence[Word]) -> bool:
    """Return whether words name it, by any part of the name that is not part of somebody else's."""
    parts = list(zip(name.keys, name.stems, strict=True))
    is_whole = all(any(_same(key, word) or stem == word.stem for word in found) for key, stem in parts)
    if is_whole or any(_same(key, word) for key in name.others for word in found):
        return True
    return any(
        (_same(key, word) or stem == word.stem) and not (at == 0 and _goes_on_otherwise(found, place))
        for at, (key, stem) in enumerate(parts)
        for place, word in enumerate(found)
    )


def _goes_on_otherwise(found: Sequence[Word], place: int) -> bool:
    """Return whether a first name is followed by a last name ("Anna Maier")."""
    after = found[place + 1] if place + 1 < len(found) else None
    is_beside = after is not None and after.start == found[place].end + 1
    return after is not None and is_beside and after.is_capital and not (after.is_stop or is_known_word(after.key))


def _same(key: str, word: Word) -> bool:
    """Return whether a word is a word of a name, or short for it; "analysis" is not short for "Ana"."""
    return key in {word.key, word.stem} or (word.is_capital and same_name(key, word.key))

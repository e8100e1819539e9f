"""The target of a question: what it names, and whether a passage is about that.

Law: a name, a number with its noun ("boat number 12"), a version, an id and a day of a question stand in a passage or
in its path, or the passage answers nothing; which words of a name have to, `asked_names` tells. The day of a date is no
number of anything else; a year is there where it stands behind a word ("Cybercon 2023"). A question in small letters
names nobody. Of a question that tells much and names no person, what tells all of it but a name is not another thing,
unless it tells a part of the name: that is another of its kind. What is said of somebody else answers no question of
the owner (`owner_questions`). A sentence that stands alone need not hold the names: they may be said before it.

Source: ruling D5; DESIGN 6 "Asking costs less than guessing".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice
from typing import Final

from voice.core.answering.asked_names import Name, names_of
from voice.core.answering.identifying_numbers import IdentifyingNumber, NamedYear, NumberedText, holds_code, years_of
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.owner_questions import asks_about_owner, is_about_others, is_stated_by_owner
from voice.core.answering.owner_traits import Trait, trait_asked
from voice.core.answering.question_form import term_weights
from voice.core.grounding.extractive.evidence_sentences import MOST_READ, first_person
from voice.core.records import Entity, EntityName, Observation
from voice.core.retrieval.passages import Passage
from voice.core.retrieval.values import Candidate
from voice.core.text.dates import DateMention, stated_dates
from voice.core.text.instants import has_date
from voice.core.text.words import stems_in, words

_MOST: Final = 8  # most names, numbers and ids of a question that are looked for
_MOST_COUNTED: Final = 16  # most words of names that are counted in the index
_MUCH: Final = 4  # so many words describe one thing well enough for it to be recognised under another name
_A_DAY: Final = timedelta(hours=14)  # local time differs from UTC by 14 hours at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifiers:
    """What a passage must hold to be about what a question asks."""

    names: tuple[Name, ...] = ()
    numbers: tuple[IdentifyingNumber, ...] = ()
    years: tuple[NamedYear, ...] = ()
    """Years that stand behind a name or another word."""
    codes: tuple[str, ...] = ()
    """Ids, as they are written."""
    days: tuple[DateMention, ...] = ()
    rest: frozenset[str] = frozenset()
    """Stems of the question's other telling words, if it names no person."""

    @classmethod
    def of(
        cls, question: str, entities: Sequence[Entity | EntityName] = (), owner: MemoryOwner | None = None
    ) -> "Identifiers":
        """Return the identifiers of a question in the person's own words, without its time."""
        question = question[:MOST_READ]
        reading = NumberedText.of(question)
        own = owner.keys if owner else frozenset[str]()
        named = (name for name in names_of(question, entities) if own.isdisjoint(name.own.keys))
        names = tuple(islice(named, _MOST))
        return cls(
            names=names,
            numbers=reading.numbered[:_MOST],
            years=years_of(question)[:_MOST],
            codes=reading.codes[:_MOST],
            days=tuple(day for day in stated_dates(question) if day.month and day.day)[:_MOST],
            # Who is asked about is said in a passage, or the passage is about somebody else.
            rest=frozenset()
            if any(each.is_person for name in names for each in name.wordings)
            else frozenset(term_weights(question)).difference(*(name.own.stems for name in names)),
        )

    @property
    def words_to_count(self) -> tuple[str, ...]:
        """The words of names of which one may be missing, if more rows hold it than any other."""
        wordings = (each for name in self.names for each in name.wordings if each.is_divisible)
        return tuple(dict.fromkeys(key for each in wordings for key in each.keys))[:_MOST_COUNTED]

    def counted(self, counts: Mapping[str, int]) -> "Identifiers":
        """Return them where it is known how many rows hold each of `words_to_count`."""
        return replace(self, names=tuple(name.counted(counts) for name in self.names))

    @property
    def of_one_row(self) -> "Identifiers":
        """What of them a row holds that stands alone: who is meant by it may be said before it."""
        return replace(self, names=(), days=())

    @property
    def of_things(self) -> "Identifiers":
        """The names of what is no person, which stand near what is said of them in a conversation."""
        return Identifiers(names=tuple(each for each in self.names if not any(one.is_person for one in each.wordings)))

    def is_missing_from(self, passage: Passage) -> bool:
        """Return whether a passage, with its path, lacks an identifier."""
        text = passage.placed_text
        if not all(holds_code(text, code) for code in self.codes):
            return True
        if self.numbers:
            reading = NumberedText.of(text)
            if not all(map(reading.holds, self.numbers)):
                return True
        is_of_years = all(year.is_told_in(passage) for year in self.years)
        return not is_of_years or self._lacks_name(passage) or self._lacks_day(passage)

    def _lacks_name(self, passage: Passage) -> bool:
        if not self.names:
            return False
        rows = [each.row for each in passage.rows if isinstance(each.row, Observation)]
        found = [*words(passage.placed_text), *(word for row in rows for word in words(row.speaker or ""))]
        entities = frozenset(entity for row in rows for entity in row.entity_ids)
        lacking = [name for name in self.names if not (name.ids & entities or name.is_told_in(found))]
        if not lacking:
            return False
        # All else that a long question tells: the same thing under another name.
        has_all_else = len(self.rest) >= _MUCH and self.rest <= stems_in(passage.placed_text)
        return any(name.is_another_in(found) for name in lacking) or not has_all_else

    def _lacks_day(self, passage: Passage) -> bool:
        if not self.days:
            return False
        stated = stated_dates(passage.placed_text)
        moments = [each.row.created_at for each in passage.rows if has_date(each.row.created_at)]
        near = {(at + by).date() for at in moments for by in (-_A_DAY, timedelta(), _A_DAY)}
        # A date that can be read in two ways ("03/04/2024") is there once for each.
        return not any(
            any(_agree(day, other) for other in stated)
            or any((day.month, day.day) == (one.month, one.day) and day.year in {None, one.year} for one in near)
            for day in self.days
        )


def _agree(one: DateMention, other: DateMention) -> bool:
    is_same_year = one.year is None or other.year is None or one.year == other.year
    return is_same_year and (one.month, one.day) == (other.month, other.day)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTarget:
    """Whom and what a question is about."""

    question: str
    identifiers: Identifiers
    owner: MemoryOwner
    is_about_owner: bool
    people: tuple[str, ...]
    """Names of the persons in the graph."""
    trait: Trait | None
    """What of the owner it asks for, where a table tells how they say it."""

    @classmethod
    def of(cls, question: str, entities: Sequence[Entity | EntityName], owner: MemoryOwner) -> "QuestionTarget":
        """Return the target of a question without its time; `entities` are those of the graph."""
        is_about_owner = asks_about_owner(question, owner)
        trait = trait_asked(question, owner) if is_about_owner else None
        persons = [each for each in entities if each.entity_type == "person"]
        return cls(
            question=question,
            identifiers=Identifiers.of(question, entities, owner),
            owner=owner,
            is_about_owner=is_about_owner,
            trait=None if trait is None or trait.is_name else trait,
            people=tuple(name for each in persons for name in (each.name, *each.aliases)),
        )

    def counted(self, counts: Mapping[str, int]) -> "QuestionTarget":
        """Return the target where it is known how many rows hold the words of its names (`Identifiers.counted`)."""
        return replace(self, identifiers=self.identifiers.counted(counts))

    def is_missed_by(self, passage: Passage) -> bool:
        """Return whether a passage is about somebody or something else."""
        if self.identifiers.is_missing_from(passage) or not self.may_be_about_owner(passage):
            return True
        trait = self.trait
        if trait is None or any(trait.is_told_in(row, self.owner) for row in passage.rows):
            return False
        # A trait of the owner is asked for, and nobody is "I" here.
        return (first_person() | self.owner.short_keys).isdisjoint(word.key for word in words(passage.text))

    def may_be_about_owner(self, passage: Passage) -> bool:
        """Return whether a passage may be about the owner, where the question is."""
        return not (self.is_about_owner and is_about_others(self.question, passage, self.owner, self.people))

    def is_stated_by_owner(self, passage: Passage) -> bool:
        """Return whether the owner says of themselves what the question asks for, or a note says it of them by name.

        With "I" they say by the phrases of a table (`owner_traits`) what these are for, and by no other word of it.
        """
        if not self.is_about_owner:
            return False
        trait = self.trait
        if trait is not None:
            if any(trait.is_told_in(row, self.owner) for row in passage.rows):
                return True
            if self.owner.short_keys.isdisjoint(word.key for word in words(passage.text)):
                return False
        return is_stated_by_owner(self.question, passage, self.owner)

    def matching_rows(self, rows: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return the rows that are not about somebody or something else, each judged alone."""
        identifiers = self.identifiers.of_one_row
        passages = ((row, Passage(rows=(row,), found=0)) for row in rows)
        return tuple(
            row
            for row, alone in passages
            if self.may_be_about_owner(alone)
            and (self.is_by_other_speaker(row) or not identifiers.is_missing_from(alone))
        )

    def is_by_other_speaker(self, row: Candidate) -> bool:
        """Return whether somebody else says it in a conversation."""
        speaker = row.row.speaker if isinstance(row.row, Observation) else None
        return speaker is not None and not self.owner.is_called(speaker)

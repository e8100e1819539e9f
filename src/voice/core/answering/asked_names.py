"""The names in a question, and whether words tell one of them.

Law: a name is what is written with a capital where other words are not. A person may be called by any part of the name,
unless another last name follows the first one. Of what is no person every word of the name is told, but for the one
that most rows of the memory hold: "the zoo" may be any zoo, and "Philadelphia" may stand for its zoo where no other
name stands in its place ("Philadelphia Museum"). Where words are equally rare, all of them are told. Alternatives
("Porto or Braga") and the names that the graph knows for the same one do as well.

Source: DESIGN 6 "Asking costs less than guessing"; ruling D5.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import regex

from voice.core.grounding.extractive.evidence_sentences import proper_names, same_name
from voice.core.records import Entity, EntityName
from voice.core.text.language_data import entries, every_word, is_common_word, is_first_name
from voice.core.text.lazy import late_pattern
from voice.core.text.words import Word, adjacent_words, fold_key, words

_LONGEST: Final = 200  # characters of a name; a longer one of the graph stands in no question
_CALL: Final = 2  # in more words than these that all have a capital, capitals tell no name: "WHERE IS THE BOAT"


@dataclass(frozen=True, slots=True, kw_only=True)
class NameVariant:
    """One way to say a name."""

    keys: tuple[str, ...]
    """The words of the name, in order, as words are compared."""
    stems: tuple[str, ...]
    is_person: bool = False
    spare: int | None = None
    """The place of the one word that may be missing."""

    @property
    def is_divisible(self) -> bool:
        """Whether a part of it may mean something else."""
        return len(self.keys) > 1 and not self.is_person

    def counted(self, counts: Mapping[str, int]) -> "NameVariant":
        """Return it with the one word that may be missing, the most common one by `counts` of rows."""
        if not self.is_divisible:
            return self
        own = [counts.get(key, 0) for key in self.keys]
        most = max(own)
        # Of equally common words neither may be missing: which one is the name's own is not known.
        return replace(self, spare=own.index(most) if own.count(most) == 1 else None)

    def is_told_in(self, found: Sequence[Word]) -> bool:
        """Return whether words tell it."""
        parts = list(zip(self.keys, self.stems, strict=True))
        if self.is_divisible:
            return self._has_rare_parts_in(found)
        if all(any(_same(key, word) or stem == word.stem for word in found) for key, stem in parts):
            return True
        return any(
            (_same(key, word) or stem == word.stem)
            # A first name that another last name follows is somebody else's ("Anna Maier").
            and not (at == 0 and _another_follows(found, place) and not is_common_word(found[place + 1].key))
            for at, (key, stem) in enumerate(parts)
            for place, word in enumerate(found)
        )

    def is_told_in_part(self, found: Sequence[Word]) -> bool:
        """Return whether words tell a part of it."""
        return any(word.key in self.keys or word.stem in self.stems for word in found)

    def _has_rare_parts_in(self, found: Sequence[Word]) -> bool:
        places_of = [
            [place for place, word in enumerate(found) if key in {word.key, word.stem} or stem == word.stem]
            for key, stem in zip(self.keys, self.stems, strict=True)
        ]
        lacking = [at for at, places in enumerate(places_of) if not places]
        if not lacking or lacking != [self.spare]:
            return not lacking
        at = lacking[0]
        if at == 0:  # "the zoo" may stand for "Philadelphia Zoo", "Berlin Zoo" may not
            return not all(_another_precedes(found, place) for place in places_of[1])
        return not all(_another_follows(found, place) for place in places_of[at - 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name in a question."""

    own: NameVariant
    """As the question says it."""
    others: tuple[NameVariant, ...] = ()
    """Other names of the same entity, and alternatives that the question names."""
    ids: frozenset[str] = frozenset()
    """The entities that have the name."""
    start: int
    end: int
    """Where the question says it."""

    @property
    def wordings(self) -> tuple[NameVariant, ...]:
        """Every way to say it."""
        return (self.own, *self.others)

    def counted(self, counts: Mapping[str, int]) -> "Name":
        """Return it with the words that may be missing (`Wording.counted`)."""
        return replace(self, own=self.own.counted(counts), others=tuple(each.counted(counts) for each in self.others))

    def is_told_in(self, found: Sequence[Word]) -> bool:
        """Return whether words tell it, one way or another."""
        return any(each.is_told_in(found) for each in self.wordings)

    def is_another_in(self, found: Sequence[Word]) -> bool:
        """Return whether words tell only a part of it, as of another thing of its kind."""
        return any(each.is_divisible and each.is_told_in_part(found) for each in self.wordings)


def names_of(question: str, entities: Sequence[Entity | EntityName] = ()) -> Iterator[Name]:
    """Yield the names in a question, alternatives ("Porto or Braga", "Tom and Ana") as one of which either will do.

    The entities of the graph tell which names are of one.
    """
    joined: list[Name] = []
    for name in _names(question, entities):
        if joined and not _joins().fullmatch(question, joined[-1].end, name.start):
            yield _either(joined)
            joined = []
        joined.append(name)
    if joined:
        yield _either(joined)


def _either(names: Sequence[Name]) -> Name:
    """Return several names as the first, with the others' wordings as alternatives."""
    first, *rest = names
    others = (*first.others, *(wording for name in rest for wording in name.wordings))
    return replace(first, others=others, ids=first.ids.union(*(name.ids for name in rest)), end=names[-1].end)


def _names(question: str, entities: Sequence[Entity | EntityName]) -> Iterable[Name]:
    """Yield the names in a question: words with a capital, the first one only if it is rare or a known name."""
    found, labels = words(question), every_word("identifiers", "labels")
    named = [word for word in proper_names(question, found) if word.key not in labels]
    if len(found) > _CALL and all(word.is_capital for word in found):
        return
    first = next((word for word in found[:1] if word.is_capital and not word.is_stop), None)
    if first is not None and first not in named and any(_bears(entity, (first.key,)) for entity in entities):
        named = [first, *named]
    for run in adjacent_words(question, named):
        keys = tuple(word.key for word in run)
        same = [entity for entity in entities if _bears(entity, keys)]
        types = {entity.entity_type for entity in same}
        is_person = "person" in types or (not types and any(is_first_name(word.text) for word in run))
        yield Name(
            own=NameVariant(keys=keys, stems=tuple(word.stem for word in run), is_person=is_person),
            others=tuple(_others(same, keys)),
            ids=frozenset(entity.id for entity in same),
            start=run[0].start,
            end=run[-1].end,
        )


def _others(same: Sequence[Entity | EntityName], keys: tuple[str, ...]) -> Iterator[NameVariant]:
    """Yield the other names of entities; of a person's every word."""
    for entity in same:
        for name in (entity.name, *entity.aliases):
            said = [word for word in words(name) if not word.is_stop]
            if entity.entity_type == "person":
                # Whoever says "Tom" may mean "Tom Baker", and his last name tells him as well.
                yield from (NameVariant(keys=(word.key,), stems=(word.stem,), is_person=True) for word in said)
            elif said and tuple(word.key for word in said) != keys:
                yield NameVariant(keys=tuple(word.key for word in said), stems=tuple(word.stem for word in said))


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
        if len(name) <= _LONGEST
    )


def _another_follows(found: Sequence[Word], place: int) -> bool:
    """Return whether another word with a capital follows a word of a name ("Philadelphia Museum")."""
    after = found[place + 1] if place + 1 < len(found) else None
    return after is not None and after.start == found[place].end + 1 and after.is_capital and not after.is_stop


def _another_precedes(found: Sequence[Word], place: int) -> bool:
    """Return whether another word with a capital precedes a word of a name, inside a sentence ("the Old Mill")."""
    if place < 2:  # the first word of a sentence has a capital anyway
        return False
    first, before = found[place - 2], found[place - 1]
    is_inside = first.end + 1 == before.start and before.end + 1 == found[place].start
    return is_inside and before.is_capital and not before.is_stop


def _same(key: str, word: Word) -> bool:
    """Return whether a word is a word of a name, or short for it; "analysis" is not short for "Ana"."""
    return key in {word.key, word.stem} or (word.is_capital and same_name(key, word.key))

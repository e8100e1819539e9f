"""Whether a sentence gives to whom the question gives: whose husband, whose boss, whose number.

Law: what a question gives to somebody (`bonds`) must be given to the same in one sentence: by an owner beside the noun,
by "my" of who speaks, by a pronoun that can mean nobody else, or, where the noun has no owner, by naming the owner in
that sentence or in the one before. A name that the evidence puts to a relation ("my sister Ingrid") stands for it; a
name in the graph of whom nobody speaks as of another may be the memory's owner's.

Source: ruling D5 ("evidence about another does not count").
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, Self

import regex

from voice.core.grounding.bonds import Bond, bonds_of
from voice.core.grounding.passages import Passage, all_passages
from voice.core.grounding.possessors import (
    ADJECTIVES,
    HERS,
    HIS,
    OF_ANYBODY,
    OF_PEOPLE,
    THEIRS,
    VERBS,
    Possessor,
    is_possessive,
    possessors_of,
)
from voice.core.grounding.referents import Gender, gender_of
from voice.core.grounding.spoken_of import OWNER, speaker_key
from voice.core.grounding.values import Evidence
from voice.core.grounding.who import FIRST_SINGULAR, proper_names, same_name
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_PHONE = regex.compile(r"(?<!\p{Nd})\+?\p{Nd}[\p{Nd} /()-]{5,}\p{Nd}")
_MAIL = regex.compile(r"\S@\S")
_GENDER_OF_KIN: Mapping[str, Gender] = {
    **dict.fromkeys(word_set("sister mother mom mum wife daughter aunt niece grandmother grandma girlfriend"), "she"),
    **dict.fromkeys(word_set("brother father dad husband son uncle nephew grandfather grandpa boyfriend"), "he"),
}
_PLACED = word_set("in at near from to around nach aus bei")
_ARTICLES = word_set("a an the ein eine einen der die das un una el la")
_CALLED = word_set("is was called named ist war heisst heißt es era")

Tie = Literal["own", "another", "unsaid"]
"""Whose a sentence says the noun is: the question's owner's, certainly somebody else's, or it does not tell."""


class Ties(NamedTuple):
    """What a question gives to whom, and who that is, as its evidence has it."""

    bonds: tuple[Bond, ...]
    called: Mapping[str, frozenset[str]]
    """Names that the evidence puts to a listed noun: "sister", of "my sister Ingrid"."""
    others: frozenset[str]
    """Keys of whom the memory's owner speaks as of somebody else."""

    @classmethod
    def of(cls, question: str, evidence: Sequence[Evidence]) -> Self:
        """Return what `question` ties, read over `evidence`."""
        bonds = bonds_of(question)
        nouns = {key for bond in bonds for key in bond.owner if key in OF_PEOPLE}
        called = {noun: frozenset(_names_of(noun, evidence)) for noun in nouns}
        others = frozenset(_spoken_of_as_others(evidence)) if any(bond.is_mine for bond in bonds) else frozenset[str]()
        return cls(bonds, called, others)

    def tie_of(self, bond: Bond, row: Evidence, passage: Passage) -> Tie:
        """Return whose the noun of `bond` is by a sentence of `row`, with the sentence before it."""
        said = [
            self._said(bond, row, passage, word, owner)
            for word in passage.words
            if word.key in OF_ANYBODY[bond.noun]
            for owner in possessors_of(passage, word)
        ]
        if not said and _shows(bond.noun, passage.text):
            said = [self._unstated(bond, row, passage)]
        return "own" if "own" in said else "another" if "another" in said else "unsaid"

    def _said(self, bond: Bond, row: Evidence, passage: Passage, noun: Word, owner: Possessor) -> Tie:
        speaker = speaker_key(passage)
        match owner.by:
            case "name":
                if bond.is_mine:
                    return "another" if owner.is_person and not self._may_ask(owner, row) else "own"
                return "own" if any(self._is(bond, key) for key in owner.keys) else self._otherwise(bond, passage)
            case "mine":
                if bond.is_mine:
                    return "own" if speaker == OWNER else "another"
                return "own" if self._is(bond, speaker) else self._otherwise(bond, passage)
            case "yours":
                return "another" if bond.is_mine or self._is(bond, speaker) else "own"
            case "pronoun":
                return self._by_pronoun(bond, row, passage, noun)
            case _:
                return self._unstated(bond, row, passage)

    def _may_ask(self, owner: Possessor, row: Evidence) -> bool:
        """Return whether a name in the graph may be the memory's owner's: nobody speaks of them as of another."""
        return row.source_type != "kg_observation" and not any(
            _same(key, one) for key in owner.keys for one in self.others
        )

    def _otherwise(self, bond: Bond, passage: Passage) -> Tie:
        """Return whose a noun is that has another owner: a thing's, if the thing is named beside it all the same."""
        is_thing = bool(bond.owner) and not any(_is_of_people(key, passage) for key in bond.owner)
        return "own" if is_thing and self._names(bond, passage.words) else "another"

    def _by_pronoun(self, bond: Bond, row: Evidence, passage: Passage, noun: Word) -> Tie:
        meant = _meant_by(noun, passage, _before(row, passage))
        if bond.is_mine:
            return "another" if meant else "unsaid"
        own = [one for one in meant if any(self._is(bond, key) for key in one)]
        if len(meant) == 1:
            return "own" if own else "another"
        is_about = any(self._is(bond, word.key) for name in row.entity_names for word in words(name))
        return "own" if (is_about and not meant) or (own and _is_plural(noun, passage)) else "unsaid"

    def _unstated(self, bond: Bond, row: Evidence, passage: Passage) -> Tie:
        speaker = speaker_key(passage)
        if bond.is_mine:
            return "own" if speaker == OWNER else "unsaid"
        named = (*passage.words, *_before(row, passage), *(w for name in row.entity_names for w in words(name)))
        return "own" if self._names(bond, named) or self._is(bond, speaker) else "unsaid"

    def _names(self, bond: Bond, found: Sequence[Word]) -> bool:
        return any(self._is(bond, word.key) for word in found)

    def _is(self, bond: Bond, key: str) -> bool:
        """Return whether a word names the owner: the last word of their name or the first, or whom a noun is called."""
        own = (bond.owner[0], bond.owner[-1]) if bond.owner else ()
        return any(_same(key, one) or any(_same(key, name) for name in self.called.get(one, ())) for one in own)


def lacking_tie(question: str, evidence: Sequence[Evidence]) -> str | None:
    """Return what no sentence of `evidence` gives to whom the question gives it, in words; None when each is given."""
    ties = Ties.of(question, evidence)
    for bond in ties.bonds:
        said = {ties.tie_of(bond, row, passage) for row in evidence for passage in all_passages(row)}
        if "own" not in said:
            theirs = "; what is there is another's" if "another" in said else ""
            return f"no source speaks of {bond.written}{theirs}"
    return None


def are_tied(ties: Ties, passages: Sequence[Passage]) -> bool:
    """Return whether the sentences give everything that the question gives to somebody to the same."""
    return all(any(ties.tie_of(bond, one.row, one) == "own" for one in passages) for bond in ties.bonds)


def is_of_another(ties: Ties, passage: Passage) -> bool:
    """Return whether a sentence gives what the question asks about to somebody else, and to nobody that it names."""
    said = [ties.tie_of(bond, passage.row, passage) for bond in ties.bonds]
    return "another" in said and "own" not in said


def _same(ours: str, theirs: str) -> bool:
    return ours == theirs or same_name(ours, theirs)


def _is_of_people(key: str, passage: Passage) -> bool:
    """Return whether an owner is a person as far as can be told: a listed relation, or a name with a gender."""
    is_named = any(word.key == key and word.is_capital for word in passage.words)
    return key in OF_PEOPLE or gender_of(key) is not None or is_named


def _before(row: Evidence, passage: Passage) -> Sequence[Word]:
    """Return the words of the sentence before one, in its row."""
    earlier = [other for other in all_passages(row) if other.start < passage.start]
    return earlier[-1].words if earlier else ()


def _meant_by(noun: Word, passage: Passage, before: Sequence[Word]) -> list[tuple[str, ...]]:
    """Return whom the pronoun before a noun may mean: the people of its sentence before it, else of the one before.

    A place is nobody, nor is a name of the other gender; "my sister Ingrid" is one.
    """
    pronoun = next(word for word in reversed(passage.words) if word.start < noun.start and word.key in THEIRS)
    gender = "she" if pronoun.key in HERS else "he" if pronoun.key in HIS else None
    own = [word for word in passage.words if word.end <= pronoun.start]
    people = list(_people_in(passage.text, own))
    if not people and before:
        text = " ".join(word.text for word in before)
        people = list(_people_in(text, words(text)))
    return [one for one in people if gender is None or _genders(one) <= {gender}]


def _genders(name: Sequence[str]) -> set[Gender]:
    return {gender for key in name if (gender := gender_of(key) or _GENDER_OF_KIN.get(key))}


def _people_in(text: str, found: Sequence[Word]) -> Iterator[tuple[str, ...]]:
    """Yield the people that words name, each once: names side by side, with the relation before them."""
    names = {word.start for word in proper_names(text, found)} | {
        word.start for word in found if word.is_capital and gender_of(word.key)
    }
    run: list[Word] = []
    for index, word in enumerate(found):
        is_one = word.start in names or (word.key in OF_PEOPLE and word.key not in VERBS)
        if is_one and word.start in names and not gender_of(word.key) and _is_no_person(found, index):
            is_one = False
        if run and (not is_one or text[run[-1].end : word.start].strip(" ")):
            yield tuple(one.key for one in run)
            run = []
        if is_one:
            run.append(word)
    if run:
        yield tuple(one.key for one in run)


def _is_no_person(found: Sequence[Word], index: int) -> bool:
    """Return whether a name stands as a place or as a thing does: "in Bergen", "a green Volvo"."""
    before = [word.key for word in found[max(0, index - 2) : index]]
    return bool(before) and (before[-1] in _PLACED or not _ARTICLES.isdisjoint(before))


def _is_plural(noun: Word, passage: Passage) -> bool:
    """Return whether the noun is "theirs": of all who are named before it."""
    before = [word.key for word in passage.words if word.start < noun.start]
    return any(key in ("their", "deren") for key in before[-ADJECTIVES:])


def _shows(noun: str, text: str) -> bool:
    """Return whether a sentence shows a number or an address to write to without calling it so."""
    said = OF_ANYBODY[noun]
    return bool(("number" in said and _PHONE.search(text)) or ("email" in said and _MAIL.search(text)))


def _names_of(noun: str, evidence: Sequence[Evidence]) -> Iterator[str]:
    """Yield the names that the evidence puts beside a listed noun: "my sister Ingrid", "Ingrid is my sister"."""
    said = OF_ANYBODY[noun] - VERBS
    for row in evidence:
        for passage in all_passages(row):
            yield from _beside(passage, said)


def _spoken_of_as_others(evidence: Sequence[Evidence]) -> Iterator[str]:
    """Yield the keys of speakers, and of the names in sentences in which the memory's owner says "I"."""
    for row in evidence:
        if row.speaker:
            yield from (word.key for word in words(row.speaker))
        for passage in all_passages(row):
            if row.source_type == "kg_observation" and any(word.key in FIRST_SINGULAR for word in passage.words):
                yield from (word.key for word in proper_names(passage.text, passage.words))


def _beside(passage: Passage, said: frozenset[str]) -> Iterator[str]:
    found = passage.words
    names = {word.start for word in proper_names(passage.text, found)}
    for index, word in enumerate(found):
        if word.key not in said or is_possessive(passage.text, word):
            continue
        after = next((one for one in found[index + 1 :] if one.key not in _CALLED), None)
        before = found[max(0, index - ADJECTIVES) : index]
        beside = [after, before[0] if any(one.key in _CALLED for one in before) else None]
        yield from (one.key for one in beside if one is not None and one.start in names)

"""Whether a sentence gives to whom the question gives: whose husband, whose boss, whose number.

Law: what a question gives to somebody (`bonds`) must be given to the same in one sentence: by an owner beside the noun,
by "my" of who speaks, by a pronoun that can mean nobody else, or, where the noun has no owner, by naming the owner in
that sentence or in the one before. A name that the evidence puts to a relation ("my sister Ingrid") stands for it; a
name in the graph of whom nobody speaks as of another may be the memory's owner's. Before anything is paid a question is
refused only where the evidence certainly gives the noun to others; where it tells of no such thing of anybody, it may
say so in other words. What an answer cites must tie it: by the noun, or by what says as much ("I report to Petra").

Source: ruling D5 ("evidence about another does not count").
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, NamedTuple, Self

import regex

from voice.core.grounding.answerability.bonds import Bond, bonds_of
from voice.core.grounding.answerability.passages import Passage, all_passages
from voice.core.grounding.answerability.possessors import (
    ADJECTIVES,
    HERS,
    HIS,
    OF_ANYBODY,
    OF_PEOPLE,
    THEIRS,
    VERBS,
    Possessor,
    are_alike,
    hint_at,
    is_possessive,
    is_title,
    possessors_of,
)
from voice.core.grounding.answerability.qualified import OF_KIN, is_of_a_friend, kinds_at
from voice.core.grounding.answerability.referents import Gender, gender_of
from voice.core.grounding.answerability.spoken_of import OWNER, speaker_key
from voice.core.grounding.answerability.who import FIRST_SINGULAR, proper_names, same_name
from voice.core.grounding.values import Evidence
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_PHONE = late_pattern(r"(?<!\p{Nd})\+?\p{Nd}[\p{Nd} /()-]{5,}\p{Nd}")
_MAIL = late_pattern(r"\S@\S")
_GENDER_OF_KIN: Mapping[str, Gender] = {
    **dict.fromkeys(word_set("sister mother mom mum wife daughter aunt niece grandmother grandma girlfriend"), "she"),
    **dict.fromkeys(word_set("brother father dad husband son uncle nephew grandfather grandpa boyfriend"), "he"),
}
_PLACED = word_set("in at near from to around nach aus bei")
_ARTICLES = word_set("a an the ein eine einen der die das un una el la")
_CALLED = word_set("is was called named ist war heisst heißt es era")

_IS = late_pattern(r"\s+(?:is|was|ist|war|es)\s+(?:my|our|the|mein|meine|unser|unsere|mi)\s+", regex.IGNORECASE)

Tie = Literal["own", "another", "open", "unsaid"]
"""Whose a sentence says the noun is: the question's owner's, certainly others', anybody's; or it tells of none."""
_MANY = 24
"""So many nouns of one sentence are looked at: no sentence that somebody wrote holds more."""
_SUREST_FIRST: tuple[Tie, ...] = ("own", "open", "another")


class Ties(NamedTuple):
    """What a question gives to whom, and who that is, as its evidence has it."""

    bonds: tuple[Bond, ...]
    called: Mapping[str, frozenset[str]]
    """Names that the evidence puts to a listed noun: "sister", of "my sister Ingrid"."""
    others: frozenset[str]
    """Keys of whom the memory's owner speaks as of somebody else."""

    sentences: Mapping[str, Sequence[Passage]]
    """Of each row, by its alias, every sentence."""

    @classmethod
    def of(cls, question: str, evidence: Sequence[Evidence]) -> Self:
        """Return what `question` ties, read over `evidence`."""
        bonds = bonds_of(question)
        sentences = {row.alias: all_passages(row) for row in evidence} if bonds else {}
        passages = [passage for row in sentences.values() for passage in row]
        others = spoken_of_as_others(evidence, passages) if any(bond.is_mine for bond in bonds) else ()
        return cls(bonds, _called(bonds, passages), frozenset(others), sentences)

    @property
    def passages(self) -> Iterator[Passage]:
        """Every sentence of the evidence."""
        return (passage for row in self.sentences.values() for passage in row)

    def tie_of(self, bond: Bond, passage: Passage) -> Tie:
        """Return whose the noun of `bond` is by a sentence, with the sentence before it."""
        said: set[Tie] = {
            self._said(bond, passage, word, owner)
            for word in islice(_nouns(bond, passage), _MANY)
            for owner in possessors_of(passage, word)
        }
        if said:
            return next(tie for tie in _SUREST_FIRST if tie in said)
        if (hint := hint_at(bond.noun, passage)) is not None:
            owners = possessors_of(passage, hint)
            return "own" if all(self._said(bond, passage, hint, owner) == "own" for owner in owners) else "unsaid"
        is_own = _shows(bond.noun, passage.text) and self._unstated(bond, passage) == "own"
        return "own" if is_own else "unsaid"

    def _said(self, bond: Bond, passage: Passage, noun: Word, owner: Possessor) -> Tie:
        speaker = speaker_key(passage)
        match owner.by:
            case "name":
                if bond.is_mine:
                    return "another" if owner.is_person and not self._may_ask(owner, passage.row) else "own"
                return (
                    "own" if any(self._is(bond, key) for key in owner.keys) else self._otherwise(bond, passage, owner)
                )
            case "mine":
                if bond.is_mine:
                    return "own" if speaker == OWNER else "another"
                return "own" if self._is(bond, speaker) else self._otherwise(bond, passage, owner)
            case "yours":
                return "another" if bond.is_mine or self._is(bond, speaker) else "own"
            case "pronoun":
                return self._by_pronoun(bond, passage, noun)
            case _:
                return self._unstated(bond, passage, noun)

    def _may_ask(self, owner: Possessor, row: Evidence) -> bool:
        """Return whether a name in the graph may be the memory's owner's: nobody speaks of them as of another."""
        return row.source_type != "kg_observation" and not any(
            _same(key, one) for key in owner.keys for one in self.others
        )

    def _otherwise(self, bond: Bond, passage: Passage, owner: Possessor) -> Tie:
        """Return whose a noun is that has another owner: a thing's, if the thing is named beside it all the same."""
        is_thing = bool(bond.owner) and not any(_is_of_people(key, passage) for key in bond.owner)
        if is_thing and self._names(bond, passage.words):
            return "own"
        return "open" if self._may_be(bond, owner.keys) else "another"

    def _by_pronoun(self, bond: Bond, passage: Passage, noun: Word) -> Tie:
        meant = _meant_by(noun, passage, self._before(passage))
        if bond.is_mine:
            is_others = bool(meant) or (speaker_key(passage) == OWNER and passage.row.source_type == "kg_observation")
            return "another" if is_others else "open"
        own = [one for one in meant if any(self._is(bond, key) for key in one)]
        is_about = any(self._is(bond, word.key) for name in passage.row.entity_names for word in words(name))
        if (own and (len(meant) == 1 or _is_plural(noun, passage))) or (is_about and not meant):
            return "own"
        is_open = bool(own) or is_about or not meant or any(self._may_be(bond, one) for one in meant)
        return "open" if is_open else "another"

    def _unstated(self, bond: Bond, passage: Passage, noun: Word | None = None) -> Tie:
        """Return whose a noun without an owner is; a verb is whose subject stands before it ("Anna is married")."""
        is_verb = noun is not None and (noun.key in VERBS or noun.key not in OF_ANYBODY)
        doers = list(_people_before(noun, passage)) if noun is not None and is_verb else []
        is_others = bool(doers) and not any(self._may_be(bond, one) for one in doers)
        if bond.is_mine:
            is_others = is_others and not any(word.key in FIRST_SINGULAR for word in passage.words)
            return "another" if is_others else "own" if speaker_key(passage) == OWNER else "open"
        named = [word for word in passage.words if not is_of_a_friend(passage, word)]
        named += self._before(passage)
        named += [word for name in passage.row.entity_names for word in words(name)]
        if self._names(bond, named) or self._is(bond, speaker_key(passage)):
            return "own"
        return "another" if is_others else "open"

    def _before(self, passage: Passage) -> Sequence[Word]:
        """Return the words of the sentence before one, in its row."""
        row = self.sentences.get(passage.row.alias, ())
        at = bisect_left(row, passage.start, key=lambda one: one.start)
        return row[at - 1].words if at else ()

    def _names(self, bond: Bond, found: Sequence[Word]) -> bool:
        return any(self._is(bond, word.key) for word in found)

    def _is(self, bond: Bond, key: str) -> bool:
        """Return whether a word names the owner: the last word of their name or the first, or whom a noun is called."""
        return any(_same(key, one) or any(_same(key, name) for name in self.called.get(one, ())) for one in _ends(bond))

    def _may_be(self, bond: Bond, keys: Sequence[str]) -> bool:
        """Return whether words that do not name the owner may mean them: "my sister", who is called as the owner is."""
        return any(_same(name, one) for key in keys for name in self.called.get(key, ()) for one in _ends(bond))


def lacking_tie(question: str, evidence: Sequence[Evidence]) -> str | None:
    """Return what `evidence` certainly gives to others than the question does, in words; None when it may not."""
    ties = Ties.of(question, evidence)
    for bond in ties.bonds:
        said = {ties.tie_of(bond, passage) for passage in ties.passages}
        if "another" in said and said.isdisjoint(("own", "open")):
            return f"no note that was found speaks of {bond.written}; what is there is another's"
    return None


def are_tied(ties: Ties, passages: Sequence[Passage]) -> bool:
    """Return whether the sentences give everything that the question gives to somebody to the same."""
    return all(_is_tied(ties, bond, passages) for bond in ties.bonds)


def _is_tied(ties: Ties, bond: Bond, passages: Sequence[Passage]) -> bool:
    """Return whether sentences tie a bond; one that only says who the owner of another is ("my wife" of "my wife's
    number") may be tied by any of the evidence where these do not speak of it."""
    said = {ties.tie_of(bond, one) for one in passages}
    is_named = any(word.key in OF_ANYBODY[bond.noun] for one in passages for word in one.words)
    if not is_named and any(bond.noun == other.owner[-1] for other in ties.bonds if other.owner):
        said = {ties.tie_of(bond, one) for one in ties.passages}
    return "own" in said


def is_of_another(ties: Ties, passage: Passage) -> bool:
    """Return whether a sentence gives what the question asks about to somebody else, and to nobody that it names."""
    said = [ties.tie_of(bond, passage) for bond in ties.bonds]
    return "another" in said and "own" not in said


def _same(ours: str, theirs: str) -> bool:
    return ours == theirs or same_name(ours, theirs) or are_alike(ours, theirs)


def _ends(bond: Bond) -> tuple[str, ...]:
    """Return the first word of an owner's name and the last."""
    return (bond.owner[0], bond.owner[-1]) if bond.owner else ()


def _nouns(bond: Bond, passage: Passage) -> Iterator[Word]:
    """Yield the words of a sentence that stand for the noun of a bond: a mother-in-law is no mother."""
    for index, word in enumerate(passage.words):
        if word.key in OF_ANYBODY[bond.noun]:
            kinds = kinds_at(passage.text, passage.words, index) - {"late"}
            if kinds <= bond.kinds and OF_KIN.isdisjoint(bond.kinds - kinds):
                yield word


def _is_of_people(key: str, passage: Passage) -> bool:
    """Return whether an owner is a person as far as can be told: a listed relation, or a name with a gender."""
    is_named = any(word.key == key and word.is_capital for word in passage.words)
    return key in OF_PEOPLE or gender_of(key) is not None or is_named


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


def _people_before(noun: Word, passage: Passage) -> Iterator[tuple[str, ...]]:
    return _people_in(passage.text, [word for word in passage.words if word.end <= noun.start])


def _people_in(text: str, found: Sequence[Word]) -> Iterator[tuple[str, ...]]:
    """Yield the people that words name, each once: names side by side, with the relation before or behind them."""
    names = {word.start for word in proper_names(text, found)} | {
        word.start for word in found if word.is_capital and gender_of(word.key)
    }
    run: list[Word] = []
    for index, word in enumerate(found):
        is_one = word.start in names or (word.key in OF_PEOPLE and word.key not in VERBS)
        if is_one and word.start in names and not gender_of(word.key) and _is_no_person(found, index):
            is_one = False
        if not is_one:
            continue
        if run and not _goes_on(text[run[-1].end : word.start]):
            yield tuple(one.key for one in run)
            run = []
        run.append(word)
    if run:
        yield tuple(one.key for one in run)


def _goes_on(between: str) -> bool:
    """Return whether what stands between two words leaves them one person: "sister Ingrid", "Eva is my wife"."""
    return not between.strip(" ") or _IS.fullmatch(between) is not None


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


def _called(bonds: Sequence[Bond], passages: Sequence[Passage]) -> Mapping[str, frozenset[str]]:
    """Return the names that sentences put beside listed nouns: "my sister Ingrid", "Ingrid is my sister"."""
    beside = [pair for passage in passages for pair in _beside(passage)]
    nouns = {key for key, _ in beside} | {key for bond in bonds for key in bond.owner if key in OF_PEOPLE}
    return {noun: frozenset(name for key, name in beside if key in OF_ANYBODY[noun]) for noun in nouns}


def spoken_of_as_others(evidence: Sequence[Evidence], passages: Sequence[Passage]) -> Iterator[str]:
    """Yield the keys of speakers, and of the names in sentences in which the memory's owner says "I"."""
    for row in evidence:
        yield from (word.key for word in words(row.speaker or ""))
    for passage in passages:
        if passage.row.source_type == "kg_observation" and any(word.key in FIRST_SINGULAR for word in passage.words):
            yield from (word.key for word in proper_names(passage.text, passage.words))


def _beside(passage: Passage) -> Iterator[tuple[str, str]]:
    """Yield each noun for a person with the name that stands beside it."""
    found = passage.words
    nouns = [index for index, word in enumerate(found) if word.key in OF_PEOPLE and word.key not in VERBS]
    names = {word.start for word in proper_names(passage.text, found)} if nouns else set[int]()
    for index in nouns:
        if is_possessive(passage.text, found[index]) or is_title(found, index):
            continue
        after = next((one for one in found[index + 1 :] if one.key not in _CALLED), None)
        before = found[max(0, index - ADJECTIVES) : index]
        beside = [after, before[0] if any(one.key in _CALLED for one in before) else None]
        yield from ((found[index].key, one.key) for one in beside if one is not None and one.start in names)

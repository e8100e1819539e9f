"""Traits of the owner that a question asks for, the words for them, and the sentences that state them.

Law: both are closed tables of phrases (`data/language/traits.toml`), matched word for word; a question that says more
asks for more. A sentence says it with "I" or "my", outside of what is quoted and not by another speaker, or tersely at
the head of a line ("Blood type: 0+") where no person is named over it. Who somebody is to the owner ("Who is my
wife?") is told where their name stands right behind "my wife".

The words by which somebody is asked about, or told of, as one of the owner's people, or as the owner by a trait. The
lists are data (`data/language/owner.toml`), read once, when a question of the owner is first asked.

Source: ruling D5.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final, cast

from voice.core.answering.memory_owner import MemoryOwner
from voice.core.grounding.extractive.evidence_sentences import MOST_READ, first_person
from voice.core.records import Entity, Observation
from voice.core.retrieval.values import Candidate
from voice.core.text.language_data import every_word, is_common_word, language_tables, listed_words
from voice.core.text.lazy import late_pattern
from voice.core.text.note_context import quoted_offsets
from voice.core.text.numbers import ONES, TENS
from voice.core.text.words import Word, fold_key, stem_of, words

_MOST_WORDS: Final = 16  # of more words than these, no question asks for one trait
_NEAR: Final = 4  # so many words behind "my wife" her name stands
_NO_ASIDE: Final = late_pattern(r"[^.!?;:\n]*")  # up to the end of the sentence or clause
_VALUE_FOLLOWS: Final = late_pattern(r"\s*+(?:[:=–—-]|\p{Nd})")  # "Blood type: 0+", "Height 180"
_MARKS: Final = late_pattern(r"[\s>#*+•–—-]*+(?:\[[ xX]\]\s)?")
Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """Something that the owner is or has, or who somebody is to them."""

    told: tuple[Phrase, ...]
    """How the owner says it."""
    terse: tuple[Phrase, ...] = ()
    """How a note says it at the head of a line."""
    is_name: bool = False
    """Whether a name has to stand behind the phrase."""

    @property
    def search(self) -> str:
        """The words that find the sentences that say it."""
        phrases = (*self.terse, *self.told)
        return " ".join(dict.fromkeys(word for phrase in phrases for word in phrase if not word.startswith("#")))

    def is_told_in(self, row: Candidate, owner: MemoryOwner) -> bool:
        """Return whether the owner says it of themselves in a row."""
        if isinstance(row.row, Entity):
            return self.is_name and self._describes(row.row, owner)
        if not isinstance(row.row, Observation):
            return False
        speaker = row.row.speaker
        if speaker is not None and not owner.is_called(speaker):
            return False
        quoted = quoted_offsets(row.text)
        own = [word for word in words(row.text) if word.start not in quoted]
        for at, length in _places(own, self.told, row.text):
            # "My wife is ill" does not say who she is: her name has to follow.
            if not self.is_name or _has_name(own[at + length :][:_NEAR], own[at + length - 1].end, row.text):
                return True
        return not names_somebody(row.row.context_path, owner) and any(
            _opens_line(row.text, own[at].start) and _has_value(own[at + length - 1], row.text)
            for at, length in _places(own, self.terse, row.text)
        )

    def _describes(self, row: Entity, owner: MemoryOwner) -> bool:
        """Return whether the graph says of somebody that they are it to the owner: "Clara's mother"."""
        forms = {phrase[-1] for phrase in self.told}  # the person of "my mother", without "my"
        return any(
            word.key in owner.short_keys and after.key in forms for word, after in pairwise(words(row.description))
        )


def trait_asked(question: str, owner: MemoryOwner) -> Trait | None:
    """Return the trait that a question (without its time) asks for; None if it asks for something else, or more."""
    found = words(question[:MOST_READ])
    if len(found) > _MOST_WORDS:
        return None
    for phrases, trait in _traits():
        for at, length in _places(found, phrases, question):
            if all(_adds_nothing(word, owner) for word in (*found[:at], *found[at + length :])):
                return trait
    return _person_asked(found, owner)


def _person_asked(found: Sequence[Word], owner: MemoryOwner) -> Trait | None:
    """Return who somebody is to the owner, where a question asks for that: "Who is my wife?", "My wife's name?"."""
    possessives = every_word("owner", "mine")
    at = next((at for at, word in enumerate(found[:-1]) if word.key in possessives), None)
    if at is None or every_word("owner", "who", "name").isdisjoint(word.key for word in found):
        return None
    person, others = found[at + 1], (*found[:at], *found[at + 2 :])
    is_known = person.key in people_words() | every_word("owner", "pets")
    if not is_known or not all(_adds_nothing(word, owner) for word in others):
        return None
    forms = persons().get(person.key, frozenset({person.key})) | {person.key}
    return Trait(told=tuple((mine, form) for mine in sorted(possessives) for form in sorted(forms)), is_name=True)


def _adds_nothing(word: Word, owner: MemoryOwner) -> bool:
    silent = every_word("owner", "name", "tell") | every_word("questions", "asking")
    return word.is_stop or word.key in silent | owner.keys | first_person()


def _opens_line(text: str, start: int) -> bool:
    """Return whether a word is the first of its line behind the marks of a list, a quotation or a task."""
    return _MARKS.fullmatch(text, text.rfind("\n", 0, start) + 1, start) is not None


def names_somebody(path: Sequence[str], owner: MemoryOwner) -> bool:
    """Return whether a place bears a name that is not the owner's: "Joana Prates"."""
    steps = [word for step in path for word in words(step)]
    return any(word.is_capital and not (word.is_stop or is_common_word(word.key)) for word in steps) and not any(
        word.key in owner.keys for word in steps
    )


def _has_value(last: Word, text: str) -> bool:
    """Return whether a value follows a terse phrase, given its last word."""
    return last.is_stop or _VALUE_FOLLOWS.match(text, last.end) is not None  # "Born in" takes any word behind it


def _has_name(after: Sequence[Word], end: int, text: str) -> bool:
    """Return whether one of the words `after` an offset is a name in the same sentence."""
    rest = _NO_ASIDE.match(text, end)
    stop = rest.end() if rest else end
    return any(
        word.is_capital and not word.is_stop and not is_common_word(word.key) for word in after if word.end <= stop
    )


def _places(found: Sequence[Word], phrases: Sequence[Phrase], text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each of the phrases among words, and its length."""
    for at, word in enumerate(found):
        for phrase in phrases:
            if (phrase[0] == word.key or phrase[0].startswith("#")) and _has_phrase_at(found, at, phrase, text):
                yield at, len(phrase)


def _has_phrase_at(found: Sequence[Word], at: int, phrase: Phrase, text: str) -> bool:
    run = found[at : at + len(phrase)]
    return len(run) == len(phrase) and all(
        # "#" in a phrase stands for a number, "##" for one that counts nothing: "I am 43", not "I am 43 minutes late".
        _is_number(found, at + place, text, is_bare=key == "##") if key.startswith("#") else word.key == key
        for place, (key, word) in enumerate(zip(phrase, run, strict=True))
    )


def _is_number(found: Sequence[Word], at: int, text: str, *, is_bare: bool) -> bool:
    """Return whether a word is a number; with `is_bare` an integer with nothing after it that it counts."""
    word = found[at]
    if not (word.is_number or word.key in ONES or word.key in TENS):
        return False
    after = found[at + 1] if at + 1 < len(found) else None
    is_alone = after is None or after.is_stop or text[word.end : after.start].strip() != ""
    return not is_bare or (is_alone and (word.key.isdigit() or not word.is_number))


@cache
def _traits() -> tuple[tuple[tuple[Phrase, ...], Trait], ...]:
    """Return each trait behind how it is asked for."""
    return tuple(
        (_phrases(table, "asked"), Trait(told=_phrases(table, "told"), terse=_phrases(table, "terse")))
        for table in language_tables("traits").values()
    )


def _phrases(table: Mapping[str, object], name: str) -> tuple[Phrase, ...]:
    every = {
        tuple(
            key
            for part in phrase.split()
            for key in ([part] if part.startswith("#") else [word.key for word in words(part)])
        )
        for phrase in listed_words(table, name)
    }
    return tuple(sorted(every, key=lambda phrase: (-len(phrase), phrase)))  # "blood type" before "blood"


@cache
def relatives() -> Mapping[str, frozenset[str]]:
    """Return each word for one of somebody's kin, with the words that stand for it in a note."""
    return _grouped(_lines("kin"))


@cache
def persons() -> Mapping[str, frozenset[str]]:
    """Return the same for kin and for people of a role: their doctor, their boss."""
    return _grouped(_lines("kin") + _lines("roles"))


def _grouped(lines: Sequence[Sequence[str]]) -> Mapping[str, frozenset[str]]:
    """Return each word with all words of its line; one that heads a line with that line alone."""
    found = {line[0]: frozenset(line) for line in lines}
    for line in lines:
        for word in line[1:]:
            found.setdefault(word, frozenset(line))
    return found


@cache
def people_words() -> frozenset[str]:
    """Return the words for kin and for people of a role, without verbs."""
    return _words(_lines("kin") + _lines("roles")) - every_word("owner", "verbs")


@cache
def kin_stems() -> frozenset[str]:
    """Return the stems of the words for kin, without verbs."""
    return frozenset(map(stem_of, _words(_lines("kin")) - every_word("owner", "verbs")))


@cache
def trait_stems() -> frozenset[str]:
    """Return the stems of what somebody is or has; kin and people of a role among them."""
    return frozenset(map(stem_of, _words(_lines("kin") + _lines("roles")) | every_word("owner", "traits")))


def _words(lines: Iterable[Sequence[str]]) -> frozenset[str]:
    return frozenset(word for line in lines for word in line)


def _lines(name: str) -> list[list[str]]:
    """Return a list of lines; the words of a line stand for its first word in a note."""
    lines = cast("Sequence[Sequence[str]]", language_tables("owner")["any"][name])
    return [[fold_key(word) for word in line] for line in lines]

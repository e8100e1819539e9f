"""What a question gives to whom: "Marta's husband", "the landlord of the workshop", "my boss".

Law: who asks for Marta's husband is not answered by Ingrid's. Each listed noun (`possessors`) that a question gives to
somebody or something is a bond, which what answers it must tie, too (`ties`). What is the asker's own, or no named
one's, counts only where the question is about it: one that tells a story first mentions such things by the way ("for my
mother's party"). Of two owners ("Tim and John's kids") nothing is asked.

Source: ruling D5 ("evidence about another does not count").
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex

from voice.core.grounding.answerability.possessors import (
    ADJECTIVES,
    BY_PLACE,
    COUNTING,
    MINE,
    OF,
    OF_ANYBODY,
    OF_ROLES,
    OWNED,
    VERBS,
    is_possessive,
    name_up_to,
    phrase_at,
)
from voice.core.grounding.answerability.qualified import kinds_at, last_at
from voice.core.text.patterns import late_pattern
from voice.core.text.words import Word, fold_key, language_of, words

_GENITIVE = late_pattern(r"\b(?P<owner>\p{Lu}\p{Ll}{2,})s\s+(?P<noun>\p{Lu}\p{Ll}+)")
_ASKED_FIRST = late_pattern(
    r"^\W*(?:(?:who|when|where|wer|wann|wo|quién|dónde)(?:['’]s)?\s+"
    r"|(?:what|which|how|was|wie|cuál)(?:['’]s)?\s+(?:\p{L}+\s+)?)?"
    r"(?:(?:is|are|was|were|does|do|did|has|have|had|ist|sind|war|hat|heißt|es|tiene)\s+)?"
    r"(?:(?:the|a|der|die|das)\s+)?(?:(?:name|age|colour|color|birthday|address|job)\s+of\s+(?:the\s+)?)?",
    regex.IGNORECASE,
)
"""What may stand before the thing a question is about: "how old is", "what is the name of"."""
_MY = late_pattern(r"\b(?:my|our)\b", regex.IGNORECASE)


class Bond(NamedTuple):
    """What a question gives to whom."""

    owner: tuple[str, ...]
    """Keys of the words that name the owner; none: who asks ("my boss")."""
    noun: str
    written: str
    """Both, as one says them to the person who asks: "your mum's birthday"."""
    kinds: frozenset[str] = frozenset()
    """What makes another relation of the noun: "former", "in-law"."""

    @property
    def is_mine(self) -> bool:
        """Whether it is of the person who asks."""
        return not self.owner


class _Told(NamedTuple):
    """A bond where it stands in the question."""

    start: int
    is_named: bool
    bond: Bond


def bonds_of(question: str) -> tuple[Bond, ...]:
    """Return what `question` gives to somebody or something, in order, each once."""
    found = words(question)
    first = _ASKED_FIRST.match(question)
    begins = first.end() if first else 0
    told = [*_by_genitive(question, found), *_by_of(question, found), *_by_mine(question, found)]
    bonds: list[Bond] = []
    for one in sorted(told, key=lambda one: one.start):
        goes_on = bool(one.bond.owner) and any(bond.noun == one.bond.owner[-1] for bond in bonds)
        if one.is_named or one.start <= begins or goes_on:
            bonds.append(one.bond)
    if language_of(found) == "de":
        bonds += _in_german(question)
    return tuple(dict.fromkeys(bonds))


def _by_genitive(text: str, found: Sequence[Word]) -> Iterator[_Told]:
    for index, word in enumerate(found):
        if not is_possessive(text, word) or (index and found[index - 1].key in ("and", "or", "und")):
            continue
        head = _head(text, found, index + 1)
        if head is not None:
            owner = name_up_to(text, found, index)
            first = index + 1 - len(owner)
            begins = found[first - 1] if first and found[first - 1].key in MINE else owner[0]
            at = found.index(head)
            written = _to_the_asker(text[begins.start : last_at(text, found, at).end])
            bond = Bond(tuple(one.key for one in owner), head.key, written, kinds_at(text, found, at))
            yield _Told(owner[0].start, owner[0].is_capital and not owner[0].is_stop, bond)


def _head(text: str, found: Sequence[Word], start: int) -> Word | None:
    """Return the listed noun of the phrase that begins at `start`; None when it is of something else."""
    head: Word | None = None
    end = found[start - 1].end
    for word in found[start : start + ADJECTIVES + 1]:
        if head is not None and _counts(word):
            return None
        if text[end : word.start].strip(" '’") or (word.is_stop and word.key not in OF_ANYBODY):
            break
        end = word.end
        if word.key in OF_ANYBODY and word.key not in VERBS:
            head = word
        elif head is not None:
            break
        if is_possessive(text, word):
            break
    return head


def _counts(word: Word) -> bool:
    """Return whether a word behind "number" makes it a rank ("his number one goal")."""
    return word.is_number or word.key == "one"


def _by_of(text: str, found: Sequence[Word]) -> Iterator[_Told]:
    """Yield what is "of" something ("the landlord of the workshop"); a role that is asked for may be "at" it."""
    first = _ASKED_FIRST.match(text)
    begins = first.end() if first else 0
    for index, word in enumerate(found[:-1]):
        if word.key not in OF_ANYBODY or word.key in VERBS or word.key in COUNTING:
            continue
        after = index + 1
        if found[after].key == "person" and after + 1 < len(found):
            after += 1
        before = found[index - 1] if index and found[index - 1].key in MINE else word
        is_role = word.key in OF_ROLES and before.start <= begins
        if found[after].key in OF or (is_role and found[after].key in BY_PLACE):
            owner = phrase_at(found, after + 1)
            if owner:
                article = "" if language_of(found) == "de" else "the "
                written = article + _to_the_asker(text[word.start : owner[-1].end])
                kinds = kinds_at(text, found, index)
                bond = Bond(tuple(one.key for one in owner), word.key, written, kinds)
                yield _Told(before.start, owner[0].is_capital, bond)


def _by_mine(text: str, found: Sequence[Word]) -> Iterator[_Told]:
    for index, word in enumerate(found):
        if word.key not in MINE:
            continue
        head = _head(text, found, index + 1)
        if head is not None:
            at = found.index(head)
            written = _to_the_asker(text[word.start : last_at(text, found, at).end])
            yield _Told(word.start, False, Bond((), head.key, written, kinds_at(text, found, at)))


def _to_the_asker(written: str) -> str:
    return _MY.sub("your", OWNED.sub("", written))


def _in_german(text: str) -> Iterator[Bond]:
    for found in _GENITIVE.finditer(text):
        noun = fold_key(found["noun"])
        if noun in OF_ANYBODY:
            yield Bond((fold_key(found["owner"]),), noun, found[0])

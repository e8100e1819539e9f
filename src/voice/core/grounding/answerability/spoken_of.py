"""Of whom the words of a sentence speak.

Law: a word belongs to the nearest person before it in its clause, else to the first one after it: "I", "my" and "we"
are whoever said it, "you" and "your" the others in the talk, a known name its bearer; "he", "she" and "they" may be
anybody, in the clauses after theirs that name nobody, too. Any other clause that names nobody is about whoever said it,
but a reply that opens on the other ("Congrats on …", "Sounds …") speaks of the other, and what the graph says of a
person is of that person. What was written without a speaker is by the memory's owner.

Source: ruling D5 ("evidence about another does not count").
"""

from typing import Literal, NamedTuple

import regex

from voice.core.grounding.answerability.passages import Passage
from voice.core.grounding.answerability.who import FIRST_PLURAL, FIRST_SINGULAR, SECOND, People, is_vocative, same_name
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

OWNER = ""
"""The memory's owner, as a person: no name is empty."""
_OWNERS = word_set("me i user human self myself ich yo")
"""What logs call the memory's owner as a speaker."""
Holder = Literal["i", "you", "they", "none"]
_THIRD = word_set("he she his her him hers they them their")
_BREAK = late_pattern(r"[.;:!?,()—–\n]| - ")
_JOINTS = word_set("but because when while so although though since if that")
_TO_THE_OTHER = late_pattern(
    r"^\W*(?:wow|congrats|congratulations|awesome|great job|nice|cool|that's|thats|sounds|glad|good luck|way to go"
    r"|so (?:glad|happy|proud|sorry)|sorry|what|how|looks|love (?:that|the|your)|keep|can't wait to (?:see|hear))\b",
    regex.IGNORECASE,
)

_OF_A_PERSON = late_pattern(r"^(?P<name>\p{L}[^(:;]*?) \(person\):")

Persons = frozenset[str]
"""First names as `People` knows them, or `OWNER`; none of them: somebody who is not known."""


def is_owner(name: str) -> bool:
    """Return whether a speaker's name means the memory's owner."""
    return name.casefold() in _OWNERS


def speaker_key(passage: Passage) -> str:
    """Return who said a sentence: the key of the first name, `OWNER` without a speaker or where it is the owner."""
    found = words(passage.speaker) if passage.speaker else []
    return OWNER if not found or is_owner(found[0].key) else found[0].key


def spoken_of(passage: Passage, people: People) -> list[Persons | None]:
    """Return, for each word of the sentence, of whom it speaks; None where it may be anybody."""
    speaker = speaker_key(passage)
    others = frozenset(name for name in people.names if not is_owner(name) and not same_name(name, speaker))
    others |= {OWNER} if speaker != OWNER else frozenset()
    described = _described(passage, people)
    lead = described or (others if _TO_THE_OTHER.search(passage.text) else frozenset({speaker}))
    whom: dict[Holder, Persons | None] = {"i": frozenset({speaker}), "you": others, "they": None, "none": lead}
    told: list[Persons | None] = []
    for owner in owners_of(passage, people):
        told.append(_person(owner.name) if owner.name else whom[owner.holder])
        if owner.holder != "none" and described is None:
            whom["none"] = None if owner.holder == "they" else lead
    return told


def _person(name: str) -> Persons:
    return frozenset({OWNER if is_owner(name) else name})


def _described(passage: Passage, people: People) -> Persons | None:
    """Return whom the graph's rendering of a person describes; one who never speaks may be the owner."""
    found = _OF_A_PERSON.match(passage.text) if passage.row.source_type == "kg_entity" else None
    if found is None:
        return None
    name = words(found["name"])[0].key
    known = people.find(name)
    return frozenset({OWNER, name}) if known is None else _person(known)


class Owner(NamedTuple):
    """To whom a word belongs in what somebody said; one who is named stands as if saying "I"."""

    holder: Holder
    name: str | None = None


_NOBODY = Owner("none")


def owners_of(passage: Passage, people: People) -> list[Owner]:
    """Return the owner of each word: the nearest person before it in its clause, else the first one after it."""
    owners: list[Owner] = []
    for clause in _clauses(passage):
        marks = [_mark(word, passage, people) for word in clause]
        if len({mark.name for mark in marks if mark and mark.name}) > 1:
            # "Maria met Tim": who did what is for `who` to compare, word order decides.
            marks = [None] * len(marks)
        current = next((mark for mark in marks if mark), _NOBODY)
        for mark in marks:
            current = mark or current
            owners.append(current)
    return owners


def _clauses(passage: Passage) -> list[list[Word]]:
    clauses: list[list[Word]] = [[]]
    for word in passage.words:
        last = clauses[-1][-1] if clauses[-1] else None
        if last and (word.key in _JOINTS or _BREAK.search(passage.text[last.end : word.start])):
            clauses.append([])
        clauses[-1].append(word)
    return clauses


def _mark(word: Word, passage: Passage, people: People) -> Owner | None:
    if word.key in FIRST_SINGULAR or word.key in FIRST_PLURAL:
        return Owner("i")
    if word.key in SECOND:
        return Owner("you")
    if word.key in _THIRD:
        return Owner("they")
    name = people.find(word.key) if word.is_capital and not is_vocative(passage, word) else None
    return Owner("i", name) if name else None

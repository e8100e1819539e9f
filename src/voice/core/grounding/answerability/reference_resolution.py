"""Of whom the words of a sentence speak.

Law: a word belongs to the nearest person before it in its clause, else to the first one after it: "I", "my" and "we"
are whoever said it, "you" and "your" the others in the talk, a known name its bearer; "he", "she" and "they" may be
anybody, in the clauses after theirs that name nobody, too. Any other clause that names nobody is about whoever said it,
but a reply that opens on the other ("Congrats on …", "Sounds …") speaks of the other, and what the graph says of a
person is of that person. What was written without a speaker is by the memory's owner.

Source: ruling D5 ("evidence about another does not count").
"""

from typing import Literal, NamedTuple

from voice.core.grounding.answerability.evidence_sentences import EvidenceSentence
from voice.core.grounding.answerability.person_names import People, first_person, is_vocative, same_name
from voice.core.text.language_data import every_word, opening_phrase
from voice.core.text.lazy import late_pattern
from voice.core.text.words import Word, words

OWNER = ""
"""The memory's owner, as a person: no name is empty."""
Holder = Literal["i", "you", "they", "none"]
_BREAK = late_pattern(r"[.;:!?,()—–\n]| - ")

_OF_A_PERSON = late_pattern(r"^(?P<name>\p{L}[^(:;]*?) \(person\):")

Persons = frozenset[str]
"""First names as `People` knows them, or `OWNER`; none of them: somebody who is not known."""


def is_owner(name: str) -> bool:
    """Return whether a speaker's name means the memory's owner."""
    return name.casefold() in every_word("persons", "owner")


def speaker_key(sentence: EvidenceSentence) -> str:
    """Return who said a sentence: the key of the first name, `OWNER` without a speaker or where it is the owner."""
    found = words(sentence.speaker) if sentence.speaker else []
    return OWNER if not found or is_owner(found[0].key) else found[0].key


def persons_spoken_of(sentence: EvidenceSentence, people: People) -> list[Persons | None]:
    """Return, for each word of the sentence, of whom it speaks; None where it may be anybody."""
    speaker = speaker_key(sentence)
    others = frozenset(name for name in people.names if not is_owner(name) and not same_name(name, speaker))
    others |= {OWNER} if speaker != OWNER else frozenset()
    described = _described(sentence, people)
    is_reply = opening_phrase("persons", "replies").match(sentence.text) is not None
    lead = described or (others if is_reply else frozenset({speaker}))
    whom: dict[Holder, Persons | None] = {"i": frozenset({speaker}), "you": others, "they": None, "none": lead}
    told: list[Persons | None] = []
    for referent in referents_of(sentence, people):
        told.append(_person(referent.name) if referent.name else whom[referent.holder])
        if referent.holder != "none" and described is None:
            whom["none"] = None if referent.holder == "they" else lead
    return told


def _person(name: str) -> Persons:
    return frozenset({OWNER if is_owner(name) else name})


def _described(sentence: EvidenceSentence, people: People) -> Persons | None:
    """Return whom the graph's rendering of a person describes; one who never speaks may be the owner."""
    found = _OF_A_PERSON.match(sentence.text) if sentence.row.source_type == "kg_entity" else None
    if found is None:
        return None
    name = words(found["name"])[0].key
    known = people.find(name)
    return frozenset({OWNER, name}) if known is None else _person(known)


class Referent(NamedTuple):
    """Whom a word is about, as who speaks puts it; a person who is named counts as one who says "I"."""

    holder: Holder
    name: str | None = None


_NOBODY = Referent("none")


def referents_of(sentence: EvidenceSentence, people: People) -> list[Referent]:
    """Return whom each word is about: the nearest person before it in its clause, else the first one after it."""
    referents: list[Referent] = []
    for clause in _clauses(sentence):
        marks = [_mark(word, sentence, people) for word in clause]
        if len({mark.name for mark in marks if mark and mark.name}) > 1:
            # "Maria met Tim": which of them a word belongs to is not certain.
            marks = [None] * len(marks)
        current = next((mark for mark in marks if mark), _NOBODY)
        for mark in marks:
            current = mark or current
            referents.append(current)
    return referents


def _clauses(sentence: EvidenceSentence) -> list[list[Word]]:
    clauses: list[list[Word]] = [[]]
    for word in sentence.words:
        last = clauses[-1][-1] if clauses[-1] else None
        if last and (
            word.key in every_word("persons", "clauses") or _BREAK.search(sentence.text[last.end : word.start])
        ):
            clauses.append([])
        clauses[-1].append(word)
    return clauses


def _mark(word: Word, sentence: EvidenceSentence, people: People) -> Referent | None:
    if word.key in first_person():
        return Referent("i")
    if word.key in every_word("persons", "second"):
        return Referent("you")
    if word.key in every_word("persons", "third"):
        return Referent("they")
    name = people.find(word.key) if word.is_capital and not is_vocative(sentence, word) else None
    return Referent("i", name) if name else None

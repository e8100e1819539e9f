"""Persons in texts: their names, and whom each word is about.

Law: a word refers to the nearest person before it in its clause, else the first after it. "I", "my", "we" are the
speaker, "you" the others, a known name its bearer, "he", "she", "they" anyone, also in later clauses that name no one.
Other clauses are about the speaker, or about the other person in replies such as "Congrats on …". Rows without a
speaker are by the owner.
Source: DESIGN 5; ruling D1; ruling D5 ("evidence about another does not count").
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from voice.core.grounding.extractive.evidence_sentences import EvidenceSentence, speaker_of
from voice.core.grounding.values import Evidence
from voice.core.text.language_data import entries, every_word, opening_phrase
from voice.core.text.lazy import late_pattern
from voice.core.text.word_weights import is_common_word
from voice.core.text.words import Word, language_of, words


def first_person() -> frozenset[str]:
    """Return the first-person pronouns, singular and plural."""
    return every_word("persons", "first_singular", "first_object", "first_plural")


class People(NamedTuple):
    """The people of a prompt's rows, as folded first names."""

    names: frozenset[str]

    def find(self, key: str) -> str | None:
        """Return the known name that `key` is or abbreviates ("Mel" for "Melanie"); None if unknown."""
        return next((name for name in sorted(self.names) if same_name(key, name)), None)


def people_of(rows: Sequence[Evidence]) -> People:
    """Return the speakers of `rows`; other entities are not people."""
    speakers = {name for row in rows if (name := speaker_of(row))}
    return People(frozenset(words(name)[0].key for name in speakers if words(name)))


def same_name(name: str, other: str) -> bool:
    """Return whether one name equals or abbreviates the other, from three letters on ("Caro", "Caroline")."""
    shorter, longer = sorted((name, other), key=len)
    return shorter == longer or (len(shorter) >= 3 and longer.startswith(shorter) and len(longer) - len(shorter) <= 6)


def proper_names(text: str, found: Sequence[Word]) -> list[Word]:
    """Return the words of a sentence that are proper names.

    Empty for German, where capitals say nothing, and for a sentence mostly in capitals.
    """
    if language_of(found) == "de":
        return []
    names: list[Word] = []
    capitals = sum(word.is_capital for word in found)
    if len(found) > 4 and capitals > 0.8 * len(found):
        return []
    for word in found:
        if not word.is_capital or word.is_stop or word.key in every_word("names", "not_names") or word.is_number:
            continue
        before = text[: word.start].rstrip(" \t*_#>-•–—\"'“‘«([")
        is_first = not before or before[-1] in ".!?:;\n"  # in its sentence, line or quotation: any word has a capital
        if is_first and (is_common_word(word.key) or word.key.endswith(tuple(entries("names", "endings")))):
            continue
        names.append(word)
    return names


def asked_names(question: str, found: Sequence[Word], rows: Sequence[Evidence]) -> list[Word]:
    """Return the names in a question; for German only those that the rows know."""
    if language_of(found) != "de":
        return proper_names(question, found)
    keys = {word.key for word in found if word.is_capital}
    names = dict.fromkeys(name for row in rows for name in (*row.entity_names, speaker_of(row) or ""))
    parts = ({word.key for word in words(name) if not word.is_stop} for name in names)
    known = frozenset[str]().union(*(part for part in parts if part <= keys))
    return [word for word in found if word.is_capital and word.key in known]


def is_vocative(sentence: EvidenceSentence, word: Word) -> bool:
    """Return whether a name is only addressed: set off by commas or marks."""
    before = sentence.text[: word.start].rstrip()
    after = sentence.text[word.end :].lstrip()
    opens = not before or before[-1] in ",.!?;:"
    closes = not after or after[0] in ",.!?;:"
    return opens and closes


OWNER = ""
"""The memory's owner as a person; no name is empty."""
GrammaticalPerson = Literal["i", "you", "they", "none"]
_BREAK = late_pattern(r"[.;:!?,()—–\n]| - ")

_OF_A_PERSON = late_pattern(r"^(?P<name>\p{L}[^(:;]*?) \(person\):")

Persons = frozenset[str]
"""First names as in `People`, or `OWNER`; an empty set is an unknown person."""


def is_owner(name: str) -> bool:
    """Return whether a speaker's name means the memory's owner."""
    return name.casefold() in every_word("persons", "owner")


def speaker_key(sentence: EvidenceSentence) -> str:
    """Return the key of a speaker's first name; `OWNER` for the owner or if there is no speaker."""
    found = words(sentence.speaker) if sentence.speaker else []
    return OWNER if not found or is_owner(found[0].key) else found[0].key


def persons_spoken_of(sentence: EvidenceSentence, people: People) -> list[Persons | None]:
    """Return whom each word of the sentence is about; None where it may be anyone."""
    speaker = speaker_key(sentence)
    others = frozenset(name for name in people.names if not is_owner(name) and not same_name(name, speaker))
    others |= {OWNER} if speaker != OWNER else frozenset()
    described = _described(sentence, people)
    is_reply = opening_phrase("persons", "replies").match(sentence.text) is not None
    lead = described or (others if is_reply else frozenset({speaker}))
    persons: dict[GrammaticalPerson, Persons | None] = {
        "i": frozenset({speaker}),
        "you": others,
        "they": None,
        "none": lead,
    }
    found: list[Persons | None] = []
    for referent in referents_of(sentence, people):
        found.append(_person(referent.name) if referent.name else persons[referent.person])
        if referent.person != "none" and described is None:
            persons["none"] = None if referent.person == "they" else lead
    return found


def _person(name: str) -> Persons:
    return frozenset({OWNER if is_owner(name) else name})


def _described(sentence: EvidenceSentence, people: People) -> Persons | None:
    """Return the person that a graph rendering describes; someone who never speaks may be the owner."""
    found = _OF_A_PERSON.match(sentence.text) if sentence.row.source_type == "kg_entity" else None
    if found is None:
        return None
    name = words(found["name"])[0].key
    known = people.find(name)
    return frozenset({OWNER, name}) if known is None else _person(known)


class Referent(NamedTuple):
    """Whom a word is about, from the speaker's view; a named person counts as "i"."""

    person: GrammaticalPerson
    name: str | None = None


_NOBODY = Referent("none")


def referents_of(sentence: EvidenceSentence, people: People) -> list[Referent]:
    """Return for each word the nearest person before it in its clause, else the first after it."""
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

"""Of whom the words of a sentence speak.

Law: a word speaks of the last one that was named before it in its sentence: "I", "my" and "we" are whoever said it,
"you" and "your" the others in the talk, a known name its bearer. Before anyone
is named it is whoever comes first in the sentence; where nobody is named at all it is whoever said it, but a reply that
opens on the other ("Congrats on …", "Sounds …") speaks of the other. "He", "she" and "they" may be anybody. What was
written without a speaker is by the memory's owner; what the graph says of a person is, statement by statement, of them.

This decides what a question may rest on. `attribution` weighs a finished claim instead, clause by clause, between the
one it names and the others.

Source: ruling D5 ("evidence about another does not count").
"""

from collections.abc import Iterator

import regex

from voice.core.grounding.passages import Passage
from voice.core.grounding.who import FIRST_PLURAL, FIRST_SINGULAR, SECOND, People, is_vocative, same_name
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

OWNER = ""
"""The memory's owner, as a person: no name is empty."""
_OWNERS = word_set("me i user human self myself ich yo")
"""What logs call the memory's owner as a speaker."""
_FIRST = FIRST_SINGULAR | FIRST_PLURAL
_ANYBODY = word_set("he she they him them his hers their theirs he's she's they're they've they'd he'd she'd er sie él")
_TO_THE_OTHER = regex.compile(
    r"^\W*(?:wow|congrats|congratulations|awesome|great job|nice|cool|that's|thats|sounds|glad|good luck|way to go"
    r"|so (?:glad|happy|proud|sorry)|sorry|what|how|looks|love (?:that|the|your)|keep|can't wait to (?:see|hear))\b",
    regex.IGNORECASE,
)

_OF_A_PERSON = regex.compile(r"^(?P<name>\p{L}[^(:;]*?) \(person\):")

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
    lead = others if _TO_THE_OTHER.search(passage.text) else frozenset({speaker})
    described = _described(passage, people)
    named = list(_named(passage, people, frozenset({speaker}), others))
    first = next((who for _, who in named), lead) if described is None else described
    at = dict(named)
    told: list[Persons | None] = []
    current: Persons | None = first
    end = 0
    for word in passage.words:
        if described is not None and ";" in passage.text[end : word.start]:
            current = described
        current, end = at.get(word, current), word.end
        told.append(current)
    return told


def _described(passage: Passage, people: People) -> Persons | None:
    """Return whom the graph's rendering of a person describes, each of its statements; one who never speaks may be
    the owner."""
    found = _OF_A_PERSON.match(passage.text) if passage.row.source_type == "kg_entity" else None
    if found is None:
        return None
    name = words(found["name"])[0].key
    known = people.find(name)
    return frozenset({OWNER, name}) if known is None else frozenset({OWNER if is_owner(known) else known})


def _named(
    passage: Passage, people: People, speaker: Persons, others: Persons
) -> Iterator[tuple[Word, Persons | None]]:
    """Yield the words that name somebody, with whom."""
    for word in passage.words:
        if word.key in _FIRST:
            yield word, speaker
        elif word.key in SECOND:
            yield word, others
        elif word.key in _ANYBODY:
            yield word, None
        elif word.is_capital and (name := people.find(word.key)) and not is_vocative(passage, word):
            yield word, frozenset({OWNER if is_owner(name) else name})

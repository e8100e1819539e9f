"""What a question asks about, and of whom.

Law: the subject is the one person it names who has a part in the talk, or, when it names none and asks about "I" or
"my", the memory's owner ("what did I write about …" only asks); with several or none it has no single subject. Only
recorded speakers are such persons: a line's label may be a heading. What it takes for granted are its telling words
without the subject, without its dates, and without those that only ask. The noun that says which sort of thing is
wanted ("what spice", "the name of", "which hobbies") is light: an answer names the thing and need not name its sort.

Source: ruling D5; ruling E (words of mood or kind rank, they never exclude).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Self

from voice.core.grounding.answerability.asked import ASKING
from voice.core.grounding.answerability.spoken_of import OWNER, is_owner
from voice.core.grounding.answerability.who import FIRST_SINGULAR, GREEK_ASKING, People, asked_names, people_of
from voice.core.grounding.values import Evidence
from voice.core.text.background import weight_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_SORT = 0.4
"""What the noun counts that says which sort of thing is wanted."""
LIGHT = word_set(
    "kind type sort reason part item items activity activities event events main specific specifically particular "
    "particularly especially besides currently recent recently latest according react reaction feeling two three last "
    "next week weekend january february march april may june july august september october november december jan feb "
    "mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday today yesterday "
    "tomorrow ago plan plans μου σου μας σας εμενα εσενα εγω εσυ",
    GREEK_ASKING,
)
"""Words of a time, a sort or a manner, and the Greek words that ask or say "my" and "your", which no list of stop words
has: they tell of no subject, and who answers says "your" where who asks said "my"."""
_WHICH = word_set("what which whose what's")
_BEING = word_set("is are was were")
_AUXILIARY = word_set(
    "is are was were do does did has have had can could will would might may should must i you we he she they it to of "
    "for in on at from with about that which who when while during after before by the"
)
_ENDS = (_AUXILIARY - word_set("the i you we")) | word_set("and")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """A question as it is held against the evidence."""

    subject: str | None
    """A known first name, `OWNER`, or None when it is not about one person."""
    telling: Mapping[str, float]
    """What it takes for granted: stems and how much each counts."""
    people: People
    persons: frozenset[str]
    """Those of them whom it names."""

    @classmethod
    def of(cls, question: str, evidence: Sequence[Evidence]) -> Self:
        """Return `question` read over the people of `evidence`."""
        found = words(question)
        people = people_of([row for row in evidence if row.speaker])
        named = [word for word in asked_names(question, found, evidence) if people.find(word.key)]
        persons = {name for word in named if (name := people.find(word.key)) and not is_owner(name)}
        subject = None
        if len(persons) == 1:
            subject = next(iter(persons))
        elif not persons and _is_about_the_asker(found):
            subject = OWNER
        telling = _telling(found, named)
        return cls(
            subject=subject,
            telling=telling,
            people=people,
            persons=frozenset(persons),
        )

    @property
    def weight(self) -> float:
        """How much it takes for granted."""
        return sum(self.telling.values())

    @property
    def is_compared(self) -> bool:
        """Whether what is said of its subject can be told from what is said of others: several people speak."""
        return (
            self.subject is not None
            and bool(self.telling)
            and any(not is_owner(name) if self.subject == OWNER else name != self.subject for name in self.people.names)
        )

    @property
    def is_of_who_speaks(self) -> bool:
        """Whether it is of somebody who has a part in the talk, or of the owner beside others."""
        return bool(self.persons) or self.is_compared


def _is_about_the_asker(found: Sequence[Word]) -> bool:
    """Return whether a question asks about "I" or "my"; "what did I write about …" and "tell me" only ask."""
    pairs = pairwise((*(word.key for word in found), ""))
    return any(key in FIRST_SINGULAR and key != "me" and after not in ASKING for key, after in pairs)


def _telling(found: Sequence[Word], named: Sequence[Word]) -> dict[str, float]:
    sorts = {word.stem for word in _sorts(found)}
    told = [
        word
        for word in found
        if not (word.is_stop or word.is_number or word in named or word.key in ASKING or word.key in LIGHT)
    ]
    return {word.stem: weight_of(word.stem) * (_SORT if word.stem in sorts else 1.0) for word in told}


def _sorts(found: Sequence[Word]) -> Iterator[Word]:
    """Return the words that say which sort of thing is wanted."""
    at = next((place for place, word in enumerate(found) if word.key in _WHICH), None)
    if at is None:
        return iter(())
    rest = found[at + 1 :]
    if found[at].key == "what's" or (rest and rest[0].key in _BEING):
        after = rest if found[at].key == "what's" else rest[1:]
        return takewhile(lambda word: word.key not in _ENDS, after)
    return takewhile(lambda word: word.key == "of" or word.key not in _AUXILIARY, rest)

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
from itertools import dropwhile, pairwise, takewhile
from typing import Self

from voice.core.grounding.answerability.person_names import People, asked_names, people_of
from voice.core.grounding.answerability.reference_resolution import OWNER, is_owner
from voice.core.grounding.values import Evidence
from voice.core.text.language_data import every_word
from voice.core.text.word_weights import word_weight
from voice.core.text.words import Word, words

_SORT = 0.4
"""What the noun counts that says which sort of thing is wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedQuestion:
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
    own, asking = every_word("persons", "first_singular"), every_word("questions", "asking", "rows")
    return any(key in own and after not in asking for key, after in pairs)


def words_of_no_topic() -> frozenset[str]:
    """Return the words that tell of no subject: they ask, or are of a time, a sort or a manner."""
    return every_word("questions", "asking", "rows", "light") | every_word("names", "not_names")


def _telling(found: Sequence[Word], named: Sequence[Word]) -> dict[str, float]:
    sorts = {word.stem for word in _sorts(found)}
    silent = words_of_no_topic()
    told = [word for word in found if not (word.is_stop or word.is_number or word in named or word.key in silent)]
    return {word.stem: word_weight(word.stem) * (_SORT if word.stem in sorts else 1.0) for word in told}


def _sorts(found: Sequence[Word]) -> Iterator[Word]:
    """Return the words that say which sort of thing is wanted."""
    which = every_word("questions", "which")
    behind = list(dropwhile(lambda word: word.key not in which, found))[1:]
    is_asked = bool(behind) and behind[0].key in every_word("questions", "being")
    behind = list(dropwhile(lambda word: word.is_stop, behind)) if is_asked else behind
    goes_on = every_word("questions", "goes_on")
    return takewhile(lambda word: not word.is_stop or word.key in goes_on, behind)

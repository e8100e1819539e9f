"""What is asked of the one who asks: "Am I allergic to peanuts?" is not answered by "My sister is".

Law: where a question asks what "I" am or did, a note whose subject is the writer's relative, or a person by their first
name ("Zoe has …"), and that says nothing else of the writer, speaks of somebody else; unless the question names
that person, too.

Source: ruling D5 ("evidence about another does not count").
"""

import regex

from voice.core.grounding.answerability.passages import Passage
from voice.core.grounding.answerability.possessors import MINE, OF_PEOPLE, VERBS
from voice.core.grounding.answerability.referents import gender_of
from voice.core.grounding.answerability.who import FIRST_PLURAL, FIRST_SINGULAR
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import stems_in

_ASKED = late_pattern(
    r"\b(?:am|was|did|do|have|had|can|could|will|would|should|must)(?:n['’]t)? i\b"
    r"|\b(?:bin|war|habe|hatte|kann|muss|soll|darf) ich\b",
    regex.IGNORECASE,
)
_FIRST = FIRST_SINGULAR | FIRST_PLURAL


_STATES = word_set("is was has had isn't hasn't can can't likes loves hates eats drinks works lives ist war hat hatte")


def is_of_somebody_else(question: str, passage: Passage) -> bool:
    """Return whether `question` asks of the asker, and a sentence of their own tells of somebody else alone.

    Args:
        question: what was asked.
        passage: a sentence of a note.
    """
    found = passage.words
    if len(found) < 2 or passage.speaker or _ASKED.search(question) is None:
        return False
    if any(word.key in _FIRST for word in found[2:]):
        return False
    if found[0].key not in MINE:
        is_named = found[1].key in _STATES and gender_of(found[0].text) is not None
        return is_named and found[0].stem not in stems_in(question)
    relative = found[1]
    if relative.key not in OF_PEOPLE or relative.key in VERBS:
        return False
    named = [word.stem for word in found[2:3] if word.is_capital]
    return stems_in(question).isdisjoint((relative.stem, *named))

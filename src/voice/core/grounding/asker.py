"""What is asked of the one who asks: "Am I allergic to peanuts?" is not answered by "My sister is".

Law: where a question asks what "I" am or did, a note whose subject is the writer's relative, and that says nothing else
of the writer, speaks of somebody else; unless the question speaks of that relative, too.

Source: ruling D5 ("evidence about another does not count").
"""

import regex

from voice.core.grounding.passages import Passage
from voice.core.grounding.possessors import MINE, OF_PEOPLE, VERBS
from voice.core.grounding.who import FIRST_PLURAL, FIRST_SINGULAR
from voice.core.text.words import stems_in

_ASKED = regex.compile(
    r"\b(?:am|was|did|do|have|had|can|could|will|would|should|must)(?:n['’]t)? i\b"
    r"|\b(?:bin|war|habe|hatte|kann|muss|soll|darf) ich\b",
    regex.IGNORECASE,
)
_FIRST = FIRST_SINGULAR | FIRST_PLURAL


def is_of_a_relative(question: str, passage: Passage) -> bool:
    """Return whether `question` asks of the asker, and a sentence of their own tells of their relative alone."""
    found = passage.words
    if len(found) < 2 or passage.speaker or found[0].key not in MINE or _ASKED.search(question) is None:
        return False
    relative = found[1]
    if relative.key not in OF_PEOPLE or relative.key in VERBS or any(word.key in _FIRST for word in found[2:]):
        return False
    named = [word.stem for word in found[2:3] if word.is_capital]
    return stems_in(question).isdisjoint((relative.stem, *named))

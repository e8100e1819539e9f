"""One spelling, two words: the ring and to ring, my work and I work.

Law: a question that has a word as a deed ("Where do I work?") is not about the thing of the same name ("because of the
work"), nor one that has it as a thing ("Where is the ring?") about the deed ("I rang Dr. Osei", "Ring him"). Read only
where it is plain on both sides, by what stands right before; anything doubtful counts as the same word.

Source: ruling D5 (evidence must say something of what is asked about).
"""

from collections.abc import Sequence
from typing import Literal

import regex

from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word

Use = Literal["deed", "thing"]

_DETERMINERS = word_set("the a an my our your his her their this that these those no any some each every")
_OF = word_set("of for at from because")
_DOERS = word_set("i we you he she they who don't didn't doesn't never always will would can could must should")
_DEED_ASKED = late_pattern(
    r"\b(?:do|does|did)(?:n['’]t)?\s+(?:I|we|you|he|she|they)\s+(?:\w+ly\s+|still\s+)?(?P<word>\p{L}+)",
    regex.IGNORECASE,
)
_THING_ASKED = late_pattern(
    r"\b(?:where|what|how much|how big|how old|which colou?r)\s+(?:is|are|was|were)\s+(?:the|my|our)\s+"
    r"(?P<word>\p{L}+)\b(?!\s+of\b)",
    regex.IGNORECASE,
)


def asked_use(question: str) -> tuple[str, Use] | None:
    """Return the word that a question plainly has as a deed or as a thing, in lower case; None where none is plain."""
    deed = _DEED_ASKED.search(question)
    if deed is not None:
        return deed["word"].lower(), "deed"
    thing = _THING_ASKED.search(question)
    return (thing["word"].lower(), "thing") if thing is not None else None


def is_used_otherwise(stem: str, use: Use, found: Sequence[Word]) -> bool:
    """Return whether every occurrence of a stem among the words of a sentence is plainly the other use.

    Args:
        stem: the stem of the question's word.
        use: how the question has it.
        found: the words of the sentence, the stem among them or not.

    Returns:
        False where the sentence does not hold the stem.
    """
    places = [place for place, word in enumerate(found) if word.stem == stem]
    other: Use = "thing" if use == "deed" else "deed"
    return bool(places) and all(_use_at(found, place) == other for place in places)


def _use_at(found: Sequence[Word], place: int) -> Use | None:
    """Return how a sentence has one of its words, None where what stands before it does not tell."""
    if place == 0:
        follows = found[1] if len(found) > 1 else None
        return "deed" if follows is not None and (follows.is_capital or follows.key in _DETERMINERS) else None
    before = found[place - 1].key
    if before in _DETERMINERS or before in _OF:
        return "thing"
    return "deed" if before in _DOERS else None

"""What a question tells beside what it asks: "When did I sell the blue car?" tells that I sold a blue car.

Law: what is supposed ("if", "would"), or asked as one of two, is not told; a question for a reason, a time or a place
takes what it tells for granted, one for yes or no only asks it, whether it begins with its verb, ends with a tag or is
a statement but for its mark. A question of very many words tells nothing that could be found in one place.

Source: ruling D5.
"""

from typing import NamedTuple

import regex

from voice.core.grounding.asked import ASKING
from voice.core.text.patterns import late_pattern
from voice.core.text.words import Word, words

LONGEST = 80
"""A question or a sentence of more words is a list: nothing in it is certain to stand in the place of anything."""
_FACT = late_pattern(
    r"^\W*(?:and|but|so)?\s*(?:(?P<why>why|how come|when|where|who|whom|whose|what|which|how)(?:\s+\p{L}+){0,4}?\s+)??"
    r"(?P<aux>did|do|does|is|are|was|were|has|have|had|am)(?P<not>n['’]?t)?\b\s*(?P<claim>.+)$",
    regex.IGNORECASE | regex.DOTALL,
)
_GERMAN = late_pattern(
    r"^\W*(?:und|aber)?\s*(?:(?P<why>warum|wieso|wann|wo|wer|wen|wem|was|welche[rsnm]?|wie)(?:\s+\p{L}+){0,3}?\s+)??"
    r"(?P<aux>hat|habe|hatte|haben|ist|sind|war|waren|bin|wurde|wurden)(?P<not>\b\s+nicht)?\b\s*(?P<claim>.+)$",
    regex.IGNORECASE | regex.DOTALL,
)
_STATED = late_pattern(
    r"^\W*(?:(?:so|and|but|then|und|aber|dann)\s+)?(?:(?:I|we|you|he|she|it|they|my|our|his|her|their|the|mein\p{L}*)"
    r"|(?!(?:wann|wo|wie|was|wer|wen|wem|warum|wieso|ob|wenn|falls|welch\p{L}*)\b)\p{L}+"
    r"\s+(?:ich|wir|er|sie|es|du|der|die|das|den|mein\p{L}*|unser\p{L}*))\s[^?]*\?$",
    regex.IGNORECASE,
)
"""A question that is a statement but for its mark ("So I did buy 20?"), or begins with its verb ("Kaufte ich 20?")."""
_TAG = late_pattern(
    r"[,–—]\s*(?:right|correct|true|no|yes|ok|okay|nicht|nicht wahr|oder|gell|ne|stimmt['’]?s?"
    r"|\p{L}+n['’]t (?:it|i|you|he|she|we|they|that))\s?\?+$",
    regex.IGNORECASE,
)
_SUPPOSED = late_pattern(
    r"\b(?:if|would|could|should|might|may|likely|or|wenn|oder|falls|vielleicht)\b", regex.IGNORECASE
)


class Asked(NamedTuple):
    """What a question tells, worked out once."""

    claim: str
    found: tuple[Word, ...]
    told: tuple[Word, ...]
    """Its telling words."""
    is_taken: bool
    """Whether it takes what it tells for granted ("Why did Jonas cancel?") and does not ask for it."""


def asked_of(told: str) -> Asked | None:
    """Return what a question tells; None when it tells nothing, supposes it, or asks which of two."""
    tag = _TAG.search(told)
    match = None if tag else _FACT.match(told) or _GERMAN.match(told)
    if tag is None and match is None and _STATED.match(told) is None:
        return None
    claim = told[: tag.start()] if tag else match["claim"] if match else told
    found = tuple(words(claim))
    if _SUPPOSED.search(told[: tag.start()] if tag else told) or len(found) > LONGEST:
        return None
    is_taken = match is not None and match["why"] is not None and match["not"] is None
    return Asked(claim, found, tuple(word for word in found if tells(word)), is_taken)


def tells(word: Word) -> bool:
    """Return whether a word of a question says what it is about, and does not only ask."""
    return not word.is_stop and (word.key not in ASKING or word.is_number)

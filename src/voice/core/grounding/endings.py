"""What a sentence says has ended: two who are together no more, and whatever is "no longer" so.

Law: only an end that is told as one counts: "broke up with Felix", "Felix and I separated", "no longer", "not … any
more". What is no longer so was said before with the same telling words of the same subject; nothing else is guessed.

Source: DESIGN 2 promise 1; ruling F (a correction supersedes).
"""

from typing import NamedTuple

import regex

from voice.core.grounding.passages import Passage
from voice.core.text.negation import has_negation, is_negator
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word

_NAME = r"\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’-]+)?"
_WHO = rf"(?:^|(?<=[,;:.!?]\s))(?:(?P<subject>I|[Ww]e|{_NAME})(?:['’]ve|\s+ha(?:ve|s))?\s+)?"
_OTHER = rf"(?P<value>{_NAME})"
_PARTS = (
    r"(?:(?:broke|broken)\s+up|split(?:\s+up)?|separated|parted)\s+(?:with|from)|divorced|dumped|left\s+(?=\p{Lu}\p{Ll}+[.,!]?$)"
    r"|called\s+off\s+(?:the|our|my)\s+(?:engagement|wedding)\s+(?:with|to)|got\s+divorced\s+from"
)
_PARTED = (
    late_pattern(rf"{_WHO}(?:(?:just|finally|recently|now)\s+)*(?i:{_PARTS})\s*{_OTHER}"),
    late_pattern(
        rf"(?:^|(?<=[,;:.!?]\s)){_OTHER}\s+and\s+(?P<subject>I)\s+(?:(?:have|just|finally)\s+)*"
        r"(?:broke(?:n)?\s+up|split(?:\s+up)?|separated|(?:got\s+|are\s+)?divorced|are\s+no\s+longer\s+together)"
    ),
    late_pattern(rf"(?:^|(?<=[,;:.!?]\s)){_OTHER}\s+(?:left|dumped|divorced|broke\s+up\s+with)\s+(?P<subject>me)\b"),
)
_TOGETHER = late_pattern(
    rf"(?:^|(?<=[,;:.!?]\s)){_OTHER}\s+is\s+(?P<subject>my)\s+(?:\p{{Ll}}+\s+)?(?:boyfriend|girlfriend|partner|fianc\p{{L}}+|husband|wife)\b"
)
BOND_FORMS = tuple(pattern.pattern for pattern in (*_PARTED, _TOGETHER))
"""How a text tells who is together with whom, or no more."""
END_FORM = r"(?i:\b(?:no\s+longer|nicht\s+mehr)\b|(?:\bnot|n['’]t)\b.*\bany\s?more\b)"
"""How a text tells that something is no longer so."""
_NO_LONGER = late_pattern(END_FORM)
_OF_THE_END = word_set("no not longer anymore any more nicht mehr now")
_ARTICLES = word_set("the a an my our der die das mein meine unser unsere and but und aber")
_FIRST = word_set("i we ich wir i'm we're")
_LEAST = 2
"""Telling words by which what has ended is known again."""
_PAST = late_pattern(
    r"\b(?:was|were|had|did|used\s+to|ago|once|until|till|war|hatte|früher)\b|\?\s*$", regex.IGNORECASE
)


class Bond(NamedTuple):
    """Who is, or is no more, together with whom; the subject as the sentence writes it, "I" where it is left out."""

    subject: str
    other: str
    is_over: bool


def bond_told(text: str) -> Bond | None:
    """Return with whom a sentence says that somebody is together, or is no more; None where it says neither."""
    over = next((found for pattern in _PARTED if (found := pattern.search(text)) is not None), None)
    found = over or _TOGETHER.search(text)
    if found is None:
        return None
    subject = found["subject"] or "I"
    return Bond("I" if subject.lower() in ("me", "my", "we") else subject, found["value"], over is not None)


def may_tell_an_end(text: str) -> bool:
    """Return whether anything in a text is said to be no longer so."""
    return _NO_LONGER.search(text) is not None


class End(NamedTuple):
    """A sentence that says that something is no longer so, with the telling words of what it was."""

    passage: Passage
    subject: str
    core: frozenset[str]

    def ends(self, said: Passage) -> bool:
        """Return whether a sentence said just that, of the same subject and as what is."""
        if not self.core <= said.stems or said.speaker != self.passage.speaker or _subject(said) != self.subject:
            return False
        return not has_negation(said.text, said.words) and _PAST.search(said.text) is None


def end_told(passage: Passage) -> End | None:
    """Return what a sentence says is no longer so; None where it says nothing like it in words enough to know it."""
    core = _core(passage) if may_tell_an_end(passage.text) else frozenset[str]()
    return End(passage, _subject(passage), core) if len(core) >= _LEAST else None


def _core(passage: Passage) -> frozenset[str]:
    telling = (word for word in passage.words if not (word.is_stop or is_negator(word) or word.key in _OF_THE_END))
    return frozenset(word.stem for word in telling)


def _subject(passage: Passage) -> str:
    return next((_who(word) for word in passage.words if word.key not in _ARTICLES), "")


def _who(word: Word) -> str:
    return "i" if word.key in _FIRST else word.key

"""Phrases and words that would reveal a forgotten text.

Law: a text is quoted by any of its whole sentences, hinted at by a word that only it had; what remaining texts say as
well reveals nothing. Callers decide the consequences.
Source: rulings G, H ("Forgetting").
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final
from unicodedata import normalize

from voice.core.text.normalise import norm_v1
from voice.core.text.sentences import sentences
from voice.core.text.words import fold_key, words

_LEAST_WORDS: Final = 3  # shorter sentences ("Yes.") are too common; a whole text always counts
_LEAST_LETTERS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakMarkers:
    """What to look for."""

    phrases: frozenset[str] = field(default=frozenset(), repr=False)  # never in a log or a traceback
    """In normal form."""
    words: frozenset[str] = field(default=frozenset(), repr=False)
    """Comparable forms of single words."""

    def is_quoted_in(self, *texts: str | None) -> bool:
        """Return whether a text contains a phrase, as whole words."""
        return any(contains_phrase(norm_v1(text), phrase) for text in texts if text for phrase in self.phrases)

    def is_hinted_at_in(self, *texts: str | None) -> bool:
        """Return whether a text contains a phrase or a word."""
        return self.is_quoted_in(*texts) or any(
            word.key in self.words for text in texts if text for word in words(text)
        )


def leak_markers_of(gone: Collection[str], staying: Iterable[str], *, named: str | None = None) -> LeakMarkers:
    """Return what reveals the texts in `gone` and is in none of those `staying`; the phrase `named` always counts."""
    phrases = {phrase for text in gone for phrase in _phrases(text)}
    telling = {
        word.key for text in gone for word in words(text) if not word.is_stop and len(word.key) >= _LEAST_LETTERS
    }
    parts = {word: _loosened(word) for word in telling}
    for text in staying:
        if not phrases and not telling:
            break
        normal = norm_v1(text)
        phrases = {phrase for phrase in phrases if not contains_phrase(normal, phrase)}
        loose = _loosened(text)
        if any(parts[word] in loose for word in telling):  # most texts have none: cheaper than splitting into words
            telling -= {word.key for word in words(text)}
    asked = {norm_v1(named)} - {""} if named else set[str]()
    return LeakMarkers(phrases=frozenset(phrases | asked), words=frozenset(telling))


def _loosened(text: str) -> str:
    """Return a form of a text that contains the form of each of its words' keys."""
    return normalize("NFD", fold_key(f"a{text}"))[1:]  # "a": look-alikes are folded in all; syllables come apart


def contains_phrase(normal: str, phrase: str) -> bool:
    """Return whether a normalised text contains a normalised phrase, as whole words; False for ""."""
    if not phrase or phrase not in normal:
        return False
    before, after = (r"(?<!\w)" if _is_bounded(phrase[0]) else ""), (r"(?!\w)" if _is_bounded(phrase[-1]) else "")
    return re.search(f"{before}{re.escape(phrase)}{after}", normal) is not None


def _is_bounded(char: str) -> bool:
    """Return whether words are delimited at such a character: a digit or a cased letter."""
    return char.isdigit() or char.lower() != char.upper()  # 字 has no case, and no space around it


def _phrases(text: str) -> Iterable[str]:
    whole = norm_v1(text)
    inner = (norm_v1(sentence) for sentence in sentences(text))
    return {phrase for phrase in (whole, *(each for each in inner if len(words(each)) >= _LEAST_WORDS)) if phrase}

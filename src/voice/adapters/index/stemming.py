"""Stemmers for scripts used by one language, or nearly so.

Law: loaded with the first word that needs one, because the library loads all its languages.
Source: docs/retrieval.md.
"""

import threading
from typing import Final, Protocol, cast

import regex
from snowballstemmer.arabic_stemmer import ArabicStemmer
from snowballstemmer.greek_stemmer import GreekStemmer
from snowballstemmer.hindi_stemmer import HindiStemmer
from snowballstemmer.russian_stemmer import RussianStemmer

from voice.core.text.lazy import late_pattern


class _Stemmer(Protocol):
    """A snowball stemmer."""

    def stemWord(self, word: str, /) -> str: ...  # noqa: N802 - the vendor's name


# the classes, not `snowballstemmer.stemmer`: that one answers differently where PyStemmer happens to be installed
_STEMMER_OF_SCRIPT: Final = cast(
    "tuple[tuple[regex.Pattern[str], _Stemmer], ...]",
    (
        (late_pattern(r"\p{Cyrillic}+"), RussianStemmer()),
        (late_pattern(r"\p{Greek}+"), GreekStemmer()),
        (late_pattern(r"\p{Arabic}+"), ArabicStemmer()),
        (late_pattern(r"\p{Devanagari}+"), HindiStemmer()),
    ),
)
_STEMMING: Final = threading.Lock()  # stemmers keep state while working, hence the lock


def stem_in_its_script(word: str) -> str:
    """Return the stem of a word in one of these scripts; other words unchanged."""
    stemmer = next((stemmer for script, stemmer in _STEMMER_OF_SCRIPT if script.fullmatch(word)), None)
    if stemmer is None:
        return word
    with _STEMMING:
        return stemmer.stemWord(word)

"""The words of a query, for match contexts and for finding summaries.

Law: a summary's relevance is absolute: a share of the query's telling words, whatever else is there (ruling G). The few
summaries of a memory are weighed here and not indexed: they change with every word of their capsule. A summary that
holds every telling word of the query weighs as much as a row whose BM25 is `WORDS_UNIT` does (`core.retrieval.fusion`).

Source: spec retrieval-contract, Local FTS Provider; rulings A24, G.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from voice.core.text.word_weights import word_weight
from voice.core.text.words import Word, words

_MARKED: Final = frozenset("+#@./\\_-:&*=<>~$%")
"""Signs that belong to a word they stand in: `C++`, `login.py`, `auth-bug`."""
_CLOSING: Final = ".,;:!?…\"'()[]{}«»“”‘’"
_READ: Final = 10_000
"""Characters of a query that are looked at here; the search itself reads all of it."""
_TERMS: Final = 24
_LEAST_STEM: Final = 3


def query_terms(query: str) -> tuple[str, ...]:
    """Return what to look for in a text in order to show where it matches; at most a few, in the query's order."""
    text = query[:_READ]
    marked = (token for raw in text.split() if _MARKED & set(token := raw.strip(_CLOSING)))
    plain = (form for word in _telling(text) for form in (word.text, _beginning(word)))
    return tuple(dict.fromkeys(term for term in (*marked, *plain) if term))[:_TERMS]


def weigher(query: str) -> Callable[[str], float]:
    """Return what weighs a text that is not indexed, on the scale of `Hit.lexical`; 0.0 without a common word."""
    wanted = {word.stem: word_weight(word.stem) for word in _telling(query[:_READ])}
    whole = sum(wanted.values()) or 1.0

    def weigh(text: str) -> float:
        held = {word.stem for word in words(text)}
        share = sum(weight for stem, weight in wanted.items() if stem in held) / whole
        return share / (1.0 + share)

    return weigh


def content_stems(texts: Iterable[str]) -> list[str]:
    """Return the stems of the telling words of `texts`, in order."""
    return [word.stem for text in texts for word in words(text) if not word.is_stop]


def _telling(text: str) -> Sequence[Word]:
    """Return the words that carry a topic, or all where none does ("who am I")."""
    found = words(text)
    return [word for word in found if not word.is_stop] or found


def _beginning(word: Word) -> str:
    """Return the part of the word as written that its inflections share, or nothing."""
    stem = word.stem
    is_beginning = len(stem) >= _LEAST_STEM and word.text.casefold().startswith(stem)
    return stem if is_beginning and stem.isascii() else ""

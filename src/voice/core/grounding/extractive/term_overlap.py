"""Lexical overlap of words and texts: stems, synonyms, near spellings.

Law: deterministic; words are weighted by information content (`voice.core.text.word_weights`).
Source: GROUNDING "hand v2".
"""

from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from voice.core.text.language_data import entries
from voice.core.text.number_words import GERMAN, ONES, TENS
from voice.core.text.word_weights import word_weight
from voice.core.text.words import Word, stem_of


def synonyms_of(stem: str) -> frozenset[str]:
    """Return the stems of a word's synonyms, without itself."""
    return _neighbours().get(stem, frozenset())


@lru_cache(maxsize=1)
def _neighbours() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in entries("synonyms", "groups"):
        stems = {stem_of(word) for word in group.split()}
        for stem in stems:
            table.setdefault(stem, set()).update(stems - {stem})
    return {stem: frozenset(others) for stem, others in table.items()}


_NEAR_CREDIT = 0.8
_SYNONYM_CREDIT = 0.7
_NONE = frozenset[str]()


def _number_spellings() -> dict[str, frozenset[str]]:
    """Return the equivalent stems of small numbers: "5", "five", "funf"."""
    groups: dict[int, set[str]] = {}
    for word, value in (ONES | TENS | GERMAN).items():
        groups.setdefault(value, {str(value)}).add(stem_of(word))
    return {stem: frozenset(group) for group in groups.values() for stem in group}


_SPELLINGS = _number_spellings()
"""Equivalent spellings of numbers: "5 albums" are "five albums"."""


def overlap_share(content: Sequence[Word], stems: frozenset[str]) -> float:
    """Return the weighted share of `content` that matches `stems`, 0-1."""
    weights = {word.stem: word_weight(word.stem) for word in content}
    total = sum(weights.values())
    return sum(weight * match_credit(stem, stems) for stem, weight in weights.items()) / total if total else 0.0


def match_credit(stem: str, pool: frozenset[str]) -> float:
    """Return the match credit of a stem in `pool`: 1 if present, less for a synonym or near spelling, else 0."""
    if stem in pool or not _SPELLINGS.get(stem, _NONE).isdisjoint(pool):
        return 1.0
    if synonyms_of(stem) & pool:
        return _SYNONYM_CREDIT
    beginning = stem[:3]
    return _NEAR_CREDIT if any(_is_near(stem, other) for other in pool if other.startswith(beginning)) else 0.0


def _is_near(stem: str, other: str) -> bool:
    """Return whether two stems are spellings or derivations of one word; never for digits."""
    if min(len(stem), len(other)) < 4 or not (stem.isalpha() and other.isalpha()):
        return False
    shorter, longer = sorted((stem, other), key=len)
    if len(shorter) >= 5 and longer.startswith(shorter) and not longer.endswith("less"):
        return True
    return Levenshtein.normalized_similarity(stem, other) >= 0.84

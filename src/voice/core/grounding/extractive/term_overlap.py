"""Lexical overlap of words and texts: stems, synonyms, near spellings.

Law: it is lexical and deterministic; a synonym or a near spelling counts as most of a match, and a word counts by how
telling it is (`voice.core.text.word_weights`).

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
    """Return the stems that may stand for `stem`, without itself; empty for a word of no group."""
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


def _spellings() -> dict[str, frozenset[str]]:
    """Return the stems of each small number by every one of them: "5", "five", "funf"."""
    groups: dict[int, set[str]] = {}
    for word, value in (ONES | TENS | GERMAN).items():
        groups.setdefault(value, {str(value)}).add(stem_of(word))
    return {stem: frozenset(group) for group in groups.values() for stem in group}


_SPELT = _spellings()
"""What is the same number in words or in figures: "5 albums" are "five albums"."""


def overlap_share(content: Sequence[Word], held: frozenset[str]) -> float:
    """Return the share of the weight of `content` that the stems `held` hold, themselves, by synonym or nearly."""
    weights = {word.stem: word_weight(word.stem) for word in content}
    total = sum(weights.values())
    return sum(weight * match_credit(stem, held) for stem, weight in weights.items()) / total if total else 0.0


def match_credit(stem: str, pool: frozenset[str]) -> float:
    """Return how much of a match a stem finds in `pool`: itself 1, a synonym or a near spelling most of it, else 0."""
    if stem in pool or not _SPELT.get(stem, _NONE).isdisjoint(pool):
        return 1.0
    if synonyms_of(stem) & pool:
        return _SYNONYM_CREDIT
    beginning = stem[:3]
    return _NEAR_CREDIT if any(_is_near(stem, other) for other in pool if other.startswith(beginning)) else 0.0


def _is_near(stem: str, other: str) -> bool:
    """Return whether two stems of one beginning are spellings or derivations of one word; digits never are."""
    if min(len(stem), len(other)) < 4 or not (stem.isalpha() and other.isalpha()):
        return False
    shorter, longer = sorted((stem, other), key=len)
    if len(shorter) >= 5 and longer.startswith(shorter) and not longer.endswith("less"):
        return True
    return Levenshtein.normalized_similarity(stem, other) >= 0.84

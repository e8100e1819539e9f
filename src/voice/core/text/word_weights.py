"""Information weight of a word, without a corpus.

Law: depends on the word alone: two tables (`voice/data/language/everyday.toml`), else its shape, so scores are
reproducible
on every machine and store.
Source: DESIGN 6 stage 3 (idf-weighted recall); promise 8.
"""

from functools import lru_cache

from voice.core.text.language_data import entries
from voice.core.text.words import stem_of

HEAVIEST = 5.0
"""Weight of the rarest word."""


@lru_cache(maxsize=1)
def _tables() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    everyday, common = entries("everyday", "everyday"), entries("everyday", "common")
    return frozenset(map(stem_of, everyday)), frozenset(map(stem_of, common)), everyday | common


@lru_cache(maxsize=65_536)
def word_weight(stem: str) -> float:
    """Return the weight of a stem: 1.5 for everyday words, up to 5 for rare or numeric ones."""
    everyday, common, _ = _tables()
    if stem in everyday:
        return 1.5
    if stem in common:
        return 2.5
    if any(char.isdigit() for char in stem):
        return 4.0
    if len(stem) <= 2:
        return 2.5
    return min(HEAVIEST, 3.2 + 0.15 * len(stem))


def is_common_word(key: str) -> bool:
    """Return whether `key` is an everyday English word, in any inflection."""
    everyday, common, words = _tables()
    stem = stem_of(key)
    return key in words or (key != stem and (stem in everyday or stem in common))

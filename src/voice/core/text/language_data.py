"""Word lists by language, and word weights, read from TOML files.

Law: package data is constant, so reading it keeps functions pure; each file is read once. Rules name no words. A word's
weight depends on the word alone: two tables (`voice/data/language/everyday.toml`), else its shape, so scores are
reproducible on every machine and store.
Source: DESIGN 6 "Word lists are data files per language, not code", stage 3 (idf-weighted recall); DESIGN 11; ruling
D1; promise 8.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, cast

from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import language_file
from voice.core.text.words import fold_key, stem_of

if TYPE_CHECKING:  # annotations only: `regex` loads with the first pattern
    import regex

Table = Mapping[str, object]


@cache
def language_tables(area: str) -> Mapping[str, Table]:
    """Return the tables of `voice/data/language/<area>.toml` by language."""
    return cast("Mapping[str, Table]", tomllib.loads(language_file(f"{area}.toml")))


def word_pairs(table: Table, key: str) -> Mapping[str, str]:
    """Return the pairs under `key`; empty if missing."""
    return cast("Mapping[str, str]", table.get(key, {}))


def listed_words(table: Table, key: str) -> frozenset[str]:
    """Return the words under `key`, a list or a string; empty if missing."""
    found = cast("list[str] | str", table.get(key, []))
    return frozenset(found.split() if isinstance(found, str) else found)


@cache
def entries(area: str, key: str) -> frozenset[str]:
    """Return the entries of all languages under a key, as written. Raises KeyError: no language has the key."""
    found = [listed_words(table, key) for table in language_tables(area).values() if key in table]
    if not found:
        raise KeyError(f"{area}.toml has no list {key}")
    return frozenset[str]().union(*found)


@cache
def every_word(area: str, *keys: str) -> frozenset[str]:
    """Return the words of all languages under the keys, folded like `Word.key`."""
    return frozenset(fold_key(word) for key in keys for word in entries(area, key))


@cache
def every_phrase(area: str, key: str) -> "regex.Pattern[str]":
    """Return a pattern for the phrases of all languages under `key`, whole, any case."""
    return phrase_pattern(entries(area, key))


@cache
def listed_pattern(area: str, language: str, key: str) -> "regex.Pattern[str]":
    """Return the regular expression under a language's key, for any case; its line breaks count for nothing."""
    return late_pattern(str(language_tables(area)[language][key]).replace("\n", ""), re.IGNORECASE)


@cache
def opening_phrase(area: str, key: str) -> "regex.Pattern[str]":
    """Return a pattern for texts that start with such a phrase."""
    return late_pattern(r"\W*+\L<phrases>(?!\w)", re.IGNORECASE, phrases=sorted(entries(area, key)))


@cache
def phrase_pattern(phrases: frozenset[str]) -> "regex.Pattern[str]":
    """Return a pattern for any of the phrases, whole, any case."""
    return late_pattern(r"(?<!\w)\L<phrases>(?!\w)", re.IGNORECASE, phrases=sorted(phrases))


@cache
def task_mark() -> "regex.Pattern[str]":
    """Return a pattern for what stands before the words of a task: bullet, and box or mark."""
    marks = entries("tasks", "open_marks") | entries("tasks", "done_marks") | entries("tasks", "other_marks")
    return late_pattern(
        r"[ \t]*+(?P<bullet>(?:[-+*•‣◦–]|\*{2,9}|\d{1,3}[.)])[ \t]+)?+"  # "**" opens an Org headline
        r"(?:\[(?P<box>[^\[\]\n])\](?=[ \t])|(?P<mark>\L<marks>)(?:(?<=\W)|(?!\w)))",
        marks=sorted(each for each in marks if len(each) > 1 or not each.isascii()),  # "x" marks a task only in a box
    )


def is_first_name(word: str) -> bool:
    """Return whether a word is a common first name."""
    key = word.casefold()
    return key in entries("first_names", "women") or key in entries("first_names", "men")


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

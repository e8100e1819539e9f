"""Word lists by language, read from TOML files on first use.

Law: package data is constant, so reading it keeps functions pure; each file is read once. Rules name no words.
Source: DESIGN 6 "Word lists are data files per language, not code"; DESIGN 11.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import cast

import regex

from voice.core.text.lazy import late_pattern
from voice.core.text.words import fold_key

Table = Mapping[str, object]


@cache
def language_tables(area: str) -> Mapping[str, Table]:
    """Return the tables of `voice/data/language/<area>.toml` by language."""
    text = (files("voice") / "data" / "language" / f"{area}.toml").read_text(encoding="utf-8")
    return cast("Mapping[str, Table]", tomllib.loads(text))


def word_pairs(table: Table, key: str) -> Mapping[str, str]:
    """Return the pairs under `key`; empty if missing."""
    return cast("Mapping[str, str]", table.get(key, {}))


def listed_words(table: Table, key: str) -> frozenset[str]:
    """Return the words under `key`, a list or a string; empty if missing."""
    found = cast("list[str] | str", table.get(key, []))
    return frozenset(found.split() if isinstance(found, str) else found)


@cache
def entries(area: str, key: str) -> frozenset[str]:
    """Return the entries of all languages under a key, as written.

    Raises:
        KeyError: no language has the key.
    """
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
def opening_phrase(area: str, key: str) -> "regex.Pattern[str]":
    """Return a pattern for texts that start with such a phrase."""
    return late_pattern(r"\W*+\L<phrases>(?!\w)", regex.IGNORECASE, phrases=sorted(entries(area, key)))


@cache
def phrase_pattern(phrases: frozenset[str]) -> "regex.Pattern[str]":
    """Return a pattern for any of the phrases, whole, any case."""
    return late_pattern(r"(?<!\w)\L<phrases>(?!\w)", regex.IGNORECASE, phrases=sorted(phrases))

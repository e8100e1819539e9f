"""Word lists by language, read from TOML files when first asked for.

Law: what is read is a part of the package and never changes while the program runs, so that reading it decides nothing;
it is read once. No list is code, and no rule names a word of a language.

Source: DESIGN 6 "Word lists are data files per language, not code"; DESIGN 11 (nothing is loaded before it is needed).
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
    """Return the tables of `area` by language ("en", "de", …), as `voice/data/language/<area>.toml` has them."""
    text = (files("voice") / "data" / "language" / f"{area}.toml").read_text(encoding="utf-8")
    return cast("Mapping[str, Table]", tomllib.loads(text))


def word_pairs(table: Table, key: str) -> Mapping[str, str]:
    """Return a table's list of pairs under `key`, empty where it has none."""
    return cast("Mapping[str, str]", table.get(key, {}))


def listed_words(table: Table, key: str) -> frozenset[str]:
    """Return a table's words under `key`, a list or words in a row; empty where it has none."""
    found = cast("list[str] | str", table.get(key, []))
    return frozenset(found.split() if isinstance(found, str) else found)


@cache
def entries(area: str, key: str) -> frozenset[str]:
    """Return what stands under a key in the tables of all languages, as it is written there.

    Raises:
        KeyError: no language has such a list.
    """
    found = [listed_words(table, key) for table in language_tables(area).values() if key in table]
    if not found:
        raise KeyError(f"{area}.toml has no list {key}")
    return frozenset[str]().union(*found)


@cache
def every_word(area: str, *keys: str) -> frozenset[str]:
    """Return the words under some keys in the tables of all languages, as `Word.key` has them."""
    return frozenset(fold_key(word) for key in keys for word in entries(area, key))


@cache
def every_phrase(area: str, key: str) -> "regex.Pattern[str]":
    """Return what finds a phrase under `key` in the tables of all languages, whole and in any case."""
    return phrase_pattern(entries(area, key))


@cache
def opening_phrase(area: str, key: str) -> "regex.Pattern[str]":
    """Return what matches a text that begins with such a phrase."""
    return late_pattern(r"\W*+\L<phrases>(?!\w)", regex.IGNORECASE, phrases=sorted(entries(area, key)))


@cache
def phrase_pattern(phrases: frozenset[str]) -> "regex.Pattern[str]":
    """Return what finds one of some phrases, whole and in any case."""
    return late_pattern(r"(?<!\w)\L<phrases>(?!\w)", regex.IGNORECASE, phrases=sorted(phrases))

"""Word lists by language, words for numbers and units, and word weights, read from TOML files.

Law: package data is constant, so reading it keeps functions pure; each file is read once. Rules name no words. A word's
weight depends on the word alone: two tables (`voice/data/language/everyday.toml`), else its shape, so scores are
reproducible on every machine and store.

Number words are closed tables; context-dependent words ("a score of guests", German "elf") are separate, `numbers`
decides. Only exact conversions are equal: a week is 7 days, a year 12 months, but a month is no number of days and a
mile no number of km.
Source: DESIGN 6 "Word lists are data files per language, not code", stage 3 (idf-weighted recall), stage 4 (numbers,
units); DESIGN 11; ruling D1; promise 8.
"""

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import numbered_words, word_set
from voice.core.text.words import fold_key, stem_of

if TYPE_CHECKING:  # annotations only: `regex` loads with the first pattern
    import regex

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


_TABLE = language_tables("units")["every"]


ONES = numbered_words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
    start=0,
)
TENS = numbered_words("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
_BASE = {"hundred": 100, "dozen": 12, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SHORT = {"mln": 10**6, "mn": 10**6, "mio": 10**6, "bln": 10**9}
_GERMAN_BASE = {"dutzend": 12, "hundert": 100, "tausend": 1000}
_GERMAN_LARGE = {"millionen": 10**6, "milliarde": 10**9, "milliarden": 10**9}
MANY_OF = {f"{name}s": value for name, value in _BASE.items()} | {f"{key}e": n for key, n in _GERMAN_BASE.items()}
"""Alone these are an unknown multiple: "dozens of people"."""
SCALES = _BASE | MANY_OF | _SHORT | _GERMAN_BASE | _GERMAN_LARGE
SCORE = 20
COUNTING_OF = MANY_OF.keys() | {"score"}
"""Followed by "of" before the counted noun: "dozens of eggs"."""
PEOPLE = listed_words(_TABLE, "people")
"""Plurals without s."""
LEADS = {"a": 1, "an": 1, "ein": 1, "half": 0.5, "halbes": 0.5, "halben": 0.5, "couple": 2}
"""Multipliers that count only before a scale: "a dozen", "half a dozen"…"""
SEVERAL = word_set("few several many paar einige mehrere viele")
"""…and indefinite ones."""
_GERMAN_ONES = numbered_words("zwei drei vier funf sechs sieben acht neun", 2)
_GERMAN_TENS = numbered_words("zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig", 20, 10)
GERMAN = (
    _GERMAN_ONES
    | _GERMAN_TENS
    | numbered_words("zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn", 10)
    # "einundzwanzig" to "neunundneunzig"
    | {f"{one}und{ten}": n + m for one, n in {"ein": 1, **_GERMAN_ONES}.items() for ten, m in _GERMAN_TENS.items()}
)
SUFFIXES = {"k": 1000, "m": 10**6, "bn": 10**9}
ORDINALS = numbered_words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
) | numbered_words("thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth", 30, 10)
GROUPS = {"couple": 2, "pair": 2, "twice": 2, "thrice": 3, "half": 0.5, "once": 1, "double": 2, "triple": 3}
PARTS = {"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5, "tenth": 10}
"""Fractions before "of": "a third of the students"."""
SOFT = word_set("one once half couple pair twice thrice double triple zero") | ORDINALS.keys()
UNITS = {name: unit for unit, names in word_pairs(_TABLE, "units").items() for name in names.split()}

_SIZES: dict[str, tuple[str, int]] = {  # unit: (base unit, factor)
    "second": ("second", 1),
    "minute": ("second", 60),
    "hour": ("second", 3600),
    "day": ("second", 86_400),
    "week": ("second", 7 * 86_400),
    "fortnight": ("second", 14 * 86_400),
    "month": ("month", 1),  # of unknown days
    "year": ("month", 12),
    "decade": ("month", 120),
    "mm": ("mm", 1),
    "cm": ("mm", 10),
    "m": ("mm", 1000),
    "km": ("mm", 1_000_000),
    "inch": ("inch", 1),
    "foot": ("inch", 12),
    "yard": ("inch", 36),
    "mg": ("mg", 1),
    "g": ("mg", 1000),
    "kg": ("mg", 1_000_000),
    "ml": ("ml", 1),
    "litre": ("ml", 1000),
}


def in_smallest_unit(value: Decimal, unit: str) -> tuple[Decimal, str]:
    """Convert a measure to its base unit; other units are unchanged."""
    smallest, size = _SIZES.get(unit, (unit, 1))
    return value * size, smallest


def are_commensurable(ours: str, theirs: str) -> bool:
    """Return whether two units measure the same dimension."""
    return in_smallest_unit(Decimal(1), ours)[1] == in_smallest_unit(Decimal(1), theirs)[1]


def is_larger_unit(ours: str, theirs: str) -> bool:
    """Return whether a unit is a multiple of another, as in "2 hours 30 minutes"."""
    mine, other = in_smallest_unit(Decimal(1), ours), in_smallest_unit(Decimal(1), theirs)
    return mine[1] == other[1] and mine[0] > other[0]

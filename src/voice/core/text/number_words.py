"""Words for numbers, scales and units, and exact conversions.

Law: closed tables; context-dependent words ("a score of guests", German "elf") are separate, `numbers` decides. Only
exact
conversions are equal: a week is 7 days, a year 12 months, but a month is no number of days and a mile no number of km.
Source: DESIGN 6 stage 4 (numbers, units); ruling D1.
"""

from decimal import Decimal

from voice.core.text.language_data import language_tables, listed_words, word_pairs
from voice.core.text.word_lists import word_set

_TABLE = language_tables("units")["every"]


def _counted(names: str, start: int, step: int = 1) -> dict[str, int]:
    return {name: start + step * place for place, name in enumerate(names.split())}


ONES = _counted(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
    0,
)
TENS = _counted("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
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
_GERMAN_ONES = _counted("zwei drei vier funf sechs sieben acht neun", 2)
_GERMAN_TENS = _counted("zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig", 20, 10)
GERMAN = (
    _GERMAN_ONES
    | _GERMAN_TENS
    | _counted("zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn", 10)
    | {f"{one}und{ten}": n + m for one, n in {"ein": 1, **_GERMAN_ONES}.items() for ten, m in _GERMAN_TENS.items()}
)
SUFFIXES = {"k": 1000, "m": 10**6, "bn": 10**9}
ORDINALS = _counted(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth",
    1,
) | _counted("thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth", 30, 10)
GROUPS = {"couple": 2, "pair": 2, "twice": 2, "thrice": 3, "half": 0.5, "once": 1, "double": 2, "triple": 3}
PARTS = {"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5, "tenth": 10}
"""Fractions before "of": "a third of the students"."""
SOFT = word_set("one once half couple pair twice thrice double triple zero") | ORDINALS.keys()
UNITS = {name: unit for unit, names in word_pairs(_TABLE, "units").items() for name in names.split()}


_SIZES: dict[str, tuple[str, int]] = {
    "second": ("second", 1),
    "minute": ("second", 60),
    "hour": ("second", 3600),
    "day": ("second", 86_400),
    "week": ("second", 7 * 86_400),
    "fortnight": ("second", 14 * 86_400),
    "month": ("month", 1),
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
"""Base unit and factor of each unit."""


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

"""Quantities in several words: "an hour and a half", "half a dozen".

Law: several words are one amount, whose parts do not count. A unit after "a" ("a week") is one of it only in evidence:
a claim is not held to an article.

Source: DESIGN 6 stage 4 (numbers, units); ruling D1.
"""

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

import regex

from voice.core.text.lazy import late_pattern
from voice.core.text.numbers import SCALES, Quantity, in_smallest_unit, is_larger_unit, quantities
from voice.core.text.words import Word

# "an hour and a half", "two and a half miles", "half a year", "three quarters of an hour"
_HALVED = late_pattern(
    r"\b(?:(?P<count>an?|one|two|three|four|five|six|seven|eight|nine|ten|\p{Nd}{1,4})[ -]"
    r"(?:(?P<unit>\p{L}+)[ -]and[ -]a[ -]half|and[ -]a[ -]half[ -](?P<after>\p{L}+))"
    r"|half an? (?P<half>\p{L}+)|(?P<quarters>a|three) quarters? of an hour)\b",
    regex.IGNORECASE,
)

# Only behind a word that leads in a duration: "in 4:12"; "at 4:12" and "in 4:12 pm" are clock times.
_RUN_TIME = late_pattern(
    r"\b(?:in|took|lasted|within|under|time(?: (?:of|was|is))?) "
    r"(?P<time>(?P<a>\p{Nd}{1,2}):(?P<b>[0-5]\p{Nd})(?::(?P<c>[0-5]\p{Nd}))?)"
    r"(?![:\p{Nd}]| ?[ap]\.?m\b)",
    regex.IGNORECASE,
)


def compound_quantities(text: str, found: Sequence[Word]) -> list[Quantity]:
    """Return the quantities in `text`, whose words are `found`, with compounds as one."""
    plain = quantities(text, found)
    halved = _all_halved(text)
    kept = [one for one in plain if not any(amount.start <= one.start < amount.end for amount in halved)]
    result: list[Quantity] = []
    for quantity in sorted([*kept, *halved], key=lambda one: one.start):
        whole = _sum_of(text, result[-1], quantity) if result else None
        result[-1 if whole else len(result) :] = [whole or quantity]  # a sum replaces its first part
    return result


def single_measures(text: str, found: Sequence[Word]) -> list[Quantity]:
    """Return the single measures of a text: "an hour", "a week"; not "an hour and a half"."""
    ones = [
        one._replace(text=text[article.start : unit.end], start=article.start, end=unit.end, is_soft=True)
        for article, unit in pairwise(found)
        if article.key in ("a", "an") and (one := _measure("1", unit.text)) is not None
    ]
    halved = _all_halved(text) if ones else []
    return [one for one in ones if not any(amount.start <= one.start < amount.end for amount in halved)]


def durations(text: str) -> list[Quantity]:
    """Return durations in clock notation: "in 1:58", "in 4:12:30"; two parts give both readings."""
    found: list[Quantity] = []
    for match in _RUN_TIME.finditer(text) if ":" in text else ():
        first, second, third = (int(match[part] or 0) for part in ("a", "b", "c"))
        seconds = 3600 * first + 60 * second + third
        told = Quantity(Decimal(seconds), "second", match["time"], *match.span("time"), is_soft=True)
        # "2:30" is 2 h 30 min or 2 min 30 s.
        found += [told] if match["c"] else [told, told._replace(value=Decimal(60 * first + second))]
    return found


def _all_halved(text: str) -> list[Quantity]:
    plain = text.lower()
    if "half" not in plain and "quarter" not in plain:
        return []
    return [amount for match in _HALVED.finditer(text) if (amount := _halved(match))]


def _halved(match: "regex.Match[str]") -> Quantity | None:
    start, end = match.span()
    if quarters := match["quarters"]:
        amount = _measure("1", "hour")  # for its unit; the value is replaced
        share = Decimal(3 if quarters.lower() == "three" else 1) / 4
        return amount and amount._replace(value=share, text=match.group(), start=start, end=end)
    unit = match["half"] or match["after"] or match["unit"]
    count = (match["count"] or "").lower()
    if (scale := SCALES.get(unit.lower())) is not None:
        # "a million and a half" is 1.5 of them, "half a million" 0.5: it has no count.
        whole = quantities(count)[0].value if count not in ("", "a", "an") else Decimal(bool(count))
        return Quantity((whole + Decimal("0.5")) * scale, None, match.group(), start, end)
    amount = _measure("1" if count in ("", "a", "an") else count, unit)
    value = (amount.value if count and amount else Decimal(0)) + Decimal("0.5")
    return amount and amount._replace(value=value, text=match.group(), start=start, end=end)


@lru_cache(maxsize=4096)
def _measure(count: str, unit: str) -> Quantity | None:
    return next((found for found in quantities(f"{count} {unit}") if found.unit), None)


def _sum_of(text: str, first: Quantity, second: Quantity) -> Quantity | None:
    """Return two measures told as one ("5 feet 8 inches"); None if they are two."""
    if first.unit is None or second.unit is None or not is_larger_unit(first.unit, second.unit):
        return None
    if text[first.end : second.start].strip(" ,") not in ("", "and"):
        return None
    one = in_smallest_unit(Decimal(1), second.unit)[0]  # base units in one of the second unit
    value = (in_smallest_unit(first.value, first.unit)[0] / one + second.value).normalize()
    return second._replace(value=value, text=text[first.start : second.end], start=first.start)

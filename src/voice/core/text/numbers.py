"""The numbers, measures and clock times a text states, in one comparable form.

Law: "two dozen", "24", "twenty-four" and "24.0" are one value; 14 and 41 never are. A unit is part of a measure: 5 km
is not 5 miles, and 90 minutes are 1.5 hours (`measures`). What is ambiguous ("one of them", "a second") is offered
where a text is read as evidence and never demanded of a claim.

Source: DESIGN 6 stage 4 (numbers, units); ruling D1.
"""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

import regex

from voice.core.text.measures import are_of_one_kind, in_smallest
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, language_of, words

_ONES = dict(
    zip(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ],
        range(20),
        strict=True,
    )
)
_TENS = dict(
    zip(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(20, 100, 10), strict=True)
)
_BASE = {"hundred": 100, "dozen": 12, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SHORT = {"mln": 10**6, "mn": 10**6, "mio": 10**6, "bln": 10**9}
_SCALES = _BASE | {f"{name}s": value for name, value in _BASE.items()} | _SHORT
_SUFFIXES = {"k": 1000, "m": 10**6, "bn": 10**9}
_ORDINALS = dict(
    zip(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
            "thirteenth",
            "fourteenth",
            "fifteenth",
            "sixteenth",
            "seventeenth",
            "eighteenth",
            "nineteenth",
            "twentieth",
        ],
        range(1, 21),
        strict=True,
    )
) | dict(
    zip(
        ["thirtieth", "fortieth", "fiftieth", "sixtieth", "seventieth", "eightieth", "ninetieth", "hundredth"],
        range(30, 101, 10),
        strict=True,
    )
)
_GROUPS = {"couple": 2, "pair": 2, "twice": 2, "thrice": 3, "half": 0.5, "once": 1, "double": 2, "triple": 3}
_PARTS = {"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5, "tenth": 10}
"""Fractions where "of" follows: "a third of the students", "three quarters of it"."""
_SOFT = word_set("one once half couple pair twice thrice double triple zero") | _ORDINALS.keys()
_UNITS = {
    name: unit
    for unit, names in {
        "%": "% percent percentage pct",
        "km": "km kms kilometer kilometers kilometre kilometres",
        "mile": "mi mile miles",
        "m": "meter meters metre metres",
        "cm": "cm centimeter centimeters centimetre centimetres",
        "kg": "kg kgs kilo kilos kilogram kilograms",
        "g": "g gram grams gramme grammes",
        "µg": "μg mcg microgram micrograms",
        "lb": "lb lbs pound pounds",
        "foot": "ft foot feet",
        "inch": "inch inches",
        "second": "sec secs seconds",
        "minute": "min mins minute minutes",
        "hour": "h hr hrs hour hours",
        "day": "day days",
        "week": "week weeks",
        "fortnight": "fortnight fortnights",
        "month": "month months",
        "year": "yr yrs year years",
        "decade": "decade decades",
        "usd": "$ usd dollar dollars bucks",
        "eur": "€ eur euro euros",
        "gbp": "£ gbp",
        "celsius": "celsius",
        "fahrenheit": "fahrenheit",
        "litre": "liter liters litre litres",
        "ml": "ml milliliter milliliters millilitre millilitres",
        "gallon": "gallon gallons gal",
        "pint": "pint pints",
        "ounce": "ounce ounces oz",
        "mg": "mg milligram milligrams",
        "tonne": "ton tons tonne tonnes",
        "mm": "mm millimeter millimeters millimetre millimetres",
        "yard": "yd yds yard yards",
        "acre": "acre acres",
        "hectare": "hectare hectares",
        "kmh": "kmh kph",
        "mph": "mph",
        "watt": "watt watts",
        "kwh": "kwh",
        "calorie": "calorie calories kcal",
        "mb": "mb megabyte megabytes",
        "gb": "gb gigabyte gigabytes",
        "tb": "tb terabyte terabytes",
        "yen": "yen jpy",
        "crown": "crown crowns",
        "krona": "krona kronor krone kroner sek nok dkk",
        "cent": "cent cents",
        "rupee": "rupee rupees inr",
        "franc": "franc francs chf",
        "point": "point points pts",
    }.items()
    for name in names.split()
}
_CURRENCY = regex.compile(r"[$€£]\s?$")
_PERCENT = regex.compile(r"\s?%")
_MERIDIEM = regex.compile(r"\s?([ap])\.?\s?m\b\.?", regex.IGNORECASE)
_DIGITS = regex.compile(r"(\p{Nd}+(?:[.,:]\p{Nd}+)*)(st|nd|rd|th|s|k|m|bn)?$", regex.IGNORECASE)

_POINTS = regex.compile(r"[1-9]\p{Nd}{0,2}(?:\.\p{Nd}{3})+")
_IN_EUROS = regex.compile(r"\s?(?:Euro\b|€)")
"""No price in euros has three decimals, and German writes no "euros"."""


class Quantity(NamedTuple):
    """One number as stated."""

    value: Decimal
    unit: str | None
    text: str
    start: int
    end: int
    is_soft: bool = False
    """True when the word often is no number ("one", "first"): no claim is held to it."""
    is_time: bool = False
    """True for a clock time; `value` is minutes after midnight."""
    head: str = ""
    """The stem of the word the number counts, empty when unknown."""


def quantities(text: str, found: Sequence[Word] | None = None) -> list[Quantity]:
    """Return the quantities stated in `text`, in order; `found` are its words when they are known already."""
    tokens = words(text) if found is None else found
    result: list[Quantity] = []
    index = 0
    while index < len(tokens):
        quantity, used = _quantity_at(text, tokens, index)
        if quantity is not None:
            result.append(quantity)
        index += used
    return result


def _quantity_at(text: str, tokens: Sequence[Word], index: int) -> tuple[Quantity | None, int]:
    token = tokens[index]
    if token.is_number:
        return _written_in_digits(text, tokens, index)
    key = token.key
    if part := _part_of(tokens, index):
        return part
    if key in _ONES or key in _TENS:
        return _written_in_words(text, tokens, index)
    if key in _ORDINALS or key in _GROUPS:
        value = Decimal(str(_ORDINALS.get(key, _GROUPS.get(key))))
        return Quantity(value, None, token.text, token.start, token.end, key in _SOFT), 1
    if key in _SCALES and index and tokens[index - 1].key in ("a", "several"):
        return Quantity(Decimal(_SCALES[key]), None, token.text, token.start, token.end, is_soft=True), 1
    return None, 1


def _part_of(tokens: Sequence[Word], index: int) -> tuple[Quantity, int] | None:
    """Return a fraction of something as its percentage ("half of", "two thirds of"); None where none begins."""
    count = _ONES.get(tokens[index].key, 1 if tokens[index].key == "a" else 0)
    place = index + 1 if count else index
    if place + 1 >= len(tokens) or tokens[place].key not in _PARTS or tokens[place + 1].key != "of":
        return None
    share = (100 * Decimal(count or 1) / _PARTS[tokens[place].key]).quantize(Decimal(1)).normalize()
    text = " ".join(token.text for token in tokens[index : place + 1])
    return Quantity(share, "%", text, tokens[index].start, tokens[place].end), place - index + 1


def _written_in_digits(text: str, tokens: Sequence[Word], index: int) -> tuple[Quantity | None, int]:
    token = tokens[index]
    if clock := _clock(text, token):
        return clock, 1
    match = _DIGITS.match(token.text)
    value = _decimal(_ungrouped(match.group(1), text[token.end :], tokens)) if match else None
    if match is None or value is None:
        return None, 1
    value *= _SUFFIXES.get((match.group(2) or "").lower(), 1)
    used = 1
    while index + used < len(tokens) and tokens[index + used].key in _SCALES:
        value *= _SCALES[tokens[index + used].key]
        used += 1
    return _measured(text, tokens, index, used, value), used


def _written_in_words(text: str, tokens: Sequence[Word], index: int) -> tuple[Quantity, int]:
    total = current = 0
    used = 0
    while index + used < len(tokens):
        key = tokens[index + used].key
        if key in _ONES or key in _TENS:
            if used and not _continues(text, tokens, index + used):
                break
            current += _ONES.get(key, _TENS.get(key, 0))
        elif key in _SCALES and used:
            current *= _SCALES[key]
            if _SCALES[key] >= 1000:
                total, current = total + current, 0
        elif not (key == "and" and used and _number_word_follows(tokens, index + used + 1)):
            break
        used += 1
    quantity = _measured(text, tokens, index, used, Decimal(total + current))
    return quantity._replace(is_soft=used == 1 and tokens[index].key in _SOFT), used


def _continues(text: str, tokens: Sequence[Word], index: int) -> bool:
    """Return whether the number word at `index` belongs to the number before it ("twenty two", not "two three")."""
    before, here = tokens[index - 1].key, tokens[index].key
    gap = text[tokens[index - 1].end : tokens[index].start]
    if gap.strip(" -‑") != "":
        return False
    return before in _SCALES or before == "and" or (before in _TENS and 0 < _ONES.get(here, 0) < 10)


def _number_word_follows(tokens: Sequence[Word], index: int) -> bool:
    return (
        index - 2 >= 0
        and tokens[index - 2].key in _SCALES
        and index < len(tokens)
        and (tokens[index].key in _ONES or tokens[index].key in _TENS)
    )


def _measured(text: str, tokens: Sequence[Word], index: int, used: int, value: Decimal) -> Quantity:
    start, end = tokens[index].start, tokens[index + used - 1].end
    unit: str | None = None
    if currency := _CURRENCY.search(text[max(0, start - 2) : start]):
        unit = _UNITS[currency.group().strip()]
    elif percent := _PERCENT.match(text, end):
        unit, end = "%", percent.end()
    following = tokens[index + used] if index + used < len(tokens) else None
    head = ""
    if following is not None and text[tokens[index + used - 1].end : following.start].strip(" -‑%") == "":
        head = following.stem
        if unit is None and following.key in _UNITS:
            unit, end = _UNITS[following.key], following.end
    return Quantity(value.normalize(), unit, text[start:end], start, end, head=head)


def _clock(text: str, token: Word) -> Quantity | None:
    meridiem = _MERIDIEM.match(text, token.end)
    hour, colon, minute = token.text.partition(":")
    if not (meridiem or colon) or not hour.isdecimal() or (colon and not minute.isdecimal()):
        return None
    hours, minutes = int(hour), int(minute or "0")
    if hours > 24 or minutes > 59:
        return None
    if meridiem:
        hours = hours % 12 + (12 if meridiem.group(1).lower() == "p" else 0)
    end = meridiem.end() if meridiem else token.end
    return Quantity(
        Decimal(hours * 60 + minutes),
        "clock" if meridiem else None,
        text[token.start : end],
        token.start,
        end,
        is_time=True,
    )


def _ungrouped(digits: str, after: str, tokens: Sequence[Word]) -> str:
    """Return digits without the points by which German groups thousands ("1.200 Euro"); twice they group anywhere."""
    if not _POINTS.fullmatch(digits):
        return digits
    is_german = digits.count(".") > 1 or language_of(tokens) == "de" or _IN_EUROS.match(after) is not None
    return digits.replace(".", "") if is_german else digits


def _decimal(digits: str) -> Decimal | None:
    """Return the value of digits with separators; a comma groups thousands, else it is a decimal comma."""
    plain = regex.sub(r",(?=\p{Nd}{3}(?:\D|$))", "", digits).replace(",", ".")
    try:
        return Decimal(plain)
    except InvalidOperation:
        return None


def unit_named(key: str) -> str | None:
    """Return the unit that a folded word names beside a number, None when it names none."""
    return _UNITS.get(key)


def same_quantity(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether `stated` bears out `claimed`: equal value, and no other unit or half of the day."""
    if claimed.is_time != stated.is_time:
        return _is_that_hour(claimed, stated) if claimed.is_time else _is_that_hour(stated, claimed)
    if claimed.is_time and claimed.unit != stated.unit:
        return claimed.value % 720 == stated.value % 720
    if is_same_measure(claimed, stated):
        return _smallest(claimed) == _smallest(stated)
    if claimed.value != stated.value:
        return False
    return None in (claimed.unit, stated.unit) or same_unit(claimed.unit, stated.unit)


def is_same_measure(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether two quantities measure the same kind of thing: minutes and hours do, pounds and euros do not."""
    return claimed.unit is not None and stated.unit is not None and are_of_one_kind(claimed.unit, stated.unit)


def _smallest(quantity: Quantity) -> tuple[Decimal, str]:
    return in_smallest(quantity.value, quantity.unit or "")


def same_unit(ours: str | None, theirs: str | None) -> bool:
    """Return whether two units may be one; "pounds" are money or weight."""
    return ours == theirs or {ours, theirs} == {"lb", "gbp"}


def _is_that_hour(time: Quantity, plain: Quantity) -> bool:
    """Return whether a bare number ("at 7") names the full hour of a clock time ("7 pm")."""
    return (
        plain.unit is None and time.value % 60 == 0 and time.value / 60 % 12 == plain.value % 12 and plain.value <= 24
    )

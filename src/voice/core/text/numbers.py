"""Numbers, measures and clock times stated in a text, in comparable form.

Law: "two dozen", "24", "twenty-four" and "24.0" are equal. "A few hundred" is an unknown multiple. Units count: 90
minutes are 1.5 hours, 5 km are not 5 miles. Ambiguous words ("one of them") are evidence, not demanded of claims.
Source: DESIGN 6 stage 4 (numbers, units); ruling D1.
"""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

import regex

from voice.core.text.language_data import (
    COUNTING_OF,
    GERMAN,
    GROUPS,
    LEADS,
    MANY_OF,
    ONES,
    ORDINALS,
    PARTS,
    PEOPLE,
    SCALES,
    SCORE,
    SEVERAL,
    SOFT,
    SUFFIXES,
    TENS,
    UNITS,
    are_commensurable,
    in_smallest_unit,
)
from voice.core.text.lazy import late_pattern
from voice.core.text.words import Word, language_of, words

_CURRENCY = late_pattern(r"[$€£]\s?$")
_PERCENT = late_pattern(r"\s?%")
_MERIDIEM = late_pattern(r"\s?([ap])\.?\s?m\b\.?", regex.IGNORECASE)
_DIGITS = late_pattern(r"(\p{Nd}++(?:[.,:]\p{Nd}++)*+)(st|nd|rd|th|s|k|m|bn)?$", regex.IGNORECASE)

_MOST_OF = 9  # "a few hundred" is at most so many
_POINTS = late_pattern(r"[1-9]\p{Nd}{0,2}(?:\.\p{Nd}{3})+")  # "1.200"; not "0.125"
_IN_EUROS = late_pattern(r"\s?(?:Euro\b|€)")  # no euro price has three decimals; German has no plural "euros"


class Quantity(NamedTuple):
    """One number as stated."""

    value: Decimal
    unit: str | None
    text: str
    start: int
    end: int
    is_soft: bool = False
    """Often not a number ("one", "first"), hence not demanded of a claim."""
    is_time: bool = False
    """A clock time: `value` is minutes after midnight, `unit` "clock" if the half of the day is certain."""
    head: str = ""
    """Stem of the counted noun; "" if unknown."""
    is_several: bool = False
    """An unknown multiple of `value`: "a few hundred", "dozens"."""


def quantities(text: str, found: Sequence[Word] | None = None) -> list[Quantity]:
    """Return the quantities in `text`, in order; `found` are its words if known."""
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
    if part := _fraction_at(tokens, index):  # before the number words: "two thirds of" is not 2
        return part
    if key in ONES or key in TENS:
        return _parse_number_words(text, tokens, index)
    if (led := _multiplier_at(tokens, index)) is not None:
        return _of_a_scale(text, tokens, index, led)
    # "elf" counts only in a German text or before a scale.
    if key in GERMAN and (_scale_at(tokens, index + 1) or language_of(tokens) == "de"):
        return _in_german(text, tokens, index)
    if key in ORDINALS or key in GROUPS:
        value = Decimal(str(ORDINALS.get(key, GROUPS.get(key))))  # by way of text: 0.5 in the tables is a float
        return Quantity(value, None, token.text, token.start, token.end, key in SOFT), 1
    return None, 1


def _fraction_at(tokens: Sequence[Word], index: int) -> tuple[Quantity, int] | None:
    """Return a fraction as a percentage ("half of", "two thirds of")."""
    count = ONES.get(tokens[index].key, 1 if tokens[index].key == "a" else 0)
    place = index + 1 if count else index
    if place + 1 >= len(tokens) or tokens[place].key not in PARTS or tokens[place + 1].key != "of":
        return None
    share = (100 * Decimal(count or 1) / PARTS[tokens[place].key]).quantize(Decimal(1)).normalize()
    text = " ".join(token.text for token in tokens[index : place + 1])
    return Quantity(share, "%", text, tokens[index].start, tokens[place].end), place - index + 1


def _scale_at(tokens: Sequence[Word], index: int) -> int | None:
    """Return the scale at `index`; "score" counts only before a plural ("a score of guests")."""
    if index >= len(tokens):
        return None
    if tokens[index].key != "score":
        return SCALES.get(tokens[index].key)
    after = index + 2 if index + 1 < len(tokens) and tokens[index + 1].key == "of" else index + 1
    counted = tokens[after] if after < len(tokens) else None
    is_plural = counted is not None and (counted.key.endswith("s") or counted.key in PEOPLE)
    return SCORE if is_plural and not (counted and counted.is_stop) else None


def _multiplier_at(tokens: Sequence[Word], index: int) -> tuple[Decimal, int] | None:
    """Return a scale's multiplier ("half a dozen": 0.5; 0 if indefinite) and its index."""
    key = tokens[index].key
    if key in MANY_OF:
        return Decimal(0), index
    place = index + 1
    if key in ("half", "couple") and place < len(tokens) and tokens[place].key in ("a", "of"):
        place += 1
    if (key not in LEADS and key not in SEVERAL) or _scale_at(tokens, place) is None:
        return None
    return Decimal(str(LEADS.get(key, 0))), place


def _of_a_scale(text: str, tokens: Sequence[Word], index: int, led: tuple[Decimal, int]) -> tuple[Quantity, int]:
    count, place = led
    quantity, used = _parse_number_words(text, tokens, index, count or Decimal(1), place - index)
    before = tokens[index - 1] if index and tokens[index - 1].key in ("a", "ein") else tokens[index]
    told = text[before.start : quantity.end]
    return quantity._replace(text=told, start=before.start, is_several=not count), used


def _in_german(text: str, tokens: Sequence[Word], index: int) -> tuple[Quantity, int]:
    following = tokens[index + 1].key if index + 1 < len(tokens) else ""
    quantity, used = _parse_number_words(text, tokens, index, Decimal(GERMAN[tokens[index].key]), 1)
    return quantity._replace(is_soft=following == "uhr"), used  # "drei Uhr" is a time of day


def _written_in_digits(text: str, tokens: Sequence[Word], index: int) -> tuple[Quantity | None, int]:
    token = tokens[index]
    if clock := _clock(text, token):
        return clock, 1
    match = _DIGITS.match(token.text)
    value = _parse_decimal(_without_thousands_points(match.group(1), text[token.end :], tokens)) if match else None
    if match is None or value is None:
        return None, 1
    value *= SUFFIXES.get((match.group(2) or "").lower(), 1)
    used = 1
    while index + used < len(tokens) and tokens[index + used].key in SCALES:  # "2 million", "3 hundred thousand"
        value *= SCALES[tokens[index + used].key]
        used += 1
    return _measured(text, tokens, index, used, value), used


def _parse_number_words(
    text: str, tokens: Sequence[Word], index: int, current: Decimal = Decimal(0), used: int = 0
) -> tuple[Quantity, int]:
    """Parse a number in words from `index`; the first `used` words are read and make `current`."""
    total = Decimal(0)
    begun = bool(current)
    while index + used < len(tokens):
        key, scale = tokens[index + used].key, _scale_at(tokens, index + used)
        if key in ONES or key in TENS:
            if used and not _continues(text, tokens, index + used):
                break
            current += ONES.get(key, TENS.get(key, 0))
        elif scale and (used or begun):
            current *= scale
            if scale >= 1000:  # a hundred is still multiplied: "two hundred thousand"
                total, current = total + current, Decimal(0)
        elif not used or not (_number_follows_and(tokens, index + used) or _is_of(tokens, index + used)):
            break
        used += 1
    quantity = _measured(text, tokens, index, used, total + current)
    return quantity._replace(is_soft=used == 1 and tokens[index].key in SOFT), used


def _is_of(tokens: Sequence[Word], index: int) -> bool:
    """Return whether one scale multiplies another: "hundreds of thousands"."""
    if tokens[index].key != "of" or tokens[index - 1].key not in MANY_OF:
        return False
    return index + 1 < len(tokens) and tokens[index + 1].key in MANY_OF


def _continues(text: str, tokens: Sequence[Word], index: int) -> bool:
    """Return whether a number word continues the number before it ("twenty two", not "two three")."""
    before, here = tokens[index - 1].key, tokens[index].key
    gap = text[tokens[index - 1].end : tokens[index].start]
    if gap.strip(" -‑") != "":
        return False
    # "twenty two" is one number, "twenty twelve" is two.
    return before in SCALES or before == "and" or (before in TENS and 0 < ONES.get(here, 0) < 10)


def _number_follows_and(tokens: Sequence[Word], index: int) -> bool:
    """Return whether "and" joins a scale and a number word: "two hundred and five"."""
    if tokens[index].key != "and" or index + 1 >= len(tokens) or tokens[index - 1].key not in SCALES:
        return False
    return tokens[index + 1].key in ONES or tokens[index + 1].key in TENS


def _measured(text: str, tokens: Sequence[Word], index: int, used: int, value: Decimal) -> Quantity:
    start, end = tokens[index].start, tokens[index + used - 1].end
    unit: str | None = None
    if currency := _CURRENCY.search(text[max(0, start - 2) : start]):  # a sign and a space
        unit = UNITS[currency.group().strip()]
    elif percent := _PERCENT.match(text, end):
        unit, end = "%", percent.end()
    after = index + used
    if after + 1 < len(tokens) and tokens[after].key in ("of", "von") and tokens[after - 1].key in COUNTING_OF:
        after += 1  # "dozens of eggs" counts eggs
    following = tokens[after] if after < len(tokens) else None
    head = ""
    if following is not None and text[tokens[after - 1].end : following.start].strip(" -‑%") == "":
        head = following.stem
        if unit is None and following.key in UNITS:
            unit, end = UNITS[following.key], following.end
    return Quantity(value.normalize(), unit, text[start:end], start, end, head=head)


def _clock(text: str, token: Word) -> Quantity | None:
    meridiem = _MERIDIEM.match(text, token.end)
    hour, colon, minute = token.text.partition(":")
    if not (meridiem or colon) or not hour.isdecimal() or (colon and not minute.isdecimal()):
        return None
    hours, minutes = int(hour), int(minute or "0")
    if hours > 24 or minutes > 59:  # "3:75" is not a time
        return None
    if meridiem:
        hours = hours % 12 + (12 if meridiem.group(1).lower() == "p" else 0)  # 12 am is 0, 12 pm is 12
    is_certain = meridiem is not None or hours > 12 or hour.startswith("0")  # "07:30" is of 24 hours
    end = meridiem.end() if meridiem else token.end
    return Quantity(
        Decimal(hours * 60 + minutes),
        "clock" if is_certain else None,
        text[token.start : end],
        token.start,
        end,
        is_time=True,
    )


def _without_thousands_points(digits: str, after: str, tokens: Sequence[Word]) -> str:
    """Remove German thousands points ("1.200 Euro"); two points are always thousands."""
    if not _POINTS.fullmatch(digits):
        return digits
    is_german = digits.count(".") > 1 or language_of(tokens) == "de" or _IN_EUROS.match(after) is not None
    return digits.replace(".", "") if is_german else digits


def _parse_decimal(digits: str) -> Decimal | None:
    """Parse digits with separators; a comma before three digits groups, otherwise it is decimal."""
    plain = regex.sub(r",(?=\p{Nd}{3}(?:\D|$))", "", digits).replace(",", ".")  # "1,200" is 1200, "1,5" is 1.5
    try:
        return Decimal(plain)
    except InvalidOperation:
        return None


def same_quantity(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether `stated` supports `claimed` in value, unit and half of day; 300 "a few hundred", not reversed."""
    if claimed.is_several or stated.is_several:
        return claimed.is_several and _is_one_of_several(claimed, stated) and _may_be_one_unit(claimed, stated)
    if claimed.is_time != stated.is_time:
        return _is_that_hour(claimed, stated) if claimed.is_time else _is_that_hour(stated, claimed)
    if claimed.is_time and claimed.unit != stated.unit:
        return claimed.value % 720 == stated.value % 720  # minutes of half a day: "7:30" may be either
    if is_same_measure(claimed, stated):
        return _smallest(claimed) == _smallest(stated)
    return claimed.value == stated.value and _may_be_one_unit(claimed, stated)


def _is_one_of_several(claimed: Quantity, stated: Quantity) -> bool:
    if stated.is_several:
        return claimed.value == stated.value
    return 2 * claimed.value <= stated.value <= _MOST_OF * claimed.value  # 200 to 900 for "a few hundred"


def _may_be_one_unit(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether two units may be equal: one is unknown, or "pounds" are money or weight."""
    units = {claimed.unit, stated.unit}
    return None in units or len(units) == 1 or units == {"lb", "gbp"}


def is_same_measure(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether two quantities have the same dimension: minutes and hours, not pounds and euros."""
    return claimed.unit is not None and stated.unit is not None and are_commensurable(claimed.unit, stated.unit)


def _smallest(quantity: Quantity) -> tuple[Decimal, str]:
    return in_smallest_unit(quantity.value, quantity.unit or "")


def _is_that_hour(time: Quantity, plain: Quantity) -> bool:
    """Return whether a bare number ("at 7") is the full hour of a clock time ("7 pm")."""
    return (
        plain.unit is None and time.value % 60 == 0 and time.value / 60 % 12 == plain.value % 12 and plain.value <= 24
    )

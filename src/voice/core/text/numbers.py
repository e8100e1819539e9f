"""Numbers, measures and clock times stated in a text, in comparable form.

Law: "two dozen", "24", "twenty-four" and "24.0" are equal. "A few hundred" is an unknown multiple. Units count: 90
minutes are 1.5 hours, 5 km are not 5 miles. Ambiguous words ("one of them") are evidence, not demanded of claims.

Number words are closed tables; context-dependent words ("a score of guests", German "elf") are separate. Only exact
conversions are equal: a week is 7 days, a year 12 months, but a month is no number of days and a mile no number of km.
Source: DESIGN 6 stage 4 (numbers, units); ruling D1.
"""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

import regex

from voice.core.text.language_data import language_tables, listed_words, word_pairs
from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import numbered_words, word_set
from voice.core.text.words import Word, language_of, words

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
# Alone these are an unknown multiple: "dozens of people".
_MANY_OF = {f"{name}s": value for name, value in _BASE.items()} | {f"{key}e": n for key, n in _GERMAN_BASE.items()}
SCALES = _BASE | _MANY_OF | _SHORT | _GERMAN_BASE | _GERMAN_LARGE
_SCORE = 20
_COUNTING_OF = _MANY_OF.keys() | {"score"}  # "of" stands between these and the counted noun: "dozens of eggs"
_PEOPLE = listed_words(_TABLE, "people")  # plurals without s
# Multipliers that count only before a scale: "a dozen", "half a dozen"…
_LEADS = {"a": 1, "an": 1, "ein": 1, "half": 0.5, "halbes": 0.5, "halben": 0.5, "couple": 2}
_SEVERAL = word_set("few several many paar einige mehrere viele")  # …and indefinite ones
_GERMAN_ONES = numbered_words("zwei drei vier funf sechs sieben acht neun", 2)
_GERMAN_TENS = numbered_words("zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig", 20, 10)
GERMAN = (
    _GERMAN_ONES
    | _GERMAN_TENS
    | numbered_words("zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn", 10)
    # "einundzwanzig" to "neunundneunzig"
    | {f"{one}und{ten}": n + m for one, n in {"ein": 1, **_GERMAN_ONES}.items() for ten, m in _GERMAN_TENS.items()}
)
_SUFFIXES = {"k": 1000, "m": 10**6, "bn": 10**9}
_ORDINALS = numbered_words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
) | numbered_words("thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth", 30, 10)
_GROUPS = {"couple": 2, "pair": 2, "twice": 2, "thrice": 3, "half": 0.5, "once": 1, "double": 2, "triple": 3}
# Fractions before "of": "a third of the students".
_PARTS = {"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5, "tenth": 10}
_SOFT = word_set("one once half couple pair twice thrice double triple zero") | _ORDINALS.keys()
UNITS = {name: unit for unit, names in word_pairs(_TABLE, "units").items() for name in names.split()}

_FACTORS = {  # by base unit
    "second": {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 7 * 86_400, "fortnight": 14 * 86_400},
    "month": {"month": 1, "year": 12, "decade": 120},  # of unknown days
    "mm": {"mm": 1, "cm": 10, "m": 1000, "km": 1_000_000},
    "inch": {"inch": 1, "foot": 12, "yard": 36},
    "mg": {"mg": 1, "g": 1000, "kg": 1_000_000},
    "ml": {"ml": 1, "litre": 1000},
}
_SIZES = {unit: (base, factor) for base, units in _FACTORS.items() for unit, factor in units.items()}

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
    if key in _ORDINALS or key in _GROUPS:
        value = Decimal(str(_ORDINALS.get(key, _GROUPS.get(key))))  # by way of text: 0.5 in the tables is a float
        return Quantity(value, None, token.text, token.start, token.end, key in _SOFT), 1
    return None, 1


def _fraction_at(tokens: Sequence[Word], index: int) -> tuple[Quantity, int] | None:
    """Return a fraction as a percentage ("half of", "two thirds of")."""
    count = ONES.get(tokens[index].key, 1 if tokens[index].key == "a" else 0)
    place = index + 1 if count else index
    if place + 1 >= len(tokens) or tokens[place].key not in _PARTS or tokens[place + 1].key != "of":
        return None
    share = (100 * Decimal(count or 1) / _PARTS[tokens[place].key]).quantize(Decimal(1)).normalize()
    text = " ".join(token.text for token in tokens[index : place + 1])
    return Quantity(share, "%", text, tokens[index].start, tokens[place].end), place - index + 1


def _key_at(tokens: Sequence[Word], index: int) -> str:
    return tokens[index].key if index < len(tokens) else ""


def _scale_at(tokens: Sequence[Word], index: int) -> int | None:
    """Return the scale at `index`; "score" counts only before a plural ("a score of guests")."""
    key = _key_at(tokens, index)
    if key != "score":
        return SCALES.get(key)
    after = index + 2 if _key_at(tokens, index + 1) == "of" else index + 1
    counted = tokens[after] if after < len(tokens) else None
    is_plural = counted is not None and (counted.key.endswith("s") or counted.key in _PEOPLE)
    return _SCORE if is_plural and not (counted and counted.is_stop) else None


def _multiplier_at(tokens: Sequence[Word], index: int) -> tuple[Decimal, int] | None:
    """Return a scale's multiplier ("half a dozen": 0.5; 0 if indefinite) and its index."""
    key = tokens[index].key
    if key in _MANY_OF:
        return Decimal(0), index
    place = index + 1
    if key in ("half", "couple") and _key_at(tokens, place) in ("a", "of"):
        place += 1
    if (key not in _LEADS and key not in _SEVERAL) or _scale_at(tokens, place) is None:
        return None
    return Decimal(str(_LEADS.get(key, 0))), place


def _of_a_scale(text: str, tokens: Sequence[Word], index: int, led: tuple[Decimal, int]) -> tuple[Quantity, int]:
    count, place = led
    quantity, used = _parse_number_words(text, tokens, index, count or Decimal(1), place - index)
    before = tokens[index - 1] if index and tokens[index - 1].key in ("a", "ein") else tokens[index]
    told = text[before.start : quantity.end]
    return quantity._replace(text=told, start=before.start, is_several=not count), used


def _in_german(text: str, tokens: Sequence[Word], index: int) -> tuple[Quantity, int]:
    quantity, used = _parse_number_words(text, tokens, index, Decimal(GERMAN[tokens[index].key]), 1)
    return quantity._replace(is_soft=_key_at(tokens, index + 1) == "uhr"), used  # "drei Uhr" is a time of day


def _written_in_digits(text: str, tokens: Sequence[Word], index: int) -> tuple[Quantity | None, int]:
    token = tokens[index]
    if clock := _clock(text, token):
        return clock, 1
    match = _DIGITS.match(token.text)
    value = _parse_decimal(_without_thousands_points(match.group(1), text[token.end :], tokens)) if match else None
    if match is None or value is None:
        return None, 1
    value *= _SUFFIXES.get((match.group(2) or "").lower(), 1)
    used = 1
    while scale := SCALES.get(_key_at(tokens, index + used)):  # "2 million", "3 hundred thousand"
        value *= scale
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
    return quantity._replace(is_soft=used == 1 and tokens[index].key in _SOFT), used


def _is_of(tokens: Sequence[Word], index: int) -> bool:
    """Return whether one scale multiplies another: "hundreds of thousands"."""
    scales = (tokens[index - 1].key, _key_at(tokens, index + 1))
    return tokens[index].key == "of" and all(scale in _MANY_OF for scale in scales)


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
    is_joined = tokens[index].key == "and" and tokens[index - 1].key in SCALES
    return is_joined and _key_at(tokens, index + 1) in ONES.keys() | TENS.keys()


def _measured(text: str, tokens: Sequence[Word], index: int, used: int, value: Decimal) -> Quantity:
    start, end = tokens[index].start, tokens[index + used - 1].end
    unit: str | None = None
    if currency := _CURRENCY.search(text[max(0, start - 2) : start]):  # a sign and a space
        unit = UNITS[currency.group().strip()]
    elif percent := _PERCENT.match(text, end):
        unit, end = "%", percent.end()
    after = index + used
    if after + 1 < len(tokens) and tokens[after].key in ("of", "von") and tokens[after - 1].key in _COUNTING_OF:
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
    unit, value = "clock" if is_certain else None, Decimal(hours * 60 + minutes)
    return Quantity(value, unit, text[token.start : end], token.start, end, is_time=True)


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
    is_hour = plain.unit is None and plain.value <= 24
    return is_hour and time.value % 60 == 0 and time.value / 60 % 12 == plain.value % 12


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

"""Dates as terms: a row and a question that speak of one day, or of one month, share a term.

Law: a date is found as words are, by what it says and not by how it is written: "May 8th", "8 May 2023", "8. Mai" and
"2023-05-08" share the month and the day of it. The day a row was written on stands in its indexed text, so a question
about February finds what was written in February. A month's name that is another word, too, needs a day, a year or a
word of time beside it. Nothing is resolved here and no row is left out: that is `voice.core.nlq`'s.

Source: DESIGN 5 ("what is indexed is the item in context").
"""

from collections.abc import Iterator
from typing import Final, cast

import regex

from voice.core.nlq.parse import TABLES
from voice.core.text.patterns import late_pattern

_MONTHS: Final = {
    name: cast("int", number) for table in TABLES.values() for name, number in table.lexicon["month"].items()
}
_SOFT: Final = frozenset(name for table in TABLES.values() for name in table.soft) | {"mayo", "mai"}
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?+"
_MENTION = late_pattern(
    r"\b(?P<month>\L<names>)\b|(?<!\d)\d{4}-(?P<number>\d{2})-(?P<day>\d{2})(?!\d)",
    regex.IGNORECASE,
    names=list(_MONTHS),
)
_BEFORE = late_pattern(rf"(?<![\d.:/-])(?P<first>{_DAY})\.?\s+(?:of\s+|de\s+)?$", regex.IGNORECASE)
_AFTER = late_pattern(
    rf"\.?\s+(?:the\s+)?(?P<first>{_DAY})\b(?![:.]\d)"
    rf"(?:\s*(?:-|–|to|through|until|and|bis|und|al|y)\s*(?:the\s+)?(?P<last>{_DAY})\b(?![:.]\d))?",
    regex.IGNORECASE,
)
_LEAD = late_pattern(
    r"\b(?:in|of|on|by|since|until|till|before|after|during|last|this|next|early|mid|late|from|to|through|every|each"
    r"|im|seit|bis|ab|ende|anfang|mitte|en|de|desde|hasta|del)[\s-]+$",
    regex.IGNORECASE,
)
_YEAR = late_pattern(r",?\s+(?:of\s+|de\s+)?\d{4}\b")
_LEAD_CHARS: Final = 12
_MONTH_NUMBERS: Final = range(1, 13)
_DAYS: Final = range(1, 32)


def date_terms(text: str) -> Iterator[str]:
    """Yield a term per month and per day of a month that `text` names, as often as it names them."""
    for match in _MENTION.finditer(text):
        month = _month(match)
        days = _days(text, match)
        if month not in _MONTH_NUMBERS or not (days or _is_month(text, match)):
            continue
        yield f"=@{month}"
        for day in days:
            yield f"=@{month}-{day}"


def _month(match: "regex.Match[str]") -> int:
    """Return the month's number; 0 for a spelling that only looks like a name."""
    return _number(match["number"]) if match["month"] is None else _MONTHS.get(match["month"].casefold(), 0)


def _days(text: str, match: "regex.Match[str]") -> list[int]:
    """Return the days beside the month; a stretch of days gives every day of it."""
    if match["month"] is None:
        return [day for day in (_number(match["day"]),) if day in _DAYS]
    before = _BEFORE.search(text, max(0, match.start() - _LEAD_CHARS), match.start())
    after = _AFTER.match(text, match.end())
    first, last = (_number(after and after[group]) for group in ("first", "last"))
    days = range(first, last + 1) if 0 < first < last else (_number(before and before["first"]), first)
    return [day for day in days if day in _DAYS]


def _number(digits: str | None) -> int:
    return int("".join(char for char in digits if char.isdecimal())) if digits else 0


def _is_month(text: str, match: "regex.Match[str]") -> bool:
    """Return whether a name without a day is a month's, and not the other word it may be."""
    start, end = match.span()
    if match["month"] is None:
        return False
    if match["month"].casefold() not in _SOFT:
        return True
    if not text[start].isupper():
        return False
    return _LEAD.search(text, max(0, start - _LEAD_CHARS), start) is not None or _YEAR.match(text, end) is not None

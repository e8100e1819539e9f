"""Calendar dates stated in a text, in comparable form.

Law: a date has year, month and day, each possibly unknown. Relative words need the day they were said, and stay partial
("last month" has no day). "03/04/2024" gives both readings. English, German and Spanish dates compare equal.
Source: DESIGN 6 stage 4 (dates); GROUNDING pipeline; ruling D1. Windows of questions are `voice.core.nlq`'s.
"""

from calendar import monthrange
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal, NamedTuple

import regex

from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import numbered_words

DateOrder = Literal["month_first", "day_first"]
"""Reading of 03/04/2024."""

_ENGLISH = numbered_words(
    "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep october|oct "
    "november|nov december|dec"
)
_GERMAN = numbered_words("januar|jänner februar märz april mai juni juli august september oktober november dezember")
_SPANISH = numbered_words("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre")
_MONTHS = _GERMAN | _SPANISH | _ENGLISH
_WEEKDAYS = numbered_words("monday tuesday wednesday thursday friday saturday sunday", start=0)
_SMALL = numbered_words("one|a|an two three four five six seven eight nine ten eleven twelve")
_N = rf"\d{{1,3}}|{'|'.join(_SMALL)}"
_M = "(?P<m>" + "|".join(sorted(_ENGLISH, key=len, reverse=True)) + r")\b\.?"
_M_GERMAN = f"(?P<m>{'|'.join(_GERMAN)})\\b"
_M_SPANISH = f"(?P<m>{'|'.join(_SPANISH)})\\b"
_D = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_Y = r"(?P<y>(?:1[5-9]|20)\d{2})"  # 1500 to 2099; other four digits are rarely a year
# Before "12.9." these mean a date, not a version or chapter.
_DAY_LEAD = "mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|mo|di|mi|do|fr|sa|so|\\p{L}+day|\\p{L}+tag|am|vom|bis zum|ab dem|den"
# The first that fits takes its characters (`taken`): full forms stand before their parts.
_ABSOLUTE = [
    late_pattern(pattern, regex.IGNORECASE)
    for pattern in (
        r"\b(?P<y>\d{4})-(?P<mm>\d{1,2})-(?P<d>\d{1,2})(?!\d)",  # "2024-3-5"
        rf"\b{_D}\s+(?:of\s+)?{_M}(?:,?\s+{_Y}\b)?",  # "5th of March 2024", "5 Mar"
        rf"\b{_M}\s+(?:the\s+)?{_D}\b(?!:)(?:,?\s+{_Y}\b)?",  # "March 5, 2024"; not "March 5:30"
        rf"\b{_M},?\s+(?:of\s+)?{_Y}\b",  # "March of 2024"
        rf"\b(?P<d>\d{{1,2}})\.\s*{_M_GERMAN}(?:\s+{_Y}\b)?",  # "5. März 2024"
        rf"\b{_M_GERMAN}\s+{_Y}\b",  # "März 2024"
        rf"\b(?P<d>\d{{1,2}})(?:º|ro)?\s+de\s+{_M_SPANISH}(?:\s+del?\s+{_Y}\b)?",  # "5 de marzo de 2024", "1º de mayo"
        rf"\b{_M_SPANISH}\s+del?\s+{_Y}\b",  # "marzo del 2024"
        r"\b(?P<a>\d{1,2})[/.](?P<b>\d{1,2})[/.](?P<y>\d{4})\b",  # "03/04/2024", in both orders
        rf"(?<=\b(?:{_DAY_LEAD})\.?,?\s)(?P<d>\d{{1,2}})\.(?P<mm>\d{{1,2}})\.(?!\d)",  # "Fr 12.9.", "vom 12.9."
        # Before an hour, as in "Treffen: 3.6. um 16 Uhr".
        r"(?<=(?:^|[:;,(])\W*)(?<![\d.]\W*)(?P<d>\d{1,2})\.(?P<mm>\d{1,2})\.(?=,?\s+(?:um|ab|gegen)\s+\d{1,2}\b)",
    )
]
_BARE_MONTH = late_pattern(rf"\b{_M}", regex.IGNORECASE)
_MONTH_LEAD = late_pattern(
    r"\b(?:in|of|on|by|since|until|till|before|after|during|last|this|next|early|mid|late|from|to|every|each)[\s-]+$",
    regex.IGNORECASE,
)
_BARE_YEAR = late_pattern(rf"\b{_Y}(?!['’]?s|\d|[.,:]\d|\s?%)\b")  # not "1990s", "2000.5", "1999 %"
_RELATIVE = late_pattern(
    r"\b(?:(?P<day>today|tonight|this (?:morning|afternoon|evening)|yesterday|last night|tomorrow|day before yesterday)"
    rf"|(?P<n>{_N}) (?P<unit>day|week|month|year)s? ago"
    rf"|in (?P<later>{_N}) (?P<step>day|month|year)s?"
    r"|(?:(?P<nth>\d{1,2})(?:st|nd|rd|th)? of )?(?P<which>last|this|next) (?P<period>month|year)"
    r"|last (?P<month>january|february|march|april|may|june|july|august|september|october|november|december)"
    r"|(?:last|on|this past|past) (?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b",
    regex.IGNORECASE,
)

_WEEK = late_pattern(r"(?<![^\W_])(?P<y>(?:19|20)\d{2})(?:-?W|(?<=^\d{4})-)(?P<w>\d{2})(?![^\W_]|[-_.]\d)")
# After these "in two years" is a duration, not a date.
_TOLD_AS_PAST = late_pattern(r"\b(?:was|were|had|did|took|made|\p{L}{2,}ed)\b", regex.IGNORECASE)


class DateMention(NamedTuple):
    """A date; None is unknown."""

    year: int | None
    month: int | None
    day: int | None
    text: str
    start: int
    end: int


@lru_cache(maxsize=256)
def stated_dates(text: str) -> tuple[DateMention, ...]:
    """Return the dates written in `text`, in order; an ambiguous one once per reading."""
    found: list[DateMention] = []
    taken: set[int] = set()  # offsets
    for pattern in _ABSOLUTE:
        for match in pattern.finditer(text):
            readings = _readings(match)
            if readings and taken.isdisjoint(range(*match.span())):
                taken.update(range(*match.span()))
                found.extend(readings)
    for pattern in (_BARE_MONTH, _BARE_YEAR):
        for match in pattern.finditer(text):
            is_free = taken.isdisjoint(range(*match.span()))
            if is_free and (pattern is _BARE_YEAR or _is_month_name(text, match)):
                found.extend(_readings(match))
    return tuple(sorted(found, key=lambda mention: mention.start))


def week_named(name: str) -> date | None:
    """Return the Monday of the ISO week in a name: `Plans 2025-W40`, or `2025-40` at its start."""
    found = _WEEK.search(name)
    try:
        return date.fromisocalendar(int(found["y"]), int(found["w"]), 1) if found else None
    except ValueError:  # week 54
        return None


def month_named(word: str) -> int | None:
    """Return the month of an English, German or Spanish name or abbreviation."""
    return _MONTHS.get(word.casefold().rstrip("."))


@lru_cache(maxsize=256)
def relative_dates(text: str, said_on: date) -> tuple[DateMention, ...]:
    """Resolve the relative phrases of `text`, said on `said_on`."""
    return tuple(
        DateMention(year, month, day, match.group(), *match.span())
        for match in _RELATIVE.finditer(text)
        for year, month, day in [_resolve(match, said_on), _resolve_ahead(match, said_on)]
        if year is not None
    )


_SHORT_DAYS = {f"{name[:3]}": index for name, index in _WEEKDAYS.items()} | {"tues": 1, "thur": 3, "thurs": 3}
_BESIDE = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
# Names, and short forms where no other word is meant: "Sun 5", "Sat at", "Sat/Sun"; not "the sun", "she sat".
_WEEKDAY = late_pattern(
    rf"\b(?:(?P<w>(?i:{'|'.join(_WEEKDAYS)}))s?|(?P<short>Tues?|Thu(?:rs?)?|Fri"
    rf"|(?:Mon|Wed|Sat|Sun)(?=\.?,?\s?(?:\d|[+&/–-]\s?{_BESIDE}|at\b)|\.?$)|(?<={_BESIDE}\s?[+&/,–-]\s?)(?:Mon|Wed|Sat|Sun)))\b"
)
# Short forms once an unambiguous weekday stands in the text: "Tue and Sat with the crew".
_AMONG_OTHERS = late_pattern(
    r"\b(?P<short>Mon|Wed|(?<=(?:\b(?:and|or|to|on|till?|until)|[,;&+/–-])\s?)(?:Sat|Sun))\b(?!['’])"
)


def weekdays(text: str) -> dict[int, str]:
    """Return the weekdays in `text`, as written, by number (Monday is 0)."""
    plain = list(_WEEKDAY.finditer(text))
    if any(match["short"] for match in plain):
        plain += _AMONG_OTHERS.finditer(text)  # has no group "w"
    return {
        _WEEKDAYS[match["w"].lower()] if match.groupdict().get("w") else _SHORT_DAYS[match["short"].lower()]: match[0]
        for match in plain
    }


def supports_date(claimed: DateMention, stated: DateMention) -> bool:
    """Return whether `stated` contains every known part of `claimed`."""
    return all(part in (None, other) for part, other in zip(claimed[:3], stated[:3], strict=True))


def with_year_near(mention: DateMention, said_on: date) -> DateMention:
    """Complete a date without year with the year nearest to the day it was said."""
    if mention.year is not None or mention.month is None:
        return mention
    return mention._replace(year=_year_near(mention.month, mention.day, said_on))


@lru_cache(maxsize=1024)
def _year_near(month: int, day: int | None, said_on: date) -> int:
    # The 28th at most, as every year has it.
    middle = [date(said_on.year + offset, month, min(day or 15, 28)) for offset in (-1, 0, 1)]
    return min(middle, key=lambda one: abs((one - said_on).days)).year


def date_spellings(day: date) -> str:
    """Return the words a day may be written with: `2023-05-08 2023 8 8th may`."""
    ending = "th" if 10 <= day.day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    names = " ".join(name for name, month in _ENGLISH.items() if month == day.month)
    return f"{day.isoformat()} {day.year} {day.day} {day.day}{ending} {names}"


def mention_of_day(day: date) -> DateMention:
    """Return a day as a mention."""
    return DateMention(day.year, day.month, day.day, day.isoformat(), 0, 0)


def _readings(match: "regex.Match[str]") -> list[DateMention]:
    groups = match.groupdict()
    year = int(groups["y"]) if groups.get("y") else None
    if groups.get("a"):
        first, second = int(groups["a"]), int(groups["b"])
        pairs = {(first, second), (second, first)}  # a set: 05/05 has one reading
    else:
        month = int(groups["mm"]) if groups.get("mm") else _MONTHS.get((groups.get("m") or "").lower())
        pairs = {(month, int(groups["d"]) if groups.get("d") else None)}
    return [
        DateMention(year, month, day, match.group(), *match.span())
        for month, day in sorted(pairs, key=str)  # as text: None does not compare
        if _is_possible(year, month, day)
    ]


def _is_possible(year: int | None, month: int | None, day: int | None) -> bool:
    if month is None:
        return year is not None and day is None
    if not 1 <= month <= 12:
        return False
    return day is None or 1 <= day <= monthrange(year or 2000, month)[1]  # a leap year: 29 February may be meant


def _is_month_name(text: str, match: "regex.Match[str]") -> bool:
    """Return whether "may", "march" or "mar" is a month: with a capital, in doubt behind a preposition or in a cell."""
    word = match.group()
    if not word[0].isupper() or word.lower() in ("mar", "dec", "jan", "sep", "jun", "jul", "apr"):
        return False
    before, after = text[max(0, match.start() - 12) : match.start()], text[match.end() :]
    is_cell = before.rstrip().endswith("|") and after.lstrip().startswith("|")
    return is_cell or word.lower() not in ("may", "march") or bool(_MONTH_LEAD.search(before))


def _resolve(match: "regex.Match[str]", said_on: date) -> tuple[int | None, int | None, int | None]:
    try:
        if match["day"]:
            return _ymd(said_on + timedelta(days=_DAY_OFFSETS.get(match["day"].lower(), 0)))
        if match["weekday"]:
            # From 1 to 7: said on that weekday, it is the one a week ago.
            back = (said_on.weekday() - _WEEKDAYS[match["weekday"].lower()] - 1) % 7 + 1
            return _ymd(said_on - timedelta(days=back))
        if match["month"]:
            month = _MONTHS[match["month"].lower()]
            return said_on.year - (month >= said_on.month), month, None  # said in May, "last May" is a year ago
        if match["period"]:
            return _in_period(match, said_on)
        if match["later"]:
            return _later(match, said_on)
        count = _SMALL.get(match["n"].lower()) or int(match["n"])
        unit = match["unit"].lower()
        if unit == "day":
            return _ymd(said_on - timedelta(days=count))
        # "Two weeks ago" is rarely meant to the day: it names no date.
        return (None, None, None) if unit == "week" else _shifted(said_on, unit, -count)
    except (OverflowError, ValueError):  # "999 years ago" may leave the calendar
        return None, None, None


def _resolve_ahead(match: "regex.Match[str]", said_on: date) -> tuple[int | None, int | None, int | None]:
    """Return the next weekday that "on Tuesday" may also mean."""
    if not match["weekday"] or not match.group().lower().startswith("on "):
        return None, None, None
    try:
        return _ymd(said_on + timedelta(days=(_WEEKDAYS[match["weekday"].lower()] - said_on.weekday() - 1) % 7 + 1))
    except OverflowError:
        return None, None, None


def _in_period(match: "regex.Match[str]", said_on: date) -> tuple[int | None, int | None, int | None]:
    count = {"last": -1, "this": 0, "next": 1}[match["which"].lower()]
    year, month, _ = _shifted(said_on, match["period"].lower(), count)
    day = int(match["nth"]) if match["nth"] and month else None
    return (year, month, day) if _is_possible(year, month or 1, day) else (None, None, None)


def _later(match: "regex.Match[str]", said_on: date) -> tuple[int | None, int | None, int | None]:
    if _TOLD_AS_PAST.search(match.string, 0, match.start()):
        return None, None, None
    count = _SMALL.get(match["later"].lower()) or int(match["later"])
    unit = match["step"].lower()
    return _ymd(said_on + timedelta(days=count)) if unit == "day" else _shifted(said_on, unit, count)


_DAY_OFFSETS = {"yesterday": -1, "last night": -1, "tomorrow": 1, "day before yesterday": -2}


def _ymd(day: date) -> tuple[int, int, int]:
    return day.year, day.month, day.day


def _shifted(day: date, unit: str, count: int) -> tuple[int | None, int | None, int | None]:
    if unit == "year":
        return day.year + count, None, None
    months = day.year * 12 + day.month - 1 + count
    return months // 12, months % 12 + 1, None

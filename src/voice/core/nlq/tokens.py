"""A question, cut into what phrase tables speak of.

Law: a token knows where it stands; its word is folded (case, apostrophes, possessive) so that tables are written once.
Figures that can only be a date or a time of day are read here, whatever the language.

Source: ruling E ("Apostrophes and case normalised").
"""

from dataclasses import dataclass
from datetime import date, time
from functools import lru_cache
from typing import Final

import regex

from voice.core.text.dates import DateOrder
from voice.core.text.patterns import late_pattern
from voice.core.text.stopwords import fold_word

_READ_AT_ONCE: Final = 4
"""A question is cut once for all that reads it: its times, what it counts, whom it names."""
_QUOTED = late_pattern(
    r"\"([^\"\n]{1,300})\"|“([^”\n]{1,300})”|„([^“”\n]{1,300})[“”]|«([^»\n]{1,300})»|(?<![\w'])'([^'\n]{1,300})'(?![\w'])|`([^`\n]{1,300})`"
)
_TOKEN = late_pattern(
    r"""
      (?P<iso>(?<![\w/-])(?<!(?<!\.)\.)\d{4}(?P<by>[/-])\d{1,2}(?P=by)\d{1,2}(?!-?\w|[./]\w))
    | (?P<iso_week>(?<![\w/-])\d{4}-?w\d{2}(?![\w-]))
    | (?P<year_month>(?<![\w./-])\d{4}-(?:0[1-9]|1[0-2])(?![\w-]|[./]\w))
    | (?P<figures>(?<![\w./-])\d{1,2}(?P<sep>[./-])\d{1,2}(?P=sep)\d{4}(?![\w-]|[./]\w))
    | (?P<short_year>(?<![\w./-])\d{1,2}/\d{1,2}/\d{2}(?![\w-]|[./]\w))
    | (?P<month_day>(?<![\w./-])\d{1,2}/\d{1,2}(?![\w-]|[./]\w))
    | (?P<clock>(?<![\w.:])(?:[01]?\d|2[0-3])
        (?: (?::[0-5]\d)?\s?[ap](?:m\b|\.m\.) | :[0-5]\d(?!\w|:\d) ))
    | (?P<apostrophe_year>(?<![\w'’‘])['’‘]\d{2}(?!\w))
    | (?P<ordinal>\d{1,2}(?:st|nd|rd|th)\b)
    | (?P<number>(?<![\w.,])\d+(?!\w|[.,]\d))
    | (?P<dots>\.\.+)
    | (?P<short>(?<![\w'’])(?-i:\p{L}{3,5}\.(?=\s\d) | \p{Lu}\p{Ll}{2,4}\.(?=\s\p{Ll})))
    | (?P<decade>(?<!\w)['’‘]\d0s\b)
    | (?P<word>[\p{L}\p{M}\p{N}_]++(?:['’‘ʼ`´＇][\p{L}\p{M}\p{N}]++)*+)
    | (?P<mark>\S)
    """,
    regex.VERBOSE | regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, figure or mark of a question."""

    text: str
    word: str
    """Folded, without a possessive ending."""
    start: int
    end: int
    kind: str
    value: int | date | time | None = None
    is_possessive: bool = False
    opens_sentence: bool = False

    @property
    def is_capitalised(self) -> bool:
        """True for "May" and "MAY"."""
        return self.text[:1].isupper()


def quoted(text: str) -> list[tuple[int, int, str]]:
    """Return the quoted phrases of `text`: the span with its marks, and what stands between them."""
    found: list[tuple[int, int, str]] = []
    for match in _QUOTED.finditer(text):
        inside = next(group for group in match.groups() if group is not None)
        if inside.strip():
            found.append((match.start(), match.end(), inside.strip()))
    return found


@lru_cache(_READ_AT_ONCE)
def tokenise(text: str, order: DateOrder) -> tuple[Token, ...]:
    """Return the tokens of `text`; a quoted phrase is one mark, because what is quoted is not said.

    Args:
        text: the question.
        order: how 03/04/2024 is read when both readings are possible.
    """
    tokens: list[Token] = []
    reached = 0
    for start, end, inside in [*quoted(text), (len(text), len(text), "")]:
        tokens += _plain(text, reached, start, order, opens=not tokens or tokens[-1].text in _ENDERS)
        if inside:
            tokens.append(Token(text[start:end], "\x00", start, end, "mark"))
        reached = end
    return tuple(tokens)


_ENDERS = frozenset(".!?")
_CENTURY_TURNS = 60
_KIND_OF = {"by": "iso", "sep": "figures", "short_year": "figures", "short": "word", "decade": "word"}
"""The stop of a shortened word ("Oct. 16", "Mon. morning") belongs to it and ends no sentence."""


def _plain(text: str, start: int, end: int, order: DateOrder, *, opens: bool) -> list[Token]:
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text, start, end):
        kind = _KIND_OF.get(group := str(match.lastgroup), group)
        said = match.group().removesuffix(".") if group == "short" else match.group()
        token = _token(said, match.start(), kind, order, opens=opens)
        tokens.append(token)
        opens = token.text in _ENDERS
    return tokens


def _token(text: str, start: int, kind: str, order: DateOrder, *, opens: bool) -> Token:
    folded = fold_word(text)
    bare = folded.removesuffix("'s") if kind == "word" else folded
    return Token(
        text,
        bare,
        start,
        start + len(text),
        kind,
        _value(folded, kind, order),
        is_possessive=bare != folded,
        opens_sentence=opens,
    )


def _value(text: str, kind: str, order: DateOrder) -> int | date | time | None:
    match kind:
        case "iso" | "year_month":
            year, month, day = (*map(int, regex.split("[-/]", text)), 1)[:3]
            return _date(year, month, day)
        case "iso_week":
            return _iso_week(int(text[:4]), int(text[-2:]))
        case "figures":
            return _figures(text, order)
        case "month_day":
            return _figures(f"{text}/2024", order)
        case "clock":
            return _clock(text)
        case "ordinal":
            return int(text[:-2])
        case "number" | "apostrophe_year":
            return _number(text)
        case _:
            return None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _number(text: str) -> int | None:
    """Return what figures say; after an apostrophe they are a year: '24 is 2024, '98 is 1998."""
    if text[0].isdigit():
        return int(text) if len(text) <= 9 else None
    if not text[1:].isdecimal():  # a figure of a script that this version of Python does not know
        return None
    year = int(text[1:])
    return year + (2000 if year < _CENTURY_TURNS else 1900)


def _iso_week(year: int, week: int) -> date | None:
    try:
        return date.fromisocalendar(year, week, 1)
    except ValueError:
        return None


def _figures(text: str, order: DateOrder) -> date | None:
    first, second, year = map(int, regex.split(r"[./-]", text))
    year += 2000 if year < 100 else 0
    month_first = order == "month_first" and "." not in text
    readings = [(first, second), (second, first)] if month_first else [(second, first), (first, second)]
    return next((found for month, day in readings if (found := _date(year, month, day))), None)


def _clock(text: str) -> time:
    figures = [int(part) for part in regex.findall(r"\d+", text)]
    hour, minute = figures[0], figures[1] if len(figures) > 1 else 0
    if "p" in text and hour < 12:
        hour += 12
    if "a" in text and hour == 12:
        hour = 0
    return time(hour, minute)

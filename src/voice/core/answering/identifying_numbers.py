"""The numbers, ids and years of a question that name something: "Python 3.12", "taxes 2021".

Law: a number names what stands before it ("room 4", "room no. 4", "rooms 3 and 4"), what follows it behind small words
alone ("the 4 of the rooms"), or what its heading names ("Rooms › 4"). How many of something there are ("4 rooms") names
nothing; neither does a part of a date, nor a year. Of a version, what goes on ("3.12.1") is of the same ("3.12"). An id
is the same with other marks between its parts ("ABC 123").

The years of a question that belong to a name: "Cybercon 2023", "the taxes 2021". A year directly behind a word says
which one of several is meant. A passage is of that year where its words have the year behind the same word; where they
have no year there, it states the year elsewhere, or in its path, or was told in it. A month, a season or a stop word
before a year makes it a time, and no part of a name.

Source: ruling D5; ruling I2.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal, NamedTuple

import regex

from voice.core.retrieval.passages import Passage
from voice.core.text.dates import month_named, relative_dates, stated_dates
from voice.core.text.instants import has_date
from voice.core.text.language_data import entries, every_word
from voice.core.text.lazy import late_pattern
from voice.core.text.numbers import ONES, UNITS
from voice.core.text.words import Word, fold_key, words

_YEARS: Final = range(1000, 3000)  # a plain number in it is no id unless marked: "room no. 2020"
_CODE: Final = late_pattern(r"(?<![\p{L}\p{N}])[\p{L}\p{N}]++(?:[-./_:][\p{L}\p{N}]++)*+")
_VERSION: Final = late_pattern(r"v?(\d++(?:\.\d++)++)|v(\d++)", regex.IGNORECASE)  # "3.12", "v2"; not "2"
# How many or when, and no id: "150mg", "3-bedroom", "7:40", "2019-20". What it refuses ("B12", "4a1") may be one.
_AMOUNT: Final = late_pattern(r"\d++(?:[.,:]\d++)*+-?+(?:\p{Ll}{2,}+|[ghklms])|\d++(?:[.,:/-]\d++)*+")
_NEAR: Final = 12  # most words between a number and what it names, as in a list of numbers
_LONG: Final = 7  # from so many digits on, digits with marks between them are an id (ISBN, telephone)
_PARTS: Final = late_pattern(r"\p{L}++|\p{N}++")
_GLUED: Final = "~"  # between letters and digits with nothing between them…
_JOINED: Final = "-"  # …and with one sign; more is a blank
_ENDS: Final = late_pattern(r"[\n›|;!?•]|\.\s")  # between two words it ends what the first could say of the second

Kind = Literal["word", "small", "mark", "number", "listed"]


class _Token(NamedTuple):
    start: int
    end: int
    kind: Kind
    key: str
    stem: str


class IdentifyingNumber(NamedTuple):
    """A number that must be in the passage."""

    value: str
    noun: str | None
    """The stem of what it numbers; None if it counts something, or the text does not say what it numbers."""


@dataclass(frozen=True, slots=True)
class NumberedText:
    """The words and numbers of a text."""

    text: str
    tokens: Sequence[_Token]
    codes: tuple[str, ...]
    forms: frozenset[str]
    """The comparable form and the stem of every word."""

    @classmethod
    def of(cls, text: str) -> "NumberedText":
        """Read a text."""
        days = [each for each in stated_dates(text) if each.month or each.day]  # a year alone may name something
        in_dates = {place for each in days for place in range(each.start, each.end)}
        spans = [match.span() for match in _CODE.finditer(text) if match.start() not in in_dates]
        versions = {span: match for span in spans if (match := _VERSION.fullmatch(text, *span)) is not None}
        codes = [span for span in spans if span not in versions and _is_code(text[slice(*span)])]
        taken = in_dates.union(*(range(*span) for span in (*codes, *versions)))
        tokens = [_token(word) for word in words(text) if word.start not in taken]
        tokens += [
            _Token(*span, "number", match[1] or match[2], match[1] or match[2]) for span, match in versions.items()
        ]
        tokens += [_Token(*span, "word", text[slice(*span)].casefold(), "") for span in codes]
        forms = frozenset(form for token in tokens for form in token[3:])
        return cls(text, sorted(tokens), tuple(text[slice(*span)] for span in codes), forms)

    @property
    def numbered(self) -> tuple[IdentifyingNumber, ...]:
        """The numbers that identify what the text asks about."""
        return tuple(
            IdentifyingNumber(token.key, self._named_by(place))
            for place, token in enumerate(self.tokens)
            if token.kind == "number" and _has_digit(self.text[token.start : token.end]) and not self._is_year(place)
        )

    def holds(self, asked: IdentifyingNumber) -> bool:
        """Return whether the text has this number for the same noun."""
        at = [
            place
            for place, token in enumerate(self.tokens)
            if token.kind == "number" and (token.key == asked.value or token.key.startswith(f"{asked.value}."))
        ]
        return any(asked.noun is None or self._has_sign(place) or self._numbers(place, asked.noun) for place in at)

    def _is_year(self, place: int) -> bool:
        token = self.tokens[place]
        is_plain = self.text[token.start : token.end].isdigit()
        # Nine digits are no year either, and a number of a million digits takes long to convert.
        return is_plain and int(token.key[:9]) in _YEARS and not self._is_marked(place)

    def _is_marked(self, place: int) -> bool:
        before = self.tokens[place - 1] if place else None
        return (before is not None and before.kind == "mark") or self._has_sign(place)

    def _has_sign(self, place: int) -> bool:
        return self.text.endswith(tuple(entries("identifiers", "signs")), 0, self.tokens[place].start)

    def _named_by(self, place: int) -> str | None:
        """Return the noun of a number; None if it counts something or stands alone."""
        if not self._is_marked(place) and self._counts(place):
            return None
        before = self._before(place)
        if before is None:
            return None
        if any(each.kind == "small" for each in self.tokens[before + 1 : place]):
            return None
        return self.tokens[before].stem or self.tokens[before].key

    def _numbers(self, place: int, noun: str) -> bool:
        """Return whether a number numbers a noun."""
        before, after = self._before(place), self._after(place)
        if before is not None:
            return noun in self.tokens[before][3:] or (after is not None and noun in self.tokens[after][3:])
        if after is not None and noun in self.tokens[after][3:]:
            return not self._counts(place)
        return not self._counts(place) and self._opens(place) and noun in self.forms

    def _opens(self, place: int) -> bool:
        """Return whether only small words precede a number in its sentence or line."""
        for before in range(place - 1, max(place - _NEAR, 0) - 1, -1):
            if self._ends_between(before):
                return True
            if self.tokens[before].kind not in {"small", "mark"}:
                return False
        return place <= _NEAR

    def _counts(self, place: int) -> bool:
        """Return whether a number counts: a unit or a plural follows it."""
        after = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        if after is None or after.kind != "word" or after.start != self.tokens[place].end + 1:
            return False
        return after.key in UNITS or after.key != after.stem  # what differs from its stem is taken for a plural

    def _before(self, place: int) -> int | None:
        """Return the word before a number, skipping marks, small words and the numbers of a list."""
        for before in range(place - 1, max(place - _NEAR, 0) - 1, -1):
            kind = self.tokens[before].kind
            if self._ends_between(before) or (kind == "number" and not self._is_listed(before)):
                return None
            if kind == "word":
                return before
        return None

    def _is_listed(self, place: int) -> bool:
        """Return whether another number of a list follows."""
        after = self.tokens[place + 1]
        between = self.text[self.tokens[place].end : after.start].strip()
        return after.kind == "listed" or (after.kind == "number" and between in {",", "-", "–", "/", "&", "+"})

    def _after(self, place: int) -> int | None:
        """Return the word after a number, skipping small words."""
        for after in range(place + 1, min(place + _NEAR, len(self.tokens) - 1) + 1):
            kind = self.tokens[after].kind
            if self._ends_between(after - 1) or kind == "number":
                return None
            if kind == "word":
                return after
        return None

    def _ends_between(self, place: int) -> bool:
        """Return whether a token and the next one are in different sentences or lines."""
        one, other = self.tokens[place], self.tokens[place + 1]
        return one.kind != "mark" and _ENDS.search(self.text, one.end, other.start) is not None


def holds_code(text: str, code: str) -> bool:
    """Return whether a text has an id, with any marks between its parts, and not as a part of another."""
    wanted = _in_parts(code)[1:-1].replace(_GLUED, _JOINED)  # without the blanks around; "AB12" is "AB-12"
    parts = _in_parts(text)
    joined = parts.replace(_GLUED, _JOINED)
    at = joined.find(wanted)
    while wanted and at >= 0:
        around = parts[at - 1] + parts[at + len(wanted)]
        if not (_GLUED in around or any(map(str.isalnum, around))):  # else it is part of a longer id: "AB-123"
            return True
        at = joined.find(wanted, at + len(wanted))
    return False


def _in_parts(text: str) -> str:
    """Return the runs of letters and of digits of a text, in lower case, with what lies between as one sign each."""
    parts: list[str] = [" "]
    last = 0
    for part in _PARTS.finditer(text):
        if last:
            parts.append(_GLUED if part.start() == last else _JOINED if part.start() == last + 1 else " ")
        parts.append(fold_key(part.group()))
        last = part.end()
    return "".join((*parts, " "))


def _is_code(token: str) -> bool:
    """Return whether a token is an id: letters and digits in one, or many digits with marks between them."""
    if not _has_digit(token) or token.isdigit():
        return False
    if _AMOUNT.fullmatch(token):
        return sum(char.isdigit() for char in token) >= _LONG and not any(map(str.isalpha, token))
    parts = token.replace("_", "-").split("-")
    return not any(part.isdigit() for part in parts) or not any(part.islower() and len(part) > 1 for part in parts)


def _has_digit(token: str) -> bool:
    return any(map(str.isdigit, token))


def _token(word: Word) -> _Token:
    key = word.key
    if word.is_number:
        key = key.removesuffix(next((each for each in every_word("identifiers", "ordinals") if key.endswith(each)), ""))
    plain = key.replace(",", "")  # "1,200" is "1200"
    if plain.isdigit() or (word.is_number and plain.replace(".", "").isdigit()):
        return _Token(word.start, word.end, "number", plain, plain)
    if key in ONES:
        return _Token(word.start, word.end, "number", str(ONES[key]), key)
    return _Token(word.start, word.end, _kind(key, is_stop=word.is_stop), key, word.stem)


def _kind(key: str, *, is_stop: bool) -> Kind:
    if key in every_word("identifiers", "marks"):
        return "mark"
    if key in every_word("identifiers", "listed"):
        return "listed"
    return "small" if is_stop else "word"


_DIGITS: Final = 4
_SHORT: Final = 2  # digits of a year whose century is left out ("Cybercon '23")
_A_DAY: Final = timedelta(hours=14)  # most that local time differs from UTC
_BETWEEN: Final = frozenset(" \t'’‘,›>:\n")  # what may stand between a word and its year, in a passage or its path


class NamedYear(NamedTuple):
    """A year with the word that it stands behind."""

    year: int
    noun: str
    """The stem of the word."""

    def is_told_in(self, passage: Passage) -> bool:
        """Return whether a passage, with its path and its date, is of this year."""
        text = passage.placed_text
        if years := _years_after(text, self.noun):  # it names its years: another one is another thing
            return self.year in years
        has_year = any(_is_year(word) and int(word.text) == self.year for word in words(text))
        if has_year or any(day.year == self.year for day in stated_dates(text)):
            return True
        for each in passage.rows:
            at = each.row.created_at
            if has_date(at) and self.year in {(at - _A_DAY).year, (at + _A_DAY).year}:
                return True
            if has_date(at) and any(day.year == self.year for day in relative_dates(each.text, at.date())):
                return True
        return False


def years_of(question: str) -> tuple[NamedYear, ...]:
    """Return the years of a question that belong to a name, in order."""
    found = words(question)
    return tuple(
        NamedYear(int(word.text), before.stem)
        for before, word in itertools.pairwise(found)
        if _is_year(word) and question[before.end : word.start].isspace()
        # A month, a season or a stop word before a year makes it a time.
        if not (before.is_stop or before.is_number or month_named(before.key) is not None)
        if before.key not in every_word("identifiers", "marks")
    )


def _is_year(word: Word) -> bool:
    return len(word.text) == _DIGITS and word.text.isdecimal() and int(word.text) in _YEARS


def _years_after(text: str, noun: str) -> set[int]:
    found = words(text)
    return {
        year
        for before, word in itertools.pairwise(found)
        if before.stem == noun and _BETWEEN.issuperset(text[before.end : word.start])
        for year in _years_named(word, text)
    }


def _years_named(word: Word, text: str) -> Sequence[int]:
    if _is_year(word):
        return (int(word.text),)
    is_short = len(word.text) == _SHORT and word.text.isdecimal() and text[: word.start].endswith(("'", "’", "‘"))
    return (1900 + int(word.text), 2000 + int(word.text)) if is_short else ()  # "'23" may be either

"""Tokens of a question, and matching of phrase rules.

Law: a rule has a group, a pattern and a builder. Patterns are elements separated by spaces:

  last|past      one of these words            {month}   a token of that class; its value is passed on
  the?           optional                      <day>     a rule of that group; its value is passed on

A *weak* value has words with other meanings ("may", "on Sunday"), so the context must allow it. Memoised, linear in the
question's length.
Source: ruling E; DESIGN 9 ("our own rules").
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date, time
from functools import lru_cache
from typing import Final

import regex

from voice.core.text.dates import DateOrder
from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import fold_word

_READ_AT_ONCE: Final = 4  # cache size; one question is tokenised for several readers
_QUOTED = late_pattern(  # a single mark only outside of words, or "don't … can't" would quote
    r"\"([^\"\n]{1,300})\"|“([^”\n]{1,300})”|„([^“”\n]{1,300})[“”]|«([^»\n]{1,300})»|(?<![\w'])'([^'\n]{1,300})'(?![\w'])|`([^`\n]{1,300})`"
)
# The first alternative that fits counts, so figures of dates precede numbers. The look-arounds refuse parts of
# longer figures: versions ("1.2.2024.1"), paths ("a/3/4"), decimals ("3.5").
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
    """Folded, without possessive ending."""
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
    """Return the quoted phrases of `text`: outer span, and inner text."""
    found: list[tuple[int, int, str]] = []
    for match in _QUOTED.finditer(text):
        inside = next(group for group in match.groups() if group is not None)
        if inside.strip():
            found.append((match.start(), match.end(), inside.strip()))
    return found


@lru_cache(_READ_AT_ONCE)
def tokenise(text: str, order: DateOrder) -> tuple[Token, ...]:
    """Tokenise `text`, with 03/04/2024 read in `order`; a quoted phrase is one mark, not the question's own words."""
    tokens: list[Token] = []
    reached = 0
    for start, end, inside in [*quoted(text), (len(text), len(text), "")]:
        tokens += _tokens_between(text, reached, start, order, opens=not tokens or tokens[-1].text in _ENDERS)
        if inside:
            tokens.append(Token(text[start:end], "\x00", start, end, "mark"))
        reached = end
    return tuple(tokens)


_ENDERS = frozenset(".!?")
_CENTURY_TURNS = 60  # '59 is 2059, '60 is 1960
# Kinds of groups named otherwise. An abbreviation is a word: its stop ("Oct. 16") does not end a sentence.
_KIND_OF = {"by": "iso", "sep": "figures", "short_year": "figures", "short": "word", "decade": "word"}


def _tokens_between(text: str, start: int, end: int, order: DateOrder, *, opens: bool) -> list[Token]:
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
            return _valid(date, year, month, day)
        case "iso_week":
            return _valid(date.fromisocalendar, int(text[:4]), int(text[-2:]), 1)
        case "figures":
            return _figures(text, order)
        case "month_day":
            return _figures(f"{text}/2024", order)  # a leap year, so that 2/29 is one; tables use month and day only
        case "clock":
            return _clock(text)
        case "ordinal":
            return int(text[:-2])
        case "number" | "apostrophe_year":
            return _number(text)
        case _:
            return None


def _valid(build: Callable[[int, int, int], date], *figures: int) -> date | None:
    """Return the date that is built from three figures; None if there is no such date."""
    try:
        return build(*figures)
    except ValueError:
        return None


def _number(text: str) -> int | None:
    """Parse a number; after an apostrophe a year: '24 is 2024, '98 is 1998."""
    if text[0].isdigit():
        return int(text) if len(text) <= 9 else None  # a longer number is no time, and `int` of it may be slow
    if not text[1:].isdecimal():  # a figure of a script that this version of Python does not know
        return None
    year = int(text[1:])
    return year + (2000 if year < _CENTURY_TURNS else 1900)


def _figures(text: str, order: DateOrder) -> date | None:
    first, second, year = map(int, regex.split(r"[./-]", text))
    year += 2000 if year < 100 else 0
    month_first = order == "month_first" and "." not in text  # dots are European: the day first
    readings = [(first, second), (second, first)] if month_first else [(second, first), (first, second)]
    # An impossible reading is skipped: 25/03/2024 is 25 March in any order.
    return next((found for month, day in readings if (found := _valid(date, year, month, day))), None)


def _clock(text: str) -> time:
    figures = [int(part) for part in regex.findall(r"\d+", text)]
    hour, minute = figures[0], figures[1] if len(figures) > 1 else 0
    if "p" in text and hour < 12:
        hour += 12
    if "a" in text and hour == 12:  # 12 am is midnight
        hour = 0
    return time(hour, minute)


Value = object
Build = Callable[..., Value]


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a phrase table."""

    group: str
    pattern: str
    build: Build
    weak: bool | None = None
    """None: weak if one of its parts is."""


@dataclass(frozen=True, slots=True)
class Match:
    """A rule matched at `tokens[start:end]`."""

    start: int
    end: int
    value: Value
    weak: bool
    core: int
    """Start of the time itself, after prepositions."""


@dataclass(frozen=True, slots=True)
class _Element:
    kind: str
    names: frozenset[str]
    optional: bool

    @classmethod
    def parse(cls, text: str) -> "_Element":
        optional = text.endswith("?") and len(text) > 1  # "?" alone is the mark itself
        body = text.removesuffix("?") if optional else text
        if body.startswith("{"):
            return cls("class", frozenset({body[1:-1]}), optional)
        if body.startswith("<"):
            return cls("group", frozenset({body[1:-1]}), optional)
        return cls("word", frozenset(body.split("|")), optional)


@dataclass(frozen=True, slots=True)
class _Starts:
    """First words and classes of a rule, to skip most rules quickly."""

    words: frozenset[str]
    classes: frozenset[str]

    def __or__(self, other: "_Starts") -> "_Starts":
        return _Starts(self.words | other.words, self.classes | other.classes)

    def admit(self, token: Token, classes: AbstractSet[str]) -> bool:
        """Return whether a rule can start at `token`."""
        return token.word in self.words or not self.classes.isdisjoint(classes)


_NOTHING = _Starts(frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class _Compiled:
    elements: tuple[_Element, ...]
    rule: Rule
    starts: _Starts


Classes = Callable[[Token], Mapping[str, Value]]


@dataclass(frozen=True, slots=True)
class Grammar:
    """Compiled phrase tables of one language."""

    rules: Mapping[str, tuple[_Compiled, ...]]
    starts: Mapping[str, _Starts]
    """By group."""
    classes: Classes

    @classmethod
    def of(cls, rules: Iterable[Rule], classes: Classes) -> "Grammar":
        """Compile `rules`; `classes` returns a token's classes with values."""
        parsed = [(rule, tuple(_Element.parse(text) for text in rule.pattern.split())) for rule in rules]
        starts = _starts_of_groups(parsed)
        grouped: dict[str, list[_Compiled]] = {}
        for rule, elements in parsed:
            compiled = _Compiled(elements, rule, _starts_of(elements, starts))
            grouped.setdefault(rule.group, []).append(compiled)
        return cls({group: tuple(found) for group, found in grouped.items()}, starts, classes)

    def reader(self, tokens: Sequence[Token]) -> "RuleMatcher":
        """Return a matcher for `tokens`."""
        return RuleMatcher(self, tokens, [self.classes(token) for token in tokens])


def _starts_of_groups(parsed: Sequence[tuple[Rule, tuple[_Element, ...]]]) -> dict[str, _Starts]:
    """Compute the first sets of groups, as a fixed point."""
    starts: dict[str, _Starts] = {}
    while True:
        before = dict(starts)
        for rule, elements in parsed:
            starts[rule.group] = starts.get(rule.group, _NOTHING) | _starts_of(elements, starts)
        if starts == before:  # groups refer to each other, so one pass is not enough
            return starts


def _starts_of(elements: Sequence[_Element], groups: Mapping[str, _Starts]) -> _Starts:
    found = _NOTHING
    for at, element in enumerate(elements):
        if all(before.optional for before in elements[:at]):  # what is optional may be missing at the start
            found |= _starts_of_one(element, groups)
    return found


def _starts_of_one(element: _Element, groups: Mapping[str, _Starts]) -> _Starts:
    if element.kind == "word":
        return _Starts(element.names, frozenset())
    if element.kind == "class":
        return _Starts(frozenset(), element.names)
    (name,) = element.names
    return groups.get(name, _NOTHING)


@dataclass(frozen=True, slots=True)
class RuleMatcher:
    """A matcher for one question."""

    grammar: Grammar
    tokens: Sequence[Token]
    classes: Sequence[Mapping[str, Value]]
    memo: dict[tuple[str, int], tuple[Match, ...]] = field(default_factory=dict)

    def matches(self, group: str, at: int) -> tuple[Match, ...]:
        """Return all matches of `group` at token `at`, longest first, then in table order."""
        key = (group, at)
        if key not in self.memo:
            found: dict[tuple[int, bool], Match] = {}
            token, classes = self.tokens[at], self.classes[at].keys()
            if not self.grammar.starts.get(group, _NOTHING).admit(token, classes):
                return ()
            for compiled in self.grammar.rules.get(group, ()):
                if not compiled.starts.admit(token, classes):
                    continue
                rule = compiled.rule
                for end, values, weak, core in self._match_elements(compiled.elements, 0, at):
                    is_weak = weak if rule.weak is None else rule.weak
                    match = Match(at, end, rule.build(*values), is_weak, at if core is None else core)
                    found.setdefault((match.end, match.weak), match)  # the first rule of the table wins
            self.memo[key] = tuple(sorted(found.values(), key=lambda match: (-match.end, match.weak)))
        return self.memo[key]

    def _match_elements(
        self, elements: tuple[_Element, ...], index: int, at: int
    ) -> Iterator[tuple[int, tuple[Value, ...], bool, int | None]]:
        """Yield (end, captured values, weak, first captured token) for each match of `elements[index:]`."""
        if index == len(elements):
            yield at, (), False, None
            return
        element = elements[index]
        for end, values, weak in self._match_element(element, at):
            core = at if values else None  # words such as "in" capture nothing
            for rest_end, rest, rest_weak, rest_core in self._match_elements(elements, index + 1, end):
                yield rest_end, values + rest, weak or rest_weak, rest_core if core is None else core
        if element.optional:
            missing: tuple[Value, ...] = () if element.kind == "word" else (None,)
            for rest_end, rest, rest_weak, rest_core in self._match_elements(elements, index + 1, at):
                yield rest_end, missing + rest, rest_weak, rest_core

    def _match_element(self, element: _Element, at: int) -> Iterator[tuple[int, tuple[Value, ...], bool]]:
        if at >= len(self.tokens):
            return
        if element.kind == "word":
            if self.tokens[at].word in element.names:
                yield at + 1, (), False
            return
        (name,) = element.names
        if element.kind == "class":
            if name in self.classes[at]:
                yield at + 1, (self.classes[at][name],), False
            return
        for match in self.matches(name, at):
            yield match.end, (match.value,), match.weak

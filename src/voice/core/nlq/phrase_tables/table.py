"""A language's phrase table, and the contexts in which its times are no times.

Law: a table is data; languages share every builder and every expression, and differ in words and order of words only.

What stands around a time and makes it something else. A refusal is data: what is said, what stands right before it,
what right after it, in the same sentence. It refuses only when all that it names is there. A language has a list of
them; none knows a whole sentence.

Source: ruling E; DESIGN 3; ruling E ("an unparsed phrase in a question → no window"); DESIGN 9 ("our own rules").
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import regex

from voice.core.nlq.phrase_matching import Grammar, Rule, Token, Value
from voice.core.text.dates import DateOrder
from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import Language, is_stopword

_APOSTROPHES: Final = str.maketrans("’‘ʼ`´＇", "''''''")
_SENTENCE_END: Final = late_pattern(r"[?!;\n](?=\s|$)|(?<=\p{L}{3})\.\s")
_REACH: Final = 120
"""Characters to each side that are looked at."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One way in which a time is no time; an empty pattern asks for nothing."""

    before: regex.Pattern[str] | None
    said: regex.Pattern[str] | None
    after: regex.Pattern[str] | None

    def holds(self, before: str, said: str, after: str) -> bool:
        """Return whether everything it names is there."""
        return (
            (self.said is None or self.said.fullmatch(said) is not None)
            and (self.after is None or self.after.match(after) is not None)
            and (self.before is None or self.before.search(before) is not None)
        )


class Exclusions:
    """The refusals of one language."""

    def __init__(self, lines: Iterable[tuple[str, str, str]], names: Mapping[str, str]) -> None:
        """Compile `lines` of (before, said, after).

        Args:
            lines: patterns; `before` ends and `after` begins at the time, and `said` is the whole of it.
            names: what `<name>` in a pattern stands for.
        """
        self._refusals = tuple(
            Exclusion(
                _compiled(f"(?:{before})$", names) if before else None,
                _compiled(said, names) if said else None,
                _compiled(after, names) if after else None,
            )
            for before, said, after in lines
        )

    def hold(self, text: str, start: int, end: int, *, is_possessive: bool = False) -> bool:
        """Return whether `text[start:end]` is refused for what stands around it.

        Args:
            start: where the time itself begins, after its prepositions.
            is_possessive: it owns what follows ("yesterday's"); what follows then begins with "'s".
        """
        before, after = sentence_around(text, start, end)
        said = text[start:end].translate(_APOSTROPHES)
        if is_possessive:
            said, after = said.removesuffix("'s"), f"'s{after}"
        return any(refusal.holds(before, said, after) for refusal in self._refusals)


def sentence_around(text: str, start: int, end: int) -> tuple[str, str]:
    """Return what stands before and after `text[start:end]` in its sentence, with straight apostrophes."""
    before = text[max(0, start - _REACH) : start].translate(_APOSTROPHES)
    after = text[end : end + _REACH].translate(_APOSTROPHES)
    begins = [match.end() for match in _SENTENCE_END.finditer(before)]
    ends = _SENTENCE_END.search(after)
    return before[begins[-1] if begins else 0 :], after[: ends.end()] if ends else after


def _compiled(pattern: str, names: Mapping[str, str]) -> regex.Pattern[str]:
    for name, meaning in names.items():
        pattern = pattern.replace(f"<{name}>", f"(?:{meaning})")
    return late_pattern(pattern, regex.IGNORECASE)


_QUARTER = late_pattern(r"[qt]([1-4])")
_HALF = late_pattern(r"[hs]([12])")
_DECADE = late_pattern(r"'?(?:(19|20)?(\d)0)s")


def const(value: Value) -> Callable[[], Value]:
    """Return a builder that always gives `value`."""
    return lambda: value


def same(value: Value) -> Value:
    """Return the captured value itself."""
    return value


def word_set(text: str) -> frozenset[str]:
    """Return the words of `text`."""
    return frozenset(text.split())


def words(value_of: Mapping[str, Value]) -> dict[str, Value]:
    """Return a lexicon class from "word word" → value."""
    return {word: value for names, value in value_of.items() for word in names.split()}


@dataclass(frozen=True)
class PhraseTable:
    """One language."""

    language: Language
    date_order: DateOrder
    lexicon: Mapping[str, Mapping[str, Value]]
    """Class → word → value."""
    rules: tuple[Rule, ...]
    soft: frozenset[str]
    """Month names that are other words too; soft unless capitalised inside a sentence."""
    abbreviations: frozenset[str]
    """Short names that count only when capitalised."""
    name_cues: frozenset[str]
    """A bare weekday after one of these is a name, or a topic, not a time."""
    verbs_of_people: frozenset[str]
    """After these, what went before was somebody: "since April left"."""
    person_like: frozenset[str]
    """Words of time that are first names too."""
    past: frozenset[str]
    """A bare weekday is a time only in a question about the past, which has one of these."""
    until: frozenset[str]
    """After a unit these count towards a time ("days until …")."""
    linking: frozenset[str]
    """Words that, after a weak phrase, carry it on and change what it is ("the spring of …")."""
    vague: tuple[str, ...]
    """Phrases about time that have no window."""
    refusals: Exclusions = Exclusions((), {})
    """What stands around a time and makes it something else: an address, a word asked about, the calendar itself."""
    corrections: tuple[str, ...] = ()
    """Between two times these take the first one back: "in May, I mean in June"."""
    closing: frozenset[str] = frozenset()
    """Words that end a request ("pls"), or go on with it ("regarding"); no stop words of a text."""
    onwards: frozenset[str] = frozenset()
    """Words that carry a time on only where a clause ends: "from Monday on", not "from Monday on the lease"."""
    determiners: frozenset[str] = frozenset()
    """Before "last weeks" these make it a plural, not a possessive."""
    articles: frozenset[str] = frozenset()
    """Before a day's own word and a noun these make a name of it: "the today show"."""
    unmarked: Mapping[str, str] = field(default_factory=dict[str, str])
    """Possessives typed without their apostrophe: "weeks" in "last weeks notes"."""
    unmarked_alone: frozenset[str] = frozenset()
    """Those that are nothing else: "yesterdays"."""
    unmarked_after: frozenset[str] = frozenset()
    """What must stand before the others."""
    nouns_are_capitalised: bool = False
    joins_nouns: bool = True
    """A noun may follow a time and take it as its own ("Sunday roast")."""

    def marked(self, tokens: Sequence[Token]) -> list[Token]:
        """Return `tokens` with the possessives marked that were typed without their apostrophe."""
        return [self._marked(tokens, at) for at in range(len(tokens))]

    def _marked(self, tokens: Sequence[Token], at: int) -> Token:
        token = tokens[at]
        if token.word not in self.unmarked or not self._owns(tokens, at):
            return token
        return replace(token, word=self.unmarked[token.word], is_possessive=True)

    def _owns(self, tokens: Sequence[Token], at: int) -> bool:
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        if after is None or after.kind != "word" or is_stopword(after.text, self.language):
            return False
        if tokens[at].word in self.unmarked_alone:
            return True
        determined = at > 1 and tokens[at - 2].word in self.determiners
        return at > 0 and tokens[at - 1].word in self.unmarked_after and not determined

    @cached_property
    def grammar(self) -> Grammar:
        """The compiled rules."""
        return Grammar.of(self.rules, self.classes)

    def classes(self, token: Token) -> dict[str, Value]:
        """Return the classes of `token` with their values."""
        found = _figure_classes(token)
        if token.kind != "word":
            return found
        if token.word in self.abbreviations and not token.is_capitalised:
            return {**found, "soft_weekday": self.lexicon["weekday"][token.word]}
        for name, table in self.lexicon.items():
            if token.word in table:
                found[name] = table[token.word]
        if "month" in found:
            found["soft_month"] = found["month"]
            if token.word in self.soft and (not token.is_capitalised or token.opens_sentence):
                del found["month"]
        return found


def _figure_classes(token: Token) -> dict[str, Value]:
    value = token.value
    match token.kind:
        case "iso" | "figures":
            return {"date": value} if value else {}
        case "year_month" | "month_day" | "iso_week" | "clock" | "ordinal":
            found: dict[str, Value] = {token.kind: value} if value is not None else {}
            if token.kind == "ordinal" and _is_day(value):
                found |= {"dom": value, "nth": value}
            return found
        case "number":
            return _number_classes(token)
        case "apostrophe_year":
            return {"year": value}
        case "word":
            return _code_classes(token.word)
        case _:
            return {}


def _number_classes(token: Token) -> dict[str, Value]:
    found: dict[str, Value] = {}
    if isinstance(token.value, int):
        found["int"] = token.value
        if len(token.text) == 4 and 1900 <= token.value <= 2100:
            found["year"] = token.value
        if _is_day(token.value) and len(token.text) <= 2:
            found["dom"] = token.value
        if token.value <= 24:
            found["hour"] = token.value
    return found


def _code_classes(word: str) -> dict[str, Value]:
    """Return what "q1", "h2" and "1990s" are."""
    if quarter := _QUARTER.fullmatch(word):
        return {"quarter": int(quarter.group(1))}
    if half := _HALF.fullmatch(word):
        return {"half": int(half.group(1))}
    if decade := _DECADE.fullmatch(word):
        century = decade.group(1) or ("20" if decade.group(2) in "012" else "19")
        return {"decade": int(f"{century}{decade.group(2)}0")}
    return {}


def _is_day(value: object) -> bool:
    return isinstance(value, int) and 1 <= value <= 31

"""A language's phrase table, and contexts that exclude its times.

Law: tables are data, made by `reading`; languages share all builders and expressions. An exclusion applies only if
before, said and after all match within the sentence.
Source: ruling E; DESIGN 3, 9.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
"""Context characters on each side."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One exclusion; None matches anything."""

    before: regex.Pattern[str] | None
    said: regex.Pattern[str] | None
    after: regex.Pattern[str] | None

    def holds(self, before: str, said: str, after: str) -> bool:
        """Return whether all its patterns match."""
        return (
            (self.said is None or self.said.fullmatch(said) is not None)
            and (self.after is None or self.after.match(after) is not None)
            and (self.before is None or self.before.search(before) is not None)
        )


class Exclusions:
    """The exclusions of one language."""

    def __init__(self, lines: Iterable[tuple[str, str, str]], names: Mapping[str, str]) -> None:
        """Compile `lines` of (before, said, after).

        Args:
            lines: patterns; `before` ends and `after` starts at the time, `said` is the whole time.
            names: meanings of `<name>` in patterns.
        """
        self.lines = tuple(
            Exclusion(
                _compiled(f"(?:{before})$", names) if before else None,
                _compiled(said, names) if said else None,
                _compiled(after, names) if after else None,
            )
            for before, said, after in lines
        )

    def hold(self, text: str, start: int, end: int, *, is_possessive: bool = False) -> bool:
        """Return whether the context excludes `text[start:end]`.

        Args:
            is_possessive: "yesterday's"; the text after then starts with "'s".
        """
        before, after = sentence_around(text, start, end)
        said = text[start:end].translate(_APOSTROPHES)
        if is_possessive:
            said, after = said.removesuffix("'s"), f"'s{after}"
        return any(line.holds(before, said, after) for line in self.lines)


def sentence_around(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the text before and after within the sentence, with straight apostrophes."""
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


@dataclass(frozen=True)
class PhraseTable:
    """The phrase table of one language."""

    language: Language
    date_order: DateOrder
    lexicon: Mapping[str, Mapping[str, Value]]
    """Class to word to value."""
    rules: tuple[Rule, ...]
    until: frozenset[str] = frozenset()
    """After a unit these count towards a time ("days until …")."""
    soft: frozenset[str] = frozenset()
    """Month names that are also words; soft unless capitalised inside a sentence."""
    abbreviations: frozenset[str] = frozenset()
    """Abbreviations that count only if capitalised."""
    name_cues: frozenset[str] = frozenset()
    """After these a bare weekday is a name or topic."""
    verbs_of_people: frozenset[str] = frozenset()
    """After these the preceding word was a person: "since April left"."""
    person_like: frozenset[str] = frozenset()
    """Words of time that are also first names."""
    past: frozenset[str] = frozenset()
    """A bare weekday is a time only if the question has one of these."""
    linking: frozenset[str] = frozenset()
    """After a weak phrase these change its meaning ("the spring of …")."""
    refusals: Exclusions = Exclusions((), {})
    """Contexts in which a time is not one."""
    corrections: tuple[str, ...] = ()
    """Between two times these revoke the first: "in May, I mean in June"."""
    closing: frozenset[str] = frozenset()
    """Words that end or continue a request ("pls", "regarding")."""
    onwards: frozenset[str] = frozenset()
    """Words that extend a time only at the end of a clause: "from Monday on"."""
    determiners: frozenset[str] = frozenset()
    """Before "last weeks" these make a plural, not a possessive."""
    articles: frozenset[str] = frozenset()
    """Before a day word and a noun these make a name: "the today show"."""
    unmarked: frozenset[str] = frozenset()
    """Possessives without apostrophe: "weeks" in "last weeks notes"."""
    unmarked_alone: frozenset[str] = frozenset()
    """Those that are always possessives: "yesterdays"."""
    unmarked_after: frozenset[str] = frozenset()
    """Words required before the others."""
    nouns_are_capitalised: bool = False
    joins_nouns: bool = True
    """Whether a noun may follow and absorb a time ("Sunday roast")."""

    def marked(self, tokens: Sequence[Token]) -> list[Token]:
        """Mark possessives typed without apostrophe."""
        return [
            replace(token, word=token.word.removesuffix("s"), is_possessive=True)
            if token.word in self.unmarked and self._is_possessive(tokens, at)
            else token
            for at, token in enumerate(tokens)
        ]

    def _is_possessive(self, tokens: Sequence[Token], at: int) -> bool:
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
        """Return the classes of `token` with values."""
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

"""Which known names a text mentions.

Law: a name is found on word boundaries, whatever its case, apostrophes or possessive; the longest name at a place wins;
a name that several rows share is given with all of them, never resolved by guess. Names come from the graph's rows,
never from a table in code; the title of a note is no name. A name that is also a filler word ("Will") counts only as it
is spelled, inside a sentence.

Source: spec nlq 2; rulings A21, E; DESIGN 3 ("entity aliases").
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, Self

import regex

from voice.core.graph.links import NOTE
from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import STOPWORDS, fold_word

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_APOSTROPHE = "['\u2018\u2019\u201b\u02bc\uff07`\u00b4]"
_TOKEN = late_pattern(
    rf"[{_UNSPACED}]\p{{M}}*+|[\p{{L}}\p{{M}}\p{{N}}--{_UNSPACED}]++"
    rf"(?:{_APOSTROPHE}[\p{{L}}\p{{M}}\p{{N}}--{_UNSPACED}]++)*+[+#]*+",
    flags=regex.V1,
)
_FILLER = frozenset[str]().union(*STOPWORDS.values())
_OPENS_SENTENCE = frozenset(".!?:\n")
_BEFORE_WORDS = frozenset("\"'“‘(")


class Named(Protocol):
    """Anything with an id, names and a type; an `Entity` is one."""

    @property
    def id(self) -> str:
        """The row's id."""
        ...

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Its other names."""
        ...

    @property
    def entity_type(self) -> str:
        """Its type; `person` matters."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A known name at a place of a text."""

    ids: tuple[str, ...]
    """Every row that bears the name, in order; more than one means ambiguous."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Token:
    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NameIndex:
    """The names of many rows, made ready once for many texts."""

    ids_of: Mapping[tuple[str, ...], tuple[str, ...]]
    longest: Mapping[str, int]
    """First token of a name → the most tokens a name that starts with it has."""
    spelled: Mapping[str, frozenset[str]]
    """Names that are filler words → how they are spelled."""
    people: frozenset[str]
    """Ids of the rows that are persons."""

    @classmethod
    def of(cls, rows: Iterable[Named]) -> Self:
        """Return the index of the names and aliases of `rows`."""
        ids: dict[tuple[str, ...], set[str]] = {}
        longest: dict[str, int] = {}
        spelled: dict[str, set[str]] = {}
        people: set[str] = set()
        for row in rows:
            if row.entity_type == NOTE:
                continue
            if row.entity_type == "person":
                people.add(row.id)
            for name in (row.name, *row.aliases):
                key = tuple(token.key for token in _tokens(name))
                if not key:
                    continue
                ids.setdefault(key, set()).add(row.id)
                longest[key[0]] = max(longest.get(key[0], 0), len(key))
                if len(key) == 1 and key[0] in _FILLER:
                    spelled.setdefault(key[0], set()).add(name.strip())
        return cls(
            {key: tuple(sorted(found)) for key, found in ids.items()},
            longest,
            {key: frozenset(names) for key, names in spelled.items()},
            frozenset(people),
        )

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Return the names that `text` mentions, in order, not overlapping, the longest at each place."""
        if not self.ids_of:
            return ()
        tokens = _tokens(text)
        found: list[Mention] = []
        at = 0
        while at < len(tokens):
            length = self._match(text, tokens, at)
            if length:
                key = tuple(token.key for token in tokens[at : at + length])
                found.append(Mention(ids=self.ids_of[key], start=tokens[at].start, end=tokens[at + length - 1].end))
            at += length or 1
        return tuple(found)

    def _match(self, text: str, tokens: list[_Token], at: int) -> int:
        """Return how many tokens the longest name at `at` has; 0 when there is none."""
        most = min(self.longest.get(tokens[at].key, 0), len(tokens) - at)
        for length in range(most, 0, -1):
            key = tuple(token.key for token in tokens[at : at + length])
            if key in self.ids_of and (length > 1 or self._is_meant(text, tokens[at])):
                return length
        return 0

    def _is_meant(self, text: str, token: _Token) -> bool:
        spellings = self.spelled.get(token.key)
        if spellings is None:
            return True
        return text[token.start : token.end] in spellings and not _opens_sentence(text, token.start)


def _opens_sentence(text: str, at: int) -> bool:
    while at and text[at - 1] not in _OPENS_SENTENCE and (text[at - 1].isspace() or text[at - 1] in _BEFORE_WORDS):
        at -= 1
    return not at or text[at - 1] in _OPENS_SENTENCE


def ids_of_mentions(mentions: Iterable[Mention]) -> tuple[str, ...]:
    """Return the ids of `mentions`, each once, in order of first mention."""
    return tuple(dict.fromkeys(row_id for mention in mentions for row_id in mention.ids))


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(text):
        folded = fold_word(match.group())
        bare = folded.removesuffix("'s")
        tokens.append(_Token(bare.replace("'", ""), match.start(), match.end() - (len(folded) - len(bare))))
    return tokens

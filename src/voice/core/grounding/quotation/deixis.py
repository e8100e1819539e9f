"""Who is meant by "I" and "you" where a note is told back.

Law: a closed table of whole words per language (`data/language/deixis.toml`), applied to a whole sentence at once or
not at all: the owner's "I" is "you", or the owner's name; a named speaker's "I" is that name and nobody else's. What
somebody else is quoted as saying, and what addresses somebody, is told as it stands.

Source: DESIGN 6 (quoted: "but for deixis").
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from voice.core.grounding.quotation.tokens import tokens_of
from voice.core.text.language_data import entries, language_tables, words_by_word, words_under


class _Table(NamedTuple):
    told: Mapping[str, str]
    agrees: Mapping[str, str]
    named: Mapping[str, str]
    split: Mapping[str, str]
    second: frozenset[str]


_LONGEST_NAME: Final = 20
"""Tokens; nobody is called by more."""


class Teller(NamedTuple):
    """Who speaks in a row."""

    names: tuple[str, ...]
    """What they are called; empty where that is not known."""
    is_owner: bool
    """Whether the owner of the memory speaks: then "I" is the one who asks."""


@cache
def _tables() -> tuple[_Table, ...]:
    return tuple(
        _Table(
            told=words_by_word(table, "told"),
            agrees=words_by_word(table, "agrees"),
            named=words_by_word(table, "named"),
            split=words_by_word(table, "split"),
            second=words_under(table, "second"),
        )
        for table in language_tables("deixis").values()
    )


def lead_words() -> frozenset[str]:
    """Return the words that may stand between a date and the sentence that it dates."""
    return entries("deixis", "lead")


def told_back(tokens: Sequence[str], teller: Teller) -> Iterator[tuple[str, ...]]:
    """Yield the other ways in which a sentence of `teller` may be told; none where it does not speak of the teller.

    Args:
        tokens: the sentence's, in order.
        teller: who said it.
    """
    for table in _tables():
        whole = [part for token in tokens for part in table.split.get(token, token).split()]
        if not table.told.keys().isdisjoint(whole) and table.second.isdisjoint(whole):
            if teller.is_owner:
                yield tuple(_turned(whole, table))
            for name in map(tokens_of, teller.names):
                if len(name) <= _LONGEST_NAME:
                    yield tuple(_named(whole, table, name))


def in_parts(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the tokens with each contraction of a pronoun in its two parts ("you're": "you", "are")."""
    parts = _contractions()
    return tuple(part for token in tokens for part in parts.get(token, token).split())


@cache
def _contractions() -> Mapping[str, str]:
    return {word: parts for table in _tables() for word, parts in table.split.items()}


def _turned(tokens: Sequence[str], table: _Table) -> Iterator[str]:
    for at, token in enumerate(tokens):
        beside = {*tokens[max(0, at - 2) : at], *tokens[at + 1 : at + 2]}
        if token in table.agrees and not table.told.keys().isdisjoint(beside):
            yield table.agrees[token]
        else:
            yield table.told.get(token, token)


def _named(tokens: Sequence[str], table: _Table, name: Sequence[str]) -> Iterator[str]:
    genitive = (*name[:-1], f"{name[-1]}'s") if name else ()
    for token in tokens:
        meant = table.named.get(token, token)
        if meant in ("@", "@s"):
            yield from name if meant == "@" else genitive
        else:
            yield meant

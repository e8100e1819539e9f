"""The words by which somebody is asked about, or told of, as one of the owner's people, or as the owner by a trait.

Law: the lists are data (`data/language/owner.toml`), read once, when a question of the owner is first asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import cast

from voice.core.text.language_data import every_word, language_tables
from voice.core.text.stems import stem_of
from voice.core.text.words import fold_key


@cache
def relatives() -> Mapping[str, frozenset[str]]:
    """Return each word for one of somebody's kin, with the words that stand for it in a note."""
    return _grouped(_lines("kin"))


@cache
def persons() -> Mapping[str, frozenset[str]]:
    """Return the same for kin and for people of a role: their doctor, their boss."""
    return _grouped(_lines("kin") + _lines("roles"))


def _grouped(lines: Sequence[Sequence[str]]) -> Mapping[str, frozenset[str]]:
    """Return each word with all words of its line; one that heads a line with that line alone."""
    found = {line[0]: frozenset(line) for line in lines}
    for line in lines:
        for word in line[1:]:
            found.setdefault(word, frozenset(line))
    return found


@cache
def people_words() -> frozenset[str]:
    """Return the words for kin and for people of a role, without verbs."""
    return _words(_lines("kin") + _lines("roles")) - every_word("owner", "verbs")


@cache
def kin_stems() -> frozenset[str]:
    """Return the stems of the words for kin, without verbs."""
    return frozenset(map(stem_of, _words(_lines("kin")) - every_word("owner", "verbs")))


@cache
def trait_stems() -> frozenset[str]:
    """Return the stems of what somebody is or has; kin and people of a role among them."""
    return frozenset(map(stem_of, _words(_lines("kin") + _lines("roles")) | every_word("owner", "traits")))


def _words(lines: Iterable[Sequence[str]]) -> frozenset[str]:
    return frozenset(word for line in lines for word in line)


def _lines(name: str) -> list[list[str]]:
    """Return a list of lines; the words of a line stand for its first word in a note."""
    lines = cast("Sequence[Sequence[str]]", language_tables("owner")["any"][name])
    return [[fold_key(word) for word in line] for line in lines]

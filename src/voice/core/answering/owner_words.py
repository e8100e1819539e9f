"""The words by which somebody is asked about, or told of, as the owner of the memory or as one of their people.

Law: the lists are data (`data/language/owner.toml`), read once, when a question of the owner is first asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast

from voice.core.text.language_data import Table, language_tables, words_under
from voice.core.text.stems import stem_of
from voice.core.text.words import fold_key


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerWords:
    """The words, as `Word.key` has them, and stems where it says so."""

    relatives: Mapping[str, frozenset[str]]
    """Each word for one of somebody's kin, with the words that stand for it in a note."""
    people: frozenset[str]
    """Words for kin and for people of a role, without verbs."""
    kin_stems: frozenset[str]
    trait_stems: frozenset[str]
    """Stems of what somebody is or has; kin and people of a role among them."""
    pets: frozenset[str]
    mine: frozenset[str]
    subject: frozenset[str]
    another: frozenset[str]
    general: frozenset[str]
    who: frozenset[str]
    am: frozenset[str]
    name: frozenset[str]
    tell: frozenset[str]


@cache
def owner_words() -> OwnerWords:
    """Return the words."""
    table = language_tables("owner")["any"]
    kin, roles = _groups(table, "kin"), _groups(table, "roles")
    verbs = _keys(table, "verbs")
    return OwnerWords(
        relatives=kin,
        people=frozenset(kin.keys() | roles.keys()) - verbs,
        kin_stems=frozenset(map(stem_of, kin.keys() - verbs)),
        trait_stems=frozenset(map(stem_of, kin.keys() | roles.keys() | _keys(table, "traits"))),
        pets=_keys(table, "pets"),
        mine=_keys(table, "mine"),
        subject=_keys(table, "subject"),
        another=_keys(table, "another"),
        general=_keys(table, "general"),
        who=_keys(table, "who"),
        am=_keys(table, "am"),
        name=_keys(table, "name"),
        tell=_keys(table, "tell"),
    )


def _keys(table: Table, name: str) -> frozenset[str]:
    return frozenset(map(fold_key, words_under(table, name)))


def _groups(table: Table, name: str) -> Mapping[str, frozenset[str]]:
    """Return each word of a list of lines with all words of its line; one that heads a line has that line alone."""
    lines = [[fold_key(word) for word in line] for line in cast("Sequence[Sequence[str]]", table[name])]
    found = {line[0]: frozenset(line) for line in lines}
    for line in lines:
        for word in line[1:]:
            found.setdefault(word, frozenset(line))
    return found

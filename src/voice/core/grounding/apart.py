"""Whether two values that are written differently are surely different things.

Law: that a question says Bob and a source Robert, gray and grey, Norway and Oslo, is no mistake: a short form, another
spelling or what lies in the other is taken for the same until it is certain that it is not. Two common first names are
two people unless one may be short for the other; any two other names are two things only where the evidence itself
tells them apart ("Oslo and Bergen", "from Oslo to Bergen").

Source: ruling D5.
"""

from collections.abc import Sequence
from functools import lru_cache

import regex

from voice.core.text.facts import fact_of
from voice.core.text.first_names import MEN, WOMEN
from voice.core.text.patterns import late_pattern
from voice.core.text.stems import stem_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, fold_key

_COLOURS = (
    "red rot rote roten roter rotes orange pink",
    "blue blau blaue blauen blauer blaues turquoise violet purple",
    "green grün grüne grünen grüner grünes turquoise",
    "yellow gelb gelbe gelben gelber gelbes golden beige orange",
    "black schwarz schwarze schwarzen schwarzer schwarzes",
    "white weiß weiße weißen weißer weißes beige silver",
    "brown braun braune braunen brauner braunes beige golden orange",
    "grey gray grau graue grauen grauer graues silver",
    "purple violet pink",
)
"""Colours that one thing may be called by; a word of two groups is neither surely."""
_BEGINNING = 2
"""Two first names that begin with the same letters may be one name: "Katharina", "Kathi"."""
_SHORT = word_set(
    "bella betty ella jack larry harry hans tina lena lily liam lisa megan mia nancy nora rita sandra tanja theo tom "
    "joe ben leo rosa eva nina ida lea"
)
"""First names that are short for ones that begin with other letters."""


def is_colour(word: Word) -> bool:
    """Return whether a word names a colour."""
    return word.key in _colour_table()


@lru_cache(maxsize=4096)
def kinds_of(key: str) -> frozenset[int | str]:
    """Return which colours or which relation a word or a stem may name; two with none in common name two things."""
    fact = fact_of(Word(key, 0, len(key), key, key, is_stop=False, is_number=False))
    if fact is not None and fact.kind == "kin":
        return frozenset[int | str]({fact.value})
    return _colour_table().get(key, frozenset())


@lru_cache(maxsize=1)
def _colour_table() -> dict[str, frozenset[int | str]]:
    table: dict[str, set[int | str]] = {}
    for number, group in enumerate(_COLOURS):
        for key in map(fold_key, group.split()):
            table.setdefault(key, set()).add(number)
            table.setdefault(stem_of(key), set()).add(number)
    return {key: frozenset(groups) for key, groups in table.items()}


def are_two_people(ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """Return whether two names begin with first names that cannot be one person's."""
    first, second = ours[0].key, theirs[0].key
    if not (_is_first_name(first) and _is_first_name(second)):
        return False
    if (first in WOMEN) is not (second in WOMEN):
        return True
    return _beginning(first) != _beginning(second) and not {first, second} & _SHORT


def _is_first_name(key: str) -> bool:
    return (key in WOMEN) is not (key in MEN)


def _beginning(key: str) -> str:
    return regex.sub("^c", "k", key.replace("ph", "f"))[:_BEGINNING]


def joined(ours: str, theirs: str) -> "regex.Pattern[str]":
    """Return the pattern of a sentence that tells two names apart: one beside the other, or from one to the other."""
    between = r"(?:,? (?:and|or|to|not|but not|und|oder|nach|nicht)(?: (?:to|in|from|with|nach|mit))? )"
    one, two = regex.escape(ours), regex.escape(theirs)
    return late_pattern(rf"\b(?:{one}{between}{two}|{two}{between}{one})\b", regex.IGNORECASE)

"""Which known names a text mentions."""

from dataclasses import dataclass

import pytest

from tables import tables
from voice.core.graph.entity_names import Mention, NameIndex, ids_of_mentions

TABLES = tables(__file__)


@dataclass(frozen=True)
class Row:
    id: str
    name: str
    aliases: tuple[str, ...] = ()
    entity_type: str = "person"


NAMES = NameIndex.of(
    [
        Row("e:1", "Sam Atagana", ("Sam",)),
        Row("e:2", "Sam Smith", ("Sam", " ")),
        Row("e:3", "O'Brien"),
        Row("e:4", "Will"),
        Row("e:5", "東京"),
        Row("e:6", "C++"),
        Row("e:7", "surreal-mind"),
        Row("e:8", "James"),
    ]
)


@pytest.mark.parametrize(("text", "found"), TABLES["names_are_found_on_word_boundaries_in_any_spelling"])
def test_names_are_found_on_word_boundaries_in_any_spelling(text: str, found: tuple[str, ...]) -> None:
    assert tuple(ids_of_mentions(NAMES.mentions(text))) == found


def test_a_mention_says_where_it_stands_without_its_possessive() -> None:
    assert NAMES.mentions("met O’Brien's dog") == (Mention(ids=("e:3",), start=4, end=11),)


def test_no_names_no_mentions() -> None:
    assert NameIndex.of([]).mentions("Sam") == ()
    assert NAMES.mentions("Sam") != ()

"""Which known names a text mentions."""

import pytest

from tables import tables
from voice.core.graph.entity_names import Mention, NameIndex, ids_of_mentions
from voice.core.records import EntityName

TABLES = tables(__file__)


NAMES = NameIndex.of(
    [
        EntityName(id="e:1", name="Sam Atagana", entity_type="person", aliases=("Sam",)),
        EntityName(id="e:2", name="Sam Smith", entity_type="person", aliases=("Sam", " ")),
        EntityName(id="e:3", name="O'Brien", entity_type="person"),
        EntityName(id="e:4", name="Will", entity_type="person"),
        EntityName(id="e:5", name="東京", entity_type="person"),
        EntityName(id="e:6", name="C++", entity_type="person"),
        EntityName(id="e:7", name="surreal-mind", entity_type="person"),
        EntityName(id="e:8", name="James", entity_type="person"),
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

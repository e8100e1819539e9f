"""Which known names a text mentions.

What was distilled before an entity was approved comes to speak of it, once.
Links between notes, as the graph holds them.
"""

from dataclasses import dataclass

import pytest

from store_values import entity, observation, relation
from voice.core.graph.entity_names import (
    NOTE_TYPE,
    Mention,
    NameIndex,
    ids_of_mentions,
    is_bare_note,
    with_new_entities,
    zero_vector,
)
from voice.core.records import LINKS_TO, EntityName, RowStatus


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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("did SAM ATAGANA call", ["e:1"]),
        ("sam’s boat", ["e:1", "e:2"]),
        ("OBrien and o’brien's", ["e:3"]),
        ("where is James' bike", ["e:8"]),
        ("Surreal Mind in C++", ["e:7", "e:6"]),
        ("surreal mindset, Samuel, C", []),
        ("昨日東京に行った", ["e:5"]),
        ("did you see Will", ["e:4"]),
        ("I will. Will you? will", []),
        ("surreal", []),
        ("", []),
    ],
)
def test_names_are_found_on_word_boundaries_in_any_spelling(text: str, found: list[str]) -> None:
    assert list(ids_of_mentions(NAMES.mentions(text))) == found


def test_a_mention_says_where_it_stands_without_its_possessive() -> None:
    assert NAMES.mentions("met O’Brien's dog") == (Mention(ids=("e:3",), start=4, end=11),)


def test_no_names_no_mentions() -> None:
    assert NameIndex.of([]).mentions("Sam") == ()
    assert NAMES.mentions("Sam") != ()


ADA, KILN = entity("ada", "Ada Lund", aliases=("Ada",)), entity("kiln", "Kiln Co")
INDEX = NameIndex.of(map(EntityName.of, (ADA, KILN)))


@pytest.mark.requirement("ruling:A21", "ruling:C10")
def test_an_observation_that_names_an_entity_gains_it_behind_what_it_had() -> None:
    before = observation("1", "Ada moved to Kiln Co.", entity_ids=("e:kiln",), revision=3)
    (row,) = with_new_entities([before], INDEX, {"e:ada"})
    assert (row.entity_ids, row.revision, row.text) == (("e:kiln", "e:ada"), 4, before.text)
    assert with_new_entities([row], INDEX, {"e:ada", "e:kiln"}) == ()


@pytest.mark.requirement("ruling:A21", "ruling:C10")
def test_what_names_none_of_them_or_holds_no_more_stays_as_it_is() -> None:
    other, gone = observation("1", "Kiln Co moved."), observation("2", "Ada moved.", status=RowStatus.SUPERSEDED)
    assert with_new_entities([other, gone], INDEX, {"e:ada"}) == ()
    assert len(with_new_entities([other, observation("2", "Ada moved.")], INDEX, {"e:ada"})) == 1


@pytest.mark.requirement("ruling:I5:links")
def test_a_link_and_a_bare_title_say_nothing_and_a_word_about_them_does() -> None:
    link, title = (
        relation("1", "e:1", "e:2", rel_type=LINKS_TO, description=""),
        entity("1", "Go", entity_type=NOTE_TYPE),
    )
    assert (is_bare_note(link), is_bare_note(title), is_bare_note(observation("1", "x"))) == (True, True, False)
    assert not is_bare_note(relation("1", "e:1", "e:2", rel_type=LINKS_TO, description="As told."))
    assert not is_bare_note(entity("1", "Go", entity_type=NOTE_TYPE, description="A game."))


@pytest.mark.requirement("ruling:I5:links")
def test_a_title_is_no_name_that_is_looked_for_in_texts() -> None:
    rows = (entity("1", "go", entity_type=NOTE_TYPE), entity("2", "Ada"))
    (only,) = NameIndex.of(rows).mentions("Ada said: go.")
    assert only.ids == ("e:2",)


@pytest.mark.requirement("ruling:I5:links")
def test_a_vector_that_says_nothing_is_of_the_encoders_dimension() -> None:
    vector = zero_vector("e:1", "model", 3)
    assert (vector.row_id, vector.model, vector.dim, len(vector.data)) == ("e:1", "model", 3, 12)

"""Links between notes as what can be staged."""

import pytest

from voice.core.interchange.foreign.vault import OfferedEntity, OfferedRelation, Offers
from voice.core.organise import given_names, linked_names, links_of, settled, things_of
from voice.core.records import Provenance

HERE = Provenance(thought_id="t:1", start=0, end=4)
THERE = Provenance(thought_id="t:2", start=3, end=9)
OFFERS = Offers(
    entities=(OfferedEntity(name="Anna Lund", aliases=("Anna",), mentions=(HERE,)),),
    relations=(
        OfferedRelation(source="Anna Lund", rel_type="links_to", target="Kiln", mentions=(THERE,)),
        OfferedRelation(source="KILN", rel_type="links_to", target="Shed", mentions=(HERE,)),
    ),
)


@pytest.mark.requirement("ruling:A21")
def test_a_link_is_a_sure_relation_at_its_place() -> None:
    first, second = links_of(OFFERS)
    assert (first.source, first.rel_type, first.target, first.confidence) == ("Anna Lund", "links_to", "Kiln", 1.0)
    assert (first.mentions, second.mentions) == ((THERE,), (HERE,))
    assert (first.valid_from, first.valid_until) == (None, None)


@pytest.mark.requirement("ruling:A21", "ruling:F.4")
def test_each_end_that_the_graph_does_not_know_is_offered_once_with_all_its_places() -> None:
    assert linked_names(OFFERS) == ("anna lund", "kiln", "shed")
    anna, kiln, shed = things_of(OFFERS, known=(), types={"anna lund": "person"})
    assert (anna.name, anna.entity_type, anna.aliases, anna.mentions) == (
        "Anna Lund",
        "person",
        ("Anna",),
        (HERE, THERE),
    )
    assert (kiln.name, kiln.entity_type, kiln.mentions) == ("Kiln", "note", (THERE, HERE))
    assert (shed.name, shed.confidence) == ("Shed", 1.0)


def test_the_names_a_note_gives_belong_to_that_note() -> None:
    assert given_names(OFFERS) == {"t:1": ("Anna",)}
    assert given_names(Offers()) == {}


def test_an_end_that_the_graph_knows_needs_no_candidate() -> None:
    assert [each.name for each in things_of(OFFERS, known={"kiln", "anna lund"}, types={})] == ["Shed"]
    assert linked_names(Offers()) == ()


def handle(source: str, target: str) -> OfferedRelation:
    return OfferedRelation(source=source, rel_type="links_to", target=target, mentions=(HERE,), is_handle=True)


@pytest.mark.requirement("ruling:I5:links")
def test_a_handle_is_a_link_only_where_its_name_is_known_and_means_the_note_of_that_name() -> None:
    shed = OfferedEntity(name="Shed", aliases=("hut",), mentions=(HERE,))
    offers = Offers(
        entities=(shed,), relations=(handle("Kiln", "Hut"), handle("Kiln", "Ada"), handle("Kiln", "nobody"))
    )
    assert [each.target for each in settled(offers, known={"ada"}).relations] == ["Shed", "Ada"]
    assert settled(OFFERS, known=()).relations == OFFERS.relations

"""A part of the graph is whole: nothing in it points out of it."""

from dataclasses import replace

import pytest

from graph_rows import entity, part, relation, said
from voice.core.graph.subgraph import links, mentioned_together, most_connected
from voice.core.records import RowStatus


@pytest.mark.requirement("promise:6")
def test_what_is_private_is_left_out_with_all_that_leads_to_it_and_counted() -> None:
    rows = (
        entity("anna"),
        entity("vault", is_private=True),
        relation("anna", "opens", "vault"),
        relation("anna", "knows", "anna", is_private=True),
        said("1", "Anna has the key.", "anna", "vault"),
        said("2", "It is under the mat.", "anna", is_private=True),
    )
    seen = part(*rows)
    assert [row.id for row in (*seen.entities, *seen.relations, *seen.observations)] == ["e:anna", "o:1"]
    assert seen.observations[0].entity_ids == ("e:anna",)
    assert seen.private_left_out == 3
    everything = part(*rows, include_private=True)
    assert (len(everything.relations), len(everything.observations), everything.private_left_out) == (2, 2, 0)


def test_what_is_no_longer_live_is_not_in_a_part() -> None:
    gone = replace(entity("old"), status=RowStatus.SUPERSEDED)
    assert part(gone, entity("new")).by_id.keys() == {"e:new"}


def test_rows_stand_in_an_order_that_does_not_depend_on_how_they_came() -> None:
    rows = [entity("b"), entity("a"), said("1", "x", "a", days_ago=2), said("3", "y", "a"), said("2", "z", "a")]
    assert part(*rows) == part(*reversed(rows))
    assert [row.id for row in part(*rows).observations] == ["o:2", "o:3", "o:1"]


def test_a_relation_and_a_note_that_names_both_link_two_entities() -> None:
    seen = part(
        *(entity(key) for key in "abcd"),
        relation("a", "knows", "b"),
        relation("a", "is", "a"),
        said("1", "both", "b", "c"),
        said("2", "both again", "c", "b", "c"),
    )
    assert mentioned_together(seen.observations) == {("e:b", "e:c"): 2}
    assert links(seen) == {
        "e:a": frozenset({"e:b"}),
        "e:b": frozenset({"e:a", "e:c"}),
        "e:c": frozenset({"e:b"}),
        "e:d": frozenset(),
    }


def test_the_most_connected_are_kept_and_each_of_them_is_reached_from_the_focus() -> None:
    seen = part(
        *(entity(key) for key in ("focus", "way", "hub", "leaf", "x", "y", "apart")),
        relation("focus", "knows", "leaf"),
        relation("focus", "knows", "way"),
        relation("way", "knows", "hub"),
        relation("hub", "knows", "x"),
        relation("hub", "knows", "y"),
        said("1", "of the leaf", "leaf"),
        said("2", "of the hub", "hub", "x"),
    )
    kept = most_connected(seen, "e:focus", 3)
    assert kept.by_id.keys() == {"e:focus", "e:way", "e:hub"}
    assert [row.id for row in kept.relations] == ["r:focus-knows-way", "r:way-knows-hub"]
    assert [(row.id, row.entity_ids) for row in kept.observations] == [("o:2", ("e:hub",))]
    assert most_connected(seen, "e:focus", 99).by_id.keys() == seen.by_id.keys() - {"e:apart"}

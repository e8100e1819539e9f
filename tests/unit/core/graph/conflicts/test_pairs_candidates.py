"""What cannot be true beside a candidate is found before anybody decides."""

from datetime import timedelta

import pytest

from candidate_values import candidate, edge, person
from store_values import NOON, entity, relation
from voice.core.graph.conflicts.pairs import disputable, disputes, meanings
from voice.core.graph.review.candidates import CandidateStatus, RelationProposal
from voice.core.records import EntityName

pytestmark = pytest.mark.requirement("ruling:F.6")
NODES = [
    EntityName.of(row)
    for row in (
        entity("ada", "Ada Lund", aliases=("Ada",)),
        entity("kiln", "Kiln Co"),
        entity("clay", "Clay Co"),
        entity("beth1", "Beth"),
        entity("beth2", "Beth"),
    )
]
MEANT = meanings(NODES)
KILN, CLAY = edge(), edge(target="Clay Co")


def test_a_name_means_who_bears_it_alone_and_an_id_itself() -> None:
    assert (MEANT["ada"], MEANT["ada lund"], "beth" in MEANT) == ("e:ada", "e:ada", False)
    assert disputes([edge(source="e:ada"), edge(source="Ada Lund", target="Clay Co")], (), MEANT) != {}


def test_a_candidate_is_held_against_the_graph_and_against_what_waits() -> None:
    known = relation("1", "e:ada", "e:clay", rel_type="works_at")
    same = relation("2", "e:ada", "e:kiln", rel_type="works_at")
    assert disputes([KILN], [known, same], MEANT) == {KILN.id: ("r:1",)}
    assert disputes([KILN, CLAY], (), MEANT) == {KILN.id: (CLAY.id,), CLAY.id: (KILN.id,)}
    # the other one need not be known by name
    stranger = (edge(source="Rui"), edge(source="rui", target="Clay Co"))
    assert set(disputes(stranger, (), MEANT)) == {each.id for each in stranger}
    assert disputes([edge(source="Rui"), CLAY], (), MEANT) == {}


def test_what_one_may_have_many_of_what_was_decided_and_what_is_over_contradicts_nothing() -> None:
    before = candidate(
        RelationProposal(source="Ada", rel_type="works at", target="Clay Co", valid_until=NOON - timedelta(days=1))
    )
    now = candidate(RelationProposal(source="Ada", rel_type="works_at", target="Kiln Co", valid_from=NOON))
    assert disputes([before, now], (), MEANT) == {}
    rejected = edge(target="Clay Co", status=CandidateStatus.REJECTED)
    assert disputes([KILN, rejected, edge(rel_type="knows"), edge(rel_type="knows", target="Rui")], (), MEANT) == {}
    assert disputable([person(), KILN, rejected, edge(rel_type="knows")]) == (KILN,)

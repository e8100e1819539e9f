"""What forgetting takes out of what waits to become part of the graph."""

from dataclasses import replace

import pytest

from candidate_values import candidate, edge, person
from store_values import NOON
from voice.core.graph.review.candidates import Candidate, CandidateStatus, EntityProposal, RelationProposal
from voice.core.recall.forgetting import candidate_without
from voice.core.records import Origin, Provenance
from voice.core.session.forgetting import ForgottenContent
from voice.core.text.leakage import LeakMarkers

pytestmark = pytest.mark.requirement("ruling:G.2e", "forget:reach")
GIVEAWAY = LeakMarkers(phrases=frozenset({"the door code"}), words=frozenset({"fox", "4711"}))
GONE = ForgottenContent(ids=frozenset({"t:1", "e:gone"}), giveaway=GIVEAWAY, keeps_hashes=False)
NOTHING = replace(GONE, ids=frozenset(), giveaway=LeakMarkers(phrases=frozenset(), words=frozenset()))
IN_IT, BESIDE = (Provenance(thought_id=f"t:{number}", start=0, end=5) for number in (1, 2))
BOTH = (IN_IT, BESIDE)


@pytest.mark.parametrize(
    "held",
    [
        person(),
        edge(),
        person("Fox", provenance=BOTH),
        person("The door code", provenance=(BESIDE,)),
        edge(target="the door code of Ada", provenance=()),
        person(
            provenance=(BESIDE,),
            status=CandidateStatus.APPROVED,
            row_id="e:gone",
            decided_at=NOON,
            decided_by=Origin.HUMAN,
        ),
    ],
)
def test_a_candidate_goes_that_rests_on_nothing_else_became_it_or_is_called_by_it(held: Candidate) -> None:
    assert candidate_without(held, GONE) is None
    assert candidate_without(held, NOTHING) is held


@pytest.mark.parametrize("held", [person("Fox", provenance=(BESIDE,)), edge(provenance=()), person(provenance=())])
def test_a_candidate_stays_as_it_is_that_holds_nothing_of_it(held: Candidate) -> None:
    assert candidate_without(held, GONE) is held


def test_a_candidate_that_rests_on_something_else_too_loses_what_only_that_can_have_told() -> None:
    told = EntityProposal(name="Ada", entity_type="person", aliases=("Fox", "Adele"), description="knows 4711")
    held = candidate(told, provenance=BOTH, edited=replace(told, name="Ada L."), reason="called Fox")
    bare = candidate_without(held, GONE)
    assert bare is not None
    assert bare == replace(
        held,
        provenance=(BESIDE,),
        proposed=replace(told, aliases=("Adele",), description=""),
        edited=replace(told, name="Ada L.", aliases=("Adele",), description=""),
        reason="",
        revision=2,
    )
    assert candidate_without(bare, GONE) is bare


def test_a_relation_loses_a_description_that_quotes_it_wherever_it_rests() -> None:
    told = RelationProposal(source="Ada", rel_type="knows", target="Cleo", description="by The Door Code")
    bare = candidate_without(candidate(told, provenance=(BESIDE,)), GONE)
    assert bare == candidate(replace(told, description=""), provenance=(BESIDE,), revision=2)

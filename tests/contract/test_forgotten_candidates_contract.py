"""What `DerivedStore` promises, held against the candidates of every store."""

import pytest

from candidate_values import edge, person
from store_values import Stores
from voice.core.graph.review.candidates import CandidateStatus
from voice.core.records import Provenance
from voice.core.session.forgetting import ForgottenContent
from voice.core.text.leakage import LeakMarkers
from voice.ports.removal import DerivedStore
from voice.services.removal.derived_stores import ForgottenCandidates

pytestmark = pytest.mark.requirement("ruling:G.2e", "forget:reach")
GONE = ForgottenContent(ids=frozenset({"t:1"}), giveaway=LeakMarkers(words=frozenset({"fox"})), keeps_hashes=False)
OTHER = Provenance(thought_id="t:2", start=0, end=3)


def elsewhere(stores: Stores) -> DerivedStore:
    return ForgottenCandidates(store=stores.candidates)


async def test_what_rests_on_it_goes_and_what_rests_on_something_else_too_stays(stores: Stores) -> None:
    (span,) = person().provenance
    rejected = edge(status=CandidateStatus.REJECTED, reason="no")
    both, beside = person("Beth", provenance=(span, OTHER)), person("Cleo", provenance=(OTHER,))
    await stores.candidates.save([person(), rejected, both, beside])
    reached = await elsewhere(stores).reached(GONE)
    assert reached == sorted([person().id, rejected.id, both.id])
    await elsewhere(stores).take_away([*reached, "c:nobody"], GONE)
    left = await stores.candidates.candidates(limit=9)
    assert {each.id: each.provenance for each in left} == {both.id: (OTHER,), beside.id: (OTHER,)}
    assert await elsewhere(stores).reached(GONE) == []
    await elsewhere(stores).take_away(reached, GONE)
    assert await stores.candidates.candidates(limit=9) == left
    assert await stores.maintenance.verify() == []


async def test_more_than_a_page_of_candidates_is_reached(stores: Stores) -> None:
    many = [person(f"name {number}") for number in range(700)]
    for start in range(0, len(many), 350):
        await stores.candidates.save(many[start : start + 350])
    reached = await elsewhere(stores).reached(GONE)
    assert reached == sorted(each.id for each in many)
    await elsewhere(stores).take_away(reached, GONE)
    assert await stores.candidates.count() == 0

"""Contradicting candidates are shown side by side."""

from dataclasses import replace

import pytest

from staged_memory import ADA, EVERYTHING, SECRET, WORKS, Found, FoundEdge, World, spot, world
from store_values import entity, observation, relation
from voice.core.graph.review.candidates import CandidateKind
from voice.core.graph.review.decisions import Reject
from voice.core.records import Origin
from voice.ports.review_stores import CandidateFilter
from voice.ports.stores import WriteBatch
from voice.services.graph.staging import Against

pytestmark = pytest.mark.requirement("ruling:F.6")
EDGES = CandidateFilter(kind=CandidateKind.RELATION)
ELSEWHERE = FoundEdge(source="Ada", rel_type="works at", target="Clay Co", mentions=spot(ADA, "Ada fires"))


async def against(it: World, where: CandidateFilter = EDGES) -> dict[str, list[str]]:
    """Return what stands against each edge that waits, by its target."""
    page = await it.moderation.page(where)
    return {view.candidate.names[1]: [_end(other) for other in view.against] for view in page.views}


def _end(other: Against) -> str:
    return other.said if isinstance(other.said, str) else other.said.target


async def test_two_that_wait_are_shown_against_each_other() -> None:
    it = await world(ADA, SECRET)
    await it.staging.stage([], [WORKS, ELSEWHERE], limits=EVERYTHING)
    assert await against(it) == {"kiln co": ["Clay Co"], "clay co": ["Kiln Co"]}
    (clay,) = (view for view in (await it.moderation.page(EDGES)).views if view.candidate.names[1] == "clay co")
    await it.moderation.decide([Reject(candidate_id=clay.candidate.id)], by=Origin.HUMAN)
    assert await against(it) == {"kiln co": [], "clay co": []}


async def test_an_edge_of_the_graph_is_shown_and_a_private_one_only_where_it_may_be() -> None:
    it = await world(ADA, SECRET)
    nodes = (entity("ada", "Ada"), entity("clay", "Clay Co"), entity("pit", "Pit", is_private=True))
    known = relation("1", "e:ada", "e:clay", rel_type="works_at")
    hidden = relation("2", "e:ada", "e:pit", rel_type="works_at", is_private=True)
    await it.stores.memory.write(WriteBatch(rows=(*nodes, known, hidden)))
    await it.staging.stage([], [WORKS], limits=EVERYTHING)
    assert (await against(it))["kiln co"] == ["Clay Co", "Pit"]
    assert (await against(it, replace(EDGES, include_private=False)))["kiln co"] == ["Clay Co"]


async def test_entities_alone_ask_nothing() -> None:
    it = await world(ADA, SECRET)
    found = Found(name="Ada Lund", mentions=spot(ADA, "Ada Lund"))
    await it.staging.stage([found], limits=EVERYTHING)
    assert [view.against for view in (await it.moderation.page(CandidateFilter())).views] == [()]


async def test_what_a_statement_says_is_not_held_against_an_edge() -> None:
    it = await world(ADA, SECRET)
    nodes = (entity("ada", "Ada Lund", aliases=("Ada",)), entity("clay", "Acme"))
    known = observation("1", "Ada works at Acme.", entity_ids=("e:ada", "e:clay"))
    await it.stores.memory.write(WriteBatch(rows=(*nodes, known)))
    await it.staging.stage([], [WORKS], limits=EVERYTHING)
    assert await against(it) == {"kiln co": []}

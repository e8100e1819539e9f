"""Staging: what is sure enough and grounded waits for a person, once; nothing of it is in the graph."""

from dataclasses import replace

import pytest

from present import present
from staged_memory import ADA, EVERYTHING, PEOPLE, SECRET, WORKS, Found, FoundEdge, World, spot, world
from store_values import NOON, entity
from voice.core.errors import InvalidParams
from voice.core.graph.review.candidates import Candidate, EntityProposal
from voice.core.graph.review.decisions import Approve, Reject
from voice.core.graph.review.staging import StageLimits
from voice.core.records import Origin, Provenance, Tombstone
from voice.ports.review_stores import ALL_CANDIDATES
from voice.ports.stores import WriteBatch
from voice.services.graph.staging import Staged
from voice.services.memory.forgotten_rows import tombstone_hash


async def waiting(it: World) -> list[Candidate]:
    return await it.stores.candidates.candidates(ALL_CANDIDATES, limit=99)


@pytest.mark.requirement("ruling:F.3")
async def test_what_was_found_waits_with_its_thought_and_is_not_in_the_graph() -> None:
    it = await world(ADA)
    assert await it.staging.stage(PEOPLE, [WORKS], limits=EVERYTHING) == Staged(pending_entities=2, pending_relations=1)
    assert {span.thought_id for each in await waiting(it) for span in each.provenance} == {ADA.id}
    assert await it.stores.graph.names() == []


@pytest.mark.requirement("ruling:F.3")
async def test_staging_again_is_staging_once() -> None:
    it = await world(ADA)
    await it.staging.stage(PEOPLE, [WORKS], limits=EVERYTHING)
    before = await waiting(it)
    assert await it.staging.stage(PEOPLE, [WORKS], limits=EVERYTHING) == Staged(unchanged=3)
    assert await waiting(it) == before
    more = replace(PEOPLE[0], mentions=(Provenance(thought_id=ADA.id, start=27, end=30),))
    assert await it.staging.stage([more], limits=EVERYTHING) == Staged(grown=1)


@pytest.mark.requirement("ruling:F.3")
async def test_what_was_rejected_is_not_staged_again() -> None:
    it = await world(ADA)
    await it.staging.stage(PEOPLE, limits=EVERYTHING)
    before = (await waiting(it))[0]
    await it.moderation.decide([Reject(candidate_id=before.id)], by=Origin.HUMAN)
    kept = await it.stores.candidates.fetch([before.id])
    assert await it.staging.stage(PEOPLE, limits=EVERYTHING) == Staged(unchanged=1, rejected=1)
    assert await it.stores.candidates.fetch([before.id]) == kept


async def test_a_dry_run_says_the_same_and_stages_nothing() -> None:
    it = await world(ADA)
    told = await it.staging.stage(PEOPLE, [WORKS], limits=EVERYTHING, dry_run=True)
    assert (told, await waiting(it)) == (Staged(pending_entities=2, pending_relations=1), [])


async def test_enough_is_said_per_kind_and_type_and_the_surest_come_first() -> None:
    it = await world(ADA)
    limits = StageLimits(entities=0.75, relations=0.85, types={"organisation": 0.6}, max_nodes=1, max_edges=0)
    told = await it.staging.stage(PEOPLE, [WORKS], limits=limits)
    assert told == Staged(pending_entities=1, over=1, unsure=1)
    assert [each.proposed for each in await waiting(it)] == [
        EntityProposal(name="Ada Lund", entity_type="person", aliases=("Ada",))
    ]
    edges = replace(limits, relations=0.5)
    assert (await it.staging.stage([], [WORKS], limits=edges)).over == 1


@pytest.mark.requirement("ruling:F.5")
@pytest.mark.parametrize(
    "found",
    [
        Found(name="Ada", mentions=(Provenance(thought_id="t:none", start=0, end=1),)),
        Found(name="Ada", mentions=(Provenance(thought_id=ADA.id, start=0, end=10_000),)),
        Found(name="Ada"),
        Found(name="\u200b", mentions=spot(ADA, "Ada")),
    ],
)
async def test_what_nothing_in_the_store_speaks_of_is_not_staged(found: Found) -> None:
    it = await world(ADA)
    nameless = FoundEdge(source=" ", target="Kiln Co", mentions=spot(ADA, "Kiln Co"))
    assert await it.staging.stage([found], [nameless], limits=EVERYTHING) == Staged(groundless=2)


@pytest.mark.requirement("ruling:C10", "promise:6")
async def test_what_was_found_in_private_and_other_thoughts_is_staged_from_the_others() -> None:
    it = await world(ADA, SECRET)
    mixed = Found(name="Ada", aliases=("Fox", "Ada Lund"), mentions=(*spot(SECRET, "Ada"), *spot(ADA, "Ada")))
    hidden = Found(name="Cleo", mentions=spot(SECRET, "Cleo"))
    await it.staging.stage([mixed, hidden], limits=EVERYTHING)
    found = {each.proposed.name: each for each in await waiting(it) if isinstance(each.proposed, EntityProposal)}
    assert found["Ada"].proposed == EntityProposal(name="Ada", entity_type="person", aliases=("Ada Lund",))
    assert (found["Ada"].provenance, found["Ada"].is_private) == (spot(ADA, "Ada"), False)
    assert found["Cleo"].is_private


@pytest.mark.requirement("ruling:A21", "promise:6")
async def test_a_name_that_a_note_gives_beside_its_words_is_kept_and_a_private_note_gives_none() -> None:
    it = await world(ADA, SECRET)
    found = Found(name="Ada", aliases=("Adchen", "Fox"), mentions=(*spot(SECRET, "Ada"), *spot(ADA, "Ada")))
    given = {ADA.id: ("ADCHEN",), SECRET.id: ("Fox",)}
    await it.staging.stage([found], limits=EVERYTHING, given=given)
    (only,) = await waiting(it)
    assert only.proposed == EntityProposal(name="Ada", entity_type="person", aliases=("Adchen",))


async def test_what_is_found_twice_at_once_is_one_candidate() -> None:
    it = await world(ADA)
    twice = [replace(PEOPLE[0], name=name, confidence=share) for name, share in (("Ada Lund", 0.5), ("ADA LUND", 0.9))]
    assert await it.staging.stage([*twice, *twice], limits=EVERYTHING) == Staged(pending_entities=1)
    (only,) = await waiting(it)
    assert (only.confidence, only.revision, only.staged_at) == (0.9, 1, NOON)


@pytest.mark.requirement("ruling:H.7")
async def test_what_was_forgotten_is_not_staged_and_not_approved() -> None:
    it = await world(ADA)
    gone = entity("1", "Ada Lund")
    hashed = tombstone_hash(it.forgotten.key, gone)
    await it.staging.stage(PEOPLE[:1], limits=EVERYTHING)
    stone = Tombstone(row_id="e:1", keyed_hash=present(hashed), reason="forgotten", at=NOON)
    await it.stores.memory.write(WriteBatch(tombstones=(stone,)))
    assert await it.staging.stage(PEOPLE, limits=EVERYTHING) == Staged(pending_entities=1, forgotten=1)
    ada = next(each for each in await waiting(it) if each.names == ("ada lund",))
    with pytest.raises(InvalidParams, match="you forgot"):
        await it.moderation.decide([Approve(candidate_id=ada.id)], by=Origin.HUMAN)
    assert await it.stores.graph.names() == []

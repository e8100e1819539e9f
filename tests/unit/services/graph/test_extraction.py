"""Reading stored notes and staging what they name, over the in-memory stores."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from staged_memory import World, world
from store_values import entity, thought
from voice.core.errors import StoreUnavailable, UnknownId
from voice.core.graph.review.candidates import (
    Candidate,
    CandidateKind,
    CandidateStatus,
    EntityProposal,
    RelationProposal,
)
from voice.core.graph.review.decisions import Approve, Reject
from voice.core.interchange.foreign.vault import OfferedRelation, Offers
from voice.core.records import Origin, Provenance, Relation, RowStatus, TrustTier
from voice.ports.review_stores import ALL_CANDIDATES, NO_ROWS
from voice.ports.stores import WriteBatch
from voice.services.graph.extraction import Arrived, Extracting
from voice.services.graph.staging import Staged

ADA = thought("ada", "Ada Lund works at Kiln Co in Porto.")
MARTA = thought("marta", "Marta Silva works at Kiln Co with Ada Lund.")
SHED = thought("shed", "The kiln is in the shed.")
BIRCH = thought("birch", "Birch links to Alder. Ada Lund was there.")


def reader(it: World, **members: object) -> Extracting:
    made = Extracting(staging=it.staging)
    return replace(made, **members)  # pyright: ignore[reportArgumentType]


def entering(it: World) -> Extracting:
    return reader(it, moderation=it.moderation)


async def waiting(it: World) -> list[Candidate]:
    return await it.stores.candidates.candidates(ALL_CANDIDATES, limit=100)


async def things(it: World) -> set[tuple[str, str]]:
    found = [each.proposed for each in await waiting(it)]
    return {(each.name, each.entity_type) for each in found if isinstance(each, EntityProposal)}


def linked(*pairs: tuple[str, str]) -> Offers:
    here = (Provenance(thought_id=BIRCH.id, start=0, end=5),)
    return Offers(
        relations=tuple(OfferedRelation(source=a, rel_type="links_to", target=b, mentions=here) for a, b in pairs)
    )


@pytest.mark.requirement("ruling:A21", "ruling:F.1", "ruling:F.2")
async def test_every_stored_thought_is_read_and_reading_again_changes_nothing() -> None:
    it = await world(ADA, MARTA, SHED)
    steps: list[int] = []
    staged = await reader(it).stage_stored(progress=steps.append)
    assert (staged.pending_entities, staged.pending_relations, sum(steps)) == (4, 2, 3)
    assert staged.behind == {ADA.id, MARTA.id}
    before = await waiting(it)
    again = await reader(it).stage_stored()
    assert (again.pending_entities, again.pending_relations, again.grown, again.unchanged) == (0, 0, 0, 6)
    assert await waiting(it) == before


async def test_a_dry_run_counts_once_what_several_notes_name_and_stages_nothing() -> None:
    it = await world(ADA, MARTA)
    dry = await reader(it).stage_stored(dry_run=True)
    assert (dry.pending_entities, dry.pending_relations) == (4, 2)
    assert await waiting(it) == []
    assert await reader(it).stage_stored([ADA.id, MARTA.id, ADA.id]) == dry


async def test_an_id_that_is_no_thought_is_named() -> None:
    it = await world(ADA)
    with pytest.raises(UnknownId, match="there is no thought t:none"):
        await reader(it).stage_stored([ADA.id, "t:none"])
    assert await waiting(it) == []


async def test_what_is_no_longer_in_use_or_the_inner_voices_own_is_not_read() -> None:
    it = await world(replace(ADA, status=RowStatus.REMOVAL), replace(MARTA, is_summary=True, pipeline="inner_voice"))
    assert await reader(it).stage_stored() == Staged()


@pytest.mark.requirement("promise:6")
async def test_the_name_of_a_private_entity_helps_to_read_private_notes_alone() -> None:
    fox = entity("fox", "Fenella Ox", entity_type="person", aliases=("fox",), is_private=True)
    hidden = thought("hidden", "Met fox at noon.", is_private=True)
    open_one = thought("open", "Met fox at noon.")
    it = await world(hidden, open_one)
    await it.stores.memory.write(WriteBatch(rows=(fox,)))
    await reader(it).stage_stored()
    spoken = {span.thought_id for each in await waiting(it) for span in each.provenance}
    assert open_one.id not in spoken
    assert hidden.id in spoken


@pytest.mark.requirement("ruling:A21")
async def test_links_between_notes_wait_with_both_of_their_ends() -> None:
    it = await world(BIRCH)
    staged = await reader(it).stage_links(linked(("Birch", "Alder")))
    assert (staged.pending_entities, staged.pending_relations) == (2, 1)
    assert await things(it) == {("Birch", "note"), ("Alder", "note")}
    (edge,) = [each for each in await waiting(it) if isinstance(each.proposed, RelationProposal)]
    done = await it.moderation.decide([Approve(candidate_id=edge.id)], by=Origin.HUMAN, with_ends=True)
    assert [step.action for step in done.steps] == ["created", "created", "created"]
    assert await reader(it).stage_links(linked(("Birch", "Alder"))) == Staged(unchanged=1)
    assert await reader(it).stage_links(Offers()) == Staged()


@pytest.mark.requirement("ruling:I5:links")
async def test_a_link_that_a_person_wrote_is_in_the_graph_and_nobody_is_asked_about_it() -> None:
    it = await world(BIRCH)
    staged = await entering(it).stage_links(linked(("Birch", "Alder")))
    assert (staged.linked, staged.pending_entities, staged.pending_relations) == (1, 0, 0)
    assert staged.waiting_entities | staged.waiting_relations == frozenset()
    assert {each.status for each in await waiting(it)} == {CandidateStatus.APPROVED}
    rows = [change.row for change in await it.stores.memory.changes(0, 100)]
    (edge,) = [row for row in rows if isinstance(row, Relation)]
    assert (edge.rel_type, edge.origin, edge.trust) == ("links_to", Origin.HUMAN, TrustTier.GREEN)
    assert (await entering(it).stage_links(linked(("Birch", "Alder")))).linked == 0


@pytest.mark.requirement("imports:watched")
async def test_how_far_links_are_entered_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice.services.graph.vouching._AT_ONCE", 1)
    it, told = await world(BIRCH), list[tuple[int, int]]()
    await entering(it).stage_links(linked(("Birch", "Alder")), linking=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.requirement("ruling:I5:links")
async def test_a_link_that_a_model_wrote_waits() -> None:
    it = await world(replace(BIRCH, origin=Origin.MODEL))
    staged = await entering(it).stage_links(linked(("Birch", "Alder")))
    assert (staged.linked, staged.pending_relations) == (0, 1)


@pytest.mark.requirement("ruling:I5:links")
async def test_a_link_whose_end_could_be_two_things_waits_and_keeps_no_other_out() -> None:
    it = await world(BIRCH)
    twice = [entity(each, "Alder", entity_type=each) for each in ("tree", "town")]
    await it.stores.memory.write(WriteBatch(rows=tuple(twice)))
    staged = await entering(it).stage_links(linked(("Birch", "Alder"), ("Birch", "Oak"), ("Birch", "Elm")))
    assert (staged.linked, staged.pending_relations) == (2, 1)


@pytest.mark.requirement("ruling:A21", "ruling:F.3")
async def test_an_end_of_a_link_is_what_it_was_found_as_before() -> None:
    it = await world(BIRCH)
    await reader(it).stage_stored()
    assert ("Ada Lund", "person") in await things(it)
    await reader(it).stage_links(linked(("Ada Lund", "Alder")))
    assert {each for each in await things(it) if each[0] == "Ada Lund"} == {("Ada Lund", "person")}


@pytest.mark.requirement("ruling:F.3")
async def test_an_end_that_was_rejected_stays_rejected() -> None:
    it = await world(BIRCH)
    await reader(it).stage_links(linked(("Birch", "Alder")))
    (birch,) = [each for each in await waiting(it) if each.names == ("birch",) and each.kind is CandidateKind.ENTITY]
    await it.moderation.decide([Reject(candidate_id=birch.id)], by=Origin.HUMAN)
    assert await reader(it).stage_links(linked(("Birch", "Alder"))) == Staged(unchanged=2, rejected=1)


@pytest.mark.requirement("ruling:A21")
async def test_what_comes_in_is_read_only_where_that_is_wished() -> None:
    it = await world(ADA, BIRCH)
    offers = linked(("Birch", "Alder"))
    assert await reader(it, is_automatic=False).arrived([ADA.id], offers) == Arrived()
    assert await waiting(it) == []
    arrived = await reader(it).arrived([ADA.id], offers)
    assert (arrived.staged.pending_entities, arrived.staged.pending_relations, arrived.fault) == (5, 2, None)


@pytest.mark.requirement("ruling:C17")
async def test_what_cannot_be_staged_now_is_told_and_staged_later(monkeypatch: pytest.MonkeyPatch) -> None:
    async def save(candidates: Sequence[Candidate], *, rows: WriteBatch = NO_ROWS) -> list[Candidate]:
        raise StoreUnavailable(f"{len(candidates)} candidates cannot be written now ({len(rows.rows)})")

    it = await world(ADA)
    with monkeypatch.context() as unwritable:
        unwritable.setattr(it.stores.candidates, "save", save)
        arrived = await reader(it).arrived([ADA.id])
    assert arrived == Arrived(staged=Staged(), fault="4 candidates cannot be written now (0)")
    assert (await reader(it).stage_stored()).pending_entities == 3

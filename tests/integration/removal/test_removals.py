"""Marking, archiving, taking away and bringing back, over a real store and real files."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from graph_by_hand import entity, relation
from played_turns import NOW, ON_DISK, MoodyEmbedder, given, later, memory, tell
from removed_thoughts import DAYS, archive_of, at, found, settings, taken, thought
from staged_memory import EVERYTHING, Found, spot
from voice.bootstrap import Services
from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.graph.removal.lifecycle import RemovalObstacle
from voice.core.graph.review.decisions import Approve, Reject
from voice.core.records import EmbeddingStatus, Origin, RowStatus, Tombstone
from voice.core.settings.values import ArchiveSettings
from voice.ports.review_stores import ALL_CANDIDATES
from voice.ports.stores import WriteBatch
from voice.services.memory.forgotten_rows import tombstone_hash

KILN = "Moved the kiln to the shed behind the house."
FERRY = "Took the ferry to the island with Jonas."


@pytest.fixture
async def services(tmp_path: Path) -> AsyncGenerator[Services]:
    async with memory(tmp_path, settings=settings()) as opened:
        yield opened


@pytest.mark.requirement("s1:outcome:mark", "ruling:F.7b")
async def test_a_marked_thought_is_not_found_and_an_unmarked_one_is_again(services: Services) -> None:
    kiln, ferry = await tell(services, KILN, FERRY)
    marking = await services.archiving.removals.mark([kiln])
    assert (marking.changed, marking.unchanged) == ((kiln,), ())
    assert marking.due_on == (NOW + timedelta(days=DAYS)).date()
    again = await at(services, days=3).removals.mark([kiln, ferry], dry_run=True)
    assert (again.changed, again.unchanged) == ((ferry,), (kiln,))
    assert (await thought(services, kiln)).removal_marked_at == NOW
    assert (await thought(services, ferry)).status is RowStatus.ACTIVE
    assert kiln not in await found(services, "kiln")
    (of_kiln,) = await services.graph.derived_from([kiln])
    assert marking.along == (of_kiln.id,)
    assert of_kiln.id not in await found(services, "kiln", mix=1.0)
    assert (await services.archiving.removals.unmark([kiln, ferry])).changed == (kiln,)
    assert kiln in await found(services, "kiln")
    assert of_kiln.id in await found(services, "kiln", mix=1.0)
    assert (await thought(services, kiln)).embedding_status is EmbeddingStatus.READY


async def test_what_cannot_be_marked_is_named_and_nothing_is_marked(services: Services) -> None:
    (kiln,) = await tell(services, KILN)
    (derived,) = await services.graph.derived_from([kiln])
    removals = services.archiving.removals
    for wrong in ("t:none", derived.id):
        with pytest.raises(UnknownId, match=f"no thought {wrong}"):
            await removals.mark([kiln, wrong])
    with pytest.raises(InvalidParams, match="name at least one"):
        await removals.mark([])
    row = await thought(services, kiln)
    await services.store.write(WriteBatch(rows=(replace(row, status=RowStatus.REDACTED, revision=2),)))
    with pytest.raises(InvalidParams, match="redacted"):
        await removals.mark([kiln])
    assert await removals.removed.marked() == []


@pytest.mark.requirement("ruling:F.9", "s1:maintenance:finalize_removal", "s1:maintenance:export_removals")
async def test_a_thought_goes_once_it_is_due_and_archived_and_what_rests_on_it_goes_along(services: Services) -> None:
    kiln, ferry = await tell(services, KILN, FERRY)
    (derived,) = await services.graph.derived_from([kiln])
    await services.archiving.removals.mark([kiln])
    exported = await services.archiving.export()
    assert (exported.thoughts, exported.derived, exported.vectors) == ((kiln,), 1, 2)
    late = at(services, days=DAYS)
    dry = await late.removals.finalise()
    assert (dry.gone, dry.along, dry.applied) == ((kiln,), (derived.id,), False)
    assert await thought(services, kiln)
    went = await late.removals.finalise(apply=True)
    assert (went.gone, went.along) == ((kiln,), (derived.id,))
    assert (await services.store.fetch([kiln, ferry, derived.id])).keys() == {ferry}
    stones = await services.archiving.removals.fate([kiln, ferry, derived.id])
    assert stones.keys() == {kiln, derived.id}
    for stone in stones.values():
        assert (stone.reason, stone.at, len(stone.keyed_hash)) == ("finalised", later(days=DAYS), 64)
    assert ferry in await found(services, "ferry")
    assert derived.id not in await found(services, "kiln shed", mix=1.0)
    assert await services.maintenance.verify() == []
    with pytest.raises(UnknownId, match="finalised"):
        await services.archiving.removals.mark([kiln])
    assert (await late.removals.finalise(apply=True)).gone == ()


@pytest.mark.requirement("ruling:F.9")
async def test_nothing_goes_that_no_verified_archive_holds_as_it_stands(tmp_path: Path) -> None:
    async with memory(tmp_path, settings=settings(0)) as services:
        kiln, ferry = await tell(services, KILN, FERRY)
        removals = services.archiving.removals
        await removals.mark([kiln, ferry])
        assert (await removals.finalise(apply=True)).gone == ()
        (report,) = (await services.archiving.export()).reports
        row = await thought(services, ferry)
        await services.store.write(WriteBatch(rows=(replace(row, content="Took a bus.", revision=row.revision + 1),)))
        listed = {each.thought.id: each for each in (await removals.listed()).candidates}
        assert listed[kiln].archive == report.path
        assert listed[ferry].hindrances == (RemovalObstacle.CHANGED,)
        path = Path(report.path)
        whole = path.read_bytes()
        path.write_bytes(whole.replace(b"shed", b"shop"))
        broken = await removals.finalise(apply=True)
        assert broken.gone == ()
        assert [report.path in fault for fault in broken.looked_at.faults] == [True]
        again = await services.archiving.export()
        assert (set(again.thoughts), again.already, len(again.faults)) == ({kiln, ferry}, (), 1)
        assert set((await removals.finalise(apply=True)).gone) == {kiln, ferry}


@pytest.mark.requirement("ruling:F.7a")
async def test_a_thought_whose_candidates_no_human_has_decided_stays(tmp_path: Path) -> None:
    async with memory(tmp_path, settings=settings(0)) as services:
        kiln, ferry, review = *await tell(services, KILN, FERRY), services.review
        removals = services.archiving.removals
        found = [Found(name=name, entity_type="tool", mentions=spot(await thought(services, kiln), name))
                 for name in ("kiln", "shed")]  # fmt: skip
        await review.staging.stage(found, limits=EVERYTHING)
        await removals.mark([kiln, ferry])
        await services.archiving.export()
        refused = await removals.finalise(apply=True)
        assert refused.gone == (ferry,)
        (kept,) = (each for each in refused.looked_at.candidates if each.hindrances)
        assert (kept.thought.id, kept.undecided, kept.hindrances) == (kiln, 2, (RemovalObstacle.UNDECIDED,))
        first, second = [view.candidate.id for view in (await review.moderation.page(ALL_CANDIDATES)).views]
        await review.moderation.decide([Approve(candidate_id=first)], by=Origin.TOOL)
        await review.moderation.decide([Reject(candidate_id=second)], by=Origin.HUMAN)
        assert [each.undecided for each in (await removals.listed()).candidates] == [1]
        await review.moderation.decide([Approve(candidate_id=first)], by=Origin.HUMAN)
        (held,) = (await removals.listed([kiln])).candidates
        assert held.hindrances == (RemovalObstacle.CHANGED,), "what was promoted from it is in no archive"
        await services.archiving.export()
        went = await removals.finalise([kiln], apply=True)
        assert (went.gone, {row_id[:2] for row_id in went.along}) == ((kiln,), {"e:", "o:"})


@pytest.mark.requirement("ruling:F.9")
async def test_what_was_taken_away_comes_back_as_it_was_and_unmarked(services: Services) -> None:
    kiln, ferry = await tell(services, KILN, FERRY)
    before = await thought(services, kiln)
    (of_kiln,) = await services.graph.derived_from([kiln])
    vector = (await services.archiving.removals.removed.vectors_of([kiln]))[kiln]
    await taken(services, kiln, ferry)
    path = await archive_of(services)
    planned = await services.archiving.restore(path, dry_run=True)
    assert set(planned.thoughts) == {kiln, ferry}
    assert await services.store.fetch([kiln]) == {}
    restored = await services.archiving.restore(path, [kiln])
    assert (restored.thoughts, restored.derived, restored.there) == ((kiln,), (of_kiln.id,), 0)
    after = await thought(services, kiln)
    assert after == replace(before, seq=after.seq, revision=before.revision + 2, removal_marked_at=NOW)
    assert (await services.archiving.removals.removed.vectors_of([kiln]))[kiln] == vector
    assert kiln in await found(services, "kiln")
    assert of_kiln.id in await found(services, "kiln", mix=1.0)
    (again,) = await services.graph.derived_from([kiln])
    assert again == replace(of_kiln, seq=again.seq, revision=of_kiln.revision + 2)
    assert (await services.archiving.restore(path)).thoughts == (ferry,)
    assert (await services.archiving.restore(path)).there == 4
    assert await services.archiving.removals.fate([kiln, ferry]) == {}
    assert await services.maintenance.verify() == []
    assert (await taken(services, kiln)).gone == (kiln,)


@pytest.mark.requirement("ruling:H.7")
async def test_what_was_forgotten_stays_away(services: Services) -> None:
    kiln, ferry = await tell(services, KILN, FERRY)
    (of_kiln,) = await services.graph.derived_from([kiln])
    row = await thought(services, ferry)
    await taken(services, kiln, ferry)
    key = services.archiving.removals.key
    by_words = Tombstone(row_id="t:other", keyed_hash=tombstone_hash(key, row) or "", reason="forgotten", at=NOW)
    by_id = Tombstone(row_id=kiln, keyed_hash="k" * 64, reason="forgotten", at=NOW)
    await services.store.write(WriteBatch(tombstones=(by_words, by_id)))
    path = await archive_of(services)
    restored = await services.archiving.restore(path)
    # The sentence of the forgotten thought is forgotten with it; that of the other one says the words that were.
    assert (restored.thoughts, restored.derived, restored.forgotten) == ((), (), 4)
    assert await services.store.fetch([kiln, ferry, of_kiln.id]) == {}


@pytest.mark.requirement("ruling:H.7")
async def test_what_names_a_forgotten_entity_stays_away_with_it(services: Services) -> None:
    (ferry,) = await tell(services, FERRY)
    jonas, island = [(await entity(services, name, thought_ids=(ferry,))).id for name in ("Jonas", "island")]
    edge = (await relation(services, jonas, "visits", island, thought_ids=(ferry,))).id
    assert {jonas, island, edge} <= set((await taken(services, ferry)).along)
    lost = Tombstone(row_id=jonas, keyed_hash="k" * 64, reason="forgotten", at=NOW)
    await services.store.write(WriteBatch(tombstones=(lost,)))
    path = await archive_of(services)
    assert (await services.archiving.restore(path)).thoughts == (ferry,)
    assert (await services.store.fetch([jonas, island, edge])).keys() == {island}


@pytest.mark.requirement("ruling:F.9", "promise:6")
async def test_an_archive_from_before_a_thought_became_private_does_not_show_it_again(services: Services) -> None:
    (kiln,) = await tell(services, KILN)
    await services.archiving.removals.mark([kiln])
    (open_one,) = (await services.archiving.export()).reports
    held = await thought(services, kiln)
    await services.store.write(WriteBatch(rows=(replace(held, is_private=True, revision=held.revision + 1),)))
    (private_one,) = (await services.archiving.export()).reports
    assert (await at(services, days=DAYS + 1).removals.finalise(apply=True)).gone == (kiln,)
    assert (await services.archiving.restore(open_one.path, [kiln])).altered == (kiln,)
    assert await services.archiving.ingest.forgotten.taken_away([held]) == {kiln}
    assert (await services.archiving.restore(private_one.path, [kiln])).thoughts == (kiln,)
    assert (await thought(services, kiln)).is_private


@pytest.mark.requirement("ruling:F.9", "ruling:H.7")
async def test_memories_that_share_a_directory_of_archives_are_told_apart(tmp_path: Path) -> None:
    archive = ArchiveSettings(retention_days=0, format="jsonl", directory=str(tmp_path / "other" / "home" / "shared"))
    shared = given(store=ON_DISK, archive=archive)
    async with memory(tmp_path / "one", settings=shared) as one:
        (kiln,) = await tell(one, KILN)
        await one.archiving.removals.mark([kiln])
        (report,) = (await one.archiving.export()).reports
        row = await thought(one, kiln)
    held = Path(report.path).read_bytes()
    async with memory(tmp_path / "other", settings=shared) as other:
        await other.store.write(WriteBatch(rows=(row,)))
        listed = await other.archiving.removals.listed()
        assert (listed.candidates[0].hindrances, len(listed.faults)) == ((RemovalObstacle.NOT_ARCHIVED,), 1)
        assert "1 archive" in listed.faults[0]
        assert "was made by another memory" in listed.faults[0]
        forgotten = await other.forget(ForgetRequest(matching="kiln"), "forget")
        assert (forgotten.elsewhere["archives"], len(forgotten.unread), forgotten.files) == ((), 1, ())
    assert Path(report.path).read_bytes() == held
    async with memory(tmp_path / "one", settings=shared) as one:
        assert (await one.archiving.removals.finalise(apply=True)).gone == (kiln,)


async def test_a_vector_of_another_encoder_is_made_anew_and_a_failing_one_loses_nothing(tmp_path: Path) -> None:
    embedder = MoodyEmbedder()
    async with memory(tmp_path, settings=settings(), embedder=embedder) as services:
        (kiln,) = await tell(services, KILN)
        await taken(services, kiln)
        path = await archive_of(services)
        archiving = services.archiving
        held = await archiving.removals.shelf.files.read(path)
        foreign = replace(held, vectors=tuple(replace(each, model="another") for each in held.vectors))
        report = await archiving.removals.shelf.files.write(foreign, str(tmp_path / "elsewhere"), form="jsonl")
        embedder.down = True
        restored = await archiving.restore(report.path)
        assert (restored.thoughts, restored.unembedded) == ((kiln,), 2)
        assert restored.embedder_fault == "the encoder does not answer"
        embedder.down = False
        await taken(services, kiln)
        restored = await archiving.restore(report.path)
        assert (restored.thoughts, restored.unembedded, restored.embedder_fault) == ((kiln,), 0, None)
        assert (await archiving.removals.removed.vectors_of([kiln]))[kiln].model == embedder.model

"""The organising tool over a real store: find, answer, stage, keep, mark."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from played_turns import NOW, MoodyEmbedder, given, memory, tell
from present import present
from stand_ins import on_a_full_disk, stand_in
from voice.bootstrap import Services
from voice.core.errors import EmbedderUnavailable, InvalidParams
from voice.core.graph.review.candidates import Candidate, CandidateStatus
from voice.core.graph.review.decisions import Approve, Reject
from voice.core.organise import OrganiseRequest, OrganiseResult
from voice.core.records import Origin, RowStatus, Thought, Tombstone
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.settings.values import ArchiveSettings
from voice.ports.review_stores import ALL_CANDIDATES
from voice.ports.stores import WriteBatch
from voice.services.memory.forgotten_rows import tombstone_hash

ADA = "Ada Lund works at Kiln Co in Porto."
MARTA = "Marta Silva works at Kiln Co with Ada Lund."
SHED = "The kiln is in the shed."
FIVE = (ADA, MARTA, SHED, "Ferry tickets cost a lot.", "Blue glaze needs cobalt.")
WHO = "Who works at Kiln Co?"


@asynccontextmanager
async def told(home: Path, *texts: str, **groups: object) -> AsyncGenerator[tuple[Services, tuple[str, ...]]]:
    groups.setdefault("archive", ArchiveSettings(format="jsonl"))
    async with memory(home, settings=given(**groups)) as services:
        yield services, await tell(services, *(texts or FIVE))


async def organise(services: Services, content: str = WHO, **said: object) -> OrganiseResult:
    request = {"content": content, "sim_thresh": 0.1, "top_k": 3, **said}
    return await services.organise(OrganiseRequest(**request))  # pyright: ignore[reportArgumentType]


async def row(services: Services, row_id: str | None) -> Thought:
    (found,) = (await services.store.fetch([present(row_id)])).values()
    assert isinstance(found, Thought)
    return found


async def thoughts(services: Services) -> list[Thought]:
    return [each.row for each in await services.store.changes(0, 500) if isinstance(each.row, Thought)]


async def waiting(services: Services) -> list[Candidate]:
    return await services.review.staging.candidates.candidates(ALL_CANDIDATES, limit=100)


async def decide(services: Services, verdict: type[Approve | Reject]) -> None:
    verdicts = [verdict(candidate_id=each.id) for each in await waiting(services)]
    await services.review.moderation.decide(verdicts, by=Origin.HUMAN)


@pytest.mark.requirement("s1:test:1", "s1:outcome:answer", "s1:param:content", "s1:flow:2", "s1:flow:3", "ruling:A1")
async def test_of_five_thoughts_the_best_three_answer(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, ids):
        organised = await organise(services)
        assert organised.synthesized_answer == f"{ADA}\n{MARTA}\n{SHED}"
        assert [source.thought_id for source in organised.sources] == list(ids[:3])
        scores = [source.similarity for source in organised.sources]
        assert scores == sorted(scores, reverse=True)
        assert min(scores) >= 0.1
        strict = await organise(services, sim_thresh=scores[1])
        assert [source.thought_id for source in strict.sources] == list(ids[:2])


@pytest.mark.requirement(
    "s1:test:2", "s1:outcome:save", "s1:param:save", "s1:flow:4", "s1:storage:id", "s1:storage:fields", "ruling:A14"
)
async def test_the_answer_is_kept_with_a_vector_of_its_own(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, ids):
        first, second = await organise(services), await organise(services)
        kept = await row(services, first.saved_thought_id)
        assert (kept.content, kept.summary_of) == (first.synthesized_answer, ids[:3])
        assert (kept.is_summary, kept.pipeline, kept.origin) == (True, "inner_voice", Origin.MODEL)
        assert (kept.significance, kept.status, kept.created_at) == (0.5, RowStatus.ACTIVE, NOW)
        assert second.saved_thought_id not in (None, first.saved_thought_id, *ids)
        vectors = {each.row_id: each.vector for each in await services.store.changes(0, 500)}
        vector = present(vectors[kept.id])
        own, asked = await services.embedder.embed([indexed_text(kept, {}), WHO])
        assert (vector.data == own, vector.data == asked) == (True, False)


@pytest.mark.requirement("s1:acceptance:save-false", "ruling:A14")
async def test_nothing_is_kept_unless_it_is_wished_and_something_was_found(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, ids):
        unsaved = await organise(services, save=False)
        assert (unsaved.saved_thought_id, len(unsaved.sources)) == (None, 3)
        empty = await organise(services, "quantum chromodynamics", sim_thresh=0.9, stage_kg=True)
        assert (empty.saved_thought_id, empty.sources, empty.synthesized_answer) == (None, (), "")
        assert {each.id for each in await thoughts(services)} == set(ids)


@pytest.mark.requirement("s1:test:3", "s1:outcome:stage", "s1:param:stage_kg", "s1:flow:5", "ruling:F.1", "ruling:F.5")
async def test_what_the_sources_name_waits_with_its_source(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, ids):
        assert (await organise(services)).pending_entities == 0
        staged = await organise(services, stage_kg=True)
        assert (staged.pending_entities, staged.pending_relationships) == (4, 2)
        every = await waiting(services)
        assert {each.status for each in every} == {CandidateStatus.PENDING}
        assert {span.thought_id for each in every for span in each.provenance} == set(ids[:2])
        again = await organise(services, stage_kg=True)
        assert (again.pending_entities, again.pending_relationships) == (4, 2)
        assert await waiting(services) == every


@pytest.mark.requirement(
    "s1:test:4", "s1:param:auto_mark_removal", "s1:flow:6", "s1:outcome:mark", "ruling:F.7a", "ruling:F.7b"
)
async def test_the_sources_that_something_was_staged_from_are_marked(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, ids):
        marked = await organise(services, stage_kg=True, auto_mark_removal=True)
        assert marked.marked_for_removal == 2
        assert "nothing was staged from 1 of the sources" in marked.warnings[0]
        statuses = {each.id: each.status for each in await thoughts(services)}
        assert [statuses[row_id] for row_id in ids[:3]] == [RowStatus.REMOVAL, RowStatus.REMOVAL, RowStatus.ACTIVE]
        after = await organise(services)
        assert [source.thought_id for source in after.sources] == [ids[2]]


@pytest.mark.requirement("s1:param:auto_mark_removal", "ruling:F.7a")
async def test_a_mark_that_a_person_took_away_is_not_set_again(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, ids):
        await organise(services, stage_kg=True, auto_mark_removal=True)
        await services.archiving.removals.unmark([ids[0]])
        again = await organise(services, stage_kg=True, auto_mark_removal=True)
        assert (await row(services, ids[0])).status is RowStatus.ACTIVE
        assert (again.marked_for_removal, "unmarked before" in again.warnings[-1]) == (0, True)
        assert (await services.archiving.removals.mark([ids[0]])).changed == (ids[0],)


@pytest.mark.requirement("s1:moderation:mark-after")
async def test_after_promotion_a_later_call_can_mark_the_sources(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, ids):
        await organise(services, stage_kg=True)
        await decide(services, Approve)
        assert (await organise(services, stage_kg=True, auto_mark_removal=True)).marked_for_removal == 2
        assert (await row(services, ids[0])).status is RowStatus.REMOVAL


@pytest.mark.requirement("ruling:C10", "promise:6")
async def test_private_notes_stay_out_unless_asked_for_and_then_make_the_answer_private(tmp_path: Path) -> None:
    async with told(tmp_path, SHED) as (services, ids):
        (secret,) = await tell(services, ADA, is_private=True, tags=("work",))
        public = await organise(services, stage_kg=True)
        assert [source.thought_id for source in public.sources] == [ids[0]]
        assert not (await row(services, public.saved_thought_id)).is_private
        private = await organise(services, stage_kg=True, include_private=True)
        assert private.sources[0].thought_id == secret
        kept = await row(services, private.saved_thought_id)
        assert (kept.is_private, kept.tags) == (True, ("work",))
        every = await waiting(services)
        assert {each.is_private for each in every} == {True}


@pytest.mark.requirement("s1:param:content")
async def test_an_empty_question_and_a_failing_encoder_change_nothing(tmp_path: Path) -> None:
    embedder = MoodyEmbedder()
    async with memory(tmp_path, embedder=embedder) as services:
        (ada,) = await tell(services, ADA)
        with pytest.raises(InvalidParams):
            await organise(services, "  ")
        embedder.down = True
        with pytest.raises(EmbedderUnavailable):
            await organise(services, stage_kg=True)
        assert {each.id for each in await thoughts(services)} == {ada}
        assert await services.review.staging.candidates.count() == 0


@pytest.mark.requirement("ruling:C17")
async def test_an_answer_that_cannot_be_embedded_is_kept_and_says_so(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, _):
        embedder = MoodyEmbedder()
        embedder.down = True
        weak = replace(services.organise, ingest=replace(services.ingest, embedder=embedder))
        organised = await weak(OrganiseRequest(content=WHO, sim_thresh=0.1))
        assert organised.saved_thought_id
        assert "without a vector" in organised.warnings[0]


async def test_an_answer_that_was_forgotten_is_not_kept_again(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, _):
        kept = await row(services, (await organise(services)).saved_thought_id)
        key = services.ingest.forgotten.key
        stone = Tombstone(row_id=kept.id, keyed_hash=tombstone_hash(key, kept) or "", reason="forgotten", at=NOW)
        await services.store.write(WriteBatch(tombstones=(stone,)))
        again = await organise(services)
        assert (again.saved_thought_id, len(again.sources)) == (None, 3)
        assert "forgot this answer" in again.warnings[0]


@pytest.mark.requirement("s1:flow:6")
async def test_marking_that_fails_costs_nothing_but_the_marks(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, _):
        full = stand_in(services.store, write=on_a_full_disk)
        failing = replace(services.organise, removals=replace(services.organise.removals, store=full))
        request = OrganiseRequest(content=WHO, sim_thresh=0.1, top_k=2, stage_kg=True, auto_mark_removal=True)
        organised = await failing(request)
        assert (organised.pending_entities, organised.marked_for_removal) == (4, 0)
        assert organised.saved_thought_id
        assert "were not marked" in organised.warnings[-1]

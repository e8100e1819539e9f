"""The organising tool over a real store: find, answer, stage, keep, mark."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator

from played_turns import NOW, MoodyEmbedder, given, later, memory, tell
from present import present
from stand_ins import on_a_full_disk, stand_in
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Services
from voice.core.errors import EmbedderUnavailable, InvalidParams, ScopeRequired
from voice.core.graph.removal.lifecycle import RemovalObstacle
from voice.core.graph.review.candidates import Candidate, CandidateStatus
from voice.core.graph.review.decisions import Approve, Reject
from voice.core.organise import OrganiseRequest, OrganiseResult, render_organised
from voice.core.records import Origin, RowStatus, Scope, Thought, Tombstone
from voice.core.retrieval.params import RetrieveRequest
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.settings.values import ArchiveSettings, OrganiseSettings
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


def is_as_published(form: dict[str, object]) -> bool:
    schema = json.loads(files("voice").joinpath("schemas", "organise.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema).is_valid(cast("Any", form))  # pyright: ignore[reportUnknownMemberType]


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


@pytest.mark.requirement("s1:flow:7", "s1:acceptance:shapes")
async def test_the_result_has_the_specs_members_and_no_others(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, ids):
        form: dict[str, Any] = render_organised(await organise(services, stage_kg=True, auto_mark_removal=True))
        assert is_as_published(form)
        assert list(form) == ["synthesized_answer", "saved_thought_id", "sources", "staged", "marked_for_removal"]
        assert form["sources"][0] | {"similarity": 0} == {"thought_id": ids[0], "similarity": 0, "excerpt": ADA}
        assert (form["staged"], form["marked_for_removal"]) == ({"pending_entities": 4, "pending_relationships": 2}, 2)
        nothing = render_organised(await organise(services, "quantum chromodynamics", sim_thresh=0.9))
        assert is_as_published(nothing)
        staged = {"pending_entities": 0, "pending_relationships": 0}
        assert nothing == {"synthesized_answer": "", "sources": [], "staged": staged, "marked_for_removal": 0}


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


@pytest.mark.requirement("ruling:A13", "ruling:A14")
async def test_what_was_kept_is_never_a_source_of_anything(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, _):
        kept = present((await organise(services)).saved_thought_id)
        again = await organise(services, f"{ADA} {MARTA} {SHED}", top_k=50, sim_thresh=0.0, stage_kg=True)
        assert kept not in {source.thought_id for source in again.sources}
        for provider in ("local-vector", "local-hybrid", "local-fts"):
            found = await services.find(RetrieveRequest(query=ADA, provider=provider, floor=0.0, top_k=50))
            assert kept not in {row_id for each in found.snippets for row_id in (each.id, *each.also_in)}
        assert await services.graph.derived_from([kept]) == []
        every = await waiting(services)
        assert kept not in {span.thought_id for each in every for span in each.provenance}


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


@pytest.mark.requirement("s1:param:max_nodes", "s1:param:max_edges", "s1:flow:5", "ruling:F.2")
async def test_the_caps_and_the_least_confidence_bound_what_is_staged(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, _):
        few = await organise(services, stage_kg=True, max_nodes=1, max_edges=0, dry_run=True)
        assert (few.pending_entities, few.pending_relationships) == (1, 0)
        sure = await organise(services, stage_kg=True, confidence_min=1.0, dry_run=True)
        assert (sure.pending_entities, sure.pending_relationships) == (0, 0)


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


@pytest.mark.requirement("s1:param:auto_mark_removal", "ruling:F.7a")
async def test_nothing_is_marked_without_staging_nor_where_nothing_was_staged(tmp_path: Path) -> None:
    async with told(tmp_path, organise=OrganiseSettings(auto_mark_removal=True)) as (services, ids):
        assert (await organise(services)).marked_for_removal == 0
        unnamed = await organise(services, "kiln in the shed", stage_kg=True, top_k=1)
        assert ([source.thought_id for source in unnamed.sources], unnamed.marked_for_removal) == ([ids[2]], 0)
        assert {each.status for each in await thoughts(services)} == {RowStatus.ACTIVE}
        assert (await organise(services, stage_kg=True)).marked_for_removal == 2


@pytest.mark.requirement("ruling:F.7a", "s1:moderation:mark-after")
async def test_what_was_marked_goes_only_once_a_human_has_decided(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, ids):
        await organise(services, stage_kg=True, auto_mark_removal=True)
        await services.archiving.export()
        removals = replace(services.archiving.removals, clock=FixedClock(later(days=40)))
        held = await removals.finalise(apply=True)
        assert held.gone == ()
        assert {each.hindrances for each in held.looked_at.candidates} == {(RemovalObstacle.UNDECIDED,)}
        await decide(services, Approve)
        await services.archiving.export()  # with what was promoted
        assert set((await removals.finalise(apply=True)).gone) == set(ids[:2])


@pytest.mark.requirement("s1:moderation:mark-after")
async def test_after_promotion_a_later_call_can_mark_the_sources(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, ids):
        await organise(services, stage_kg=True)
        await decide(services, Approve)
        assert (await organise(services, stage_kg=True, auto_mark_removal=True)).marked_for_removal == 2
        assert (await row(services, ids[0])).status is RowStatus.REMOVAL


@pytest.mark.requirement("ruling:F.3", "ruling:F.7a")
async def test_a_source_whose_findings_were_all_rejected_is_not_marked(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, _):
        await organise(services, stage_kg=True)
        await decide(services, Reject)
        again = await organise(services, stage_kg=True, auto_mark_removal=True)
        assert (again.pending_entities, again.marked_for_removal) == (0, 0)


async def test_a_dry_run_says_the_same_and_changes_nothing(tmp_path: Path) -> None:
    async with told(tmp_path) as (services, ids):
        dry = await organise(services, stage_kg=True, auto_mark_removal=True, dry_run=True)
        assert (dry.dry_run, dry.saved_thought_id) == (True, None)
        assert (dry.pending_entities, dry.pending_relationships, dry.marked_for_removal) == (4, 2, 2)
        assert {each.id for each in await thoughts(services)} == set(ids)
        assert await services.review.staging.candidates.count() == 0
        done = await organise(services, stage_kg=True, auto_mark_removal=True)
        assert replace(done, dry_run=True, saved_thought_id=None) == dry


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


@pytest.mark.requirement("ruling:A18")
async def test_a_memory_with_scopes_is_asked_in_one(tmp_path: Path) -> None:
    async with told(tmp_path, SHED) as (services, _):
        (mine,) = await tell(services, ADA, scope=Scope(repo_id="r"))
        with pytest.raises(ScopeRequired):
            await organise(services, scope=Scope())
        scoped = await organise(services, scope=Scope(repo_id="r"))
        assert [source.thought_id for source in scoped.sources] == [mine]
        assert (await row(services, scoped.saved_thought_id)).scope == Scope(repo_id="r")


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

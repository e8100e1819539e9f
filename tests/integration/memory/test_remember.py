"""A thought that several processes send under one key, at once, or again behind a crash or a closed capsule.

Notes that a killed command stored in part are found, told, and put right; no word is lost or doubled by it.
A tag has an end, whichever door it comes in by.
"""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from desk_pages import desk
from played_turns import NOW, ask, grounded, memory
from voice.bootstrap import Services
from voice.core.errors import CapsuleClosed, InvalidParams, KeyReused, StoreError
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.graph.review.extraction_results import Extractor
from voice.core.graph.thoughts.distillation import distil
from voice.core.interchange.origin import MAX_TAG_CHARS, Entrance
from voice.core.records import Observation, Origin, Row, Thought
from voice.ports.review_stores import CandidateFilter
from voice.ports.stores import Change, MemoryStore, StoreHead, StoreStatus, WriteBatch
from voice.services.graph.correct import CorrectRequest
from voice.services.graph.editor import Backing
from voice.services.graph.extraction import Arrived
from voice.services.imports.request import ImportRequest
from voice.services.memory.ingest_values import NewThought
from voice.services.memory.remember import Remembered, remember_once
from web_door import opened

KILN = NewThought(content="Marta Lind works at Clay Co in Lisbon.", origin=Origin.TOOL)


class Meanwhile:
    """A store before one of whose calls somebody else does something, once."""

    def __init__(self, store: MemoryStore, call: str, place: int, other: Callable[[], Awaitable[object]]) -> None:
        self._store = store
        self._awaited = (call, place)
        self._other = other
        self._called: list[str] = []

    async def _calls(self, name: str) -> None:
        self._called.append(name)
        if (name, self._called.count(name)) == self._awaited:
            await self._other()

    async def write(self, batch: WriteBatch) -> int:
        await self._calls("write")
        return await self._store.write(batch)

    async def fetch(self, ids: Sequence[str]) -> dict[str, Row]:
        await self._calls("fetch")
        return await self._store.fetch(ids)

    async def changes(self, after_seq: int, limit: int) -> list[Change]:
        return await self._store.changes(after_seq, limit)

    async def head(self) -> StoreHead:
        return await self._store.head()

    async def status(self) -> StoreStatus:
        return await self._store.status()


MOMENTS = [("fetch", 1), ("fetch", 2), ("fetch", 3), ("write", 1)]
"""Every step of storing a thought at which another process can have been faster."""


@pytest.fixture
async def services(tmp_path: Path) -> AsyncGenerator[Services]:
    async with opened(tmp_path) as (memory, _):
        yield memory.services


async def overtaken(services: Services, moment: tuple[str, int], ours: NewThought, theirs: NewThought) -> Remembered:
    """Send `ours` under the key under which another process stores `theirs` at that moment."""

    async def other() -> None:
        stored = await remember_once(services.ingest, theirs, "k")
        assert (len(stored.report.stored), stored.is_replayed) == (1, False)

    store = Meanwhile(services.store, *moment, other)
    return await remember_once(replace(services.ingest, store=store), ours, "k")


@pytest.mark.requirement("http:idempotency")
@pytest.mark.parametrize("moment", MOMENTS)
async def test_of_two_processes_one_is_told_that_it_stored_the_thought(
    services: Services, moment: tuple[str, int]
) -> None:
    kept = await overtaken(services, moment, KILN, KILN)
    rows = await services.store.changes(0, 10)
    assert kept.is_replayed
    assert [change.row_id for change in rows] == [*kept.report.stored]


@pytest.mark.requirement("http:idempotency")
@pytest.mark.parametrize("moment", MOMENTS)
async def test_of_two_thoughts_under_one_key_one_is_refused(services: Services, moment: tuple[str, int]) -> None:
    with pytest.raises(KeyReused, match="take a new key"):
        await overtaken(services, moment, KILN, replace(KILN, content="Cone ten."))
    (change,) = await services.store.changes(0, 10)
    assert getattr(change.row, "content", None) == "Cone ten."


@pytest.mark.requirement("http:idempotency")
async def test_what_cannot_be_stored_is_told_under_a_key_as_without_one(services: Services) -> None:
    with pytest.raises(InvalidParams, match="nothing to remember"):
        await remember_once(services.ingest, replace(KILN, content=" "), "k")


@pytest.mark.requirement("http:idempotency")
async def test_what_was_forgotten_stays_forgotten_under_its_key(services: Services) -> None:
    (stored,) = (await remember_once(services.ingest, KILN, "k")).report.stored
    await services.forget(ForgetRequest(ids=frozenset({stored})), "forget")
    again = await remember_once(services.ingest, KILN, "k")
    assert (again.report.stored, again.report.forgotten, again.is_replayed) == ((), 1, False)


@pytest.mark.requirement("http:idempotency")
async def test_a_batch_counts_what_it_stored_and_not_what_another_process_did(services: Services) -> None:
    """The report of an import, too, is of what this process wrote."""
    ours = [replace(KILN, id="t:one"), replace(KILN, id="t:two", content="Cone ten.")]

    async def other() -> None:
        await services.ingest.remember(ours[:1])

    store = Meanwhile(services.store, "fetch", 2, other)
    report = await replace(services.ingest, store=store).remember(ours)
    assert (report.stored, report.already_known) == (("t:two",), 1)


@pytest.mark.requirement("http:idempotency")
async def test_a_thought_in_a_capsule_is_known_again_when_the_capsule_is_closed(services: Services) -> None:
    capsule = await services.capsules.open("glazes")
    inside = await services.capsules.placed(KILN, capsule.id)
    first = await remember_once(services.ingest, inside, "k")
    await services.capsules.close(capsule.id)
    again = await remember_once(services.ingest, await services.capsules.placed(KILN, capsule.id), "k")
    assert (again.report.stored, again.is_replayed) == (first.report.stored, True)
    for key in ("l", None):
        with pytest.raises(CapsuleClosed):
            await remember_once(services.ingest, await services.capsules.placed(KILN, capsule.id), key)


@pytest.mark.requirement("http:idempotency")
async def test_what_a_crash_kept_from_being_read_is_read_when_the_thought_is_sent_again(services: Services) -> None:
    (row_id,) = (await remember_once(services.ingest, KILN, "k")).report.stored
    again = await remember_once(services.ingest, KILN, "k")
    late = await services.extracting.arrived_before(again.report.stored[0])
    waiting = await services.extracting.staging.candidates.count(CandidateFilter(thought_id=row_id))
    assert late.staged.pending_entities + late.staged.pending_relations == waiting > 0


@pytest.mark.requirement("http:idempotency")
async def test_what_was_read_before_is_not_read_again(services: Services) -> None:
    (row_id,) = (await remember_once(services.ingest, KILN, "k")).report.stored
    await services.extracting.arrived([row_id])
    assert await services.extracting.arrived_before(row_id) == Arrived()


@pytest.mark.requirement("http:idempotency")
@pytest.mark.parametrize("extractor", ["llm", "both"])
async def test_no_model_is_paid_for_a_thought_that_is_sent_again(services: Services, extractor: Extractor) -> None:
    (row_id,) = (await remember_once(services.ingest, KILN, "k")).report.stored
    by_model = replace(services.extracting, extractor=extractor, make_model=None)
    assert (await by_model.arrived([row_id])).fault is not None, "it was to be asked the first time"
    (other,) = (await remember_once(services.ingest, replace(KILN, content="Cone ten."), "l")).report.stored
    off = replace(services.extracting, is_automatic=False)
    assert [await each.arrived_before(other) for each in (by_model, off)] == [Arrived(), Arrived()]


BOWLS = tuple(f"On day number {n} I fired bowl {n} in the kiln." for n in range(40))
NOTE = Thought(
    id="t:cut", content=" ".join(BOWLS), created_at=NOW, recorded_at=NOW, origin=Origin.HUMAN, tags=("kiln",)
)


async def cut_off(services: Services, note: Thought = NOTE, rows: int = 30) -> None:
    """Leave what an earlier version left where it was killed: observations, and no thought."""
    await services.ingest.save(distil(note)[:rows], names=await services.ingest.names.known())


async def said(services: Services) -> list[str]:
    """Return the text of every observation, in order."""
    changes = await services.store.changes(0, 10_000)
    return sorted(each.row.text for each in changes if isinstance(each.row, Observation))


async def findings(services: Services) -> dict[str, str]:
    return {each.name: each.state for each in await services.checkup()}


@pytest.mark.requirement("ruling:I8")
async def test_what_was_cut_off_becomes_a_note_of_its_own_and_is_found_by_it(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        await cut_off(services)
        assert (await findings(services))["notes"] == "fault"
        (preview,) = await services.torn.found()
        assert (preview.thought_id, len(preview.going), len(preview.unsaid)) == ("t:cut", 30, 30)
        assert await said(services) == sorted(BOWLS[:30])
        await services.torn.mend()
        assert (await said(services), await services.torn.found()) == (sorted(BOWLS[:30]), [])
        thoughts = [each.row for each in await services.store.changes(0, 999) if isinstance(each.row, Thought)]
        assert [(row.content, row.tags) for row in thoughts] == [("\n".join(BOWLS[:30]), ("kiln",))]
        assert await services.maintenance.verify() == []
        assert {"notes": "ok", "index": "ok"}.items() <= (await findings(services)).items()
        turn = await ask(services, "What did I fire on day number 7?")
    assert turn.plan is not None
    assert BOWLS[7] in {each.text for each in turn.plan.evidence}


@pytest.mark.requirement("ruling:I8")
async def test_what_was_said_again_since_is_kept_once_and_what_is_right_is_left_alone(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        await cut_off(services)
        report = await services.ingest.remember([NewThought(content=NOTE.content, origin=Origin.HUMAN)])
        before = await services.store.fetch([*report.stored])
        rows = await services.graph.derived_from(report.stored)
        (preview,) = await services.torn.mend()
        assert (len(preview.going), preview.unsaid) == (30, ())
        assert await said(services) == sorted(BOWLS)
        assert await services.store.fetch([*report.stored]) == before
        assert await services.graph.derived_from(report.stored) == rows
        assert await services.torn.mend() == []


@pytest.mark.requirement("ruling:I8")
async def test_importing_again_completes_what_a_killed_import_left(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        await cut_off(services)
        await services.ingest.store_thoughts([NOTE])
        assert (await services.torn.found(), await said(services)) == ([], sorted(BOWLS))


@pytest.mark.requirement("ruling:I8")
async def test_mending_that_is_cut_off_loses_nothing_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with memory(tmp_path) as services:
        await cut_off(services)

        async def fail(revisions: object) -> None:
            raise StoreError("the power went out")

        class Failing:
            torn, take_back = services.torn.rows.torn, staticmethod(fail)

        with pytest.raises(StoreError, match="power"):
            await replace(services.torn, rows=Failing()).mend()
        assert len(await said(services)) == 60
        await services.torn.mend()
        assert await said(services) == sorted(BOWLS[:30])


@pytest.mark.requirement("ruling:I8")
async def test_an_entity_that_other_rows_name_stays(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        made = distil(NOTE)[0]
        from store_values import entity

        kiln = entity("kiln", "kiln", description="It is hot.", provenance=made.provenance)
        await services.store.write(WriteBatch(rows=(kiln, made)))
        await services.ingest.remember([NewThought(content="I swept the kiln today.", origin=Origin.HUMAN)])
        (mended,) = await services.torn.mend()
        (left,) = (await services.store.fetch([kiln.id])).values()
    assert [row.id for row in mended.kept] == [kiln.id]
    assert (left.id, getattr(left, "description", None)) == (kiln.id, "")


_LONG = "t" * (MAX_TAG_CHARS + 1)
_SAID = "tags: one has 201 characters"


@pytest.mark.requirement("http:tags")
async def test_no_door_takes_a_tag_that_is_too_long(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        services = page.memory.services
        kept = await page.memory.remember("Moved the kiln to the shed.", tags=["t" * MAX_TAG_CHARS])
        row_id = kept.stored[0]
        doors = (
            page.memory.remember("Cone ten.", tags=["ok", _LONG]),
            services.graph_editor.add_entity(
                "Kiln", entity_type="thing", description="", aliases=(), backing=Backing(tags=(_LONG,))
            ),
            services.correcting(CorrectRequest(row_id=row_id, text="Moved it back.", tags=(_LONG,))),
        )
        for door in doors:
            with pytest.raises(InvalidParams, match=_SAID):
                await door


@pytest.mark.requirement("http:tags")
async def test_a_file_with_a_tag_that_is_too_long_is_told_of_and_the_rest_comes_in(tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    rows = [{"type": "thought", "content": "One."}, {"type": "thought", "content": "Two.", "tags": [_LONG]}]
    lines = [{"format": "inner-voice-memory/1"}, *rows]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    request = ImportRequest(path=str(file), entrance=Entrance.CLI, zone=ZoneInfo("UTC"))
    async with desk(tmp_path / "home") as page:
        transfer = page.memory.services.transfer
        with pytest.raises(InvalidParams, match=_SAID):
            await transfer.import_memory(replace(request, tags=(_LONG,)))
        report = await transfer.import_memory(request)
    assert [(bad.where.endswith("3"), bad.reason.startswith(_SAID)) for bad in report.bad] == [(True, True)]
    assert report.ingested.stored != ()


@pytest.mark.requirement("http:tags")
async def test_of_a_tag_that_is_stored_and_too_long_pages_show_the_beginning(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        kept = await page.memory.remember("Moved the kiln to the shed.")
        store = page.memory.services.store
        rows = await store.fetch(list(kept.stored))
        old = [replace(row, tags=("z" * 100_000,), revision=row.revision + 1) for row in rows.values()]
        await store.write(WriteBatch(rows=tuple(old)))
        shown = [await page.html("/sources"), await page.html(f"/sources/{kept.stored[0]}")]
    assert [("z" * 60 + "…" in html, len(html) < 60_000) for html in shown] == [(True, True)] * 2

"""A thought that several processes send under one key, at once, or again behind a crash or a closed capsule."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from voice.bootstrap import Services
from voice.core.errors import CapsuleClosed, InvalidParams, KeyReused
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.graph.review.extraction_results import Extractor
from voice.core.records import Origin, Row
from voice.ports.review_stores import CandidateFilter
from voice.ports.stores import MemoryStore, WriteBatch
from voice.services.graph.extraction import Arrived
from voice.services.memory.ingest_values import NewThought
from voice.services.memory.remember import Remembered, remember_once
from web_door import opened

pytestmark = pytest.mark.requirement("http:idempotency")

KILN = NewThought(content="Marta Lind works at Clay Co in Lisbon.", origin=Origin.TOOL)


class Meanwhile:
    """A store before one of whose calls somebody else does something, once."""

    def __init__(self, store: MemoryStore, call: str, place: int, other: Callable[[], Awaitable[object]]) -> None:
        self._store = store
        self.changes, self.head, self.status = store.changes, store.head, store.status
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


@pytest.mark.parametrize("moment", MOMENTS)
async def test_of_two_processes_one_is_told_that_it_stored_the_thought(
    services: Services, moment: tuple[str, int]
) -> None:
    kept = await overtaken(services, moment, KILN, KILN)
    rows = await services.store.changes(0, 10)
    assert kept.is_replayed
    assert [change.row_id for change in rows] == [*kept.report.stored]


@pytest.mark.parametrize("moment", MOMENTS)
async def test_of_two_thoughts_under_one_key_one_is_refused(services: Services, moment: tuple[str, int]) -> None:
    with pytest.raises(KeyReused, match="use a new key"):
        await overtaken(services, moment, KILN, replace(KILN, content="Cone ten."))
    (change,) = await services.store.changes(0, 10)
    assert getattr(change.row, "content", None) == "Cone ten."


async def test_what_cannot_be_stored_is_told_under_a_key_as_without_one(services: Services) -> None:
    with pytest.raises(InvalidParams, match="nothing to remember"):
        await remember_once(services.ingest, replace(KILN, content=" "), "k")


async def test_what_was_forgotten_stays_forgotten_under_its_key(services: Services) -> None:
    (stored,) = (await remember_once(services.ingest, KILN, "k")).report.stored
    await services.forget(ForgetRequest(ids=frozenset({stored})), "forget")
    again = await remember_once(services.ingest, KILN, "k")
    assert (again.report.stored, again.report.forgotten, again.is_replayed) == ((), 1, False)


async def test_a_batch_counts_what_it_stored_and_not_what_another_process_did(services: Services) -> None:
    """The report of an import, too, is of what this process wrote."""
    ours = [replace(KILN, id="t:one"), replace(KILN, id="t:two", content="Cone ten.")]

    async def other() -> None:
        await services.ingest.remember(ours[:1])

    store = Meanwhile(services.store, "fetch", 2, other)
    report = await replace(services.ingest, store=store).remember(ours)
    assert (report.stored, report.already_known) == (("t:two",), 1)


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


async def test_what_a_crash_kept_from_being_read_is_read_when_the_thought_is_sent_again(services: Services) -> None:
    (row_id,) = (await remember_once(services.ingest, KILN, "k")).report.stored
    again = await remember_once(services.ingest, KILN, "k")
    late = await services.extracting.arrived_before(again.report.stored[0])
    waiting = await services.extracting.staging.candidates.count(CandidateFilter(thought_id=row_id))
    assert late.staged.pending_entities + late.staged.pending_relations == waiting > 0


async def test_what_was_read_before_is_not_read_again(services: Services) -> None:
    (row_id,) = (await remember_once(services.ingest, KILN, "k")).report.stored
    await services.extracting.arrived([row_id])
    assert await services.extracting.arrived_before(row_id) == Arrived()


@pytest.mark.parametrize("extractor", ["llm", "both"])
async def test_no_model_is_paid_for_a_thought_that_is_sent_again(services: Services, extractor: Extractor) -> None:
    (row_id,) = (await remember_once(services.ingest, KILN, "k")).report.stored
    by_model = replace(services.extracting, extractor=extractor, make_model=None)
    assert (await by_model.arrived([row_id])).fault is not None, "it was to be asked the first time"
    (other,) = (await remember_once(services.ingest, replace(KILN, content="Cone ten."), "l")).report.stored
    off = replace(services.extracting, is_automatic=False)
    assert [await each.arrived_before(other) for each in (by_model, off)] == [Arrived(), Arrived()]

"""A thought that several processes send under one key, at once, or again behind a crash or a closed capsule."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from voice.bootstrap import Services
from voice.core.errors import KeyReused
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

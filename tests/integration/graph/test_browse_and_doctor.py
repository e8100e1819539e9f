"""Looking at the graph, and at whether a memory is in order."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from graph_by_hand import entity, observation, relation
from played_turns import FIRED, KILN, MOVED, ON_DISK, MoodyEmbedder, ask, given, grounded, later, memory, rows_of, tell
from voice.adapters.surreal.schema import shipped
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Services
from voice.core.errors import StoreDamaged, UnknownId
from voice.core.health import Finding
from voice.core.records import Entity, Observation, Relation, RowStatus, Table
from voice.ports.search_index import Advance, IndexAnswer, IndexQuery, IndexStatus, ignore_progress
from voice.ports.stores import WriteBatch


async def people(services: Services) -> None:
    """Marta and the kiln, a secret friend, and what is said of them."""
    await entity(services, "the Kiln", "tool")
    await entity(services, "Marta")
    await entity(services, "Zelda", is_private=True)
    await relation(services, "Marta", "fires", "the Kiln")
    await relation(services, "Marta", "meets", "Zelda")
    await relation(services, "Marta", "fears", "the Kiln", is_private=True)
    await observation(services, "Marta sold a bowl.", "Marta", created_at=later(days=-3))
    await observation(services, "Marta bought clay.", "Marta", created_at=later(days=-4))
    await observation(services, "Marta hides a ring.", "Marta", is_private=True)


@pytest.mark.requirement("promise:6", "ruling:C10")
async def test_entities_come_by_name_and_private_ones_only_when_they_are_asked_for(services: Services) -> None:
    await people(services)
    browse = services.browse
    assert [each.name for each in await browse.entities()] == ["Marta", "the Kiln"]
    assert [each.name for each in await browse.entities(include_private=True)] == ["Marta", "the Kiln", "Zelda"]
    assert [each.name for each in await browse.entities(entity_type="TOOL")] == ["the Kiln"]


@pytest.mark.requirement("promise:6", "ruling:C10")
async def test_what_is_around_an_entity_is_what_may_be_seen_of_it(services: Services) -> None:
    await people(services)
    seen = await services.browse.around("marta")
    every = await services.browse.around("Marta", include_private=True)
    with pytest.raises(UnknownId):
        await services.browse.around("Zelda")
    assert [each.rel_type for each in seen.relations] == ["fires"]
    assert [each.text for each in seen.observations] == ["Marta bought clay.", "Marta sold a bowl."]
    assert [name for _, name in seen.names] == ["the Kiln", "Marta"]
    assert {each.rel_type for each in every.relations} == {"fires", "meets", "fears"}
    assert "Marta hides a ring." in {each.text for each in every.observations}
    assert {name for _, name in every.names} == {"Marta", "the Kiln", "Zelda"}


async def test_only_what_lives_is_around_an_entity(services: Services) -> None:
    await people(services)
    rows = (*await rows_of(services, Observation), *await rows_of(services, Relation))
    dead = tuple(replace(row, status=RowStatus.SUPERSEDED, revision=2) for row in rows)
    await services.store.write(WriteBatch(rows=dead))
    seen = await services.browse.around("Marta", include_private=True)
    assert (seen.relations, seen.observations) == ((), ())
    assert {row.id for row in seen.history} <= {row.id for row in dead}
    ends = {end for row in seen.history if isinstance(row, Relation) for end in (row.source_id, row.target_id)}
    assert {row_id for row_id, _ in seen.names} == ends
    assert isinstance(seen.entity, Entity)


def by_name(findings: Sequence[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


@pytest.mark.requirement("promise:10")
async def test_a_memory_in_order_has_nothing_to_say(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), settings=given(store=ON_DISK)) as services:
        assert {finding.state for finding in await services.checkup()} == {"ok"}
        await tell(services, *KILN)
        await ask(services)
        found = by_name(await services.checkup())
    assert {finding.state for finding in found.values()} == {"ok"}
    assert "4 kg_observations, 4 thoughts, 1 session, 1 exchange" in found["store"].detail
    assert found["index"].detail.startswith(
        "in step with the store: 8 rows counted; searches for 8 of them by their own words and vector found each"
    )


@pytest.mark.requirement("ruling:C17")
async def test_a_broken_encoder_and_rows_that_wait_are_told_with_what_to_do(
    services: Services, moody: MoodyEmbedder
) -> None:
    moody.down = True
    await tell(services, MOVED, FIRED)
    found = by_name(await services.checkup())
    assert (found["encoder"].state, found["encoder"].detail) == ("fault", "the encoder does not answer")
    assert "voice maintain rebuild vectors" in (found["encoder"].advice or "")
    assert found["vectors"].state == "remark"
    assert found["vectors"].detail.startswith("4 rows have no vector")


@pytest.mark.requirement("promise:10")
async def test_an_encoder_on_another_machine_is_not_called(tmp_path: Path) -> None:
    embedder = MoodyEmbedder("openai")
    async with memory(tmp_path, embedder=embedder) as services:
        found = by_name(await services.checkup())
    assert found["encoder"].state == "unchecked"
    assert embedder.texts == []


async def test_a_clock_that_went_back_is_told(tmp_path: Path) -> None:
    clock = FixedClock(later(days=30))
    async with memory(tmp_path, grounded(), clock=clock) as services:
        await tell(services, *KILN)
        await ask(services)
        clock.advance(timedelta(days=-30))
        assert by_name(await services.checkup())["clock"].state == "fault"


@pytest.mark.requirement("observe:doctor")
async def test_a_row_from_the_future_is_worth_knowing_and_a_row_that_is_gone_is_passed_over(tmp_path: Path) -> None:
    clock = FixedClock(later(days=30))
    async with memory(tmp_path, clock=clock) as services:
        await tell(services, MOVED)
        clock.advance(timedelta(days=-30))
        ahead = by_name(await services.checkup())["clock"]
        assert (ahead.state, "newest row was recorded" in ahead.detail) == ("remark", True)
        assert by_name(await replace(services.checkup, clock=Backwards())())["clock"].state == "fault"


class Backwards(FixedClock):
    """A clock whose stopwatch runs the wrong way."""

    def __init__(self) -> None:
        super().__init__(later(days=31))
        self._left = 100.0

    def monotonic_ms(self) -> float:
        self._left -= 1
        return self._left


@pytest.mark.requirement("observe:doctor")
async def test_an_index_that_was_behind_says_by_how_much_and_the_schema_by_its_newest_step(tmp_path: Path) -> None:
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        await tell(services, *KILN)
        first, second = by_name(await services.checkup()), by_name(await services.checkup())
    assert "changes behind and has caught up" in first["index"].detail
    assert "behind" not in second["index"].detail
    assert shipped()[-1].name in first["schema"].detail


class Ahead:
    """An index that has seen writes which the store has lost."""

    async def refresh(self) -> int:
        raise StoreDamaged("the store ends before change 9; restore a backup")

    async def search(self, query: IndexQuery) -> IndexAnswer:
        raise AssertionError("a check-up searches nothing")

    async def rebuild(self, advance: Advance = ignore_progress) -> IndexStatus:
        del advance
        raise AssertionError("a check-up changes nothing")

    async def status(self) -> IndexStatus:
        rows = dict.fromkeys(Table, 0)
        return IndexStatus(store_id="", folded_seq=9, rows=rows, vectors=0, bytes_on_disk=0, built_at=None)

    async def behind(self) -> int | None:
        return await self.refresh()

    async def faults(self) -> list[str]:
        return ["kg_observations: the index has 3 rows, the store 4"]


class Behind(Ahead):
    """An index that catches up and still is not what the store says."""

    async def refresh(self) -> int:
        return 9


@pytest.mark.requirement("ruling:H.2b")
async def test_a_store_behind_its_index_is_an_alarm_and_an_index_that_differs_is_a_fault(services: Services) -> None:
    lost = by_name(await replace(services.checkup, index=Ahead())())["index"]
    seen = by_name([each async for each in replace(services.checkup, index=Ahead()).looks()])["index"]
    differs = by_name(await replace(services.checkup, index=Behind())())["index"]
    assert (lost.state, lost.advice) == ("fault", "restore a backup")
    assert "restore a backup" in lost.detail
    assert seen == lost
    assert (differs.state, differs.advice) == ("fault", "run: voice maintain rebuild")
    assert "the index has 3 rows, the store 4" in differs.detail

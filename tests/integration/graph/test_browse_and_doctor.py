"""Looking at the graph, and at whether a memory is in order."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from graph_by_hand import entity, observation, relation
from played_turns import FIRED, MOVED, MoodyEmbedder, later, memory, tell
from voice.bootstrap import Services
from voice.core.errors import StoreDamaged, UnknownId
from voice.core.health import Finding
from voice.core.records import Table
from voice.ports.search_index import Advance, IndexAnswer, IndexQuery, IndexStatus, ignore_progress


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


def by_name(findings: Sequence[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


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

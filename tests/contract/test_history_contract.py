"""What `HistoryStore` promises, held against every store."""

from datetime import timedelta
from typing import Any

import pytest

from served_stores import OVER_WS
from store_values import NOON, Stores, entity, observation, relation, thought
from voice.core.records import Origin, RowStatus
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("ruling:F.6")
LATER = NOON + timedelta(days=7)
GONE: dict[str, Any] = {"status": RowStatus.SUPERSEDED, "superseded_at": LATER, "superseded_author": Origin.HUMAN}


async def test_what_took_a_rows_place_is_asked_what_it_replaced(stores: Stores) -> None:
    old, older = thought("1", superseded_by="t:3", **GONE), thought("2", superseded_by="t:1", **GONE)
    await stores.memory.write(
        WriteBatch(rows=(old, older, thought("3"), observation("4", superseded_by="o:5", **GONE)))
    )
    assert [row.id for row in await stores.history.replaced_by(["t:3", "o:5", "t:9"])] == ["o:4", "t:1"]
    assert await stores.history.replaced_by([]) == []
    # a row that only says so, and was not superseded, is no history
    await stores.memory.write(WriteBatch(rows=(thought("6", superseded_by="t:3"),)))
    assert [row.id for row in await stores.history.replaced_by(["t:3"])] == ["t:1"]


async def test_the_past_of_an_entity_is_what_was_superseded_around_it_or_left(stores: Stores) -> None:
    rows = (
        entity("1"),
        entity("2"),
        entity("3", superseded_by="e:1", **GONE),
        relation("1", "e:1", "e:2", **GONE),
        relation("2", "e:2", "e:1", **GONE),
        relation("3", "e:1", "e:2"),
        observation("1", entity_ids=("e:1", "e:2"), **GONE),
        observation("2", entity_ids=("e:1",)),
        observation("3", entity_ids=("e:2",), **GONE),
        observation("4", entity_ids=("e:1",), status=RowStatus.REMOVAL, superseded_at=LATER),
        observation("5", entity_ids=("e:1",), status=RowStatus.REMOVAL),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert [row.id for row in await stores.history.past_of(["e:1"])] == ["o:1", "o:4", "r:1", "r:2"]
    assert await stores.history.past_of(["e:3"]) == []
    assert await stores.history.past_of([]) == []


async def test_what_was_not_held_is_what_came_later_or_was_superseded_by_then(stores: Stores) -> None:
    rows = (
        thought("1"),
        thought("2", recorded_at=LATER),
        thought("3", superseded_by="t:2", **GONE),
        entity("1", status=RowStatus.SUPERSEDED),
        observation("1", **GONE),
        relation("1", "e:1", "e:1", recorded_at=LATER),
        observation("2", status=RowStatus.REMOVAL, superseded_at=LATER),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    held = stores.history.not_held_at
    assert await held(NOON - timedelta(days=1)) == {row.id for row in rows}
    assert await held(NOON) == {"t:2", "e:1", "r:1"}
    assert await held(LATER - timedelta(microseconds=1)) == {"t:2", "e:1", "r:1"}
    assert await held(LATER) == {"t:3", "e:1", "o:1", "o:2"}


@pytest.mark.requirement("ruling:I4:gone")
async def test_what_left_and_came_back_was_not_held_while_it_was_away(stores: Stores) -> None:
    week = timedelta(days=7)
    twice = (NOON + week, NOON + 2 * week, NOON + 3 * week, NOON + 4 * week)
    rows = (thought("1", away=twice), observation("1", away=twice[:2]), entity("1", away=twice[2:]), thought("2"))
    await stores.memory.write(WriteBatch(rows=rows))
    held = [await stores.history.not_held_at(NOON + step * week / 2) for step in range(10)]
    both, later = {"t:1", "o:1"}, {"t:1", "e:1"}
    assert held == [set(), set(), both, both, set(), set(), later, later, set(), set()]


async def test_live_thoughts_are_found_by_where_they_were_found(stores: Stores) -> None:
    rows = (
        thought("1", source_ref="a.md"),
        thought("2", source_ref="a.md", superseded_by="t:1", **GONE),
        thought("3", source_ref="b.md"),
        thought("4"),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert [row.id for row in await stores.history.found_at(["b.md", "a.md", "a.md", "c.md"])] == ["t:1", "t:3"]
    assert await stores.history.found_at([]) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["on disk", OVER_WS], indirect=True)
async def test_a_long_past_is_read_page_by_page(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice.adapters.surreal.stores.lookups._IDS_PAGE", 100)
    rows = tuple(thought(f"{place:05}", "Once.", recorded_at=LATER) for place in range(250))
    await stores.memory.write(WriteBatch(rows=rows))
    assert await stores.history.not_held_at(NOON) == {row.id for row in rows}

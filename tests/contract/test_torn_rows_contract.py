"""What rests on thoughts that were never stored is found, and can be taken back as if it had never been there."""

from dataclasses import replace

import pytest

from served_stores import OVER_WS
from store_values import Stores, entity, observation, relation, span_of, thought, tombstone, vector
from voice.core.errors import InvalidParams
from voice.core.records import GraphRow
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("ruling:I8")


def on(row: GraphRow, *thoughts: str) -> GraphRow:
    return replace(row, provenance=tuple(span for each in thoughts for span in span_of(each)))


async def test_what_rests_on_no_thought_that_is_or_was_there_is_torn(stores: Stores) -> None:
    sound = (
        thought("there"),
        entity("by hand"),
        on(observation("whole"), "t:there"),
        on(observation("in part"), "t:never", "t:there"),
        on(entity("outlived"), "t:gone"),
    )
    torn = (
        on(observation("cut"), "t:never"),
        on(entity("alone"), "t:never", "t:neither"),
        on(relation("r", "e:alone", "e:by hand"), "t:never"),
    )
    await stores.memory.write(WriteBatch(rows=sound, tombstones=(tombstone("t:gone"),)))
    assert await stores.torn.torn() == []
    await stores.memory.write(WriteBatch(rows=torn))
    assert await stores.torn.torn() == ["e:alone", "o:cut", "r:r"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["on disk", OVER_WS], indirect=True)
async def test_all_of_many_are_found(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice.adapters.surreal.stores.removals._PAGE", 250)
    rows = tuple(on(observation(f"{place:03}"), f"t:{place}") for place in range(260))
    await stores.memory.write(WriteBatch(rows=rows))
    await stores.memory.write(WriteBatch(rows=tuple(thought(str(place)) for place in range(259))))
    assert await stores.torn.torn() == ["o:259"]


async def test_what_was_taken_back_was_never_there_and_may_come_in_again(stores: Stores) -> None:
    cut = on(observation("cut"), "t:never")
    await stores.memory.write(WriteBatch(rows=(cut, observation("stays")), vectors=(vector("o:cut"),)))
    await stores.torn.take_back({"o:cut": cut.revision})
    assert set(await stores.memory.fetch(["o:cut", "o:stays"])) == {"o:stays"}
    assert (await stores.ledger.buried(["o:cut"]), await stores.torn.torn()) == (set(), [])
    assert [each.row_id for each in await stores.memory.changes(0, 9)] == ["o:stays"]
    assert ((await stores.memory.status()).vectors, await stores.maintenance.verify()) == (0, [])
    await stores.memory.write(WriteBatch(rows=(thought("never"), cut), vectors=(vector("o:cut"),)))
    assert (set(await stores.memory.fetch(["o:cut"])), await stores.torn.torn()) == ({"o:cut"}, [])


async def test_nothing_is_taken_back_where_one_of_the_rows_was_changed_meanwhile(stores: Stores) -> None:
    rows = (on(observation("a"), "t:never"), on(observation("b"), "t:never"))
    await stores.memory.write(WriteBatch(rows=rows))
    for wrong in ({"o:a": 1, "o:b": 2}, {"o:a": 1, "o:unknown": 1}):
        with pytest.raises(InvalidParams, match="look again"):
            await stores.torn.take_back(wrong)
    assert await stores.torn.torn() == ["o:a", "o:b"]
    await stores.torn.take_back({})
    assert await stores.torn.torn() == ["o:a", "o:b"]

"""What `RestingRows` promises, held against every store."""

import pytest

from store_values import Stores, entity, observation, relation, span_of, thought
from voice.core.records import RowStatus
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("ruling:F.7c")
BOTH = (*span_of("t:1"), *span_of("t:2"))


async def test_what_rests_on_thoughts_comes_by_id_whatever_its_place_in_life(stores: Stores) -> None:
    rows = (
        thought("1"),
        thought("2"),
        thought("sum", is_summary=True, summary_of=("t:1",)),
        entity("1", provenance=span_of("t:1")),
        observation("1", provenance=BOTH, status=RowStatus.SUPERSEDED),
        observation("2", provenance=span_of("t:2")),
        relation("1", "e:1", "e:2", provenance=span_of("t:1"), status=RowStatus.REMOVAL),
        entity("2"),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert [row.id for row in await stores.removed.resting_on(["t:1", "no id"])] == ["e:1", "o:1", "r:1", "t:sum"]
    assert [row.id for row in await stores.removed.resting_on(["t:2"])] == ["o:1", "o:2"]
    assert await stores.removed.resting_on(["t:sum"]) == await stores.removed.resting_on([]) == []


async def test_what_names_entities_comes_by_id_whatever_its_place_in_life(stores: Stores) -> None:
    rows = (
        entity("1"),
        entity("2"),
        observation("1", entity_ids=("e:2", "e:1")),
        observation("2", entity_ids=("e:1",), status=RowStatus.REMOVAL),
        relation("1", "e:1", "e:3"),
        relation("2", "e:3", "e:1", status=RowStatus.SUPERSEDED),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert [row.id for row in await stores.removed.naming(["e:1"])] == ["o:1", "o:2", "r:1", "r:2"]
    assert [row.id for row in await stores.removed.naming(["e:2", "no id"])] == ["o:1"]
    assert await stores.removed.naming([]) == []

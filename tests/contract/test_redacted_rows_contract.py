"""What `RedactedRows` promises, held against every store."""

from dataclasses import replace
from datetime import timedelta

from store_values import NOON, Stores, entity, observation, relation, thought
from voice.core.records import RowStatus
from voice.ports.stores import WriteBatch

REDACTED = RowStatus.REDACTED


async def test_redacted_rows_of_every_table_come_newest_first_and_nothing_else_does(stores: Stores) -> None:
    later = NOON + timedelta(days=1)
    rows = (
        thought("b", status=REDACTED, created_at=NOON),
        thought("a", status=REDACTED, created_at=NOON),
        observation("1", status=REDACTED, created_at=later),
        entity("1", status=REDACTED, created_at=NOON),
        relation("1", "e:1", "e:2", status=REDACTED, created_at=NOON - timedelta(days=1)),
        thought("live", created_at=NOON),
        thought("marked", created_at=NOON, status=RowStatus.REMOVAL),
        observation("old", created_at=NOON, status=RowStatus.SUPERSEDED),
    )
    await stores.memory.write(WriteBatch(rows=rows))
    assert [row.id for row in await stores.ledger.redacted()] == ["o:1", "e:1", "t:a", "t:b", "r:1"]


async def test_a_row_counts_as_it_now_stands(stores: Stores) -> None:
    assert await stores.ledger.redacted() == []
    await stores.memory.write(WriteBatch(rows=(thought("1", created_at=NOON),)))
    stored = (await stores.memory.fetch(["t:1"]))["t:1"]
    await stores.memory.write(WriteBatch(rows=(replace(stored, status=REDACTED, revision=2),)))
    (row,) = await stores.ledger.redacted()
    assert (row.id, row.status, row.revision) == ("t:1", REDACTED, 2)

"""The sums of what was spent follow the turns: from older schemas, through backups, and at the price of nothing."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from store_values import NOON, exchange, talk
from stores_in_memory import store_in_memory
from tables import tables
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.schema import migrate, shipped
from voice.adapters.surreal.stores.session_codec import encode_exchange
from voice.adapters.surreal.stores.spending import SurrealSpendStore, count_what_was_spent
from voice.adapters.surreal.writer import Writer
from voice.core.session.budgets import AmountSpent

TABLES = tables(__file__)

BEFORE_SUMS = [step.name for step in shipped()].index("009_spending")


@pytest.mark.requirement("spending:caps", "ruling:B7")
async def test_the_turns_of_an_older_store_are_counted_when_it_is_opened(connection: Connection) -> None:
    await migrate(connection, shipped()[:BEFORE_SUMS])
    old = [exchange(index=at, id=f"x:{at}", cost_estimate=Decimal("0.01")) for at in range(3)]
    rows = [encode_exchange(each, at) for at, each in enumerate(old, start=1)]
    rows.append({**encode_exchange(exchange("s:2", id="x:damaged"), 4), "body": b"no body at all"})
    await connection.run("write", "INSERT INTO exchanges $rows RETURN NONE", {"rows": rows})
    await migrate(connection, shipped())
    for _ in range(2):
        await count_what_was_spent(connection, Writer(connection))
    assert await SurrealSpendStore(connection, Writer(connection)).spent_between(NOON, NOON) == AmountSpent(
        known=Decimal("0.03"), unknown=1
    )


@pytest.mark.requirement("spending:caps", "ruling:H.2a")
async def test_a_restored_store_knows_what_was_spent(tmp_path: Path) -> None:
    backup = str(tmp_path / "backup.jsonl")
    stores = await store_in_memory()
    await talk(stores.sessions, [exchange(index=at, timestamp=NOON + at * timedelta(days=20)) for at in range(3)])
    spent = await stores.spending.spent_between(NOON, NOON + timedelta(days=60))
    await stores.maintenance.backup(backup)
    fresh = await store_in_memory()
    await fresh.maintenance.restore(backup)
    assert await fresh.spending.spent_between(NOON, NOON + timedelta(days=60)) == spent
    assert await fresh.spending.spent_in("s:1") == spent
    assert spent == AmountSpent(known=Decimal("0.000369"))


@pytest.mark.requirement("spending:recounted")
@pytest.mark.parametrize(("damage", "told"), TABLES["a_sum_that_is_not_that_of_its_turns_is_told_and_put_right"])
async def test_a_sum_that_is_not_that_of_its_turns_is_told_and_put_right(damage: str, told: str) -> None:
    stores = await store_in_memory()
    await talk(stores.sessions, [exchange(), exchange(index=1), exchange(index=2, cost_estimate=Decimal(0))])
    assert await stores.maintenance.recount() == []
    await stores.connection.run("damage", f"{damage} RETURN NONE")
    found = await stores.maintenance.recount()
    assert [told in sentence for sentence in found] == [True]
    assert await stores.maintenance.recount(mend=True) == found, "looking alone puts nothing right"
    assert await stores.maintenance.recount() == []
    assert await stores.spending.spent_in("s:1") == AmountSpent(known=Decimal("0.000246"))
    assert await stores.spending.spent_between(NOON, NOON) == AmountSpent(known=Decimal("0.000246"))

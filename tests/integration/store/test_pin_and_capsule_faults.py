"""What `verify` says of pins and capsules that are not what was written."""

from collections.abc import Mapping

import pytest

from recall_values import capsule, pin, summary
from voice.adapters.surreal.connection import record
from voice.adapters.surreal.database import SurrealStores
from voice.core.errors import StoreDamaged


@pytest.fixture
async def stores(empty: SurrealStores) -> SurrealStores:
    """A store with one pin and one capsule."""
    await empty.pins.save_pin(pin())
    await empty.capsules.save_capsule(capsule(summary=summary()), expected=0)
    return empty


async def damage(stores: SurrealStores, steps: str, params: Mapping[str, object]) -> list[str]:
    await stores.connection.run("damage it", steps, params)
    return await stores.maintenance.verify()


async def test_a_pin_that_ends_before_it_was_made_is_a_fault(stores: SurrealStores) -> None:
    changed = "UPDATE $id SET expires_at = d'2001-01-01T00:00:00Z'"
    (fault,) = await damage(stores, changed, {"id": record("pins", "p:1")})
    assert fault.startswith("p:1 cannot be read")
    with pytest.raises(StoreDamaged):
        await stores.pins.pins()


async def test_two_pins_of_one_target_and_scope_are_a_fault(stores: SurrealStores) -> None:
    doubled = "CREATE $id SET seq = 1, target_id = 't:1', reason = 'x', is_private = false,"
    doubled += " created_at = d'2025-03-01T00:00:00Z'"
    first, second = await damage(stores, doubled, {"id": record("pins", "p:2")})
    assert (first, second) == (
        "p:2: its number 1 also belongs to p:1",
        "p:2: its target has the pin p:1 in the same scope",
    )


@pytest.mark.parametrize("change", ["status = 'closed'", "summary = 'no JSON'", "closed_at = d'2026-01-01T00:00:00Z'"])
async def test_a_capsule_that_contradicts_itself_is_a_fault(stores: SurrealStores, change: str) -> None:
    (fault,) = await damage(stores, f"UPDATE $id SET {change}", {"id": record("capsules", "c:1")})
    assert fault.startswith("c:1 cannot be read")
    with pytest.raises(StoreDamaged):
        await stores.capsules.capsule("c:1")


async def test_a_capsule_with_anothers_summary_is_a_fault(stores: SurrealStores) -> None:
    renamed = "UPDATE $id SET summary = string::replace(summary, 'm:c:1', 'm:c:2')"
    assert await damage(stores, renamed, {"id": record("capsules", "c:1")}) == ["c:1: its summary is another capsule's"]


async def test_a_number_that_was_never_given_out_is_a_fault(stores: SurrealStores) -> None:
    (fault,) = await damage(stores, "UPDATE $id SET seq = 99", {"id": record("capsules", "c:1")})
    assert fault.startswith("c:1: its number 99")

"""Pins, capsules and what is in them are found by an index, not by reading the table."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from recall_values import capsule, pin
from store_values import NOON, thought
from voice.adapters.surreal import SurrealStores, open_store, recall_store
from voice.adapters.surreal.connection import Params
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.anyio


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncGenerator[SurrealStores]:
    """A store with a pin, a capsule and a thought."""
    async with await open_store("mem://", home=tmp_path) as opened:
        await opened.memory.write(WriteBatch(rows=(thought(thread="c:1"),)))
        await opened.pins.save_pin(pin())
        await opened.capsules.save_capsule(capsule(), expected=0)
        yield opened


@pytest.mark.requirement("s4:performance:indexes")
@pytest.mark.parametrize(
    ("text", "params", "index"),
    [
        (recall_store.ACTIVE_PINS, {"at": NOON, "limit": 9, "start": 0}, "pins_expires_at"),
        (recall_store.PINS_OF, {"targets": ["t:1"]}, "pins_target"),
        (recall_store.CAPSULES_IN, {"status": "open", "limit": 9}, "capsules_status"),
        (recall_store.THOUGHTS, {"thread": "c:1", "limit": 9}, "thoughts_thread"),
    ],
)
async def test_a_lookup_goes_through_its_index(stores: SurrealStores, text: str, params: Params, index: str) -> None:
    plan = json.dumps(await stores.connection.run("explain", f"{text} EXPLAIN", params), default=str)
    assert index in plan
    assert "TableScan" not in plan

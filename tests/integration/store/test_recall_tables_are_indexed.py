"""Pins, capsules and what is in them are found by an index, not by reading the table."""

import json

import pytest

from recall_values import capsule, pin
from store_values import NOON, thought
from voice.adapters.surreal.connection import Params
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.stores import recall
from voice.core.records import Scope
from voice.ports.recall_stores import CapsuleFilter
from voice.ports.stores import WriteBatch


@pytest.fixture
async def stores(empty: SurrealStores) -> SurrealStores:
    """A store with a pin, a capsule and a thought."""
    await empty.memory.write(WriteBatch(rows=(thought(thread="c:1"),)))
    await empty.pins.save_pin(pin())
    await empty.capsules.save_capsule(capsule(), expected=0)
    return empty


def _bound(query: tuple[str, Params]) -> tuple[str, Params]:
    text, params = query
    return text, {**params, "limit": 9}


@pytest.mark.requirement("s4:performance:indexes")
@pytest.mark.parametrize(
    ("text", "params", "index"),
    [
        (recall.ACTIVE_PINS, {"at": NOON, "limit": 9, "start": 0}, "pins_expires_at"),
        (recall.PINS_OF, {"ids": ["t:1"]}, "pins_target"),
        (*_bound(recall.capsules_query(CapsuleFilter(status="open"))), "capsules_status"),
        (*_bound(recall.capsules_query(CapsuleFilter(scope=Scope(repo_id="/a")))), "capsules_repo"),
        (
            *_bound(recall.capsules_query(CapsuleFilter(scope=Scope(session_id="s"), has_summary=True))),
            "capsules_session",
        ),
        (*_bound(recall.thoughts_query(capsule())), "thoughts_thread"),
        (*_bound(recall.private_query(capsule(scope=Scope(repo_id="/a")))), "thoughts_thread"),
    ],
)
async def test_a_lookup_goes_through_its_index(stores: SurrealStores, text: str, params: Params, index: str) -> None:
    plan = json.dumps(await stores.connection.run("explain", f"{text} EXPLAIN", params), default=str)
    assert index in plan
    assert "TableScan" not in plan

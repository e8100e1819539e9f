"""Every method of every store, while another program fills it from a backup: nothing that writes gets through."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from inspect import getmembers, iscoroutinefunction
from pathlib import Path
from typing import cast

import pytest

from candidate_values import person
from recall_values import capsule, pin
from served_stores import IN_MEMORY, open_stores
from store_values import NOON, exchange, session, thought, tombstone
from tables import tables
from voice.adapters.surreal.connection import META, BeingRestored, Connection
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.opening import require_key
from voice.core.errors import StoreError
from voice.core.graph.conflicts.pairs import ConflictRecord, ConflictState, Place
from voice.core.graph.entities.merge import Merge
from voice.core.records import Origin, RowStatus
from voice.core.session.budgets import AmountSpent, OpenCall
from voice.core.session.lifecycle import append
from voice.core.session.turn_traces import redact, sessionless_turn, with_link
from voice.core.session.values import Attempt, DialogueExchange
from voice.core.usage import Usage
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("holder:restore")
KEY = b"k" * 32
WORST = AmountSpent(at_worst=Decimal("0.25"))
CALL = OpenCall(id="x:1", session_id="s:1", model="vendor/paid", began_at=NOON, worst=WORST)
PAID = Attempt(usage=Usage(), latency_ms=1, outcome="error", worst=Decimal("0.25"))
TURN = with_link(replace(exchange(), refused=False, status="answered"), after="", key=KEY)
LATER = exchange("s:2")
CONFLICT = ConflictRecord(
    id="d:1",
    one=Place(row_id="r:1"),
    other=Place(row_id="r:2"),
    difference="edge",
    is_change=False,
    state=ConflictState.WAITING,
    at=NOON,
    by=Origin.HUMAN,
)

REFUSED: Mapping[str, Callable[[SurrealStores, Path], Awaitable[object]]] = {
    "candidates.save": lambda stores, _: stores.candidates.save([person("Grace")]),
    "capsules.save_capsule": lambda stores, _: stores.capsules.save_capsule(capsule(), expected=0),
    "conflicts.remove": lambda stores, _: stores.conflicts.remove(["d:1"]),
    "conflicts.save": lambda stores, _: stores.conflicts.save([replace(CONFLICT, id="d:2")]),
    "maintenance.backup": lambda stores, home: stores.maintenance.backup(str(home / "half.backup")),
    "maintenance.recount": lambda stores, _: stores.maintenance.recount(mend=True),
    "maintenance.restore": lambda stores, home: stores.maintenance.restore(str(home / "made.backup")),
    "maintenance.verify": lambda stores, _: stores.maintenance.verify(),
    "memory.changes": lambda stores, _: stores.memory.changes(0, 10),
    "memory.write": lambda stores, _: stores.memory.write(WriteBatch(rows=(thought("theirs"),))),
    "merges.record": lambda stores, _: stores.merges.record(_merge(), rows=WriteBatch()),
    "metrics.record": lambda stores, _: stores.metrics.record("turn", NOON, {"tokens": 7}),
    "pins.remove_pin": lambda stores, _: stores.pins.remove_pin("p:1"),
    "pins.save_pin": lambda stores, _: stores.pins.save_pin(pin("2", "t:2")),
    "removal.delete": lambda stores, _: stores.removal.delete({"s:1": 1}),
    "removed.bring_back": lambda stores, _: stores.removed.bring_back([thought("back")], []),
    "removed.finalise": lambda stores, _: stores.removed.finalise([tombstone("t:gone")], {"t:gone": 1}),
    "sessions.save": lambda stores, _: stores.sessions.save(append(session("s:2"), LATER), [LATER], expected=0),
    "spending.begin": lambda stores, _: stores.spending.begin(replace(CALL, id="x:2")),
    "spending.keep": lambda stores, _: stores.spending.keep(_alone()),
    "torn.take_back": lambda stores, _: stores.torn.take_back({"t:1": 1}),
    "words.take_away": lambda stores, _: stores.words.take_away([redact(TURN, key=KEY)]),
}
"""What writes, and what follows, keeps or checks the store, which is not whole."""
ALLOWED: Mapping[str, str] = {
    "spending.settle": "it takes away what was on record of a call before, which cost nothing and would count for ever"
}
READING: Mapping[str, tuple[str, ...]] = tables(__file__)["reading"]
"""What only reads, by its store."""


def _merge() -> Merge:
    return Merge(id="m:1", kept="e:1", absorbed="e:2", past="e:3", at=NOON, by=Origin.HUMAN)


def _alone() -> DialogueExchange:
    return sessionless_turn(exchange("s:3", attempts=(PAID,)), session_id="s:alone")


@pytest.fixture
async def stores(empty: SurrealStores, tmp_path: Path) -> SurrealStores:
    """A store that holds something of everything, and is being restored into."""
    await empty.memory.write(WriteBatch(rows=(thought(), thought("gone", status=RowStatus.REMOVAL))))
    await empty.candidates.save([person()])
    await empty.conflicts.save([CONFLICT])
    await empty.pins.save_pin(pin())
    await empty.sessions.save(append(session(), TURN), [TURN], expected=0)
    await empty.spending.begin(CALL)
    await empty.maintenance.backup(str(tmp_path / "made.backup"))
    await empty.connection.run("miscount", "DELETE spending RETURN NONE")
    await empty.connection.run("begin to restore", "UPDATE $meta SET restoring = true RETURN NONE", {"meta": META})
    return empty


async def _ids(connection: Connection) -> dict[str, object]:
    told = cast("Mapping[str, Mapping[str, str]]", await connection.run("list tables", "INFO FOR DB"))
    found: dict[str, object] = {}
    for table in sorted(told["tables"]):
        text, asked = "SELECT VALUE id FROM type::table($table)", {"table": table}
        found[table] = sorted(map(str, cast("list[object]", await connection.run("look", text, asked))))
    found["seq"] = await connection.run("look", "SELECT VALUE seq FROM $meta", {"meta": META})
    return found


async def test_every_method_of_every_store_is_looked_at(tmp_path: Path) -> None:
    names = [name for name, made in vars(SurrealStores).items() if isinstance(made, cached_property) and name[0] != "_"]
    async with await open_stores(IN_MEMORY, tmp_path) as opened:
        methods = {
            f"{store}.{name}"
            for store in names
            for name, _ in getmembers(cast("object", getattr(opened, store)), iscoroutinefunction)
            if not name.startswith("_")
        }
    reading = {f"{store}.{name}" for store, methods in READING.items() for name in methods}
    assert methods == {*REFUSED, *ALLOWED, *reading}


@pytest.mark.requirement("spending:restoring")
async def test_what_writes_is_refused_while_the_store_is_restored_into(stores: SurrealStores, tmp_path: Path) -> None:
    before, met = await _ids(stores.connection), dict.fromkeys(REFUSED, "nothing")
    for name, act in REFUSED.items():
        try:
            await act(stores, tmp_path)
        except StoreError as error:
            met[name] = type(error).__name__
    assert met == dict.fromkeys(REFUSED, BeingRestored.__name__)
    assert await _ids(stores.connection) == before


async def test_a_store_that_is_restored_into_remembers_no_key_of_others(stores: SurrealStores, tmp_path: Path) -> None:
    with pytest.raises(BeingRestored):
        await require_key(stores.connection, "a check", home=tmp_path)

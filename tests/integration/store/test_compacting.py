"""Compacting gives space back, changes nothing, and is safe wherever it is killed."""

import os
import re
import shutil
from pathlib import Path
from typing import cast

import pytest
from bench.crash_worker import batch, batch_ids, work

from store_values import NOON, full_rows, observation, span_of, thought, tombstone, vector
from tables import tables
from voice.adapters.surreal.compaction import INSERT_WITH_DECIMALS, READ_WITH_DECIMALS, compact_store
from voice.adapters.surreal.connection import Params
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.location import copy_path, exclusive_swap, swap_paths
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.schema import shipped
from voice.core.errors import ConfigurationError, StoreDamaged, StoreError, StoreHeld, StoreUnavailable
from voice.core.records import Thought
from voice.ports.removal import CompactionReport
from voice.ports.stores import WriteBatch

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("forget:compact")
CANARY = b"zebra4711"


async def compacted(store: Path) -> CompactionReport:
    return await compact_store(store, home=store.parent, namespace="voice", database="memory")


async def filled(store: Path) -> None:
    """Write a store with rows of every kind, turns with costs, and a row that is removed again."""
    await work(store, writes=2, close=True, say=lambda _: None)
    async with await open_store(store, home=store.parent) as stores:
        rows = full_rows()
        await stores.memory.write(WriteBatch(rows=rows, vectors=tuple(vector(row.id) for row in rows)))
        await stores.memory.write(WriteBatch(rows=(thought("secret", f"It is {CANARY.decode()}."),)))
        await stores.memory.write(WriteBatch(tombstones=(tombstone("t:secret"),)))
        await stores.metrics.record("turn", NOON, {"latency_ms": 3})


def holds(place: Path, needle: bytes) -> bool:
    return any(needle in path.read_bytes() for path in place.rglob("*") if path.is_file())


async def test_what_is_live_is_the_same_and_what_was_removed_is_no_more_on_the_disk(tmp_path: Path) -> None:
    store = tmp_path / "memory"
    await filled(store)
    assert holds(tmp_path, CANARY)
    async with await open_store(store, home=tmp_path) as stores:
        before = (await stores.memory.changes(0, 1000), await stores.memory.status(), await stores.sessions.exchanges())
    report = await compacted(store)
    assert not holds(tmp_path, CANARY)
    assert [each.name for each in tmp_path.iterdir()] == ["memory"]
    assert report.records > 30
    assert (report.bytes_before, report.bytes_after) > (0, 0)
    assert store.stat().st_mode & 0o777 == 0o700
    async with await open_store(store, home=tmp_path) as stores:
        after = (await stores.memory.changes(0, 1000), await stores.memory.status(), await stores.sessions.exchanges())
        assert after == before
        assert await stores.metrics.count("turn") == 1
        assert (await stores.maintenance.verify(), await stores.maintenance.recount()) == ([], [])
        await stores.memory.write(batch(7))
    assert (await compacted(store)).records > report.records


@pytest.mark.parametrize(("left", "is_new"), TABLES["whatever_a_kill_left_behind_the_store_is_whole"])
async def test_whatever_a_kill_left_behind_the_store_is_whole(
    tmp_path: Path, left: tuple[str, ...], *, is_new: bool
) -> None:
    made, other = tmp_path / "made", tmp_path / "other"
    for place, number in ((made, 0), (other, 1)):
        async with await open_store(place, home=tmp_path) as stores:
            await stores.memory.write(batch(number))
    home = tmp_path / "home"
    home.mkdir()
    shutil.copytree(made, home / left[0])
    if left[-1] == "memory.compacting":
        (home / left[-1]).touch()
    elif len(left) > 1:
        shutil.copytree(other, home / left[1])
    async with await open_store(home / "memory", home=home) as stores:
        assert len(await stores.memory.fetch(batch_ids(int(is_new)))) == len(batch_ids(0))
        assert await stores.maintenance.verify() == []
    assert [each.name for each in home.iterdir()] == ["memory"]


async def test_nobody_else_opens_it_meanwhile_and_an_open_store_is_not_compacted(tmp_path: Path) -> None:
    store = tmp_path / "memory"
    async with await open_store(store, home=tmp_path):
        with pytest.raises(StoreHeld, match="already has the store"):
            await compacted(store)
    with exclusive_swap(store):
        with pytest.raises(StoreHeld, match="is compacting the store"):
            await open_store(store, home=tmp_path)
        with pytest.raises(StoreHeld, match="is compacting the store"):
            await compacted(store)
    assert [each.name for each in tmp_path.iterdir()] == ["memory"]
    await compacted(store)


async def test_only_a_store_on_this_disk_is_compacted(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="on this disk"):
        await compact_store("ws://localhost:1", home=tmp_path, namespace="voice", database="memory")


async def test_a_place_without_a_store_is_not_made_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not hold a store"):
        await compacted(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreUnavailable):
        await compacted(tmp_path / "nowhere" / "memory")


async def test_a_store_that_is_at_fault_stays_as_it_is(tmp_path: Path) -> None:
    store = tmp_path / "memory"
    async with await open_store(store, home=tmp_path) as stores:
        await stores.memory.write(batch(0))
        await stores.connection.run("break it", "DELETE thoughts RETURN NONE")
    with pytest.raises(StoreDamaged, match="voice maintain verify"):
        await compacted(store)
    async with await open_store(store, home=tmp_path) as stores:
        assert await stores.maintenance.verify() != []
        await stores.connection.run("begin to restore", "UPDATE meta SET restoring = true RETURN NONE")
    with pytest.raises(StoreDamaged, match="did not finish"):
        await compacted(store)
    assert not any(os.path.lexists(each) for each in swap_paths(store))


async def test_a_table_that_is_not_ours_is_no_reason_to_lose_it(tmp_path: Path) -> None:
    store = tmp_path / "memory"
    async with await open_store(store, home=tmp_path) as stores:
        await stores.connection.run("make one", "DEFINE TABLE extra SCHEMALESS")
    with pytest.raises(StoreError, match="voice did not make"):
        await compacted(store)
    assert not copy_path(store).exists()


@pytest.mark.parametrize("kept", [1, 1000])
async def test_a_copy_that_differs_never_takes_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    store = tmp_path / "memory"
    await filled(store)
    real = EmbeddedConnection.run

    async def altering(self: EmbeddedConnection, purpose: str, text: str, params: Params | None = None) -> object:
        """Write every thought but for one word of it, or only some of them."""
        if purpose == "copy thoughts" and params is not None:
            rows = cast("list[dict[str, object]]", params["rows"])
            params = {"rows": [{**each, "kind": "lost"} for each in rows[:kept]]}
        return await real(self, purpose, text, params)

    monkeypatch.setattr(EmbeddedConnection, "run", altering)
    with pytest.raises(StoreUnavailable, match="copy of thoughts"):
        await compacted(store)
    async with await open_store(store, home=tmp_path) as stores:
        assert await stores.maintenance.verify() == []
        assert {type(row) for row in (await stores.memory.fetch(["t:full"])).values()} == {Thought}


async def test_rows_with_a_list_of_sources_are_copied_once_and_those_without_are_copied_too(tmp_path: Path) -> None:
    store = tmp_path / "memory"
    rows = tuple(
        observation(f"{number:04}", f"text {number}", provenance=span_of("t:1") + span_of("t:2") if number % 3 else ())
        for number in range(1200)
    )
    async with await open_store(store, home=tmp_path) as stores:
        await stores.memory.write(WriteBatch(rows=rows))
    await compacted(store)
    async with await open_store(store, home=tmp_path) as stores:
        assert len(await stores.memory.changes(0, 5000)) == len(rows)


def test_every_decimal_of_the_schema_travels_as_a_text() -> None:
    found = re.findall(
        r"DEFINE FIELD (?:OVERWRITE )?(\w+) ON (?:TABLE )?(\w+) TYPE [^;]*decimal",
        "".join(each.text for each in shipped()),
    )
    assert len(found) > 2
    for column, table in found:
        assert f"<string>{column} AS {column}" in READ_WITH_DECIMALS[table]
        assert f"<decimal>{column} AS {column}" in INSERT_WITH_DECIMALS[table]

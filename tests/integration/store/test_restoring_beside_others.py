"""A store that is filled from a backup while other processes have it open: nothing else goes into it meanwhile."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from fake_holder import CARD, entered
from store_values import exchange, session, thought
from stores_watched import write
from voice.adapters.disk.backup_file import Entry, Header
from voice.adapters.surreal import backup as maintenance
from voice.adapters.surreal.backup import StoreRestore
from voice.adapters.surreal.connection import BeingRestored
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.opening import open_store
from voice.core.errors import InvalidParams, StoreDamaged, StoreError, StoreUnavailable
from voice.core.session.lifecycle import append
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("holder:restore")
URL = "surrealkv://memory"
COUNT = 600
"""Rows of the backup: several statements' worth."""


@pytest.fixture
async def backup(tmp_path: Path) -> str:
    async with await open_store(URL, home=tmp_path / "from") as stores:
        await stores.memory.write(WriteBatch(rows=tuple(thought(f"b{number:04}") for number in range(COUNT))))
        path = str(tmp_path / "made.backup")
        await stores.maintenance.backup(path)
        return path


@pytest.fixture
async def other(tmp_path: Path) -> AsyncGenerator[SurrealStores]:
    """Another process on the store that is restored into; it holds it."""
    async with await open_store(URL, home=tmp_path) as stores:
        yield stores


async def test_nothing_is_written_into_a_store_that_another_process_restores_into(
    tmp_path: Path, other: SurrealStores, backup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[str] = []

    class Meddled(StoreRestore):
        async def add(self, entries: Sequence[Entry]) -> None:
            turn = exchange()
            for act in (
                write(other, "meddled"),
                other.sessions.save(append(session(), turn), [turn], expected=0),
                other.maintenance.recount(mend=True),
                other.memory.changes(0, 10),
                other.maintenance.restore(backup),
            ):
                try:
                    await act
                except BeingRestored as error:
                    refused.append(error.code)
                except StoreError as error:
                    refused.append(f"{error.code}, {error.message}")
            await super().add(entries)

    monkeypatch.setattr(maintenance, "StoreRestore", Meddled)
    async with await open_store(URL, home=tmp_path) as restoring:
        await restoring.maintenance.restore(backup)
        assert refused
        assert set(refused) == {"store_unavailable"}
        assert await write(other, "after") == COUNT + 1
        assert await restoring.maintenance.verify() == []
        assert len(await other.memory.changes(0, 10_000)) == COUNT + 1


async def test_what_another_process_wrote_a_moment_before_is_not_restored_over(
    tmp_path: Path, other: SurrealStores, backup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = StoreRestore.begin

    async def late(filling: StoreRestore, *asked: int) -> None:
        await write(other, "theirs")
        await begin(filling, *asked)

    monkeypatch.setattr(StoreRestore, "begin", late)
    async with await open_store(URL, home=tmp_path) as restoring:
        with pytest.raises(InvalidParams, match="not empty"):
            await restoring.maintenance.restore(backup)
    assert set(await other.memory.fetch(["t:theirs", "t:b0000"])) == {"t:theirs"}
    assert await write(other, "more") == 2


async def test_a_tombstone_that_came_a_moment_before_is_not_moved_unseen(
    tmp_path: Path, other: SurrealStores, backup: str
) -> None:
    async with await open_store(URL, home=tmp_path) as restoring:
        filling = StoreRestore(restoring.connection, Header(store_id="s", last_seq=3, schema=(), counts={}))
        with pytest.raises(StoreUnavailable, match="another process"):
            await filling.begin(7)
    assert await write(other, "theirs") == 1


async def test_a_store_whose_restore_was_broken_off_is_written_by_nobody(
    tmp_path: Path, other: SurrealStores, backup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(filling: StoreRestore) -> None:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(StoreRestore, "end", broken)
    async with await open_store(URL, home=tmp_path) as restoring:
        with pytest.raises(StoreUnavailable, match="full"):
            await restoring.maintenance.restore(backup)
    with pytest.raises(BeingRestored, match="delete the store"):
        await write(other, "theirs")
    with pytest.raises(StoreDamaged):
        await open_store(URL, home=tmp_path)
    async with entered(tmp_path, card=CARD) as looking:
        assert await looking.run("look", "SELECT VALUE id FROM thoughts WHERE id = thoughts:theirs") == []

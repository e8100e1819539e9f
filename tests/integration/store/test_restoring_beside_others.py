"""A store that is filled from a backup while other processes have it open: nothing else goes into it meanwhile.

The end of a restore whose answer is lost: the store is finished all the same, and nobody's number is given twice.
"""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from fake_holder import CARD, entered
from store_bridge import PASSWORD, USER, Bridge, Fault, bridge
from store_values import exchange, session, thought
from voice.adapters.disk.backup_file import Entry, Header
from voice.adapters.surreal import backup as maintenance
from voice.adapters.surreal.backup import StoreRestore
from voice.adapters.surreal.connection import BeingRestored, Params
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.schema import migrate, shipped
from voice.adapters.surreal.sharing.shared_connection import SharedConnection
from voice.adapters.surreal.stores.rows import SurrealMemoryStore
from voice.adapters.surreal.writer import Writer
from voice.core.errors import OutcomeUnknown, StoreDamaged, StoreError, StoreUnavailable
from voice.core.session.lifecycle import append
from voice.ports.stores import WriteBatch

URL = "surrealkv://memory"
COUNT = 1_200
"""Rows of the backup: several statements' worth."""


async def _write(stores: SurrealStores, key: str) -> int:
    return await stores.memory.write(WriteBatch(rows=(thought(key),)))


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


@pytest.mark.requirement("holder:restore")
async def test_nothing_is_written_into_a_store_that_another_process_restores_into(
    tmp_path: Path, other: SurrealStores, backup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[str] = []

    class Meddled(StoreRestore):
        async def add(self, entries: Sequence[Entry]) -> None:
            turn = exchange()
            for act in (
                _write(other, "meddled"),
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
        assert await _write(other, "after") == COUNT + 1
        assert await restoring.maintenance.verify() == []
        assert len(await other.memory.changes(0, 10_000)) == COUNT + 1


@pytest.mark.requirement("holder:restore")
async def test_what_another_process_wrote_a_moment_before_is_not_restored_over(
    tmp_path: Path, other: SurrealStores, backup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = StoreRestore.begin

    async def late(filling: StoreRestore, *asked: int) -> None:
        await _write(other, "theirs")
        await begin(filling, *asked)

    monkeypatch.setattr(StoreRestore, "begin", late)
    async with await open_store(URL, home=tmp_path) as restoring:
        with pytest.raises(StoreError, match="not empty"):
            await restoring.maintenance.restore(backup)
    assert set(await other.memory.fetch(["t:theirs", "t:b0000"])) == {"t:theirs"}
    assert await _write(other, "more") == 2


@pytest.mark.requirement("holder:restore")
async def test_a_tombstone_that_came_a_moment_before_is_not_moved_unseen(
    tmp_path: Path, other: SurrealStores, backup: str
) -> None:
    async with await open_store(URL, home=tmp_path) as restoring:
        filling = StoreRestore(restoring.connection, _header())
        with pytest.raises(StoreUnavailable, match="another process"):
            await filling.begin(7)
    assert await _write(other, "theirs") == 1


def _header() -> Header:
    return Header(store_id="s", last_seq=3, schema=(), counts={})


@pytest.mark.requirement("holder:restore", "holder:hands-over")
async def test_a_restore_goes_on_when_the_holder_ends_meanwhile(
    tmp_path: Path, other: SurrealStores, backup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = StoreRestore.begin

    async def then_alone(filling: StoreRestore, *asked: int) -> None:
        await begin(filling, *asked)
        await other.aclose()

    monkeypatch.setattr(StoreRestore, "begin", then_alone)
    async with await open_store(URL, home=tmp_path) as restoring:
        await restoring.maintenance.restore(backup)
        assert await restoring.maintenance.verify() == []
        assert isinstance(restoring.connection, SharedConnection)
        assert restoring.connection.holds
        assert await _write(restoring, "after") == COUNT + 1


@pytest.mark.requirement("holder:restore")
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
        await _write(other, "theirs")
    with pytest.raises(StoreDamaged):
        await open_store(URL, home=tmp_path)
    async with entered(tmp_path, card=CARD) as looking:
        assert await looking.run("look", "SELECT VALUE id FROM thoughts WHERE id = thoughts:theirs") == []


_END = "restoring = NONE"
"""Stands in the statement that ends a restore."""


@pytest.fixture
async def server(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with bridge(f"surrealkv://{tmp_path / 'served'}") as running:
        yield running


@pytest.fixture
async def backup_of_doubt(tmp_path: Path) -> str:
    path = str(tmp_path / "made.backup")
    async with await open_store("mem://", home=tmp_path) as stores:
        await stores.memory.write(WriteBatch(rows=(thought("1"), thought("2"))))
        await stores.maintenance.backup(path)
    return path


async def _open(server: Bridge, home: Path) -> SurrealStores:
    return await open_store(server.url, home=home, username=USER, password=PASSWORD)


@pytest.mark.requirement("holder:restore-ends")
@pytest.mark.parametrize(
    "fault", [Fault.NOT_CARRIED_OUT, Fault.ANSWER_LOST, Fault.HALF_A_FRAME, Fault.GARBAGE, Fault.REFUSED]
)
async def test_a_restore_whose_last_answer_is_lost_is_whole(
    server: Bridge, tmp_path: Path, backup_of_doubt: str, fault: Fault
) -> None:
    async with await _open(server, tmp_path) as stores:
        server.fail(fault, at=_END, times=2)
        assert (await stores.maintenance.restore(backup_of_doubt)).rows == 2
        assert await stores.memory.write(WriteBatch(rows=(thought("3"),))) == 3
        assert await stores.maintenance.verify() == []
    async with await _open(server, tmp_path) as again:
        assert [change.row_id for change in await again.memory.changes(0, 9)] == ["t:1", "t:2", "t:3"]


class Late:
    """A connection that loses the answer to the end of a restore, after which somebody else is at work at once."""

    def __init__(self, inner: EmbeddedConnection) -> None:
        self._inner = inner
        self._store = SurrealMemoryStore(inner, Writer(inner))
        self.ends = 0

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        found = await self._inner.run(purpose, text, params)
        if purpose == "finish to restore":
            self.ends += 1
            if self.ends == 1:
                await self._store.write(WriteBatch(rows=(thought("theirs"),)))
                raise OutcomeUnknown("the store server did not answer in time")
        return found

    async def aclose(self) -> None:
        await self._inner.aclose()


@pytest.mark.requirement("holder:restore-ends")
async def test_ending_a_restore_again_takes_nobodys_number_back() -> None:
    inner = await EmbeddedConnection.open("mem://", namespace="n", database="d")
    await migrate(inner, shipped())
    late = Late(inner)
    filling = StoreRestore(late, Header(store_id="s", last_seq=7, schema=(), counts={}))
    await filling.begin(0)
    await filling.end()
    assert (late.ends, await Writer(inner).last_seq()) == (2, 8)
    assert await SurrealMemoryStore(inner, Writer(inner)).write(WriteBatch(rows=(thought("after"),))) == 9
    await inner.aclose()

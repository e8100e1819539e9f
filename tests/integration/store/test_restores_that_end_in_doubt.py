"""The end of a restore whose answer is lost: the store is finished all the same, and nobody's number is given twice."""

from pathlib import Path

import pytest

from store_bridge import PASSWORD, USER, Bridge, Fault
from store_values import thought
from voice.adapters.disk.backup_file import Header
from voice.adapters.surreal.backup import StoreRestore
from voice.adapters.surreal.connection import Params
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.schema import migrate, shipped
from voice.adapters.surreal.stores.rows import SurrealMemoryStore
from voice.adapters.surreal.writer import Writer
from voice.core.errors import OutcomeUnknown
from voice.ports.stores import WriteBatch

_END = "restoring = NONE"
"""Stands in the statement that ends a restore."""


@pytest.fixture
async def backup(tmp_path: Path) -> str:
    path = str(tmp_path / "made.backup")
    async with await open_store("mem://", home=tmp_path) as stores:
        await stores.memory.write(WriteBatch(rows=(thought("1"), thought("2"))))
        await stores.maintenance.backup(path)
    return path


async def _open(server: Bridge, home: Path) -> SurrealStores:
    return await open_store(server.url, home=home, username=USER, password=PASSWORD)


@pytest.mark.requirement("holder:restore-ends")
@pytest.mark.parametrize("fault", [Fault.NOT_CARRIED_OUT, Fault.ANSWER_LOST])
async def test_a_restore_whose_last_answer_is_lost_is_whole(
    server: Bridge, tmp_path: Path, backup: str, fault: Fault
) -> None:
    async with await _open(server, tmp_path) as stores:
        server.fail(fault, at=_END, times=2)
        assert (await stores.maintenance.restore(backup)).rows == 2
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

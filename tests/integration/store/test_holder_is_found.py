"""A holder is found whatever happens to the files beside its store, and gives its guests all it has."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from fake_holder import CARD, SMALL, entered
from store_values import exchange, talk, thought
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.sharing.holder import find_holder
from voice.adapters.surreal.sharing.shared_connection import SharedConnection
from voice.adapters.surreal.stores.reading import record_pages
from voice.adapters.surreal.stores.rows import SurrealMemoryStore
from voice.adapters.surreal.writer import Writer
from voice.ports.stores import WriteBatch

URL = "surrealkv://memory"


@pytest.mark.requirement("holder:reachable")
async def test_a_holder_whose_files_were_deleted_is_found_again_and_goes_on(tmp_path: Path) -> None:
    async with entered(tmp_path) as holder, entered(tmp_path) as guest:
        for name in ("memory.sock", "memory.holder"):
            (tmp_path / name).unlink()
        assert (await find_holder(tmp_path / "memory", CARD, wait_s=10)).state != "nobody"
        async with entered(tmp_path) as newcomer:
            assert not newcomer.holds
            await newcomer.run("define", "DEFINE TABLE things")
        assert await guest.run("look", "SELECT * FROM things") == []
        assert holder.holds
    assert [each.name for each in tmp_path.iterdir()] == ["memory"]


@pytest.mark.requirement("holder:bounded", "holder:one")
async def test_what_the_holder_reads_in_one_answer_a_guest_reads_in_several(tmp_path: Path) -> None:
    rows = [thought(f"{number:03}", "word " * 100) for number in range(100)]
    async with await open_store(URL, home=tmp_path) as stores:
        await stores.memory.write(WriteBatch(rows=tuple(rows)))
        await talk(stores.sessions, [exchange(index=number) for number in range(20)])
    async with entered(tmp_path, limits=replace(SMALL, longest_answer=15_000)) as holder:
        async with await open_store(URL, home=tmp_path) as guest:
            assert isinstance(guest.connection, SharedConnection)
            assert not guest.connection.holds
            theirs = await guest.memory.changes(0, 1000)
            assert sum([len(page) async for page in record_pages(guest.connection, "exchanges")]) == 20
        assert theirs == await SurrealMemoryStore(holder, Writer(holder)).changes(0, 1000)
        assert len([change for change in theirs if change.row is not None]) == 100


@pytest.mark.requirement("holder:reachable")
async def test_a_door_that_the_system_does_not_let_the_holder_open_is_taken_away_and_opened_again_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, refused = asyncio.start_unix_server, 0

    async def start(*given: object, **named: object) -> asyncio.Server:
        nonlocal refused
        refused += 1
        if refused < 3:
            raise OSError(28, "No space left on device")
        return await real(*given, **named)  # pyright: ignore[reportArgumentType, reportCallIssue]

    monkeypatch.setattr(asyncio, "start_unix_server", start)
    async with entered(tmp_path) as holder:
        async with asyncio.timeout(20):
            while refused < 3:  # noqa: ASYNC110 - the door is opened by another thread
                await asyncio.sleep(0.01)
        async with entered(tmp_path) as guest:
            assert not guest.holds
            assert await guest.run("look", "RETURN 1") == 1
        assert holder.holds

"""Opening and closing an embedded store: one holder, private files, clear words."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from played_turns import given, memory
from store_values import exchange, talk, thought, vector
from voice.adapters.surreal.connection import META
from voice.adapters.surreal.embedded_engine import Engine
from voice.adapters.surreal.opening import open_store
from voice.core.errors import ConfigurationError, SchemaDrift, StoreDamaged, StoreHeld, StoreUnavailable
from voice.core.settings.values import StoreSettings
from voice.ports.stores import WriteBatch

URL = "surrealkv://memory"

_HOLD_ALONE = """
import sys
from pathlib import Path
from surrealdb_embedded import SyncEmbeddedDB

engine = SyncEmbeddedDB(f"surrealkv://{Path(sys.argv[1]) / 'memory'}")
engine.connect()
print("open", flush=True)
sys.stdin.readline()
engine.close()
"""
"""A program that knows nothing of guests."""


@asynccontextmanager
async def _other_process(home: Path, program: str) -> AsyncGenerator[int]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"open\n"
    try:
        yield process.pid
    finally:
        await process.communicate(b"\n")


def _let_pass(directory: Path) -> None:
    """Find the store free, as it was a moment before the other process took it."""


def _modes(home: Path) -> set[str]:
    return {f"{'d' if path.is_dir() else 'f'} {path.stat().st_mode & 0o777:o}" for path in home.rglob("*")}


@pytest.mark.requirement("ruling:H.1")
async def test_a_stores_directory_and_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    home = tmp_path / "a home with spaces"
    before = os.umask(0o000)
    try:
        async with await open_store(URL, home=home) as stores:
            await stores.memory.write(WriteBatch(rows=(thought(),), vectors=(vector("t:1"),)))
            assert _modes(home) == {"d 700", "f 600"}
        assert _modes(home) == {"d 700", "f 600"}
    finally:
        os.umask(before)


@pytest.mark.requirement("promise:3")
async def test_what_was_written_is_there_after_reopening(tmp_path: Path) -> None:
    async with await open_store(URL, home=tmp_path) as stores:
        await stores.memory.write(WriteBatch(rows=(thought(),), vectors=(vector("t:1"),)))
        await talk(stores.sessions, [exchange(), exchange(index=1)])
        before = await stores.memory.status()
    async with await open_store(URL, home=tmp_path) as stores:
        assert await stores.memory.status() == before
        assert (await stores.memory.changes(0, 10))[0].vector == vector("t:1")
        loaded = await stores.sessions.load("s:1", window=10)
        assert loaded is not None
        assert len(loaded.context_window) == 2
        assert await stores.maintenance.verify() == []


async def test_a_second_process_is_told_who_holds_the_store_and_answers_nobody_and_harms_nothing(
    tmp_path: Path,
) -> None:
    async with _other_process(tmp_path, _HOLD_ALONE) as pid:
        with pytest.raises(StoreHeld, match=rf"process {pid}\) holds the store .*memory"):
            await open_store(URL, home=tmp_path)
    async with await open_store(URL, home=tmp_path) as stores:
        assert await stores.maintenance.verify() == []


async def test_a_store_that_another_process_takes_at_the_last_moment_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _other_process(tmp_path, _HOLD_ALONE) as pid:
        monkeypatch.setattr("voice.adapters.surreal.sharing.server.refuse_if_held", _let_pass)
        with pytest.raises(StoreHeld, match=f"{pid}"):
            await open_store(URL, home=tmp_path)


async def test_cancelling_the_opening_gives_the_lock_back(tmp_path: Path) -> None:
    for turns in range(6):
        task = asyncio.create_task(open_store(URL, home=tmp_path))
        for _ in range(turns):
            await asyncio.sleep(0.005)
        task.cancel()
        (opened,) = await asyncio.gather(task, return_exceptions=True)
        if not isinstance(opened, BaseException):
            await opened.aclose()
        for _ in range(200):
            try:
                stores = await open_store(URL, home=tmp_path)
            except StoreHeld:
                await asyncio.sleep(0.01)
                continue
            await stores.aclose()
            break
        else:
            pytest.fail("the cancelled opening kept the lock")


async def test_a_store_that_opens_while_the_program_ends_leaves_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def stop(_: Engine) -> None:
        raise RuntimeError("cannot schedule new futures after shutdown")

    monkeypatch.setattr(Engine, "stop", stop)
    task = asyncio.create_task(open_store(URL, home=tmp_path))
    while not (opening := [each for each in threading.enumerate() if each.name.startswith("voice-opening")]):
        await asyncio.wait((task,), timeout=0.001)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await asyncio.to_thread(opening[0].join)
    assert (task.cancelled(), caplog.text) == (True, "")


@pytest.mark.requirement("ruling:H.1")
@pytest.mark.parametrize("name", ["manifest", "LOCK/letter.txt"])
async def test_a_directory_that_holds_something_else_is_refused_and_left_as_it_was(tmp_path: Path, name: str) -> None:
    place = tmp_path / "documents"
    (place / name).parent.mkdir(parents=True)
    (place / name).write_text("x")
    (place / "letter.txt").touch()
    for path in (place, place / name):
        path.chmod(0o755)
    with pytest.raises(ConfigurationError, match=r"documents holds something that is not a store; .* SURR_DB_URL"):
        await open_store(f"surrealkv://{place}", home=tmp_path)
    assert {path.stat().st_mode & 0o777 for path in (place, place / name)} == {0o755}


@pytest.mark.requirement("ruling:H.1")
async def test_what_lies_beside_a_stores_files_or_is_linked_from_them_keeps_its_rights(tmp_path: Path) -> None:
    async with await open_store(URL, home=tmp_path):
        pass
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    shared.chmod(0o755)
    (shared / "letter").write_text("x")
    (shared / "letter").chmod(0o644)
    (tmp_path / "memory" / "sstables" / "link").symlink_to(shared / "letter")
    (tmp_path / "memory" / "sstables" / "links").symlink_to(shared)
    (tmp_path / "memory" / "mine").write_text("x")
    (tmp_path / "memory" / "mine").chmod(0o644)
    async with await open_store(URL, home=tmp_path):
        pass
    modes = [path.stat().st_mode & 0o777 for path in (shared, shared / "letter", tmp_path / "memory" / "mine")]
    assert modes == [0o755, 0o644, 0o644]


@pytest.mark.parametrize("place", ["surrealkv://memory", None])
async def test_a_directory_that_the_engine_would_take_for_another_is_named(tmp_path: Path, place: str | None) -> None:
    home = tmp_path / "what?"
    with pytest.raises(ConfigurationError, match=r"kept in .*what\?.*VOICE_HOME"):
        await open_store(place or home / "memory", home=home)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("ruling:D20", "ruling:H.7")
async def test_a_store_is_opened_with_the_key_it_was_made_with_and_no_other(tmp_path: Path) -> None:
    elsewhere = given(store=StoreSettings(url=f"surrealkv://{tmp_path / 'elsewhere'}"))
    async with memory(tmp_path, settings=elsewhere) as services:
        key = services.home / "key"
    kept = key.read_bytes()
    for _ in range(2):
        key.unlink(missing_ok=True)
        with pytest.raises(ConfigurationError, match=r"key in .* is not the one .* your own copy"):
            async with memory(tmp_path, settings=elsewhere):
                pass
    key.write_bytes(kept)
    async with memory(tmp_path, settings=elsewhere) as services:
        assert (await services.store.status()).last_seq == 0


async def test_a_server_wants_user_and_password_together(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="both a user and a password"):
        await open_store("ws://127.0.0.1:1", home=tmp_path, username="root")


async def test_a_store_whose_restore_did_not_finish_is_not_opened_and_not_held(tmp_path: Path) -> None:
    async with await open_store(URL, home=tmp_path) as stores:
        await stores.connection.run("damage", "UPDATE $meta SET restoring = true", {"meta": META})
    for _ in range(2):
        with pytest.raises(StoreDamaged, match="did not finish"):
            await open_store(URL, home=tmp_path)


@pytest.mark.requirement("ruling:B7")
async def test_a_store_of_a_newer_program_is_refused_and_not_held(tmp_path: Path) -> None:
    async with await open_store(URL, home=tmp_path) as stores:
        text = "CREATE migrations:`999_future` SET checksum = 'x', taken_at = time::now()"
        await stores.connection.run("pretend", text)
    for _ in range(2):
        with pytest.raises(SchemaDrift, match="999_future"):
            await open_store(URL, home=tmp_path)


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Path:
    """A file system of 2 MB, where this machine lets us make one."""
    place = tmp_path / "tiny"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small file system can only be mounted by root")
    return place


async def test_a_full_disk_is_said_and_nothing_acknowledged_is_lost(
    tiny_disk: Path, request: pytest.FixtureRequest
) -> None:
    request.addfinalizer(lambda: subprocess.run(["umount", "-l", str(tiny_disk)], check=False))
    stores = await open_store(URL, home=tiny_disk)
    written = 0

    async def write_on() -> None:
        nonlocal written
        for place in range(100):
            await stores.memory.write(WriteBatch(rows=(thought(f"{place:03}", f"{place}" * 50_000),)))
            written += 1

    with pytest.raises(StoreUnavailable, match="disk is full"):
        await write_on()
    assert len(await stores.memory.changes(0, 1000)) == written > 0
    await stores.aclose()

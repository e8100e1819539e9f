"""A store on a disk without room: what is in it can be read, nothing of it changes, and no copy stays behind."""

import errno
import os
import shutil
import tempfile
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest

from change_feed import ALL_TABLES
from store_values import thought
from stores_in_memory import store_in_memory
from voice.adapters.disk.private_files import DiskFull
from voice.adapters.index import index as folded
from voice.adapters.index.directory import IndexDirectory
from voice.adapters.index.index import FoldedIndex
from voice.adapters.surreal import read_only
from voice.adapters.surreal.embedded_engine import Engine, EngineFailed
from voice.adapters.surreal.opening import open_store
from voice.core.errors import StoreHeld, VoiceError
from voice.core.records import Table
from voice.ports.search_index import IndexQuery
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("holder:full-disk")
URL: Final = "surrealkv://memory"
NOBODY: Final = 2**22 + 1
"""No process has this number."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "room").mkdir()
    monkeypatch.setattr(read_only, "_IN_MEMORY", tmp_path / "nowhere")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "room"))
    return tmp_path / "room"


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    """The home of a store with two rows."""
    async with await open_store(URL, home=tmp_path / "home") as stores:
        await stores.memory.write(WriteBatch(rows=(thought("1"), thought("2"))))
    return tmp_path / "home"


def fill(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Let the engine find no room in `home`."""
    start = Engine.start

    def refuse(engine: Engine, url: str) -> "Future[None]":
        if not url.startswith(f"surrealkv://{home}") and "/proc/" not in url:
            return start(engine, url)
        failed = Future[None]()
        failed.set_exception(EngineFailed("transaction: IO error: No space left on device (os error 28)"))
        return failed

    monkeypatch.setattr(Engine, "start", refuse)


def bytes_below(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (home / "memory").rglob("*") if path.is_file()}


async def test_what_is_stored_is_read_and_nothing_of_it_changes(
    home: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(monkeypatch, home)
    before = bytes_below(home)
    async with await open_store(URL, home=home) as stores:
        assert [change.row_id for change in await stores.memory.changes(0, 9)] == ["t:1", "t:2"]
        (copy,) = place.iterdir()
        assert copy.stat().st_mode & 0o777 == 0o700
        with pytest.raises(DiskFull, match="it is only read and did not write rows; free some space"):
            await stores.memory.write(WriteBatch(rows=(thought("3"),)))
        assert (await stores.memory.status()).rows[Table.THOUGHTS] == 2
    assert bytes_below(home) == before
    assert list(place.iterdir()) == []


async def test_without_room_anywhere_it_says_that_the_disk_is_full(
    home: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(monkeypatch, home)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=10))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with pytest.raises(DiskFull, match="the disk is full, so the store could not open it"):
        await open_store(URL, home=home)
    assert list(place.iterdir()) == []


async def test_a_store_that_another_program_has_open_is_not_copied(home: Path, place: Path) -> None:
    async with await open_store(URL, home=home):
        full = DiskFull("the disk is full")
        (home / "memory" / "LOCK").write_text(str(NOBODY))
        with pytest.raises(StoreHeld):
            await read_only.ReadOnlyConnection.open(home / "memory", full, namespace="voice", database="memory")
    assert list(place.iterdir()) == []


async def test_a_lock_that_a_failed_opening_of_ours_keeps_is_in_nobodys_way(home: Path, place: Path) -> None:
    async with await open_store(URL, home=home):
        full = DiskFull("the disk is full")
        memory = home / "memory"
        reading = await read_only.ReadOnlyConnection.open(memory, full, namespace="voice", database="memory")
        assert len(list(place.iterdir())) == 1
        await reading.aclose()
    assert list(place.iterdir()) == []


async def test_what_a_killed_process_left_of_a_copy_goes_and_what_a_running_one_reads_stays(
    home: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, read, other = (place / f"voice-reading-{pid}-x" for pid in (NOBODY, os.getpid(), "abc"))
    for each in (left, read, other):
        (each / "wal").mkdir(parents=True)
    fill(monkeypatch, home)
    await (await open_store(URL, home=home)).aclose()
    assert list(place.iterdir()) == [read]


async def test_a_copy_that_does_not_open_is_taken_away_too(
    home: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(monkeypatch, home)
    for manifest in (home / "memory" / "manifest").iterdir():
        manifest.write_bytes(b"")
    with pytest.raises(VoiceError) as refused:
        await open_store(URL, home=home)
    assert refused.value.code == "store_damaged"
    assert list(place.iterdir()) == []


async def test_an_index_that_cannot_be_written_is_kept_in_memory_and_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folded, "YOUNG_ROWS", 1)
    monkeypatch.setattr(IndexDirectory, "commit", full)
    stores = await store_in_memory()
    await stores.memory.write(WriteBatch(rows=(thought("1", "The kiln is hot."),)))
    index = FoldedIndex(stores.memory, tmp_path / "index", model="m", dim=4)
    assert await index.refresh() == 1
    found = await index.search(IndexQuery(filter=ALL_TABLES, vector=None, text="kiln", weights=(0, 1), limit=3))
    assert [hit.row_id for hit in found.hits] == ["t:1"]
    await stores.memory.write(WriteBatch(rows=(thought("2", "The kiln is cold."),)))
    assert await index.refresh() == 2

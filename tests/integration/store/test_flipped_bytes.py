"""A byte of the store's files that is not what was written: whatever meets it calls it damage."""

import shutil
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest
from blake3 import blake3

from store_values import thought
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.embedded_engine import EmbeddedConnection, Engine, EngineFailed
from voice.adapters.surreal.opening import open_store
from voice.core.errors import StoreDamaged, StoreUnavailable, VoiceError
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("ruling:H.2c")
URL: Final = "surrealkv://memory"
MANY: Final = 750
_ACTS: tuple[Callable[[SurrealStores], Awaitable[object]], ...] = (
    lambda store: store.memory.status(),
    lambda store: store.memory.changes(0, MANY),
    lambda store: store.memory.fetch([f"t:{number}" for number in range(MANY)]),
    lambda store: store.memory.write(WriteBatch(rows=(thought("new"),))),
    lambda store: store.graph.names(),
)


async def _tried(home: Path) -> list[str]:
    """Return under which codes a store is read and written in every way, each by an engine of its own."""
    codes: list[str] = []
    for number, act in enumerate(_ACTS):
        own = home.with_name(f"{home.name}-{number}")
        shutil.copytree(home, own)
        try:
            async with await open_store(URL, home=own) as store:
                await act(store)
        except VoiceError as error:
            codes.append(error.code)
        shutil.rmtree(own)
    return codes


async def test_a_flipped_byte_is_called_damage_by_whatever_meets_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with await open_store(URL, home=home) as store:
        for start in range(0, MANY, 250):
            rows = [thought(f"{number}", blake3(b"%d" % number).hexdigest(400)) for number in range(start, start + 250)]
            await store.memory.write(WriteBatch(rows=tuple(rows)))
    assert await _tried(home) == []
    largest = max((home / "memory" / "sstables").iterdir(), key=lambda file: file.stat().st_size)
    held = bytearray(largest.read_bytes())
    held[int(len(held) * 0.5)] ^= 0x10
    largest.write_bytes(held)
    assert set(await _tried(home)) == {"store_damaged"}


@pytest.mark.parametrize(("free", "error"), [(10, StoreUnavailable), (10**9, StoreDamaged)])
async def test_an_engine_that_stalls_has_no_room_or_a_file_it_cannot_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, error: type[VoiceError]
) -> None:
    def stalls(_self: object, _url: str) -> "Future[None]":
        done = Future[None]()
        done.set_exception(EngineFailed("There was a problem with a transaction: Pipeline stall"))
        return done

    monkeypatch.setattr(Engine, "start", stalls)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=free))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with pytest.raises(error):
        await EmbeddedConnection.open(f"surrealkv://{tmp_path}", namespace="a", database="b")

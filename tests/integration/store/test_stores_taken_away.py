"""What a holder and its guests say of a store that is gone from its place, and what they leave alone there."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from fake_holder import CARD, FakeHolder, entered
from stores_watched import until, write
from voice.adapters.disk.private_files import has_store
from voice.adapters.surreal.embedded_engine import Engine
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.sharing.holder import find_holder
from voice.adapters.surreal.sharing.lock_file import HoldingPlace, Lock, take_lock
from voice.adapters.surreal.sharing.protocol import Frame, Kind, encode_cards
from voice.adapters.surreal.sharing.shared_connection import SharedConnection
from voice.core.errors import ConfigurationError, OutcomeUnknown, StoreDamaged, StoreHeld, StoreUnavailable, VoiceError

URL = "surrealkv://memory"
pytestmark = pytest.mark.requirement("holder:gone")


class Executing(Protocol):
    """What an engine does."""

    def execute(self, cbor_request: bytes) -> bytes: ...

    def close(self) -> None: ...


def _taken_away(home: Path) -> None:
    shutil.rmtree(home / "memory")


def _moved_away(home: Path) -> None:
    (home / "memory").rename(home / "away")


def _emptied(home: Path) -> None:
    _taken_away(home)
    (home / "memory").mkdir()


def _cleared(home: Path) -> None:
    for each in (home / "memory").iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()


def _all_taken_away(home: Path) -> None:
    for each in home.iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()


@pytest.mark.requirement("promise:3")
@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize("meddle", [_moved_away, _emptied])
async def test_holder_and_guest_say_that_their_store_is_gone_and_make_none(
    tmp_path: Path, meddle: Callable[[Path], None]
) -> None:
    async with await open_store(URL, home=tmp_path) as holder, await open_store(URL, home=tmp_path) as guest:
        await write(holder, "before")
        meddle(tmp_path)
        for stores in (guest, holder):
            with pytest.raises(StoreDamaged) as told:
                await write(stores, "after")
            for said in (str(tmp_path / "memory"), CARD.named, "close every program that uses it", "restore-backup"):
                assert said in told.value.message
            with pytest.raises(StoreDamaged):
                await stores.memory.fetch(["t:before"])
    assert [each.name for each in tmp_path.rglob("*") if each.name.startswith(("LOCK", "memory."))] == (
        ["LOCK"] if meddle is _moved_away else []
    )


@pytest.mark.requirement("promise:3")
@pytest.mark.parametrize("is_same_directory", [False, True])
async def test_an_engine_writes_nothing_into_the_store_that_is_put_in_the_place_of_its_own(
    tmp_path: Path, opened: str, *, is_same_directory: bool
) -> None:
    async with await open_store(URL, home=tmp_path) as stores:
        await write(stores, "copied")
    shutil.copytree(tmp_path / "memory", tmp_path / "copy")
    copied = _contents(tmp_path / "copy")
    async with await open_store(URL, home=tmp_path) as holder:
        for number in range(3):
            await write(holder, f"after {number}")
        if is_same_directory:
            _cleared(tmp_path)
            shutil.copytree(tmp_path / "copy", tmp_path / "memory", dirs_exist_ok=True)
        else:
            _moved_away(tmp_path)
            (tmp_path / "copy").rename(tmp_path / "memory")
    assert _contents(tmp_path / "memory") == copied
    for name in [] if is_same_directory or opened == "by path" else ["away"]:
        async with await open_store(f"surrealkv://{name}", home=tmp_path) as moved:
            assert len(await moved.memory.changes(0, 10)) == 4


async def test_a_store_that_is_moved_away_and_back_is_gone_on_with(tmp_path: Path, opened: str) -> None:
    async with await open_store(URL, home=tmp_path) as holder, await open_store(URL, home=tmp_path) as guest:
        await write(holder, "before")
        _moved_away(tmp_path)
        for stores in (guest, holder):
            with pytest.raises(StoreDamaged):
                await write(stores, "never")
        (tmp_path / "away").rename(tmp_path / "memory")
        if opened == "by path":
            with pytest.raises(StoreHeld, match="start this program again"):
                await write(holder, "never")
            return
        await write(guest, "of the guest")
        await write(holder, "of the holder")
        assert len(await holder.memory.changes(0, 10)) == 3


def _contents(directory: Path) -> dict[str, bytes]:
    return {str(each.relative_to(directory)): each.read_bytes() for each in directory.rglob("*") if each.is_file()}


async def test_a_store_that_goes_while_it_is_entered_again_is_not_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken(place: HoldingPlace) -> Lock | None:
        _taken_away(tmp_path)
        return take_lock(place)

    async with await open_store(URL, home=tmp_path) as holder, await open_store(URL, home=tmp_path) as guest:
        await write(guest, "before")
        await holder.aclose()
        monkeypatch.setattr("voice.adapters.surreal.sharing.shared_connection.take_lock", taken)
        with pytest.raises(StoreDamaged, match="is missing: "):
            await write(guest, "after")
    assert not (tmp_path / "memory").exists()


async def test_a_store_that_goes_while_its_engine_starts_is_said_to_be_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = Engine._start

    def moved(engine: Engine, url: str) -> None:
        start(engine, url)
        _moved_away(tmp_path)

    monkeypatch.setattr(Engine, "_start", moved)
    with pytest.raises(StoreUnavailable, match="disappeared while it was opened"):
        await open_store(URL, home=tmp_path)
    assert not (tmp_path / "memory").exists()


async def test_a_store_that_may_not_be_looked_at_is_said_to_be_so_when_it_is_entered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(directory: Path) -> bool:
        return has_store(_Refused(directory))

    async with await open_store(URL, home=tmp_path) as holder, await open_store(URL, home=tmp_path) as guest:
        await write(guest, "before")
        await holder.aclose()
        with monkeypatch.context() as patched:
            patched.setattr("voice.adapters.surreal.sharing.server.has_store", refused)
            with pytest.raises(ConfigurationError, match="cannot be written"):
                await write(guest, "after")


class _Refused(type(Path())):
    """A path that the system does not let us look at."""

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        raise PermissionError(13, "Permission denied")


async def test_a_holder_that_nobody_asks_for_anything_steps_down_by_itself_and_another_comes_in_as_if_fresh(
    tmp_path: Path,
) -> None:
    async with entered(tmp_path) as holder:
        _all_taken_away(tmp_path)
        await until(lambda: not holder.holds)
        async with await open_store(URL, home=tmp_path) as fresh:
            assert isinstance(fresh.connection, SharedConnection)
            assert fresh.connection.holds
            await write(fresh, "after")
    async with await open_store(URL, home=tmp_path) as again:
        assert len(await again.memory.changes(0, 10)) == 1
        assert await again.maintenance.verify() == []


@pytest.mark.requirement("holder:recognised")
async def test_another_store_in_the_place_of_ones_own_is_said_to_be_another_and_is_not_written(tmp_path: Path) -> None:
    async with await open_store(URL, home=tmp_path) as stores, await open_store(URL, home=tmp_path) as guest:
        await write(stores, "before")
        _taken_away(tmp_path)
        async with await open_store(URL, home=tmp_path) as fresh:
            await write(fresh, "fresh")
            for each in (stores, guest):
                with pytest.raises(ConfigurationError, match="another store has replaced"):
                    await write(each, "after")
    async with await open_store(URL, home=tmp_path) as again:
        assert [change.row_id for change in await again.memory.changes(0, 10)] == ["t:fresh"]


@pytest.mark.requirement("holder:unknown")
@pytest.mark.parametrize(
    ("statement", "told", "as_guest"),
    [("UPDATE things SET a = 1", OutcomeUnknown, True), ("SELECT * FROM migrations", StoreDamaged, False)],
)
async def test_a_store_that_goes_while_a_statement_is_in_it_answers_no_read_and_leaves_a_writes_outcome_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, statement: str, told: type[VoiceError], as_guest: bool
) -> None:
    execute = Engine._execute

    def taken_away_meanwhile(engine: Engine, request: bytes, not_after: float | None) -> bytes:
        assert engine._engine is not None
        engine._engine = _Meddling(engine._engine, tmp_path)  # pyright: ignore[reportAttributeAccessIssue]
        return execute(engine, request, not_after)

    async with await open_store(URL, home=tmp_path) as holder, await open_store(URL, home=tmp_path) as guest:
        stores = guest if as_guest else holder
        await write(stores, "before")
        with monkeypatch.context() as patched:
            patched.setattr(Engine, "_execute", taken_away_meanwhile)
            with pytest.raises(told):
                await stores.connection.run("try it", statement)


class _Meddling:
    """An engine whose store is taken away while it works."""

    def __init__(self, engine: Executing, home: Path) -> None:
        self._engine = engine
        self._home = home

    def execute(self, cbor_request: bytes) -> bytes:
        answer = self._engine.execute(cbor_request)
        _taken_away(self._home)
        return answer

    def close(self) -> None:
        self._engine.close()


@pytest.mark.requirement("holder:doctor")
async def test_a_holder_whose_store_is_not_the_one_in_its_place_is_told_by_who_looks(tmp_path: Path) -> None:
    async def nobody_else(frame: Frame) -> list[Frame]:
        return [Frame(Kind.GUESTS, frame.number, encode_cards([]))]

    async with FakeHolder(tmp_path, nobody_else).serving():
        found = await find_holder(tmp_path / "memory", CARD, wait_s=10)
    assert found.state == "astray"
    assert f"{CARD.named} holds a store that is no longer in {tmp_path / 'memory'}" in found.said

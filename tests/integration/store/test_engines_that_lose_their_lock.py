"""What a holder does whose engine's lock is deleted, replaced or taken by another engine."""

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from fake_holder import CARD, entered
from stores_watched import until, write
from voice.adapters.surreal.connection import require_no_error
from voice.adapters.surreal.embedded_engine import Engine, decode_answer, encode_request
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.sharing.holder import find_holder, refuse_if_held
from voice.adapters.surreal.sharing.lock_file import HoldingPlace
from voice.adapters.surreal.sharing.shared_connection import SharedConnection
from voice.core.errors import StoreHeld

URL = "surrealkv://memory"
pytestmark = pytest.mark.requirement("holder:lock")


def _unlocked(home: Path) -> None:
    (home / "memory" / "LOCK").unlink()


def _synchronised(home: Path) -> None:
    shutil.copy(home / "memory" / "LOCK", home / "LOCK.part")
    (home / "LOCK.part").replace(home / "memory" / "LOCK")


@pytest.mark.parametrize(("meddle", "is_shared"), [(_unlocked, False), (_synchronised, True)])
async def test_a_holder_whose_engines_lock_alone_is_deleted_or_replaced_goes_on_and_keeps_other_engines_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, meddle: Callable[[Path], None], is_shared: bool
) -> None:
    def refused(place: HoldingPlace) -> None:
        raise PermissionError(13, "Permission denied")

    if not is_shared:
        monkeypatch.setattr("voice.adapters.surreal.sharing.shared_connection.take_lock", refused)
    async with await open_store(URL, home=tmp_path) as holder:
        await write(holder, "before")
        meddle(tmp_path)
        await write(holder, "after")
        assert isinstance(holder.connection, SharedConnection)
        assert holder.connection.holds
        with pytest.raises(StoreHeld):
            refuse_if_held(tmp_path / "memory")
        if is_shared:
            async with await open_store(URL, home=tmp_path) as guest:
                await write(guest, "of a guest")
            assert (await find_holder(tmp_path / "memory", CARD, wait_s=10)).state == "answers"
    refuse_if_held(tmp_path / "memory")


@pytest.mark.requirement("holder:gone", "promise:3")
@pytest.mark.usefixtures("opened")
async def test_a_holder_gives_the_store_up_to_an_engine_that_asked_nobody_and_loses_none_of_its_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for patience in ("server._EXIT_S", "shared_connection._RENEWAL_S"):
        monkeypatch.setattr(f"voice.adapters.surreal.sharing.{patience}", 0.1)
    other = Engine()
    async with await open_store(URL, home=tmp_path) as holder, await open_store(URL, home=tmp_path) as guest:
        await write(holder, "before")
        _unlocked(tmp_path)
        other.start(f"surrealkv://{tmp_path / 'memory'}").result()
        _ask(other, "use", (CARD.namespace, CARD.database))
        _ask(other, "query", ("CREATE others:1 SET said = 'kept' RETURN VALUE said", {}))
        for stores in (holder, guest):
            with pytest.raises(StoreHeld, match="this process already has the store"):
                await write(stores, "after")
        _ask(other, "query", ("CREATE others:2 SET said = 'kept' RETURN VALUE said", {}))
        other.stop().result()
        await write(holder, "of the holder")
    async with await open_store(URL, home=tmp_path) as again:
        assert [change.row_id for change in await again.memory.changes(0, 10)] == ["t:before", "t:of the holder"]
        assert len(cast("list[object]", await again.connection.run("read it", "SELECT VALUE said FROM others"))) == 2


@pytest.mark.requirement("holder:gone")
async def test_a_holder_that_nobody_asks_for_anything_gives_the_store_up_to_another_engine(tmp_path: Path) -> None:
    async with entered(tmp_path) as holder:
        (tmp_path / "memory" / "LOCK").unlink()
        with (tmp_path / "memory" / "LOCK").open("w") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            await until(lambda: not holder.holds)


def _ask(engine: Engine, method: str, parameters: tuple[object, ...]) -> None:
    require_no_error("try it", decode_answer(engine.submit(encode_request(method, parameters)).result()))

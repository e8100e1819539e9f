"""A store that is deleted, moved or replaced while a process holds it: nothing is kept where nobody finds it again."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from cli_runner import SETTINGS, Ran, data_directory, failing
from commands_here import run_here
from held_processes import Start
from mcp_host import hosting
from voice.adapters.surreal.backup import StoreRestore
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.sharing.lock_file import HoldingPlace
from voice.core.errors import StoreUnavailable


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return data_directory(tmp_path / "home")


def _ran(home: Path, *arguments: str) -> Ran:
    ran = run_here(*arguments, home=home)
    assert ran.code == 0, ran
    return ran


def _texts(home: Path) -> list[str]:
    told = [json.loads(line) for line in _ran(home, "export", "-").out.splitlines()]
    return [str(each["content"]) for each in told if each.get("type") == "thought"]


@pytest.mark.requirement("holder:gone", "holder:doctor")
def test_a_holder_whose_store_was_moved_away_says_so_makes_none_and_goes_on_when_it_is_back(home: Path) -> None:
    with hosting(home) as host:
        assert "code" not in host("remember", content="The kiln is in the shed.")
        (home / "memory").rename(home / "away")
        assert f"{home / 'memory'} holds no store" in run_here("doctor", home=home).out
        told = host("remember", content="The oars are in the boat.")
        assert (told["code"], told["reason"]) == ("db_error", "store_damaged")
        theirs = "only the person who runs this memory"
        for said in (str(home / "memory"), f"voice mcp (process {host.pid})", "close every program", theirs):
            assert said in str(told["message"])
        assert not (home / "memory").exists()
        assert not HoldingPlace(home / "memory").socket.exists()
        (home / "away").rename(home / "memory")
        _ran(home, "remember", "The boat is in the harbour.")
        assert "code" not in host("remember", content="The oars are in the boat.")
        assert host.close() == 0
    said = ["The boat is in the harbour.", "The kiln is in the shed.", "The oars are in the boat."]
    assert sorted(_texts(home)) == said


@pytest.mark.requirement("holder:gone", "promise:3")
def test_what_is_remembered_after_a_store_was_deleted_under_its_holder_is_there_when_that_ends(home: Path) -> None:
    with hosting(home) as host:
        assert "error" not in host("remember", content="The kiln is in the shed.")
        shutil.rmtree(home / "memory")
        _ran(home, "remember", "The boat is in the harbour.")
        told = host("remember", content="The oars are in the boat.")
        assert told["code"] == "configuration_error"
        assert "another store has replaced" in str(told["message"])
        host.close()
    assert _texts(home) == ["The boat is in the harbour."]


@pytest.mark.requirement("holder:gone")
def test_a_store_that_was_put_in_the_place_of_one_that_is_held_stays_as_it_is(home: Path, tmp_path: Path) -> None:
    _ran(home, "remember", "The boat is in the harbour.")
    shutil.copytree(home / "memory", tmp_path / "copy")
    with hosting(home) as host:
        assert "code" not in host("remember", content="The kiln is in the shed.")
        shutil.rmtree(home / "memory")
        (tmp_path / "copy").rename(home / "memory")
        assert host.close() == 0
    assert _texts(home) == ["The boat is in the harbour."]
    _ran(home, "maintain", "verify")


@pytest.mark.requirement("holder:gone", "holder:restore")
def test_a_restore_that_was_broken_off_is_done_again_beside_a_living_holder(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    backup = tmp_path / "b.backup"
    _ran(tmp_path, "remember", "The kiln is in the shed.")
    _ran(tmp_path, "maintain", "backup", str(backup))
    shutil.rmtree(tmp_path / "memory")
    holder = start()
    assert holder("status") == "ok holder"
    asyncio.run(_break_off_a_restore(tmp_path, backup, monkeypatch))
    named = f"(process {holder.pid})"
    said = run_here("maintain", "restore-backup", str(backup), home=tmp_path)
    assert (said.code, "close every program" in said.err, named in said.err) == (1, True, True)
    assert named in holder("write a")
    shutil.rmtree(tmp_path / "memory")
    _ran(tmp_path, "maintain", "restore-backup", str(backup))
    assert holder("write a").startswith("configuration_error another store")
    assert _texts(tmp_path) == ["The kiln is in the shed."]
    _ran(tmp_path, "doctor")


async def _break_off_a_restore(home: Path, backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(StoreRestore, "end", failing(StoreUnavailable("the disk is full")))
        async with await open_store("surrealkv://memory", home=home) as guest:
            with pytest.raises(StoreUnavailable, match="full"):
                await guest.maintenance.restore(str(backup))


@pytest.mark.requirement("holder:gone")
def test_the_holder_of_a_home_that_was_deleted_leaves_the_next_one_in_its_place_alone(
    start: Start, tmp_path: Path
) -> None:
    holder = start()
    assert holder("write a") == "ok"
    shutil.rmtree(tmp_path)
    tmp_path.mkdir(mode=0o700)
    assert holder("write b").startswith("store_damaged")
    assert list(tmp_path.iterdir()) == []
    _ran(tmp_path, "init")
    (tmp_path / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    _ran(tmp_path, "remember", "The kiln is in the shed.")
    assert _texts(tmp_path) == ["The kiln is in the shed."]

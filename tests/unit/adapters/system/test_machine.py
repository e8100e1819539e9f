"""What the machine says about itself.

What can be seen of a data directory from outside: its key, its rights, its size.
"""

import os
import shutil
from pathlib import Path

import pytest

from voice.adapters.system.machine import knows_timezone, look_at_home, system_timezone
from voice.core.health import Shared


def test_looking_at_a_home_makes_nothing(tmp_path: Path) -> None:
    facts = look_at_home(tmp_path / "a" / "b")
    assert (facts.kind, list(tmp_path.iterdir())) == ("missing", [])
    assert facts.free_bytes
    (tmp_path / "file").write_text("")
    assert look_at_home(tmp_path / "file").kind == "other"
    assert look_at_home(tmp_path / "file" / "below").kind == "other"
    tmp_path.chmod(0o750)
    here = look_at_home(tmp_path)
    assert (here.kind, here.mode, here.is_writable) == ("directory", 0o750, True)


@pytest.mark.parametrize(("fault", "free"), [(FileNotFoundError(), None), (PermissionError(), None)])
def test_room_that_cannot_be_found_out_is_not_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: OSError, free: int | None
) -> None:
    def fail(path: Path) -> None:
        raise fault

    monkeypatch.setattr(shutil, "disk_usage", fail)
    assert look_at_home(tmp_path).free_bytes is free


def test_the_zone_is_that_of_tz_then_of_the_machines_files(tmp_path: Path) -> None:
    assert system_timezone({}, tmp_path) is None
    (tmp_path / "localtime").symlink_to("/usr/share/zoneinfo/Asia/Tokyo")
    assert system_timezone({}, tmp_path) == "Asia/Tokyo"
    (tmp_path / "timezone").write_text("Europe/Lisbon\n")
    assert system_timezone({}, tmp_path) == "Europe/Lisbon"
    assert system_timezone({"TZ": ":America/Lima"}, tmp_path) == "America/Lima"
    assert system_timezone({"TZ": "WEST-1"}, tmp_path) == "Europe/Lisbon"
    assert system_timezone({"TZ": "../etc/passwd"}, tmp_path) == "Europe/Lisbon"
    (tmp_path / "timezone").write_bytes(b"\xff")
    assert system_timezone({}, tmp_path) == "Asia/Tokyo"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    for folder in (place, place / "memory", place / "index"):
        folder.mkdir(mode=0o700)
    for name in ("key", "memory/manifest", "index/part"):
        (place / name).touch(mode=0o600)
    (place / "key").write_bytes(b"k" * 32)
    (place / "index" / "part").write_bytes(b"x" * 5_000)
    return place


@pytest.mark.requirement("observe:doctor")
def test_a_home_in_order_shows_its_key_its_store_and_its_size(home: Path) -> None:
    facts = look_at_home(home)
    assert (facts.key, facts.has_store, facts.shared, facts.is_read_only) == ("private", True, (), False)
    assert facts.data_bytes >= 5_032


@pytest.mark.requirement("observe:doctor")
def test_a_directory_that_was_emptied_holds_no_store_and_one_that_may_not_be_looked_at_is_not_taken_for_empty(
    home: Path,
) -> None:
    (home / "memory" / "manifest").unlink()
    assert not look_at_home(home).has_store
    (home / "memory" / "manifest").symlink_to("manifest")
    assert look_at_home(home).has_store


@pytest.mark.requirement("observe:doctor")
def test_what_others_have_rights_to_is_listed_and_what_is_not_ours_is_not(home: Path) -> None:
    (home / "voice.toml").touch(mode=0o644)
    (home / "memory").chmod(0o750)
    (home / "index" / "part").chmod(0o644)
    (home / "index" / "link").symlink_to("/etc/hostname")
    assert look_at_home(home).shared == (
        Shared(path=str(home / "memory"), mode=0o750, is_directory=True),
        Shared(path=str(home / "index" / "part"), mode=0o644),
    )


@pytest.mark.requirement("observe:doctor")
def test_a_key_is_told_by_its_size_and_its_rights_and_never_read(home: Path) -> None:
    key = home / "key"
    key.chmod(0o640)
    assert look_at_home(home).key == "shared"
    key.write_bytes(b"short")
    assert look_at_home(home).key == "odd"
    key.unlink()
    assert look_at_home(home).key == "missing"
    key.mkdir()
    assert look_at_home(home).key == "odd"
    key.rmdir()
    key.symlink_to(key)
    assert look_at_home(home).key == "odd"


@pytest.mark.requirement("observe:doctor")
def test_a_disk_that_takes_no_writes_is_seen(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = os.statvfs(home)
    values = list(found)
    values[8] = os.ST_RDONLY

    def read_only(_: Path) -> os.statvfs_result:
        return os.statvfs_result(values)

    monkeypatch.setattr(os, "statvfs", read_only)
    assert look_at_home(home).is_read_only

    def fail(_: Path) -> os.statvfs_result:
        raise OSError

    monkeypatch.setattr(os, "statvfs", fail)
    assert not look_at_home(home).is_read_only


@pytest.mark.requirement("observe:doctor")
@pytest.mark.parametrize(("name", "known"), [("Europe/Lisbon", True), ("Nowhere/Land", False), ("../etc", False)])
def test_a_zone_is_known_by_its_rules(name: str, *, known: bool) -> None:
    assert knows_timezone(name) is known

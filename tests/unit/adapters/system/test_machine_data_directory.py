"""What can be seen of a data directory from outside: its key, its rights, its size."""

import os
from pathlib import Path

import pytest

from voice.adapters.system.machine import knows_timezone, look_at_home
from voice.core.health import Shared

pytestmark = pytest.mark.requirement("observe:doctor")


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


def test_a_home_in_order_shows_its_key_its_store_and_its_size(home: Path) -> None:
    facts = look_at_home(home)
    assert (facts.key, facts.has_store, facts.shared, facts.is_read_only) == ("private", True, (), False)
    assert facts.data_bytes >= 5_032


def test_a_directory_that_was_emptied_holds_no_store_and_one_that_may_not_be_looked_at_is_not_taken_for_empty(
    home: Path,
) -> None:
    (home / "memory" / "manifest").unlink()
    assert not look_at_home(home).has_store
    (home / "memory" / "manifest").symlink_to("manifest")
    assert look_at_home(home).has_store


def test_what_others_have_rights_to_is_listed_and_what_is_not_ours_is_not(home: Path) -> None:
    (home / "voice.toml").touch(mode=0o644)
    (home / "memory").chmod(0o750)
    (home / "index" / "part").chmod(0o644)
    (home / "index" / "link").symlink_to("/etc/hostname")
    assert look_at_home(home).shared == (
        Shared(path=str(home / "memory"), mode=0o750, is_directory=True),
        Shared(path=str(home / "index" / "part"), mode=0o644),
    )


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


@pytest.mark.parametrize(("name", "known"), [("Europe/Lisbon", True), ("Nowhere/Land", False), ("../etc", False)])
def test_a_zone_is_known_by_its_rules(name: str, *, known: bool) -> None:
    assert knows_timezone(name) is known

"""What the machine says about itself."""

import shutil
from pathlib import Path

import pytest

from voice.adapters.system.machine import look_at_home, system_timezone


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

"""Files that only their owner reads, complete or absent."""

import errno
import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from voice.adapters.disk.private_files import (
    DiskFull,
    disk_error,
    make_private,
    open_to_read,
    replacing,
    secure_directory,
    sync_directory,
)
from voice.core.errors import ConfigurationError, DataFileError, StoreUnavailable, VoiceError


@pytest.mark.parametrize(
    ("number", "error", "words"),
    [
        (errno.ENOSPC, DiskFull, "is full"),
        (errno.EDQUOT, DiskFull, "is full"),
        (errno.EROFS, ConfigurationError, "cannot be written"),
        (errno.EACCES, ConfigurationError, "cannot be written"),
        (errno.ENOTDIR, ConfigurationError, "not a directory"),
        (errno.EIO, StoreUnavailable, "cannot be used"),
        (None, StoreUnavailable, "cannot be used"),
    ],
)
def test_what_the_system_refuses_is_said_in_words(number: int | None, error: type[VoiceError], words: str) -> None:
    refused = OSError("x")
    refused.errno = number
    found = disk_error(refused, Path("/data/voice"))
    assert type(found) is error
    assert words in found.message
    assert "/data/voice" in found.message


@pytest.mark.requirement("ruling:H.1")
@pytest.mark.parametrize(("before", "after"), [(0o755, 0o700), (0o555, 0o500)])
def test_a_directory_that_is_too_open_is_narrowed_and_a_locked_one_stays_so(
    tmp_path: Path, before: int, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "a" / "b"
    assert secure_directory(place) == place
    assert place.stat().st_mode & 0o777 == 0o700
    place.chmod(before)
    monkeypatch.setattr(os, "access", Mock(return_value=True))
    assert secure_directory(place).stat().st_mode & 0o777 == after
    make_private(place)
    assert place.stat().st_mode & 0o777 == after


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(ConfigurationError, match="is a file"):
        secure_directory(tmp_path / "x")
    with pytest.raises(ConfigurationError, match="not a directory"):
        secure_directory(tmp_path / "x" / "y")


def test_a_directory_that_cannot_be_written_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, mode: int) -> bool:
        return False

    monkeypatch.setattr(os, "access", refuse)
    with pytest.raises(ConfigurationError, match="cannot be written"):
        secure_directory(tmp_path / "data")


@pytest.mark.requirement("ruling:H.1")
def test_a_directory_and_everything_below_it_is_made_private_and_no_link_is_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "outside"
    for directory in (inside, outside):
        (directory / "deep").mkdir(parents=True)
        (directory / "deep" / "file").write_text("x")
        for path in (directory, directory / "deep", directory / "deep" / "file"):
            path.chmod(0o755)
    (inside / "link").symlink_to(outside / "deep" / "file")
    (inside / "links").symlink_to(outside)
    make_private(inside)
    make_private(tmp_path / "not there")
    modes = [path.stat().st_mode & 0o777 for path in (inside, inside / "deep", inside / "deep" / "file")]
    assert modes == [0o700, 0o700, 0o600]
    assert {path.stat().st_mode & 0o777 for path in (outside, *outside.rglob("*"))} == {0o755}


@pytest.mark.requirement("ruling:H.1")
def test_a_file_takes_its_place_whole_and_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with replacing(tmp_path / "x") as file:
            file.write(b"new")
            assert not (tmp_path / "x").exists()
    finally:
        os.umask(before)
    assert ((tmp_path / "x").read_bytes(), (tmp_path / "x").stat().st_mode & 0o777) == (b"new", 0o600)
    assert [each.name for each in tmp_path.iterdir()] == ["x"]


def test_a_file_that_fails_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")

    def fail() -> None:
        with replacing(tmp_path / "x") as file:
            file.write(b"half")
            raise OSError(errno.ENOSPC, "full")

    with pytest.raises(StoreUnavailable, match="is full"):
        fail()
    assert (tmp_path / "x").read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["x"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    def read() -> None:
        with open_to_read(tmp_path / "none"):
            pytest.fail("there is nothing to read")

    with pytest.raises(DataFileError, match="none cannot be read: No such file"):
        read()


def test_a_directory_can_be_flushed(tmp_path: Path) -> None:
    sync_directory(tmp_path)

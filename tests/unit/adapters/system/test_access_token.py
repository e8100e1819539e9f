"""A token that outlives a run."""

import errno
import stat
from pathlib import Path

import pytest

from voice.adapters.system.access_token import MIN_TOKEN_CHARS, load_token, new_token
from voice.core.errors import ConfigurationError

pytestmark = pytest.mark.requirement("http:token-file")


def test_a_token_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "token"
    made = load_token(path)
    assert load_token(path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(made) > MIN_TOKEN_CHARS
    assert new_token() != new_token()


@pytest.mark.parametrize("text", ["", "short", "x" * 31, "é" * 40, "a b" * 20, "x" * 40 + "\x00"])
def test_what_is_no_token_is_refused_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "token"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(ConfigurationError, match="holds no token"):
        load_token(path)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_one_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "token"
    load_token(path)
    path.chmod(mode)
    with pytest.raises(ConfigurationError, match="can be read by others"):
        load_token(path)


def test_a_directory_that_is_not_there_is_said_and_not_made(tmp_path: Path) -> None:
    path = tmp_path / "mistyped" / "voice" / "token"
    with pytest.raises(ConfigurationError, match=f"the directory {path.parent} does not exist; make it, or choose"):
        load_token(path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["file/token", "file/voice/token", "loop"])
def test_a_place_that_cannot_be_used_is_a_fault_of_what_was_set(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(ConfigurationError, match="choose another place with --token-file"):
        load_token(tmp_path / place)


def test_a_full_disk_is_said_and_no_fault_of_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "", handle)

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ConfigurationError, match="is full"):
        load_token(tmp_path / "token")
    assert not list(tmp_path.iterdir())

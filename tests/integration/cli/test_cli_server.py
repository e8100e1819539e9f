"""The command line on a memory that a server keeps."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cli_runner import SETTINGS, Ran, Voice
from served_stores import OVER_WS, served
from voice.core.settings.values import StoreSettings

pytestmark = pytest.mark.requirement("server:commands")


def _point_at(place: StoreSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("SURR_DB_URL", place.url),
        ("SURR_DB_USER", place.user),
        ("SURR_DB_PASS", place.password),
        ("SURR_DB_NS", place.namespace),
        ("SURR_DB_DB", place.database),
    ):
        monkeypatch.setenv(name, value or "")


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> StoreSettings:
    made = served(OVER_WS)
    _point_at(made, monkeypatch)
    return made


def test_a_memory_on_a_server_is_told_asked_checked_and_looked_after(
    place: StoreSettings, voice: Voice, tmp_path: Path
) -> None:
    voice.ok("remember", "Moved the kiln to the shed behind the house in March.")
    assert "kiln" in voice.ok("retrieve", "the kiln").out
    assert not (voice.home / "memory").exists()
    doctor = voice("doctor")
    assert "Voice read every record; every text, count and chain is right." in voice.ok("maintain", "verify").out
    assert str(place.password) not in doctor.out + doctor.err
    assert voice.ok("maintain", "backup", str(tmp_path / "memory.backup")).code == 0


def test_a_memory_moves_to_a_server_by_a_backup(voice: Voice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    voice.ok("remember", "Moved the kiln to the shed behind the house in March.")
    exported = voice.ok("export", "-").out
    voice.ok("maintain", "backup", str(tmp_path / "memory.backup"))
    _point_at(served(OVER_WS), monkeypatch)
    voice.ok("maintain", "restore-backup", str(tmp_path / "memory.backup"))
    assert voice.ok("export", "-").out == exported


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("SURR_DB_PASS", "wrong", (4, "user and password")),
        ("SURR_DB_USER", "nobody", (4, "user and password")),
        ("SURR_DB_URL", "ws://127.0.0.1:1", (1, "cannot be reached; check SURR_DB_URL")),
    ],
)
def test_what_keeps_a_server_shut_is_said_in_one_line(
    name: str, value: str, told: tuple[int, str], place: StoreSettings, voice: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    refused = voice("retrieve", "the kiln")
    assert (refused.code, told[1] in refused.only_line) == (told[0], True)
    assert value not in refused.only_line


def test_another_home_needs_the_key_of_the_store(
    place: StoreSettings, voice: Voice, tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran]
) -> None:
    voice.ok("remember", "Moved the kiln to the shed.")
    other = Voice(tmp_path / "other", run_voice)
    other.home.mkdir()
    (other.home / "voice.toml").write_text(SETTINGS)
    refused = other("retrieve", "the kiln")
    assert refused.code == 4
    assert "key" in refused.only_line

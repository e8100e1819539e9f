"""The command line on a memory that a server keeps."""

from pathlib import Path

import pytest

from cli_runner import Voice
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
    place: StoreSettings, unbegun: Voice, other: Voice, tmp_path: Path
) -> None:
    unbegun.ok("remember", "Moved the kiln to the shed behind the house in March.")
    assert "kiln" in unbegun.ok("retrieve", "the kiln").out
    assert not (unbegun.home / "memory").exists()
    unbegun.verify()
    doctor = unbegun("doctor")
    assert str(place.password) not in doctor.out + doctor.err
    unbegun.ok("maintain", "backup", str(tmp_path / "memory.backup"))
    assert "key" in other.refused("retrieve", "the kiln", code=4), "another home lacks the key of the store"


@pytest.mark.usefixtures("place")
def test_what_keeps_a_server_shut_is_said_in_one_line(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value, code, said in (
        ("SURR_DB_PASS", "wrong", 4, "user and password"),
        ("SURR_DB_URL", "ws://127.0.0.1:1", 1, "cannot be reached; check SURR_DB_URL"),
    ):
        monkeypatch.setenv(name, value)
        refused = voice.refused("retrieve", "the kiln", code=code)
        assert (said in refused, value in refused) == (True, False)

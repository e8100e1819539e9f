"""`voice demo`, inside the test's own process: what it shows is what really happens."""

import io
import re
from pathlib import Path

import pytest

from tables import tables
from voice.entrypoints.cli.main import exit_code

TABLES = tables(__file__)

SHOWN = tuple(TABLES["shown"])


@pytest.mark.requirement("promise:10", "promise:1", "promise:2", "ruling:D22")
def test_shows_the_main_job_keeps_it_where_asked_and_talks_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Which marathon did I run in Porto?\n\n/quit\n")))
    home, picture = tmp_path / "kept demo", tmp_path / "demo.svg"
    assert exit_code(["demo", "--interactive", "--keep", str(home), "--record", str(picture)]) == 0
    said = capsys.readouterr()
    plain = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", said.out).split())
    for sentence in SHOWN:
        assert sentence in plain
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    assert "no note I searched mentions “Porto”" in said.out
    assert f"The example memory is in {home}" in said.err
    assert (home / "memory").is_dir()


def test_refuses_a_directory_that_is_not_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert exit_code(["demo", "--keep", str(tmp_path)]) == 2
    assert "is not empty; name a new directory" in capsys.readouterr().err
    assert (tmp_path / "mine.txt").read_text() == "mine"

"""`voice demo`, inside the test's own process: what it shows is what really happens."""

import re
from pathlib import Path

import pytest

from cli_runner import Run
from tables import tables

SHOWN = tables(__file__)["shown"]


@pytest.mark.requirement("promise:10", "promise:1", "promise:2", "ruling:D22")
def test_shows_the_main_job_keeps_it_where_asked_and_talks_on(tmp_path: Path, run_voice: Run) -> None:
    home, picture = tmp_path / "kept demo", tmp_path / "demo.svg"
    command = ["demo", "--interactive", "--keep", str(home), "--record", str(picture)]
    said = run_voice(command, b"Which marathon did I run in Porto?\n\n/quit\n")
    assert said.code == 0
    plain = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", said.out).split())
    for sentence in SHOWN:
        assert sentence in plain
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    assert "no note I searched mentions “Porto”" in said.out
    assert f"The example memory is in {home}" in said.err
    assert (home / "memory").is_dir()


def test_refuses_a_directory_that_is_not_empty(tmp_path: Path, run_voice: Run) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    ran = run_voice(["demo", "--keep", str(tmp_path)])
    assert (ran.code, "is not empty; name a new directory" in ran.err) == (2, True)
    assert (tmp_path / "mine.txt").read_text() == "mine"

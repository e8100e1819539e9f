"""While an import runs in a process of its own, an answer says so; one that was broken off says how it goes on."""

import json
import subprocess
import time
from pathlib import Path

import pytest

from cli_runner import Voice

pytestmark = pytest.mark.requirement("imports:seen")
QUESTION = "Where is the kiln?"


def until_stored(voice: Voice, process: subprocess.Popen[str], rows: int) -> None:
    """Wait until the mark of the import that runs says so many rows."""
    while not any(json.loads(mark.read_bytes())["rows"] >= rows for mark in (voice.home / "imports").glob("*.json")):
        assert process.poll() is None
        time.sleep(0.02)


def test_an_answer_says_that_an_import_runs_elsewhere_or_was_broken_off_until_it_is_done(
    told: Voice, tmp_path: Path
) -> None:
    source = tmp_path / "hens.txt"
    source.write_text("\n\n".join(f"The hen laid {number} eggs." for number in range(20_000)), encoding="utf-8")
    with told.process("import", str(source)) as process:
        until_stored(told, process, 50)
        runs = told.ok("ask", QUESTION)
        assert process.poll() is None
        process.kill()
    assert runs.only_line.startswith("voice: the import of “hens.txt” is still running (")
    assert "so this answer may miss something; ask again when it is done" in runs.only_line
    assert "shed" in runs.out
    (stopped,) = told.ok("ask", QUESTION, "--json").json["warnings"]
    assert stopped.startswith("the import of “hens.txt” stopped early, after ")
    source.write_text("The hen laid 0 eggs.", encoding="utf-8")
    told.ok("import", str(source))
    assert told.ok("ask", "--new", "kiln", QUESTION, "--json").json["warnings"] == []

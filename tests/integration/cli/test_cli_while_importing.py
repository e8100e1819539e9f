"""While an import runs in a process of its own, an answer says so; one that was broken off says how it goes on."""

import json
import signal
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


def test_an_answer_says_that_an_import_runs_in_another_process(voice: Voice) -> None:
    voice.ok("remember", "The kiln is in the shed.")
    with voice.process("import", "-", "--format", "text") as process:
        assert process.stdin is not None
        process.stdin.write("\n\n".join(f"The hen laid {number} eggs." for number in range(257)))
        process.stdin.write("\n\nThe end.\n\n")
        process.stdin.flush()
        until_stored(voice, process, 250)
        as_json = voice.ok("ask", QUESTION, "--json")
        in_words = voice.ok("ask", "--new", "kiln", QUESTION)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    told = (
        "the import of the piped input is still running (256 records so far), so this answer may miss something; ask "
        "again when it is done"
    )
    assert as_json.json["warnings"] == [told]
    assert in_words.only_line == f"voice: {told}"
    assert "shed" in in_words.out
    assert process.returncode == 143
    assert "the import stopped early; what it stored stays, and the same command continues from there" in said
    assert voice.ok("ask", QUESTION, "--json").json["warnings"] == []


def test_an_answer_says_that_an_import_was_broken_off_until_it_is_done(voice: Voice, tmp_path: Path) -> None:
    voice.ok("remember", "The kiln is in the shed.")
    source = tmp_path / "hens.txt"
    source.write_text("\n\n".join(f"The hen laid {number} eggs." for number in range(20_000)), encoding="utf-8")
    with voice.process("import", str(source)) as process:
        until_stored(voice, process, 50)
        process.kill()
    (told,) = voice.ok("ask", QUESTION, "--json").json["warnings"]
    assert told.startswith("the import of “hens.txt” stopped early, after ")
    source.write_text("The hen laid 0 eggs.", encoding="utf-8")
    voice.ok("import", str(source))
    assert voice.ok("ask", "--new", "kiln", QUESTION, "--json").json["warnings"] == []

"""While an import runs in a process of its own, an answer says so; one that was broken off says how it goes on."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import pytest

from cli_runner import Ran, Voice, clean_environment

pytestmark = pytest.mark.requirement("imports:seen")
QUESTION = "Where is the kiln?"


@contextmanager
def importing(voice: Voice, *arguments: str) -> Generator[subprocess.Popen[str]]:
    """Run `voice import` as a process of its own; it is marked as under way when the block begins."""
    command = [sys.executable, "-m", "voice", "--home", str(voice.home), "import", *arguments]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(),
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def until_stored(voice: Voice, process: subprocess.Popen[str], rows: int) -> None:
    """Wait until the mark of the import that runs says so many rows."""
    while not any(json.loads(mark.read_bytes())["rows"] >= rows for mark in (voice.home / "imports").glob("*.json")):
        assert process.poll() is None
        time.sleep(0.02)


def warnings_of(ran: Ran) -> list[str]:
    return cast("dict[str, list[str]]", ran.json)["warnings"]


def test_an_answer_says_that_an_import_runs_in_another_process(voice: Voice) -> None:
    voice.ok("remember", "The kiln is in the shed.")
    with importing(voice, "-", "--format", "text") as process:
        pipe = cast("IO[str]", process.stdin)
        pipe.write("\n\n".join(f"The hen laid {number} eggs." for number in range(257)))
        pipe.write("\n\nThe end.\n\n")
        pipe.flush()
        until_stored(voice, process, 250)
        as_json = voice.ok("ask", QUESTION, "--json")
        in_words = voice.ok("ask", "--new", "kiln", QUESTION)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    told = (
        "the import of the piped input is still running (256 records so far), so this answer may miss something; ask "
        "again when it is done"
    )
    assert warnings_of(as_json) == [told]
    assert in_words.only_line == f"voice: {told}"
    assert "shed" in in_words.out
    assert process.returncode == 143
    assert "the import stopped early; what it stored stays, and the same command continues from there" in said
    assert warnings_of(voice.ok("ask", QUESTION, "--json")) == []


def test_an_answer_says_that_an_import_was_broken_off_until_it_is_done(voice: Voice, tmp_path: Path) -> None:
    voice.ok("remember", "The kiln is in the shed.")
    source = tmp_path / "hens.txt"
    source.write_text("\n\n".join(f"The hen laid {number} eggs." for number in range(20_000)), encoding="utf-8")
    with importing(voice, str(source)) as process:
        until_stored(voice, process, 50)
        process.kill()
    (told,) = warnings_of(voice.ok("ask", QUESTION, "--json"))
    assert told.startswith("the import of “hens.txt” stopped early, after ")
    source.write_text("The hen laid 0 eggs.", encoding="utf-8")
    again = voice.ok("import", str(source), "--json")
    assert again.json is not None
    assert warnings_of(voice.ok("ask", "--new", "kiln", QUESTION, "--json")) == []

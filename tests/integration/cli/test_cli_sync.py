"""`voice sync`: what became of each note, in words and as JSON, once or for as long as it is watched."""

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli_runner import Documented, Voice
from synced_folders import write

PORTO = "Marta lives in Porto now. The kiln stands in the shed."
pytestmark = pytest.mark.requirement("ruling:I4")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return write(tmp_path / "notes", {"home.md": PORTO, "bees.md": "Jonas keeps the bees."})


def test_each_note_is_counted_and_named_and_a_dry_run_changes_nothing(
    voice: Voice, notes: Path, is_as_documented: Documented
) -> None:
    assert voice.ok("sync", str(notes)).out.startswith(f"2 new  ({notes})\n  new      bees.md; home.md\n")
    (notes / "bees.md").unlink()
    (notes / "home.md").rename(notes / "house.md")
    (notes / "odd.md").write_bytes(b"\xff\xfe\xff")
    foreseen = voice.ok("sync", str(notes), "--dry-run")
    assert foreseen.out.splitlines() == [
        f"dry run: 1 renamed, 1 deleted  ({notes})",
        "  deleted  bees.md",
        "  renamed  home.md → house.md",
    ]
    assert foreseen.only_line == "voice: skipped odd.md: is not UTF-8 text; save it as UTF-8"
    done = voice.ok("sync", str(notes), "--json")
    is_as_documented("cli/sync", done)
    assert (done.json["renamed"], done.json["gone"], done.json["places"]["gone"]) == (1, 1, ["bees.md"])
    assert done.json["renames"] == [{"from": "home.md", "to": "house.md"}]
    assert voice.ok("sync", str(notes)).out == f"1 unchanged  ({notes})\n"
    (notes / "odd.md").write_text("The kiln is hot.", encoding="utf-8")
    (notes / "void.md").touch()
    assert voice.ok("sync", str(notes)).out == f"1 new, 1 unchanged  ({notes})\n  new      odd.md\n"
    assert voice.ok("sync", str(notes)).out == f"2 unchanged  ({notes})\n"
    (notes.parent / "other").mkdir()
    assert voice.ok("sync", f"{notes.parent}/other").out.endswith("/other; voice sync reads .md and .txt\n")


@pytest.mark.requirement("ruling:I4:conflict")
def test_a_correction_in_the_memory_is_told(voice: Voice, notes: Path) -> None:
    voice.ok("sync", str(notes))
    found = voice.ok("retrieve", "Marta Porto kiln", "--json", "--mix", "0").json["snippets"]
    row_id = next(each["id"] for each in found if each["text"] == PORTO)
    voice.ok("correct", row_id, PORTO.replace("Porto", "Lisbon"), "--sentence", "all")
    assert "you corrected home.md in the memory" in voice.ok("sync", str(notes)).only_line
    (notes / "home.md").write_text(PORTO.replace("Porto", "Faro"), encoding="utf-8")
    assert voice.ok("sync", str(notes)).only_line.endswith("its new words replace the correction")


def told_after(voice: Voice, folder: Path, act: Callable[[], object]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Watch a folder, write in it, and return what was told before and after, once it was stopped."""
    with voice.process("sync", str(folder), "--watch", "--json") as watching:
        assert watching.stdout is not None
        assert watching.stderr is not None
        before = json.loads(watching.stdout.readline())
        while not watching.stderr.readline().startswith("voice: watching"):
            assert watching.poll() is None
        act()
        after = json.loads(watching.stdout.readline())
        watching.send_signal(signal.SIGTERM)
        assert watching.wait(timeout=20) == 143
    return before, after


@pytest.mark.requirement("ruling:I4:watch")
def test_what_is_written_while_it_watches_is_in_the_memory_a_moment_later(voice: Voice, notes: Path) -> None:
    before, told = told_after(voice, notes, lambda: write(notes, {"hens.md": "The hens lay well."}))
    assert before["new"] == 2
    assert (told["new"], told["places"]["new"], told["unchanged"]) == (1, ["hens.md"], 2)


@pytest.mark.requirement("ruling:I4:locations")
def test_each_source_of_an_answer_names_its_note_and_line(
    voice: Voice, notes: Path, is_as_documented: Documented
) -> None:
    voice.ok("sync", str(notes))
    assert "(home.md:1)" in voice.ok("ask", "Where does Marta live?", "--format", "markdown").out
    told = voice.ok("ask", "Where does Marta live?", "--json")
    is_as_documented("cli/ask", told)
    location = told.json["sources"][0]["location"]
    assert (location["label"], location["uri"]) == ("home.md:1", f"file://{notes}/home.md")
    (heading, *_) = voice.ok("retrieve", "Where does Marta live?").out.splitlines()
    assert heading.endswith("  home.md:1")
    assert "location" not in voice.ok("retrieve", "Where does Marta live?", "--json").out
    (voice.home / "folders.json").write_text("{")
    for command in ("ask", "retrieve"):
        assert "folders.json cannot be read" in voice.ok(command, "Where does Marta live?").err


@pytest.mark.requirement("ruling:I4:locations", "ruling:D3")
def test_a_refusal_calls_what_it_shows_the_closest_and_names_its_place(voice: Voice, notes: Path) -> None:
    voice.ok("sync", str(notes))
    for form in (("--format", "markdown"), ("--format", "text"), ("--plain",)):
        _, _, shown = voice("ask", "Who is the mayor of Porto?", *form).out.partition("Closest in your notes")
        assert "home.md:1" in shown, form

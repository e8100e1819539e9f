"""What nobody dated is undated at every door of the command line, and nothing asked of a time finds it."""

from pathlib import Path
from typing import Any

import pytest

from cli_runner import Documented, Voice
from synced_folders import write

pytestmark = pytest.mark.requirement("ruling:I2")
NOTES = {
    "Loom.md": "The loom came from Porto.\n",
    "2024-05-01.md": "The loom stands in the shed.\n",
    "05-06-2024.md": "The loom has eight shafts.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "vault", NOTES)


def _said(voice: Voice, *words: str) -> dict[str, dict[str, Any]]:
    found = voice.ok("retrieve", "loom", "--floor", "0", *words, "--json").json["snippets"]
    return {each["text"]: each for each in found}


def test_an_undated_note_says_so_in_words_and_as_json(voice: Voice, folder: Path, is_as_documented: Documented) -> None:
    assert voice.ok("import", str(folder), "--json").json["undated"]["count"] == 2
    assert "undated kg_observation" in voice.ok("retrieve", "loom from Porto").out
    is_as_documented("retrieve", voice.ok("retrieve", "loom", "--json"))
    said = _said(voice)
    porto, dated = said["The loom came from Porto."], said["The loom stands in the shed."]
    assert (porto["created_at"], porto["entered_at"][-1]) == (None, "Z")
    assert (dated["created_at"], "entered_at" in dated) == ("2024-04-30T23:00:00Z", False)


@pytest.mark.requirement("ruling:I3")
def test_a_time_is_counted_from_an_event_that_the_memory_dates(voice: Voice, folder: Path) -> None:
    bought = {"2022-03-01.md": "Bought a loom of birch.\n", "2024-03-01.md": "Bought a loom of oak.\n"}
    voice.ok("import", str(write(folder, {"Porto.md": "We moved to Porto on 2 June 2023.\n", **bought})))
    found = voice.ok("retrieve", "bought a loom since the move to Porto", "--floor", "0")
    assert "since the move to Porto: since 2023-06-02" in found.err
    asked = voice.ok("ask", "Which loom was bought since the move?", "--new", "loom")
    for ran in (found, asked):
        assert ("oak" in ran.out, "birch" in ran.out) == (True, False)

"""What nobody dated is undated at every door of the command line, and nothing asked of a time finds it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cli_runner import SETTINGS, Documented, Voice
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


def test_an_answer_names_its_undated_source_so(voice: Voice, folder: Path, is_as_documented: Documented) -> None:
    voice.ok("import", str(folder))
    answered = voice.ok("ask", "Where did the loom come from?", "--new", "loom", "--json")
    is_as_documented("cli/ask", answered)
    source, *_ = answered.json["sources"]
    assert (source["created_at"], source["location"]["told_at"]) == (None, None)
    assert source["entered_at"].endswith("Z")


@pytest.mark.parametrize("when", ["today", "since 2020", "before tomorrow", "in May 2024"])
def test_no_time_that_is_asked_for_holds_what_is_undated(voice: Voice, folder: Path, when: str) -> None:
    voice.ok("import", str(folder))
    assert "The loom came from Porto." not in _said(voice, "--when", when)
    assert ("The loom stands in the shed." in _said(voice, "--when", when)) == (when != "today")


def test_the_setting_says_which_of_two_days_a_name_means(voice: Voice, folder: Path) -> None:
    voice.settings(f'{SETTINGS}date_order = "day_first"\n')
    voice.ok("import", str(folder))
    assert _said(voice)["The loom has eight shafts."]["created_at"] == "2024-06-04T23:00:00Z"


def test_an_export_keeps_what_is_undated_so_when_it_comes_in_again(voice: Voice, other: Voice, folder: Path) -> None:
    voice.ok("import", str(folder))
    exported = voice.ok("export", "-").out
    lines = [json.loads(line) for line in exported.splitlines()]
    undated = [line for line in lines if "created_at" in line and line["created_at"] is None]
    assert len(undated) == 4
    assert all(line["entered_at"] == line["recorded_at"] for line in undated)
    other.ok("import", "-", stdin=exported.encode())
    assert other.ok("export", "-").out == exported


def test_a_sync_leaves_undated_what_no_file_dates(voice: Voice, folder: Path) -> None:
    voice.ok("sync", str(folder))
    os.utime(folder / "Loom.md", (1_716_000_000, 1_716_000_000))
    (folder / "Loom.md").rename(folder / "Weaving.md")
    assert voice.ok("sync", str(folder), "--json").json["renamed"] == 1
    assert _said(voice)["The loom came from Porto."]["created_at"] is None


def test_what_is_typed_is_told_now(voice: Voice) -> None:
    voice.ok("remember", "The loom has a new reed.")
    assert _said(voice, "--when", "today").keys() == {"The loom has a new reed."}


@pytest.mark.requirement("ruling:I3")
def test_a_time_that_is_asked_for_finds_an_undated_note_that_speaks_of_it(voice: Voice, folder: Path) -> None:
    lease = "The lease of the loom ends on 3 May 2031."
    voice.ok("import", str(write(folder, {"Lease.md": lease})))
    assert _said(voice, "--when", "May 2031").keys() == {lease}
    assert lease not in _said(voice, "--when", "May 2030")


@pytest.mark.requirement("ruling:I3")
def test_a_time_is_counted_from_an_event_that_the_memory_dates(voice: Voice, folder: Path) -> None:
    bought = {"2022-03-01.md": "Bought a loom of birch.\n", "2024-03-01.md": "Bought a loom of oak.\n"}
    voice.ok("import", str(write(folder, {"Porto.md": "We moved to Porto on 2 June 2023.\n", **bought})))
    found = voice.ok("retrieve", "bought a loom since the move to Porto", "--floor", "0")
    assert "since the move to Porto: since 2023-06-02" in found.err
    asked = voice.ok("ask", "Which loom was bought since the move?", "--new", "loom")
    for ran in (found, asked):
        assert ("oak" in ran.out, "birch" in ran.out) == (True, False)

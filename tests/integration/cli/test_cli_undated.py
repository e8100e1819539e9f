"""What nobody dated is undated at every door of the command line, and nothing asked of a time finds it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from cli_runner import Ran, Voice

pytestmark = pytest.mark.requirement("ruling:I2")
Documented = Callable[[str, Ran], None]
NOTES = {
    "Loom.md": "The loom came from Porto.\n",
    "2024-05-01.md": "The loom stands in the shed.\n",
    "05-06-2024.md": "The loom has eight shafts.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in NOTES.items():
        path = tmp_path / "vault" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (1_715_000_000, 1_715_000_000))
    return tmp_path / "vault"


def _said(voice: Voice, *words: str) -> dict[str, dict[str, Any]]:
    found = cast("dict[str, Any]", voice.ok("retrieve", "loom", "--floor", "0", *words, "--json").json)
    return {each["text"]: each for each in found["snippets"]}


def test_an_undated_note_says_so_in_words_and_as_json(voice: Voice, folder: Path, is_as_documented: Documented) -> None:
    ran = voice.ok("import", str(folder), "--json")
    assert cast("dict[str, Any]", ran.json)["undated"]["count"] == 2
    assert "undated kg_observation" in voice.ok("retrieve", "loom from Porto").out
    is_as_documented("retrieve", voice.ok("retrieve", "loom", "--json"))
    porto = _said(voice)["The loom came from Porto."]
    assert porto["created_at"] is None
    assert porto["entered_at"].endswith("Z")
    dated = _said(voice)["The loom stands in the shed."]
    assert (dated["created_at"], "entered_at" in dated) == ("2024-04-30T23:00:00Z", False)


def test_an_answer_names_its_undated_source_so(voice: Voice, folder: Path, is_as_documented: Documented) -> None:
    voice.ok("import", str(folder))
    answered = voice.ok("ask", "Where did the loom come from?", "--new", "loom", "--json")
    is_as_documented("cli/ask", answered)
    source, *_ = cast("dict[str, Any]", answered.json)["sources"]
    assert (source["created_at"], source["location"]["told_at"]) == (None, None)
    assert source["entered_at"].endswith("Z")


@pytest.mark.parametrize("when", ["today", "since 2020", "before tomorrow", "in May 2024"])
def test_no_time_that_is_asked_for_holds_what_is_undated(voice: Voice, folder: Path, when: str) -> None:
    voice.ok("import", str(folder))
    assert "The loom came from Porto." not in _said(voice, "--when", when)
    assert ("The loom stands in the shed." in _said(voice, "--when", when)) == (when != "today")


def test_the_setting_says_which_of_two_days_a_name_means(voice: Voice, folder: Path) -> None:
    with (voice.home / "voice.toml").open("a", encoding="utf-8") as settings:
        settings.write('date_order = "day_first"\n')
    voice.ok("import", str(folder))
    assert _said(voice)["The loom has eight shafts."]["created_at"] == "2024-06-04T23:00:00Z"


def test_an_export_keeps_what_is_undated_so_when_it_comes_in_again(
    voice: Voice, folder: Path, tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran]
) -> None:
    voice.ok("import", str(folder))
    path = tmp_path / "memory.jsonl"
    voice.ok("export", str(path))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    undated = [line for line in lines if "created_at" in line and line["created_at"] is None]
    assert len(undated) == 4
    assert all(line["entered_at"] == line["recorded_at"] for line in undated)
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    (other / "voice.toml").write_text((voice.home / "voice.toml").read_text(encoding="utf-8"), encoding="utf-8")
    there, again = Voice(other, run_voice), tmp_path / "again.jsonl"
    there.ok("import", str(path))
    there.ok("export", str(again))
    assert again.read_bytes() == path.read_bytes()


def test_a_sync_leaves_undated_what_no_file_dates(voice: Voice, folder: Path) -> None:
    voice.ok("sync", str(folder))
    os.utime(folder / "Loom.md", (1_716_000_000, 1_716_000_000))
    (folder / "Loom.md").rename(folder / "Weaving.md")
    synced = cast("dict[str, Any]", voice.ok("sync", str(folder), "--json").json)
    assert synced["renamed"] == 1
    assert _said(voice)["The loom came from Porto."]["created_at"] is None


def test_what_is_typed_is_told_now(voice: Voice) -> None:
    voice.ok("remember", "The loom has a new reed.")
    assert _said(voice, "--when", "today").keys() == {"The loom has a new reed."}


@pytest.mark.requirement("ruling:I3")
def test_a_time_that_is_asked_for_finds_an_undated_note_that_speaks_of_it(voice: Voice, folder: Path) -> None:
    (folder / "Lease.md").write_text("The lease of the loom ends on 3 May 2031.\n", encoding="utf-8")
    voice.ok("import", str(folder))
    assert _said(voice, "--when", "May 2031").keys() == {"The lease of the loom ends on 3 May 2031."}
    assert "The lease of the loom ends on 3 May 2031." not in _said(voice, "--when", "May 2030")


@pytest.mark.requirement("ruling:I3")
def test_a_time_is_counted_from_an_event_that_the_memory_dates(voice: Voice, folder: Path) -> None:
    (folder / "Porto.md").write_text("We moved to Porto on 2 June 2023.\n", encoding="utf-8")
    (folder / "2022-03-01.md").write_text("Bought a loom of birch.\n", encoding="utf-8")
    (folder / "2024-03-01.md").write_text("Bought a loom of oak.\n", encoding="utf-8")
    voice.ok("import", str(folder))
    found = voice.ok("retrieve", "bought a loom since the move to Porto", "--floor", "0")
    assert "Bought a loom of oak." in found.out
    assert "Bought a loom of birch." not in found.out
    assert "since the move to Porto: since 2023-06-02" in found.err
    asked = voice.ok("ask", "Which loom was bought since the move?", "--new", "loom")
    assert "oak" in asked.out
    assert "birch" not in asked.out

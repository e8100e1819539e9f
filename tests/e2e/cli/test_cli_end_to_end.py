"""The real command, each step a process, with the real encoder: the first day of a memory."""

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cli_runner import Ran, run_command

pytestmark = pytest.mark.xdist_group("story")  # what all of it is asked of is made once

IMPORTED = """\
{"format":"inner-voice-memory/1"}
{"type":"entity","name":"Irma Kowalski","entity_type":"person","aliases":["Irma"]}
{"type":"thought","content":"Irma Kowalski repaired the roof of the shed in May 2025.","created_at":"2025-05-20"}
{"type":"thought","content":"Der Ofen wird im Winter nicht benutzt.","created_at":"2025-11-02"}
"""
_OF_ASKING = frozenset({"replayed", "skipped", "warnings"})
"""What is told of how a turn came about and is no part of what is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What each step said, by its name."""

    home: Path
    steps: dict[str, Ran] = field(default_factory=dict[str, Ran])

    def step(self, name: str, *arguments: str, stdin: bytes = b"") -> Ran:
        self.steps[name] = run_command(*arguments, home=self.home, stdin=stdin)
        return self.steps[name]

    def document(self, name: str) -> dict[str, Any]:
        return self.steps[name].json


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Run the whole story once; every step is a process."""
    place = tmp_path_factory.mktemp("elsewhere")
    story = Story(home=tmp_path_factory.mktemp("a home of") / "mémoire")
    story.step("init", "init", "--timezone", "Europe/Lisbon")
    story.step("remember", "remember", "Moved the kiln to the shed behind the house.")
    story.step("pipe", "remember", "--at", "2025-03-01", stdin=b"Anna Lund bought the wheel for 400 euros.")
    story.step("import", "import", "-", stdin=IMPORTED.encode())
    story.step("ask", "ask", "Where is the kiln?", "--new", "the kiln", "--json")
    story.step("continue", "ask", "-c", "What did Anna Lund buy?", "--json")
    story.step("refuse", "ask", "-c", "Who won the marathon in Oslo?", "--json")
    story.step("list", "sessions", "list", "--json")
    story.step("show", "sessions", "show", "the kiln", "--json")
    story.step("report", "report", "--json")
    story.step("backup", "maintain", "backup", str(place / "memory.backup"), "--json")
    story.step("verify", "maintain", "verify")
    story.step("export", "export", str(place / "one.jsonl"))
    return story


def test_every_step_ends_as_it_should_and_says_nothing_on_stderr_but_notes(story: Story) -> None:
    assert {name: ran.code for name, ran in story.steps.items() if ran.code} == {"refuse": 3}
    loud = {name: ran.err for name, ran in story.steps.items() if ran.err and name != "backup"}
    assert loud == {}


@pytest.mark.requirement("promise:1", "promise:10")
def test_what_was_remembered_a_moment_ago_is_answered_word_for_word(story: Story) -> None:
    answer = story.document("ask")
    assert "Moved the kiln to the shed behind the house." in answer["answer"]
    assert answer["coverage_ratio"] == 1.0
    assert "Anna Lund bought the wheel for 400 euros." in story.document("continue")["answer"]
    assert story.document("refuse")["refused"] is True


@pytest.mark.requirement("promise:3")
def test_a_second_process_goes_on_in_the_same_session(story: Story) -> None:
    turns = [story.document(name) for name in ("ask", "continue", "refuse")]
    assert {turn["session_id"] for turn in turns} == {turns[0]["session_id"]}
    assert story.document("show")["exchanges"] == [
        {name: value for name, value in turn.items() if name not in _OF_ASKING} for turn in turns
    ]
    listed = story.steps["list"].json
    assert [(each["thread_topic"], each["total_exchanges"]) for each in listed] == [("the kiln", 3)]


def test_the_report_counts_what_was_asked(story: Story) -> None:
    total = story.document("report")["total"]
    assert (total["turns"], total["answered"], total["refused"], total["cost_usd"]) == (3, 2, 1, "0")


def test_the_installed_command_is_the_module() -> None:
    command = Path(sys.executable).with_name("voice")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.startswith("voice, version ")) == (0, True)

"""`voice sessions export` and `import`: what leaves, what comes in, and what is said of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from cli_runner import SETTINGS, Ran, Voice

pytestmark = pytest.mark.requirement("sessions:portable")
IsAsDocumented = Callable[[str, Ran], None]


@pytest.fixture
def told(voice: Voice) -> str:
    """Return a conversation with a public turn, a refused one and a private one."""
    voice.ok("remember", "Moved the kiln to the *shed*.")
    voice.ok("remember", "The safe opens with 4711, said Anna.", "--private")
    asked = voice.ok("ask", "Where did I move the kiln?", "--new", "the kiln", "--json").json
    name = str(cast("dict[str, object]", asked)["session_id"])
    voice("ask", "Who is the emperor of China?", "-s", name)
    voice.ok("ask", "What opens the safe?", "--private", "-s", name)
    return name


@pytest.fixture
def other(tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran]) -> Voice:
    home = tmp_path / "another"
    home.mkdir(mode=0o700)
    (home / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    return Voice(home, run_voice)


def test_what_leaves_follows_the_published_schema(voice: Voice, told: str, is_as_documented: IsAsDocumented) -> None:
    left = voice.ok("sessions", "export", "the kiln")
    is_as_documented("session", left)
    assert left.only_line == "voice: the words of 1 private turn are left out; --private includes them"
    assert "said Anna" not in left.out
    everything = voice.ok("sessions", "export", told, "--private")
    assert "said Anna" in everything.out
    assert everything.err == ""


def test_two_exports_of_a_conversation_are_the_same_bytes(voice: Voice, told: str, tmp_path: Path) -> None:
    voice.ok("sessions", "export", told, "--out", str(tmp_path / "a.json"))
    voice.ok("sessions", "export", told, "--out", str(tmp_path / "b.json"))
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_file_is_private_and_replaced_only_when_that_is_said(voice: Voice, told: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    assert voice.ok("sessions", "export", told, "--out", str(path)).err.endswith(f"3 turns written to {path}\n")
    assert path.stat().st_mode & 0o777 == 0o600
    refused = voice("sessions", "export", told, "--out", str(path))
    assert (refused.code, "already there" in refused.err) == (2, True)
    voice.ok("sessions", "export", told, "--out", str(path), "--force")
    nowhere = voice("sessions", "export", told, "--out", str(tmp_path / "none" / "a.json"))
    assert (nowhere.code, "cannot be written" in nowhere.err) == (2, True)


def test_a_transcript_marks_its_sentences_and_names_their_sources(voice: Voice, told: str, tmp_path: Path) -> None:
    path = tmp_path / "kiln.md"
    voice.ok("sessions", "export", told, "--out", str(path))
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# the kiln\n")
    assert "- ✓ Moved the kiln to the \\*shed\\*.[^1-1]\n" in text
    assert "[^1-1]: “Moved the kiln to the \\*shed\\*.” (o:" in text
    assert "*1 private turn left out.*" in text
    assert "4711" not in text
    assert "4711" in voice.ok("sessions", "export", told, "--format", "markdown", "--private").out


@pytest.mark.requirement("sessions:imported")
def test_a_conversation_comes_in_once_and_shows_where_it_is_from(
    voice: Voice, other: Voice, told: str, tmp_path: Path, is_as_documented: IsAsDocumented
) -> None:
    path = str(tmp_path / "a.json")
    voice.ok("sessions", "export", told, "--out", path)
    dry = other.ok("sessions", "import", path, "--dry-run")
    assert dry.out == f"would import 3 turns of {told} (the kiln)\n"
    assert other.ok("sessions", "list", "--json").json == []
    came = other.ok("sessions", "import", path)
    assert came.out == f"3 turns of {told} (the kiln)\n"
    assert came.err.splitlines() == [
        "voice: 1 turn without the words",
        "voice: this memory lacks 1 source of its answers: those answers are unproven",
    ]
    again = other.ok("sessions", "import", path, "--json")
    is_as_documented("cli/sessions-import", again)
    assert cast("dict[str, object]", again.json)["added"] == 0
    words = other.ok("sessions", "import", "-", stdin=Path(path).read_bytes())
    assert words.out == f"nothing new: all 3 turns of {told} (the kiln) are already here\n"
    shown = other.ok("sessions", "show", told, "--json")
    is_as_documented("cli/sessions-show", shown)
    turns = cast("list[dict[str, object]]", cast("dict[str, object]", shown.json)["exchanges"])
    assert all(turn["imported_from"] for turn in turns)
    assert "  imported\n" in other.ok("sessions", "show", told).out
    assert other("sessions", "audit", told).code == 7
    assert other.ok("maintain", "verify").out == "Voice read every record; every text, count and chain is right.\n"


@pytest.mark.requirement("sessions:imported")
def test_private_turns_that_an_earlier_import_was_without_are_named_with_how_to_bring_them(
    voice: Voice, other: Voice, told: str, tmp_path: Path, is_as_documented: IsAsDocumented
) -> None:
    public, whole = str(tmp_path / "public.json"), str(tmp_path / "whole.json")
    voice.ok("sessions", "export", told, "--out", public)
    voice.ok("sessions", "export", told, "--out", whole, "--private")
    other.ok("sessions", "import", public)
    more = other.ok("sessions", "import", whole)
    assert more.out == (
        f"nothing added: all 3 turns of {told} (the kiln) are already here, 1 private turn without the words\n"
    )
    assert f"`voice sessions delete {told}`) and import {whole} again" in " ".join(more.err.split())
    shown = other.ok("sessions", "import", whole, "--json")
    is_as_documented("cli/sessions-import", shown)
    assert cast("dict[str, object]", shown.json)["fuller_in_file"] == 1
    other.ok("sessions", "delete", told, "--yes")
    assert other.ok("sessions", "import", whole).out.startswith("3 turns of ")


def test_a_file_that_was_changed_is_refused_in_one_line(voice: Voice, other: Voice, told: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    voice.ok("sessions", "export", told, "--out", str(path))
    path.write_text(path.read_text().replace('"answer": "Moved', '"answer": "Sold'))
    refused = other("sessions", "import", str(path))
    assert refused.code == 2
    assert "exchanges[0].values.answer does not match its commitment" in refused.only_line
    assert "kiln" not in refused.only_line


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 1}', "\ufeff{}", '{"a": 1, "a": 2}', '{"format": "voice-session/2"}']
)
def test_what_is_no_conversation_is_refused_in_one_line(other: Voice, tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    refused = other("sessions", "import", str(path))
    assert (refused.code, "[data_file_error]" in refused.only_line) == (2, True)


def test_a_file_that_is_not_there_or_is_a_directory_is_refused_in_one_line(other: Voice, tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        refused = other("sessions", "import", str(path))
        assert (refused.code, "cannot be read" in refused.only_line) == (2, True)


def test_characters_that_steer_a_terminal_leave_as_escapes(voice: Voice, other: Voice, tmp_path: Path) -> None:
    voice.ok("remember", "Moved the kiln to the shed.")
    voice.ok("ask", "Where did I move \u202ethe kiln?", "--new", "the kiln")
    path = tmp_path / "a.json"
    voice.ok("sessions", "export", "the kiln", "--out", str(path))
    assert "\u202e" not in path.read_text(encoding="utf-8")
    assert "\u202e" in json.loads(path.read_text(encoding="utf-8"))["exchanges"][0]["values"]["my_query"]
    other.ok("sessions", "import", str(path))

"""`voice sessions export` and `import`: what leaves, what comes in, and what is said of it."""

from pathlib import Path

import pytest

from cli_runner import Documented, Voice

pytestmark = pytest.mark.requirement("sessions:portable")


@pytest.fixture
def told(voice: Voice) -> str:
    """Return a conversation with a public turn, a refused one and a private one."""
    voice.ok("remember", "Moved the kiln to the *shed*.")
    voice.ok("remember", "The safe opens with 4711, said Anna.", "--private")
    name = voice.ok("ask", "Where did I move the kiln?", "--new", "the kiln", "--json").json["session_id"]
    voice("ask", "Who is the emperor of China?", "-s", name)
    voice.ok("ask", "What opens the safe?", "--private", "-s", name)
    return name


def test_what_leaves_follows_the_published_schema(voice: Voice, told: str, is_as_documented: Documented) -> None:
    left = voice.ok("sessions", "export", "the kiln")
    is_as_documented("session", left)
    assert left.only_line == "voice: the words of 1 private turn are left out; --private includes them"
    assert "said Anna" not in left.out
    assert voice.ok("sessions", "export", told).out == left.out
    everything = voice.ok("sessions", "export", told, "--private")
    assert ("said Anna" in everything.out, everything.err) == (True, "")


def test_a_file_is_private_and_replaced_only_when_that_is_said(voice: Voice, told: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    assert voice.ok("sessions", "export", told, "--out", str(path)).err.endswith(f"3 turns written to {path}\n")
    assert path.stat().st_mode & 0o777 == 0o600
    refused = voice("sessions", "export", told, "--out", str(path))
    assert (refused.code, "already there" in refused.err) == (2, True)
    voice.ok("sessions", "export", told, "--out", str(path), "--force")
    nowhere = voice("sessions", "export", told, "--out", str(tmp_path / "none" / "a.json"))
    assert (nowhere.code, "cannot be written" in nowhere.err) == (2, True)


@pytest.mark.requirement("sessions:imported")
def test_a_conversation_comes_in_once_and_shows_where_it_is_from(
    voice: Voice, other: Voice, told: str, tmp_path: Path, is_as_documented: Documented
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
    assert again.json["added"] == 0
    words = other.ok("sessions", "import", "-", stdin=Path(path).read_bytes())
    assert words.out == f"nothing new: all 3 turns of {told} (the kiln) are already here\n"
    shown = other.ok("sessions", "show", told, "--json")
    is_as_documented("cli/sessions-show", shown)
    assert all(turn["imported_from"] for turn in shown.json["exchanges"])
    assert "  imported\n" in other.ok("sessions", "show", told).out
    assert other("sessions", "audit", told).code == 7
    other.verify()


@pytest.mark.requirement("sessions:imported")
def test_private_turns_that_an_earlier_import_was_without_are_named_with_how_to_bring_them(
    voice: Voice, other: Voice, told: str, tmp_path: Path, is_as_documented: Documented
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
    assert shown.json["fuller_in_file"] == 1
    other.ok("sessions", "delete", told, "--yes")
    assert other.ok("sessions", "import", whole).out.startswith("3 turns of ")


def test_what_is_no_conversation_is_refused_in_one_line(voice: Voice, told: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for text in ("", "[]", '{"format": 1}', '{"a": 1, "a": 2}', '{"format": "voice-session/2"}'):
        path.write_text(text, encoding="utf-8")
        assert "[data_file_error]" in voice.refused("sessions", "import", str(path))
    assert "cannot be read" in voice.refused("sessions", "import", str(tmp_path))
    left = voice.ok("sessions", "export", told).out
    refused = voice("sessions", "import", "-", stdin=left.replace('"answer": "Moved', '"answer": "Sold').encode())
    assert refused.code == 2
    assert "exchanges[0].values.answer does not match its commitment" in refused.only_line
    assert "kiln" not in refused.only_line

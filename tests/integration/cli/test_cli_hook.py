"""`voice hook`: sessions of agents come in when they end, and wait for their owner."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli_runner import Documented, Ran, Voice, run_command
from voice.adapters.system.spool_writer import SPOOL_FOLDER

CLAUDE = '{\n    "env": {"A": "b"},\n    "hooks": {\n        "Stop": []\n    }\n}\n'
ZITHER = "The zither of Ines Prates is mended in Faro."
WHO = "Where is the zither of Ines Prates mended?"
KEY = "ghp_" + "a1b2" * 9
AT = "2026-03-05T10:00:00Z"


@dataclass(frozen=True, slots=True)
class Agent:
    """A host whose session ended in a working tree, with its transcript."""

    voice: Voice
    tree: Path
    transcript: Path

    def says(self, *turns: tuple[str, str]) -> None:
        """Write the transcript of a session of Claude Code."""
        of_session = {"sessionId": "s1", "parentUuid": None, "timestamp": AT}
        lines = [
            {**of_session, "uuid": f"u{number}", "type": side, "message": {"content": text}}
            for number, (side, text) in enumerate(turns)
        ]
        self.transcript.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    def ends(self, host: str = "claude-code", **more: object) -> Ran:
        """Let the session end, as its host tells it."""
        said = {"session_id": "s1", "transcript_path": str(self.transcript), "cwd": str(self.tree), **more}
        return self.voice("hook", "run", host, stdin=json.dumps(said).encode())


@pytest.fixture
def agent(voice: Voice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "kiln.py").write_text("hot\n", encoding="utf-8")
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        git(tree, *arguments)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    (tmp_path / "person" / ".claude").mkdir(parents=True)
    (tmp_path / "person" / ".claude" / "settings.json").write_text(CLAUDE, encoding="utf-8")
    voice.ok("retrieve", "anything")
    return Agent(voice, tree, tmp_path / "s.jsonl")


def git(tree: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(tree), *arguments], check=True, capture_output=True, text=True).stdout


def notes(voice: Voice) -> list[dict[str, Any]]:
    return sorted(voice.ok("review", "--state", "all", "--json").json["notes"], key=lambda each: str(each["sentences"]))


def texts(voice: Voice) -> list[str]:
    return [" ".join(one["text"] for one in each["sentences"]) for each in notes(voice)]


def status(voice: Voice, host: str = "claude-code") -> dict[str, object]:
    return next(each for each in voice.ok("hook", "status", "--json").json["hosts"] if each["host"] == host)


@pytest.mark.requirement("capture:taken-in", "capture:waits", "capture:hand-over")
def test_a_session_comes_in_word_for_word_and_nothing_of_it_counts_before_it_is_approved(agent: Agent) -> None:
    agent.says(("user", ZITHER), ("assistant", "The quern stands with Tomas Vidal."))
    ended = agent.ends(reason="exit")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    listed = agent.voice.ok("review", "--list")
    assert "captured 1 agent session (2 new messages)" in listed.err
    assert "claude-code, what was typed there, " in listed.out
    assert "claude-code, what its model said, " in listed.out
    assert texts(agent.voice) == ["The quern stands with Tomas Vidal.", ZITHER]
    before = agent.voice("ask", WHO)
    assert (before.code, "An agent noted this (claude-code: t:" in before.out) == (3, True)
    agent.voice.ok("review", "--from", "claude-code", "--approve", "--yes")
    assert "mended in Faro" in agent.voice.ok("ask", WHO).out
    assert "Claude Code: The quern stands with Tomas Vidal." in agent.voice.ok("ask", "Who is Tomas Vidal?").out
    shown = agent.voice.ok("retrieve", "quern Vidal", "--json").json["snippets"]
    assert {each["trust_tier"] for each in shown if "quern" in each["text"]} == {"red"}


@pytest.mark.requirement("capture:taken-in")
def test_a_session_that_ends_again_adds_what_is_new_and_what_was_forgotten_stays_forgotten(agent: Agent) -> None:
    agent.says(("user", ZITHER))
    agent.ends()
    agent.ends()
    (note,) = notes(agent.voice)
    agent.voice.ok("forget", "--id", note["id"], "--yes")
    agent.says(("user", ZITHER), ("user", "The samovar is from Tula."))
    agent.ends()
    assert texts(agent.voice) == ["The samovar is from Tula."]
    assert (status(agent.voice)["sessions"], status(agent.voice)["messages"]) == (1, 2)


@pytest.mark.requirement("capture:checked")
def test_what_a_model_names_is_checked_and_a_sentence_about_what_is_not_there_needs_its_own_approval(
    agent: Agent,
) -> None:
    there = f"The warm kiln is described in kiln.py since {git(agent.tree, 'rev-parse', 'HEAD')[:9]}."
    gone = "The cold oven is described in oven.py since 0123456789ab."
    agent.says(("assistant", gone))
    agent.ends()
    none = agent.voice.ok("review", "--approve", "--yes")
    assert (none.out.splitlines()[0][-8:], "to approve it anyway" in none.err) == (" waiting", True)
    agent.voice.ok("forget", "--id", notes(agent.voice)[0]["id"], "--yes")
    agent.says(("assistant", gone), ("assistant", f"{there} {gone}"))
    agent.ends()
    (note,) = notes(agent.voice)
    assert [each["unfound"] for each in note["sentences"]] == [[], ["oven.py", "0123456789ab"]]
    assert "! the working tree did not contain: oven.py, 0123456789ab" in agent.voice.ok("review", "--list").out
    done = agent.voice.ok("review", note["id"], "--approve")
    assert done.out.splitlines() == [f"{note['id']} partly", "1 statement can be cited now"]
    assert f"voice review {note['id']} --approve --sentence 2" in done.err
    agent.voice.ok("review", note["id"], "--approve", "--sentence", "2")
    assert notes(agent.voice)[0]["state"] == "approved"
    assert status(agent.voice)["messages_naming_unfound"] != 0


@pytest.mark.requirement("capture:secrets", "capture:ignored", "capture:status")
def test_secrets_and_what_is_ignored_never_come_in_and_are_counted(agent: Agent, is_as_documented: Documented) -> None:
    (agent.tree / ".voiceignore").write_text("# keys\n*.pem\n", encoding="utf-8")
    agent.says(("user", f"My key is {KEY}"), ("assistant", "I moved deploy/a.pem."), ("user", ZITHER))
    agent.ends()
    ran = agent.voice.ok("hook", "status", "--json")
    is_as_documented("cli/hook-status", ran)
    assert status(agent.voice)["left_out"] == [
        {"reason": "messages about files that you ignore", "count": 1},
        {"reason": "messages with what looks like a secret", "count": 1},
    ]
    assert texts(agent.voice) == [ZITHER]
    files = [path.read_bytes() for path in agent.voice.home.rglob("*") if path.is_file()]
    assert not [held for held in files if KEY.encode() in held]
    shown = agent.voice.ok("hook", "status").out
    assert "  captured: 1 session, 1 message; 1 wait for `voice review --from claude-code`" in shown
    assert "  left out: 1 message with what looks like a secret" in shown


@pytest.mark.requirement("capture:status")
def test_what_cannot_be_taken_in_waits_and_says_why_until_it_can(agent: Agent) -> None:
    agent.ends()
    agent.ends("codex", transcript_path=None)
    shown = agent.voice.ok("hook", "status").out
    assert "waits: claude-code s1: " in shown
    assert "waits: codex s1: its host did not say where its transcript is" in shown
    agent.says(("user", ZITHER))
    assert texts(agent.voice) == [ZITHER]
    assert len(agent.voice.ok("hook", "status", "--json").json["spooled"]) == 1


@pytest.mark.requirement("capture:hand-over")
def test_a_hook_that_is_told_nonsense_ends_well_with_one_line(agent: Agent) -> None:
    for said in (b"", b"[]", b'{"session_id": 1}', b"\xff", b"[" * 100_000):
        ran = agent.voice("hook", "run", "claude-code", stdin=said)
        assert (ran.code, ran.out) == (0, "")
        assert "this session was not captured" in ran.only_line
    unknown = agent.ends("emacs")
    assert (unknown.code, unknown.out, "emacs" in unknown.only_line) == (0, "", True)
    assert not (agent.voice.home / SPOOL_FOLDER).exists()
    agent.ends()
    assert (agent.voice.home / SPOOL_FOLDER).exists()


@pytest.mark.requirement("capture:hand-over")
def test_a_hook_without_a_memory_makes_none_and_ends_well(tmp_path: Path) -> None:
    home = tmp_path / "none"
    ran = run_command("--home", str(home), "hook", "run", "codex", home=home, stdin=b'{"session_id": "s"}')
    assert (ran.code, ran.out) == (0, "")
    assert f"there is no memory in {home}" in ran.only_line
    assert not home.exists()


@pytest.mark.requirement("capture:install")
@pytest.mark.parametrize(
    ("host", "place", "before"),
    [
        ("claude-code", ".claude/settings.json", CLAUDE),
        ("codex", ".codex/hooks.json", None),
    ],
)
def test_a_hook_is_previewed_installed_run_and_taken_out(
    agent: Agent, tmp_path: Path, is_as_documented: Documented, host: str, place: str, before: str | None
) -> None:
    file = tmp_path / "person" / place
    assert f"hook run {host}" in agent.voice.ok("hook", "install", host, "--dry-run").out
    assert agent.voice("hook", "install", host).code == 2
    assert (file.read_text("utf-8") if file.exists() else None) == before
    assert "installed: " in agent.voice.ok("hook", "install", host, "--yes").out
    installed = file.read_text("utf-8")
    again = agent.voice.ok("hook", "install", host, "--yes", "--json")
    is_as_documented("cli/hook-install", again)
    assert file.read_text("utf-8") == installed
    assert status(agent.voice, host)["installed"] is True
    hook = json.loads(installed)["hooks"]["SessionEnd"][0]["hooks"][0]
    agent.says(("user", ZITHER))
    said = {"session_id": "s1", "transcript_path": str(agent.transcript), "cwd": str(agent.tree)}
    ran = subprocess.run(hook["command"], shell=True, input=json.dumps(said).encode(), capture_output=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert len(list((agent.voice.home / SPOOL_FOLDER).glob("*.json"))) == 1
    assert "uninstalled" in agent.voice.ok("hook", "uninstall", host, "--yes").out
    left = None if host == "codex" else before or "{}\n"  # its file is of hooks alone
    assert (file.read_text("utf-8") if file.exists() else None) == left
    assert "nothing to change" in agent.voice.ok("hook", "uninstall", host, "--yes").out

"""The real Claude Code, Codex and Gemini CLI hand over their sessions by what `voice hook install` wrote.

Without the hosts these tests are skipped. Codex is told to trust the hook for this run; a person does so in `/hooks`.
"""

from collections.abc import Callable, Mapping
from itertools import takewhile
from pathlib import Path

import pytest

from hosts import ASKED, NEEDED, Computer, computer_with, in_claude_code, in_codex, in_gemini_cli
from model_of_hosts import model_of_hosts

pytestmark = [pytest.mark.requirement("capture:in-hosts"), *NEEDED]
_LOOKS = 60
"""How often the memory is opened before a session that has not come in counts as lost; Gemini CLI waits for no hook."""


@pytest.mark.parametrize(
    ("host", "in_host"), [("claude-code", in_claude_code), ("codex", in_codex), ("gemini-cli", in_gemini_cli)]
)
def test_a_session_comes_in_when_it_ends_and_waits_for_its_owner(
    host: str, in_host: Callable[[Computer], str], tmp_path: Path
) -> None:
    with model_of_hosts("recall", {"query": ASKED}) as model:
        computer = computer_with(tmp_path, model)
        assert computer.voice("hook", "install", host, "--yes").code == 0
        in_host(computer)
    looks = (_captured(computer, host) for _ in range(_LOOKS))
    assert len([*takewhile(lambda found: not found["sessions"], looks)]) < _LOOKS
    found = _captured(computer, host)
    assert (found["sessions"], found["messages"], found["messages_waiting"]) == (1, 2, 2)
    waiting = computer.voice("review", "--list").out
    assert waiting.count("[waiting]") == 2
    assert f"1. {ASKED}" in waiting
    assert "The kiln stands in the shed" in waiting


def _captured(computer: Computer, host: str) -> Mapping[str, object]:
    ran = computer.voice("hook", "status", "--json")
    assert ran.code == 0, ran.err
    return next(each for each in ran.json["hosts"] if each["host"] == host)

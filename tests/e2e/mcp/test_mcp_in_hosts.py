"""Claude Code, Codex, Gemini CLI and opencode use the memory, with the settings of docs/mcp.md as they stand there.

The hosts are the real ones, from npm (`sh tools/node-hosts`); without them these tests are skipped. Their model is one
of ours, which calls a tool of the server and says its result word for word (`tests/model_of_hosts.py`).
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import pytest

from cli_runner import run_command
from mcp_settings import ROOT, settings_of
from model_of_hosts import ModelOfHosts, model_of_hosts

PROGRAMS: Final = ROOT / ".node-hosts" / "node_modules" / ".bin"
NOTED: Final = "The kiln stands in the shed behind the house."
ASKED: Final = "What is in the shed?"
_KEY: Final = "a key that no one has"
RUN_S: Final = 180

pytestmark = [
    pytest.mark.slow,
    pytest.mark.requirement("mcp:in-hosts"),
    pytest.mark.xdist_group("mcp_in_hosts"),
    pytest.mark.skipif(shutil.which("node") is None, reason="needs Node"),
    pytest.mark.skipif(not PROGRAMS.exists(), reason="needs the hosts: sh tools/node-hosts"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Computer:
    """A person's home with a memory in it, a project, and `voice` on the path."""

    home: Path
    model: ModelOfHosts

    @property
    def project(self) -> Path:
        return self.home / "project"

    def write(self, place: str, text: str) -> None:
        """Write a file of the home."""
        (self.home / place).parent.mkdir(parents=True, exist_ok=True)
        (self.home / place).write_text(text, encoding="utf-8")

    def run(self, host: str, *arguments: str, **env: str) -> str:
        """Run a host in the project and return what it prints."""
        path = f"{self.home / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(
            [str(PROGRAMS / host), *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=self.project, timeout=RUN_S, check=False,
            env={"HOME": str(self.home), "PATH": path, "NO_COLOR": "1", **env},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def in_claude_code(computer: Computer) -> str:
    computer.write("project/.mcp.json", settings_of("Claude Code"))
    return computer.run(
        "claude", "-p", ASKED, "--mcp-config", ".mcp.json", "--strict-mcp-config", "--allowedTools", "mcp__inner-voice",
        ANTHROPIC_BASE_URL=computer.model.place, ANTHROPIC_API_KEY=_KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
    )  # fmt: skip


def in_codex(computer: Computer) -> str:
    provider = f'name = "ours"\nbase_url = "{computer.model.place}/v1"\nwire_api = "responses"\nenv_key = "OURS"\n'
    asked = 'model = "ours"\nmodel_provider = "ours"\n'
    text = f"{asked}[model_providers.ours]\n{provider}{settings_of('Codex')}"
    computer.write(".codex/config.toml", text)
    options = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
    return computer.run("codex", "exec", *options, ASKED, OURS=_KEY)


def in_gemini_cli(computer: Computer) -> str:
    signed_in = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    settings = {**cast("Mapping[str, object]", json.loads(settings_of("Gemini CLI"))), **signed_in}
    computer.write(".gemini/settings.json", json.dumps(settings))
    return computer.run(
        "gemini", "--skip-trust", "--yolo", "--model", "gemini-2.5-flash", "--prompt", ASKED,
        GEMINI_API_KEY=_KEY, GOOGLE_GEMINI_BASE_URL=computer.model.place,
    )  # fmt: skip


def in_opencode(computer: Computer) -> str:
    options = {"baseURL": f"{computer.model.place}/v1", "apiKey": _KEY}
    models = {"ours": {"name": "ours", "tool_call": True}}
    provider = {"ours": {"npm": "@ai-sdk/openai-compatible", "name": "ours", "options": options, "models": models}}
    settings = cast("Mapping[str, object]", json.loads(settings_of("opencode")))
    computer.write("project/opencode.json", json.dumps({"model": "ours/ours", "provider": provider, **settings}))
    return computer.run("opencode", "run", ASKED, OPENCODE_DISABLE_AUTOUPDATE="1")


@pytest.mark.parametrize("in_host", [in_claude_code, in_codex, in_gemini_cli, in_opencode])
def test_a_host_recalls_what_is_noted(in_host: Callable[[Computer], str], tmp_path: Path) -> None:
    with model_of_hosts("recall", {"query": ASKED}) as model:
        said = in_host(_computer(tmp_path, model))
    assert model.offered
    assert NOTED in said, said


@pytest.mark.parametrize("in_host", [in_claude_code, in_codex, in_gemini_cli, in_opencode])
def test_a_host_is_told_of_an_error_in_its_own_terms(in_host: Callable[[Computer], str], tmp_path: Path) -> None:
    with model_of_hosts("correct", {"id": "t:none", "content": "The kiln is gone."}) as model:
        said = in_host(_computer(tmp_path, model))
    assert "there is no 't:none' to correct" in said, said


def _computer(home: Path, model: ModelOfHosts) -> Computer:
    computer = Computer(home=home, model=model)
    computer.project.mkdir()
    memory = home / ".local" / "share" / "voice"
    computer.write(".local/share/voice/voice.toml", 'enabled = true\n[llm]\nprovider = "extractive"\n')
    started = f'PYTHONPATH="{ROOT / "src"}" exec "{sys.executable}" -m voice "$@"'
    computer.write("bin/voice", f"#!/bin/sh\n{started}\n")
    (home / "bin" / "voice").chmod(0o755)
    assert run_command("remember", NOTED, home=memory).code == 0
    return computer

"""Real hosts of agents on a computer of the tests' own: a home, a project, `voice` on the path, a model of ours.

The hosts come from npm (`sh tools/node-hosts`). None is signed in anywhere: `tests/model_of_hosts.py` answers them.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import pytest

from cli_runner import Ran, run_command
from mcp_settings import ROOT, settings_of
from model_of_hosts import ModelOfHosts

PROGRAMS: Final = ROOT / ".node-hosts" / "node_modules" / ".bin"
NOTED: Final = "The kiln stands in the shed behind the house."
ASKED: Final = "What is in the shed?"
_KEY: Final = "a key that no one has"
_RUN_S: Final = 180

NEEDED = (
    pytest.mark.slow,
    pytest.mark.xdist_group("hosts"),
    pytest.mark.skipif(shutil.which("node") is None, reason="needs Node"),
    pytest.mark.skipif(not PROGRAMS.exists(), reason="needs the hosts: sh tools/node-hosts"),
)
"""The marks of a test that runs them."""


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
            stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=self.project, timeout=_RUN_S, check=False,
            env={"HOME": str(self.home), "PATH": path, "NO_COLOR": "1", **env},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def voice(self, *arguments: str) -> Ran:
        """Run `voice` as the person does."""
        ran = subprocess.run(
            [str(self.home / "bin" / "voice"), *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_RUN_S, check=False,
            env={"HOME": str(self.home), "PATH": os.environ["PATH"]},
        )  # fmt: skip
        return Ran(code=ran.returncode, out=ran.stdout, err=ran.stderr)


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
    options = (
        "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust",
    )  # fmt: skip
    return computer.run("codex", "exec", *options, ASKED, OURS=_KEY)


def in_gemini_cli(computer: Computer) -> str:
    signed_in = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    place = computer.home / ".gemini" / "settings.json"
    there = place.read_text(encoding="utf-8") if place.exists() else "{}"
    read = [cast("Mapping[str, object]", json.loads(text)) for text in (there, settings_of("Gemini CLI"))]
    settings = {**read[0], **read[1], **signed_in}
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


def computer_with(home: Path, model: ModelOfHosts) -> Computer:
    """Return a computer with one note in its memory."""
    computer = Computer(home=home, model=model)
    computer.project.mkdir()
    memory = home / ".local" / "share" / "voice"
    computer.write(".local/share/voice/voice.toml", 'enabled = true\n[llm]\nprovider = "extractive"\n')
    started = f'PYTHONPATH="{ROOT / "src"}" exec "{sys.executable}" -m voice "$@"'
    computer.write("bin/voice", f"#!/bin/sh\n{started}\n")
    (home / "bin" / "voice").chmod(0o755)
    assert run_command("remember", NOTED, home=memory).code == 0
    return computer

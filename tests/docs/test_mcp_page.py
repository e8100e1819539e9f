"""The settings in docs/mcp.md can be read as they are, and the command in them runs."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
from reference.cli import commands

from cli_runner import SETTINGS
from mcp_settings import BLOCKS, OVER_HTTP, PAGE, ROOT, STARTED
from mcp_talk import handshake, lines, request
from voice.entrypoints.cli.serve import _PORT, MCP_PATH, serve
from voice.entrypoints.mcp.tools import TOOLS

pytestmark = pytest.mark.requirement("mcp:docs")

_KEYS = {"VS Code": "servers", "Codex": "mcp_servers", "opencode": "mcp"}
HOSTS = {"Claude Code", "Claude Desktop", "Cursor", "VS Code", "Gemini CLI", "Codex", "opencode"}


def _server(block: Mapping[str, str]) -> Mapping[str, object]:
    read = json.loads if block["form"] == "json" else tomllib.loads
    servers = cast("Mapping[str, Mapping[str, object]]", read(block["text"])[_KEYS.get(block["host"], "mcpServers")])
    (name,) = servers
    assert re.fullmatch(r"[a-z][a-z0-9-]{0,30}", name)
    server = servers[name]
    if block["host"] != "opencode":
        return server
    assert server["type"] == "local"
    command, *args = cast("list[str]", server["command"])
    return {"command": command, "args": args, "env": server["environment"]}


_FENCE = re.compile(r"```(?P<form>json|toml)\n(?P<text>.*?)```", re.DOTALL)


def test_the_page_has_settings_for_each_host() -> None:
    assert sorted(block["host"] for block in BLOCKS) == sorted(HOSTS)
    shown = {block["text"] for block in BLOCKS}
    assert len(shown) == len(_FENCE.findall(STARTED))
    assert len(_FENCE.findall(PAGE)) == len(shown) + len(_FENCE.findall(OVER_HTTP))


def test_each_host_is_told_where_the_providers_key_goes() -> None:
    for block in BLOCKS:
        assert cast("Mapping[str, object]", _server(block)["env"]).keys() == {"GEMINI_API_KEY"}
    assert "SURR_INNER_VOICE_API_KEY" in STARTED
    (codex,) = [block for block in BLOCKS if block["host"] == "Codex"]
    assert "VOICE_HOME" in cast("list[str]", _server(codex)["env_vars"])
    assert "Codex hands on little of your environment" in STARTED


def test_over_http_each_is_told_the_address_and_how_to_bring_the_token() -> None:
    address = f"http://127.0.0.1:{_PORT}{MCP_PATH}"
    for form, text in _FENCE.findall(OVER_HTTP):
        (servers,) = (json.loads if form == "json" else tomllib.loads)(text).values()
        server = servers["inner-voice"]
        assert (server.get("url") or server["httpUrl"]) == address
        header = server.get("headers", {}).get("Authorization", "")
        assert header.startswith("Bearer ") or server["bearer_token_env_var"]
    options = {option for each in serve.params for option in each.opts}
    assert set(re.findall(r"--(?:no-page|token-file)", OVER_HTTP)) <= options | {"--no-page"}
    assert f"inner-voice {address} --header" in OVER_HTTP


def test_what_a_host_is_told_to_start_answers_it(tmp_path: Path) -> None:
    servers = [_server(block) for block in BLOCKS]
    assert {server.get("type", "stdio") for server in servers} == {"stdio"}
    told = {(str(server["command"]), *cast("list[str]", server["args"])) for server in servers}
    home = tmp_path / "memory"
    home.mkdir(mode=0o700)
    (home / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "bin").mkdir()
    said = lines([*handshake(), request(1, "tools/list")])
    for command in told:
        program = tmp_path / "bin" / command[0]
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m voice "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        env = {"PATH": f"{program.parent}:{os.environ['PATH']}", "VOICE_HOME": str(home), "HOME": str(tmp_path)}
        env |= {"PYTHONPATH": str(ROOT / "src"), "GEMINI_API_KEY": "a key"}
        done = subprocess.run(command, input=said, env=env, capture_output=True, timeout=60, check=True)
        answer = json.loads(done.stdout.splitlines()[-1])
        assert [tool["name"] for tool in answer["result"]["tools"]] == [tool.name for tool in TOOLS]


def test_the_page_names_every_tool_and_its_commands_are_there() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \|.*\|$", PAGE, re.MULTILINE)
    assert rows == [tool.name for tool in TOOLS]
    assert [tool.dotted for tool in TOOLS if tool.dotted != tool.name and f"`{tool.dotted}`" not in PAGE] == []
    assert "mcp" in {name for name, _, _ in commands()} | {name.removeprefix("voice ") for name, _, _ in commands()}
    assert "claude mcp add inner-voice -- voice mcp" in PAGE

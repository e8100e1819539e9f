"""What others wrote to try servers with: the public conformance suite, and the Inspector's command line.

They run on Node, from the folder into which `tools/node-tools` installs them; without it these tests are skipped.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
import uvicorn
from anyio.from_thread import start_blocking_portal
from mcp.server.transport_security import TransportSecuritySettings

from cli_runner import data_directory
from mcp_talk import remembering
from voice.entrypoints.mcp.server import make_server
from voice.entrypoints.mcp.tools import TOOLS

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ROOT / ".node-tools" / "node_modules" / ".bin"
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
)
"""Those that any server can pass; the others ask for tools, resources and prompts of the suite's own."""
RUN_S = 120

pytestmark = [
    pytest.mark.requirement("mcp:conformance"),
    pytest.mark.xdist_group("mcp_on_node"),
    pytest.mark.skipif(shutil.which("node") is None, reason="needs Node"),
    pytest.mark.skipif(not PROGRAMS.exists(), reason="needs the conformance suite and the Inspector: tools/node-tools"),
]


@asynccontextmanager
async def serving(home: Path) -> AsyncGenerator[str]:
    """Serve a memory over streamable HTTP, and yield where."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        place = f"127.0.0.1:{listening.getsockname()[1]}"
        port = place.rpartition(":")[2]
        hosts = [place, f"localhost:{port}"]
        security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])
        async with remembering(home) as memory, anyio.create_task_group() as tasks:
            app = make_server(memory).streamable_http_app(transport_security=security)
            server = uvicorn.Server(
                uvicorn.Config(app, log_level="error", timeout_keep_alive=RUN_S, timeout_graceful_shutdown=1)
            )
            tasks.start_soon(server.serve, [listening])
            yield f"http://{place}/mcp"
            server.should_exit = True


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    home = tmp_path_factory.mktemp("served")
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(serving(home)) as place:
        yield place


def run(program: str, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of the folder, with nothing of this environment but what it needs."""
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "NO_COLOR": "1"}
    command = [str(PROGRAMS / program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=home, timeout=RUN_S, check=False)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_public_suites_scenario_passes(url: str, scenario: str, tmp_path: Path) -> None:
    done = run("conformance", "server", "--url", url, "--scenario", scenario, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (result,) = [line for line in done.stdout.splitlines() if line.startswith("Passed:")]
    assert result.endswith("0 failed, 0 warnings")
    assert not result.startswith("Passed: 0/")


class Inspector:
    """The Inspector's command line on one server."""

    def __init__(self, home: Path, *server: str) -> None:
        self._home = home
        self._server = server

    def __call__(self, method: str, *more: str) -> dict[str, Any]:
        done = run("mcp-inspector", "--cli", *self._server, "--method", method, *more, home=self._home)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def call(self, tool: str, /, **arguments: str) -> dict[str, Any]:
        """Call a tool; the Inspector holds what it answers against the tool's output schema."""
        sent = [part for name, value in arguments.items() for part in ("--tool-arg", f"{name}={value}")]
        return self("tools/call", "--tool-name", tool, *sent)


@pytest.fixture
def over_http(tmp_path: Path, url: str) -> Inspector:
    return Inspector(tmp_path, url, "--transport", "http")


@pytest.fixture
def over_stdio(tmp_path: Path) -> Inspector:
    home = data_directory(tmp_path / "memory")
    env = ["-e", f"VOICE_HOME={home}", "-e", f"PYTHONPATH={ROOT / 'src'}"]
    return Inspector(tmp_path, *env, sys.executable, "-m", "voice", "mcp")


def test_the_inspector_lists_and_calls_the_tools(over_http: Inspector) -> None:
    assert [tool["name"] for tool in over_http("tools/list")["tools"]] == [tool.name for tool in TOOLS]
    kept = over_http.call("remember", content="The wheel stands by the window.", tags="studio")
    assert kept["isError"] is False
    for tool, arguments in (
        ("inner_voice_retrieve", {"query": "the wheel", "top_k": "3"}),
        ("inner_voice_chat", {"query": "Where is the wheel?"}),
        ("knowledgegraph_moderate", {}),
    ):
        assert over_http.call(tool, **arguments)["isError"] is False, tool


def test_the_inspector_starts_the_program_and_finds_what_the_one_before_kept(over_stdio: Inspector) -> None:
    assert over_stdio.call("remember", content="The wheel stands by the window.")["isError"] is False
    found = over_stdio.call("inner_voice_retrieve", query="the wheel", top_k="3")
    assert "The wheel stands by the window." in json.dumps(found)


def test_the_inspector_is_shown_errors_resources_and_prompts(over_http: Inspector) -> None:
    failed = over_http.call("recall")
    (content,) = failed["content"]
    assert (failed["isError"], json.loads(content["text"])["error"]["code"]) == (True, "invalid_params")
    (listed,) = over_http("resources/list")["resources"]
    read = over_http("resources/read", "--uri", listed["uri"])
    assert "sessions" in json.loads(read["contents"][0]["text"])
    got = over_http("prompts/get", "--prompt-name", "challenge", "--prompt-args", "question=Porto")
    assert "Porto" in json.dumps(got)

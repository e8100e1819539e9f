"""What a command imports: no more than it uses.

The lists stand for times, which a busy machine has no say in; what the commands take is in docs/benchmarks.md.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from bench import start

_ROOT = Path(__file__).resolve().parents[2]
_NEVER: Final = (
    *("litellm", "google", "genai_prices", "tokenizers", "mcp", "mcp_types", "starlette", "uvicorn", "jinja2", "httpx"),
    *("surrealdb", "opentelemetry", "structlog", "jsonschema", "snowballstemmer", "tenacity", "yaml"),
    *("voice.entrypoints.library", "voice.entrypoints.mcp", "voice.entrypoints.web"),
    "voice.adapters.files.memory_files",
)
"""What none of these commands uses."""
_JUDGE: Final = (
    "voice.core.grounding.judge",
    "voice.core.grounding.extractive",
    "voice.services.turn.ask",
    "voice.wiring.verification",
)
_SEARCH: Final = ("voice.adapters.index", "voice.adapters.retrieval", "voice.services.retrieval.search")
_ENCODER: Final = ("numpy", "onnxruntime", "voice.adapters.embedding", "voice.adapters.onnx")
_STORE: Final = ("anyio", "asyncio", "cbor2", "surrealdb_embedded", "voice.bootstrap", "voice.adapters.surreal")
_TURNS: Final = ("pydantic", "voice.services.sessions.report", "voice.services.sessions.lifecycle")


def imported(home: Path, *arguments: str, said: str = "") -> frozenset[str]:
    """Return the modules that a command imports that is told something, by their names and those of what holds them."""
    told = home / "imported.txt"
    watch = [sys.executable, str(_ROOT / "bench" / "import_watch.py"), str(told), "--home", str(home / "memory")]
    ran = subprocess.run([*watch, *arguments], input=said, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    return frozenset(line.split()[0] for line in told.read_text("utf-8").splitlines())


def found(modules: frozenset[str], names: Sequence[str]) -> list[str]:
    return [name for name in names if name in modules]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("start")
    imported(place, "init", "--provider", "extractive", "--timezone", "Europe/Lisbon")
    imported(place, "remember", "I moved the kiln to the shed.")
    return place


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """A memory of one note and no turn, with the offline provider and encoder."""
    return shutil.copytree(made, tmp_path / "start")


@pytest.mark.requirement("start:modules")
@pytest.mark.parametrize(
    ("command", "used", "unused"),
    [
        (["config"], ["voice.core.settings.parse"], [*_STORE, *_ENCODER, *_SEARCH, *_JUDGE, *_TURNS]),
        (["sessions", "list"], ["voice.services.sessions.lifecycle"], [*_ENCODER, *_SEARCH, *_JUDGE, "pydantic"]),
        (["report"], ["voice.services.sessions.report"], [*_ENCODER, *_SEARCH, *_JUDGE, "pydantic"]),
        (["pins", "list"], ["voice.services.recall.pins"], [*_ENCODER, *_SEARCH, *_JUDGE, "rich"]),
        (
            ["remember", "The kiln is cold."],
            [*_STORE, *_ENCODER, "voice.services.memory.ingest"],
            [*_SEARCH, *_JUDGE, "rich"],
        ),
        (["retrieve", "Where is the kiln?"], [*_STORE, *_ENCODER, *_SEARCH], [*_JUDGE, "rapidfuzz"]),
        (["ask", "Where is the kiln?"], [*_STORE, *_ENCODER, *_SEARCH, *_JUDGE], []),
    ],
    ids=["config", "sessions list", "report", "pins list", "remember", "retrieve", "ask"],
)
def test_a_command_imports_what_it_uses_and_no_more(
    home: Path, command: list[str], used: list[str], unused: list[str]
) -> None:
    modules = imported(home, *command)
    assert found(modules, used) == used
    assert found(modules, [*_NEVER, *unused]) == []


@pytest.mark.requirement("start:modules", "capture:hand-over")
def test_a_hook_that_a_host_waits_for_imports_next_to_nothing(home: Path) -> None:
    modules = imported(home, "hook", "run", "codex", said='{"session_id": "s"}')
    core = ("voice.core.settings", "voice.core.records")
    never = [*_NEVER, *_STORE, *_ENCODER, *_SEARCH, *_JUDGE, *_TURNS, "rich", *core]
    assert "voice.adapters.system.spool_writer" in modules
    assert found(modules, never) == []
    assert len([name for name in modules if name.startswith("voice.")]) < 25


@pytest.mark.slow
@pytest.mark.requirement("start:bench")
def test_the_bench_tells_what_each_command_costs(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    only = ["config", "pins list", "mcp tools/list"]
    assert start.main(["--runs", "1", "--memory", str(home / "memory"), "--json", "--only", *only]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told["commands"]) == only
    assert list(told["held"]) == only[:2]
    for cost in (*told["commands"].values(), *told["held"].values()):
        assert cost["cpu_s"]["p50"] > 0
        assert cost["rss_mb"] > 1
        assert cost["modules"]["all"] > cost["modules"]["ours"] > 1
        assert len(cost["dearest"]) == 10

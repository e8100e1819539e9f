"""What the start of the MCP server costs: `python -m bench.mcp_start [--runs 9] [--json]`.

A host starts `voice mcp` and asks for its tools. Measured is the CPU of the child, user and system, from its start to
the answer of `tools/list`: it is told to end there and then, and what the kernel counted of it is read. Beside it
stands what the first call of a tool costs, which loads the protocol's library and opens the memory.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final, cast

MOST_S: Final = 0.6
"""CPU seconds that the first list of tools may take."""
_SETTINGS: Final = 'enabled = true\n[embed]\nprovider = "hash"\n[llm]\nprovider = "extractive"\n'
_OPENING: Final = (
    {
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 1, "method": "tools/list"},
)
_CALL: Final = {"id": 2, "method": "tools/call", "params": {"name": "recall", "arguments": {"query": "kiln"}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What one start took."""

    cpu_s: float
    wall_s: float


def started(home: Path, *, calls: bool) -> Start:
    """Start a server, ask for its tools, call one if that is wanted, and end it."""
    messages = [*_OPENING, *([_CALL] if calls else [])]
    said = b"".join(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages)
    env = {**os.environ, "VOICE_HOME": str(home)}
    command = [sys.executable, "-m", "voice", "mcp"]
    begun = perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as child:
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("the server was started without its streams")
        child.stdin.write(said)
        child.stdin.flush()
        answers = [json.loads(child.stdout.readline()) for message in messages if "id" in message]
        wall = perf_counter() - begun
        child.stdin.close()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode or not answers[1]["result"]["tools"]:
        raise RuntimeError("the server did not answer")
    return Start(cpu_s=used.ru_utime + used.ru_stime, wall_s=wall)


def figures(starts: Sequence[Start]) -> Mapping[str, float]:
    """Return the median and the largest of several starts."""
    cpu, wall = [each.cpu_s for each in starts], [each.wall_s for each in starts]
    told = {
        "cpu_s_median": statistics.median(cpu),
        "cpu_s_max": max(cpu),
        "wall_s_median": statistics.median(wall),
    }
    return {name: round(value, 3) for name, value in told.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 where the first list of tools costs more than it may."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=9, help="how often each is measured")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "memory"
        home.mkdir(mode=0o700)
        (home / "voice.toml").write_text(_SETTINGS, encoding="utf-8")
        started(home, calls=True)
        listed = figures([started(home, calls=False) for _ in range(chosen.runs)])
        called = figures([started(home, calls=True) for _ in range(chosen.runs)])
    found = {"runs": chosen.runs, "most_cpu_s": MOST_S, "first_list_of_tools": listed, "first_call": called}
    sys.stdout.write(json.dumps(found, indent=2) + "\n" if chosen.json else _table(found))
    return 0 if listed["cpu_s_median"] <= MOST_S else 1


def _table(found: Mapping[str, object]) -> str:
    lines = [f"{found['runs']} runs; the first list of tools may take {found['most_cpu_s']} s of CPU"]
    for name in ("first_list_of_tools", "first_call"):
        values = cast("Mapping[str, float]", found[name])
        told = ", ".join(f"{key} {value}" for key, value in values.items())
        lines.append(f"{name:<20}  {told}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())

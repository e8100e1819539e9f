"""What the start of the MCP server costs: `python -m bench.mcp_start [--runs 9] [--json]`.

A host starts `voice mcp` and asks for its tools. Measured is the CPU of the child, user and system, from its start to
the answer of `tools/list`: it is told to end there and then, and what the kernel counted of it is read. Every shape in
which hosts open a talk is measured (`mcp_openings`), and one that has to be left to the protocol's library. Beside them
stands what the first call of a tool costs, which loads the library and opens the memory.
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

from bench.mcp_openings import OPENINGS, STRANGE, Opening, request

MOST_S: Final = 0.6
"""CPU seconds that the first list of tools may take."""
_SETTINGS: Final = 'enabled = true\n[embed]\nprovider = "hash"\n[llm]\nprovider = "extractive"\n'
_PLAIN: Final = "gemini cli"
_CALL: Final = request(20, "tools/call", {"name": "recall", "arguments": {"query": "kiln"}})


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What one start took."""

    cpu_s: float
    wall_s: float


def started(home: Path, messages: Opening) -> Start:
    """Start a server, say these messages, wait until each request is answered, and end it."""
    said = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
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
    if child.returncode or not any(answer.get("result", {}).get("tools") for answer in answers):
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
        found = measured(home, chosen.runs)
    sys.stdout.write(json.dumps(found, indent=2) + "\n" if chosen.json else _table(found))
    worst = cast("Mapping[str, float]", found["first_list_of_tools"])
    return 0 if worst["cpu_s_median"] <= MOST_S else 1


def measured(home: Path, runs: int) -> Mapping[str, object]:
    """Return the figures of each opening, of the worst of them, of one that is not known, and of the first call."""

    def of(messages: Opening) -> Mapping[str, float]:
        return figures([started(home, messages) for _ in range(runs)])

    calling = [*OPENINGS[_PLAIN], _CALL]
    started(home, calling)
    openings = {name: of(messages) for name, messages in OPENINGS.items()}
    return {
        "runs": runs,
        "most_cpu_s": MOST_S,
        "first_list_of_tools": max(openings.values(), key=lambda told: told["cpu_s_median"]),
        "opening_not_known": of(STRANGE),
        "first_call": of(calling),
        "openings": openings,
    }


def _table(found: Mapping[str, object]) -> str:
    openings = cast("Mapping[str, Mapping[str, float]]", found["openings"])
    head = f"{found['runs']} runs of each of {len(openings)} openings; the first list of tools may take "
    shown = {name: found[name] for name in ("first_list_of_tools", "opening_not_known", "first_call")}
    lines = [f"{name:<20}  {_told(cast('Mapping[str, float]', values))}" for name, values in shown.items()]
    more = [f"  {name:<30}  {_told(values)}" for name, values in openings.items()]
    return "\n".join([f"{head}{found['most_cpu_s']} s of CPU", *lines, *more]) + "\n"


def _told(values: Mapping[str, float]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())


if __name__ == "__main__":
    raise SystemExit(main())

"""What each command costs to start: `python -m bench.start [--runs 5] [--only NAME ...] [--memory DIR] [--json]`.

A memory with the example in it is made once; then each command runs as a process of its own, as a person types it, with
the program's bytecode cached. Measured is the CPU of the process, user and system, and its peak memory, as the kernel
counted them; one run more, watched by `import_watch`, counts the modules and names the ten dearest. `held` repeats the
commands beside a running `voice mcp` that holds the store. `mcp tools/list` and `mcp tools/call` are `voice mcp` up to
that answer.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict, cast

from bench.mcp_openings import OPENINGS, Opening, request
from voice.adapters.files.packaged_data import EXAMPLE_ZONE, example_memory

_QUESTION: Final = "Who tuned the piano at the theatre?"
COMMANDS: Final[Mapping[str, Sequence[str]]] = {
    "--help": ["--help"],
    "config": ["config"],
    "sessions list": ["sessions", "list"],
    "report": ["report"],
    "pins list": ["pins", "list"],
    "remember": ["remember", "I moved the kiln to the shed behind the house."],
    "retrieve": ["retrieve", _QUESTION],
    "recall": ["recall", _QUESTION],
    "ask": ["ask", _QUESTION],
}
GOALS: Final[Mapping[str, float]] = {
    "--help": 0.1,
    "config": 0.4,
    "sessions list": 0.4,
    "report": 0.4,
    "pins list": 0.4,
    "remember": 0.8,
    "retrieve": 0.75,
    "ask": 1.0,
    "mcp tools/list": 0.3,
    "mcp tools/call": 1.0,
}
"""CPU seconds that a command may take, where one was set."""
_HELLO: Final = OPENINGS["gemini cli"]
_CALLING: Final = [*_HELLO, request(20, "tools/call", {"name": "recall", "arguments": {"query": _QUESTION}})]
TALKS: Final[Mapping[str, Opening]] = {"mcp tools/list": _HELLO, "mcp tools/call": _CALLING}
_ENDINGS: Final = {0, 3}
"""Answered, or refused: both are work done."""
_VOICE: Final = ("-m", "voice")
_WATCH: Final = str(Path(__file__).with_name("import_watch.py"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one process took."""

    cpu_s: float
    rss_mb: float


class _Told(TypedDict):
    """What is told of one command."""

    cpu_s: Mapping[str, float]
    modules: Mapping[str, int]
    rss_mb: float
    dearest: Sequence[Mapping[str, object]]


def ran(home: Path, arguments: Sequence[str], talk: Opening = (), *, program: Sequence[str] = _VOICE) -> Run:
    """Run one command to its end, and say `talk` to it where it serves.

    Raises:
        RuntimeError: it failed.
    """
    said = b"".join(json.dumps(message).encode() + b"\n" for message in talk)
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_environment(home),
        )
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("a command was started without its streams")
        child.stdin.write(said)
        child.stdin.flush()
        for _ in [message for message in talk if "id" in message]:
            child.stdout.readline()
        child.stdin.close()
        child.stdout.read()
        child.stdout.close()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        told = errors.read().decode(errors="replace")
    if child.returncode not in _ENDINGS:
        raise RuntimeError(f"`voice {' '.join(arguments)}` ended with {child.returncode}: {told[-400:]}")
    return Run(cpu_s=used.ru_utime + used.ru_stime, rss_mb=used.ru_maxrss / 1024)


def _environment(home: Path) -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SURR_", "PYTHON"))}
    return {**kept, "VOICE_HOME": str(home)}


def imports(home: Path, arguments: Sequence[str], talk: Opening) -> Mapping[str, float]:
    """Return the modules that a command imports, each with the CPU milliseconds that it took by itself."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as told:
        ran(home, arguments, talk, program=[_WATCH, told.name])
        return {name: float(took) for name, took in map(str.split, told)}


def measured(home: Path, arguments: Sequence[str], talk: Opening, runs: int) -> _Told:
    """Return the figures of one command; it runs once more before it is measured, and once more to be looked into."""
    ran(home, arguments, talk)
    done = [ran(home, arguments, talk) for _ in range(runs)]
    cpu = [each.cpu_s for each in done]
    found = imports(home, arguments, talk)
    dearest = sorted(found, key=lambda name: -found[name])[:10]
    return {
        "cpu_s": {"p50": round(statistics.median(cpu), 3), "max": round(max(cpu), 3)},
        "modules": {"all": len(found), "ours": sum(name.split(".")[0] == "voice" for name in found)},
        "rss_mb": round(statistics.median(each.rss_mb for each in done), 1),
        "dearest": [{"module": name, "ms": round(found[name], 1)} for name in dearest],
    }


def every(made: Path, only: Sequence[str], runs: int) -> Mapping[str, object]:
    """Return the figures of all commands, or of those named, over copies of one memory."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "memory"
        shutil.copytree(made, home)
        alone = {name: measured(home, words, (), runs) for name, words in COMMANDS.items() if _is_wanted(name, only)}
        talks = {name: measured(home, ["mcp"], talk, runs) for name, talk in TALKS.items() if _is_wanted(name, only)}
        with holder(home):
            words = {name: words for name, words in COMMANDS.items() if _is_wanted(name, only)}
            held = {name: measured(home, words, (), runs) for name, words in words.items()}
    return {"runs": runs, "goals": GOALS, "commands": {**alone, **talks}, "held": held}


def _is_wanted(name: str, only: Sequence[str]) -> bool:
    return not only or name in only


@contextmanager
def holder(home: Path) -> Generator[None]:
    """Have a `voice mcp` that answered a call hold the store while the block runs."""
    said = b"".join(json.dumps(message).encode() + b"\n" for message in _CALLING)
    command = [sys.executable, "-m", "voice", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment(home)) as child:
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("the holder was started without its streams")
        child.stdin.write(said)
        child.stdin.flush()
        for _ in [message for message in _CALLING if "id" in message]:
            child.stdout.readline()
        try:
            yield
        finally:
            child.stdin.close()


def make_memory(home: Path) -> Path:
    """Make a memory that holds the example, with the offline provider, and return where it is."""
    ran(home, ["init", "--provider", "extractive", "--timezone", EXAMPLE_ZONE])
    ran(home, ["import", str(example_memory())])
    ran(home, COMMANDS["ask"])
    return home


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=5, help="how often each is measured")
    parser.add_argument("--only", nargs="+", default=[], choices=[*COMMANDS, *TALKS], help="these alone")
    parser.add_argument("--memory", type=Path, help="a memory that is there already; it is copied")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        made = chosen.memory or make_memory(Path(folder) / "memory")
        found = every(made, chosen.only, chosen.runs)
    sys.stdout.write(json.dumps(found, indent=2) + "\n" if chosen.json else _table(found))
    return 0


def _table(found: Mapping[str, object]) -> str:
    lines = [f"median of {found['runs']} runs; CPU s / goal, peak MB, modules (ours)"]
    for where in ("commands", "held"):
        lines.append(where)
        for name, told in cast("Mapping[str, _Told]", found[where]).items():
            cpu, modules = told["cpu_s"], told["modules"]
            goal = GOALS.get(name, "-")
            lines.append(
                f"  {name:<16} {cpu['p50']:<6} / {goal:<5} {told['rss_mb']:>6}  {modules['all']} ({modules['ours']})"
            )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())

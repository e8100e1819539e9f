"""How long a host waits for its hook: `python -m bench.hook [--runs 30] [--json]`.

A session that ends is told to `voice hook run`, as each host tells it, a process of its own each time, with the
program's bytecode cached. Measured is the time until the process is gone, as the host sees it, and its CPU, user and
system, as the kernel counted them. The goal is 150 ms of the first.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from voice.adapters.system.spool_writer import HOSTS, SPOOL_FOLDER

GOAL_MS: Final = 150.0
_SAID: Final = {"session_id": "s", "transcript_path": "/tmp/s.jsonl", "cwd": "/tmp", "reason": "other"}


def once(home: Path, host: str) -> tuple[float, float]:
    """Hand one session over; return the milliseconds of time and of CPU that this took.

    Raises:
        RuntimeError: nothing was handed over.
    """
    command = [sys.executable, "-m", "voice", "--home", str(home), "hook", "run", host]
    before = len(list((home / SPOOL_FOLDER).glob("*.json")))
    begun = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    if child.stdin is None:
        raise RuntimeError("a command was started without its streams")
    child.stdin.write(json.dumps(_SAID).encode())
    child.stdin.close()
    _, status, used = os.wait4(child.pid, 0)
    took = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode or len(list((home / SPOOL_FOLDER).glob("*.json"))) != before + 1:
        raise RuntimeError(f"the hook of {host} handed nothing over")
    return took * 1000, (used.ru_utime + used.ru_stime) * 1000


def measured(home: Path, host: str, runs: int) -> Mapping[str, object]:
    """Return the figures of one host's hook; it runs once more before it is measured."""
    once(home, host)
    done = [once(home, host) for _ in range(runs)]
    return {"wall_ms": _told([wall for wall, _ in done]), "cpu_ms": _told([cpu for _, cpu in done])}


def _told(figures: Sequence[float]) -> Mapping[str, float]:
    ordered = sorted(figures)
    last = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    return {"p50": round(statistics.median(ordered), 1), "p95": round(last, 1), "max": round(ordered[-1], 1)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=30, help="how often each host's hook is measured")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        hosts = {host: measured(Path(folder), host, chosen.runs) for host in HOSTS}
    if chosen.json:
        sys.stdout.write(json.dumps({"runs": chosen.runs, "goal_ms": GOAL_MS, "hosts": hosts}, indent=2) + "\n")
    else:
        for host, told in hosts.items():
            sys.stdout.write(f"{host:<12} time {told['wall_ms']}, CPU {told['cpu_ms']} ms; goal {GOAL_MS:.0f}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

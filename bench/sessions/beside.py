"""The two others: who they are, where their packages live, and how they are run.

Law: a peer gets the very texts of the turns that were measured here and nothing of this program's environment or
settings. One that cannot be had is missing with a reason; one that is stopped says how many turns it made.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from bench.peers.environments import Environments, PeerMissing
from bench.sessions.figures import Growth

REQUIREMENTS: Final = Path(__file__).parent / "requirements"
_ROOT: Final = Path(__file__).resolve().parents[2]
_GRACE_S: Final = 120
"""What a peer may take beyond its seconds: to close, and to load."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One peer, or one way of using it."""

    name: str
    environment: str
    packages: tuple[str, ...]
    asked: str


ROSTER: Final = (
    Entry(
        name="langgraph",
        environment="langgraph-saver",
        packages=("langgraph", "langgraph-checkpoint-sqlite"),
        asked="a graph of one node with SqliteSaver, messages by add_messages; the next turn needs the newest state",
    ),
    Entry(
        name="openai-agents",
        environment="openai-agents",
        packages=("openai-agents",),
        asked="SQLiteSession as it comes: get_items() of everything, then add_items of the turn's two",
    ),
    Entry(
        name="openai-agents-window",
        environment="openai-agents",
        packages=("openai-agents",),
        asked="SQLiteSession told to give the newest 20 items alone, two for each of this program's ten turns",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a peer is stopped."""

    seconds: int
    megabytes: int


def measure_peers(
    texts: Sequence[tuple[str, str]], environments: Environments, place: Path, limits: Limits
) -> tuple[list[Growth], dict[str, str]]:
    """Return the growth of every peer that is there, and why the others are not."""
    place.mkdir()
    job = place / "job.json"
    job.write_text(
        json.dumps({"texts": list(texts), "seconds": limits.seconds, "megabytes": limits.megabytes}), encoding="utf-8"
    )
    found: list[Growth] = []
    missing: dict[str, str] = {}
    for entry in ROSTER:
        if sys.stderr.isatty():
            print(f"peer {entry.name}", file=sys.stderr)
        try:
            found.append(growth_of(entry, _run(entry, environments.python(entry.environment), job, limits)))
        except PeerMissing as why:
            missing[entry.name] = str(why)
    return found, missing


def growth_of(entry: Entry, said: Mapping[str, object]) -> Growth:
    """Return the growth that a worker told of."""
    return Growth(
        subject=entry.name,
        cpu_ms=cast("list[float]", said["cpu_ms"]),
        answer_bytes=cast("int", said["answer_bytes"]),
        disk_bytes=cast("int", said["disk_bytes"]),
        load_ms=cast("list[float]", said["load_ms"]),
        loaded_texts=cast("int", said["loaded_texts"]),
        peak_rss_mb=cast("float", said["peak_rss_mb"]),
        more={"asked": entry.asked, "versions": said["versions"]},
    )


def _run(entry: Entry, python: Path, job: Path, limits: Limits) -> dict[str, object]:
    said = _output(entry, [str(python), "-m", "bench.sessions.worker", entry.name, str(job)], limits)
    told = cast("dict[str, object]", json.loads(said))
    code = "import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"
    return {**told, "versions": json.loads(_output(entry, [str(python), "-c", code, *entry.packages], limits))}


def _output(entry: Entry, command: Sequence[str], limits: Limits) -> str:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT", "TMPDIR") if name in os.environ}
    env = {**kept, "PYTHONPATH": str(_ROOT), "PYTHONNOUSERSITE": "1", "OPENAI_AGENTS_DISABLE_TRACING": "1"}
    most = limits.seconds + _GRACE_S
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=_ROOT, env=env, timeout=most)
    except subprocess.TimeoutExpired:
        raise PeerMissing(f"{entry.name} was not done after {most} s") from None
    if done.returncode:
        last = next((line.strip() for line in reversed(done.stderr.splitlines()) if line.strip()), "it said nothing")
        raise PeerMissing(f"{entry.name} failed: {last}")
    return done.stdout

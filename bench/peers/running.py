"""Runs the steps of a peer, each in a process of its own, and reads what they say.

Law: peers take turns. Every repeat runs all of them, and starts with another one, so that a load that comes and goes
meets everybody; the load of the machine is kept beside each step.
"""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from bench.peers.contract import write_lines
from bench.peers.environments import PeerMissing
from bench.peers.roster import Entry
from bench.peers.workload import Memory

_ROOT: Final = Path(__file__).resolve().parents[2]
_ONE_THREAD: Final = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "RAYON_NUM_THREADS",
    "TOKIO_WORKER_THREADS",
)  # fmt: skip
_LONGEST_S: Final = 1800


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One query in one mode."""

    cpu_ms: float
    wall_ms: float
    found: tuple[str, ...]
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """One memory was put in."""

    cpu_ms: float
    wall_ms: float
    rows: int
    disk_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One memory was opened by a fresh process and asked."""

    open_cpu_ms: float
    open_wall_ms: float
    rss_mb: float
    rss_before_mb: float
    answers: Mapping[str, tuple[Answer, ...]]
    """By mode, in the order of the memory's questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One peer in one repeat, over all memories, in their order."""

    import_cpu_ms: float
    filled: tuple[Filled, ...]
    asked: tuple[Asked, ...]
    loads: tuple[float, float, float]
    """Of the last minute: before, between the steps, and after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The workload as it lies on disk."""

    directory: Path
    memories: Sequence[Memory]

    def write(self) -> None:
        """Write items and questions once, for all peers."""
        for memory in self.memories:
            write_lines(self._path(memory, "items"), memory.items)
            write_lines(self._path(memory, "questions"), memory.questions)

    def describe(self, home: Path) -> dict[str, object]:
        """Return what a worker reads; `home` is where the peer may write."""
        memories = [
            {
                "name": memory.name,
                "items": str(self._path(memory, "items")),
                "questions": str(self._path(memory, "questions")),
                "model": memory.model,
                "dim": memory.dim,
            }
            for memory in self.memories
        ]
        return {"home": str(home), "memories": memories}

    def _path(self, memory: Memory, what: str) -> Path:
        return self.directory / f"{memory.name}.{what}.jsonl"


def in_turns(entries: Sequence[Entry], repeats: int) -> Iterator[tuple[int, Entry]]:
    """Yield (repeat, peer), each repeat starting one peer later than the one before."""
    for repeat in range(repeats):
        start = repeat % len(entries) if entries else 0
        for entry in (*entries[start:], *entries[:start]):
            yield repeat, entry


def take_turn(entry: Entry, python: Path, job: Job, home: Path) -> Turn:
    """Let one peer fill fresh memories and be asked.

    Raises:
        PeerMissing: a step of it failed; the message is the last thing it said.
    """
    home.mkdir(parents=True)
    described = home / "job.json"
    described.write_text(json.dumps(job.describe(home)), encoding="utf-8")
    before = _load()
    filled = _step(entry, python, "fill", described)
    between = _load()
    asked = _step(entry, python, "ask", described)
    return Turn(
        import_cpu_ms=_number(_members(asked, "import"), "cpu_ms"),
        filled=tuple(_filled(memory) for memory in _memories(filled)),
        asked=tuple(_asked(memory) for memory in _memories(asked)),
        loads=(before, between, _load()),
    )


def versions(entry: Entry, python: Path) -> dict[str, str]:
    """Return the versions of the packages that are measured, as their environment states them."""
    code = (
        "import importlib.metadata as m, json, sqlite3, sys; "
        "print(json.dumps({n: sqlite3.sqlite_version if n == 'sqlite' else m.version(n) for n in sys.argv[1:]}))"
    )
    done = subprocess.run(
        [str(python), "-c", code, *entry.packages], capture_output=True, text=True, check=False, env=_environment()
    )
    if done.returncode:
        raise PeerMissing(f"{entry.name} does not say its versions: {_last_line(done.stderr)}")
    return cast("dict[str, str]", json.loads(done.stdout))


def _step(entry: Entry, python: Path, step: str, described: Path) -> dict[str, object]:
    command = [str(python), "-m", "bench.peers.worker", entry.adapter, step, str(described)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=_ROOT, env=_environment(described.parent),
            timeout=_LONGEST_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise PeerMissing(f"{entry.name} was not done with `{step}` after {_LONGEST_S} s") from None
    if done.returncode:
        raise PeerMissing(f"{entry.name} failed at `{step}`: {_last_line(done.stderr)}")
    return cast("dict[str, object]", json.loads(done.stdout.splitlines()[-1]))


def _environment(home: Path | None = None) -> dict[str, str]:
    """Return what a worker sees: no settings and no keys of whoever runs this, and a home of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT", "TMPDIR") if name in os.environ}
    own = {"HOME": str(home or Path.home()), "PYTHONNOUSERSITE": "1"}
    return {
        **kept,
        **own,
        **dict.fromkeys(_ONE_THREAD, "1"),
        "PYTHONPATH": os.pathsep.join((str(_ROOT), str(_ROOT / "src"))),
    }


def _last_line(said: str) -> str:
    return next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "it said nothing")


def _load() -> float:
    return round(os.getloadavg()[0], 2)


def _number(members: Mapping[str, object], name: str) -> float:
    return float(cast("float", members[name]))


def _members(said: Mapping[str, object], name: str) -> dict[str, object]:
    return cast("dict[str, object]", said[name])


def _memories(said: Mapping[str, object]) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", said["memories"])


def _filled(said: Mapping[str, object]) -> Filled:
    return Filled(
        cpu_ms=_number(said, "cpu_ms"),
        wall_ms=_number(said, "wall_ms"),
        rows=int(_number(said, "rows")),
        disk_bytes=int(_number(said, "disk_bytes")),
    )


def _asked(said: Mapping[str, object]) -> Asked:
    opened = _members(said, "open")
    answers = cast("dict[str, list[dict[str, object]]]", said["answers"])
    return Asked(
        open_cpu_ms=_number(opened, "cpu_ms"),
        open_wall_ms=_number(opened, "wall_ms"),
        rss_mb=_number(said, "rss_mb"),
        rss_before_mb=_number(said, "rss_before_mb"),
        answers={mode: tuple(_answer(entry) for entry in given) for mode, given in answers.items()},
    )


def _answer(said: Mapping[str, object]) -> Answer:
    return Answer(
        cpu_ms=_number(said, "cpu_ms"),
        wall_ms=_number(said, "wall_ms"),
        found=tuple(cast("list[str]", said["found"])),
        error=cast("str | None", said["error"]),
    )

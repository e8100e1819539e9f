"""One peer in a process of its own: `python -m bench.peers.worker ADAPTER fill|ask JOB`; prints one JSON object.

Law: one processor, no connection beyond this machine, and the same two steps for everybody. `fill` puts the rows in and
closes; `ask` opens what is there in a fresh process and asks. An error of a peer is an answer about it, so it is kept.
"""

import importlib
import json
import os
import socket
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import cast

from bench.peers.contract import OpenStore, Peer, Place, Question, read_items, read_questions

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_PAGE = 4096


class Watch:
    """Processor and wall milliseconds since it was made."""

    def __init__(self) -> None:
        self._cpu, self._wall = process_time(), perf_counter()

    def read(self) -> dict[str, float]:
        """Return what has passed."""
        return {
            "cpu_ms": round(1000 * (process_time() - self._cpu), 4),
            "wall_ms": round(1000 * (perf_counter() - self._wall), 4),
        }


def load(adapter: str) -> tuple[Peer, dict[str, float]]:
    """Return the peer with everything imported that it needs, and what importing took."""
    watch = Watch()
    peer = cast("Peer", importlib.import_module(f"bench.peers.adapters.{adapter}").PEER)
    for module in peer.modules:
        importlib.import_module(module)
    return peer, watch.read()


def fill(peer: Peer, place: Path, memory: dict[str, object]) -> dict[str, object]:
    """Put the rows of one memory in, and say what that took."""
    items = read_items(Path(str(memory["items"])))
    vectors = {item.text: item.vector for item in items}
    watch = Watch()
    store = peer.open(_place(place, memory, vectors))
    for start in range(0, len(items), peer.batch):
        store.add(items[start : start + peer.batch])
    store.close()
    return {**watch.read(), "rows": len(items), "disk_bytes": _size_of(place)}


def ask(peer: Peer, place: Path, memory: dict[str, object]) -> dict[str, object]:
    """Ask one memory every question in every mode."""
    questions = read_questions(Path(str(memory["questions"])))
    vectors = {question.text: question.vector for question in questions}
    before, watch = _resident_mb(), Watch()
    store = peer.open(_place(place, memory, vectors))
    _answer(store, peer.modes[0], questions[0])
    opened = watch.read()
    answers: dict[str, list[dict[str, object]]] = {}
    for mode in peer.modes:
        _answer(store, mode, questions[0])  # warm: what a first question loads is part of opening
        answers[mode] = [_answer(store, mode, question) for question in questions]
    resident = _resident_mb()
    store.close()
    return {"open": opened, "answers": answers, "rss_mb": resident, "rss_before_mb": before}


def _answer(store: OpenStore, mode: str, question: Question) -> dict[str, object]:
    found: list[str] = []
    error: str | None = None
    watch = Watch()
    try:
        found = store.ask(mode, question)
    except Exception as fault:  # noqa: BLE001 - whatever a peer raises on a query is what is measured here
        error = f"{type(fault).__name__}: {fault}"[:200]
    return {**watch.read(), "found": found, "error": error}


def _place(directory: Path, memory: dict[str, object], vectors: dict[str, bytes]) -> Place:
    directory.mkdir(parents=True, exist_ok=True)
    return Place(directory=directory, dim=cast("int", memory["dim"]), model=str(memory["model"]), vectors=vectors)


def _size_of(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def _resident_mb() -> float:
    """Return what this process holds in memory now; 0.0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return 0.0
    return round(pages * _PAGE / 1e6, 1)


def _stay_on_this_machine() -> None:
    """Refuse every connection that is not loopback: nobody is measured while it asks somebody else."""
    real_connect = socket.socket.connect

    def connect(self: socket.socket, address: tuple[object, ...]) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in _LOOPBACK:
            raise OSError(f"a peer tried to reach {address[0]} while it was measured")
        real_connect(self, address)

    socket.socket.connect = connect  # type: ignore[method-assign,assignment]


def _one_processor() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def main(adapter: str, step: str, job_path: str) -> None:
    """Run one step of one peer over every memory of the job and print what it gave."""
    _stay_on_this_machine()
    _one_processor()
    job = cast("dict[str, object]", json.loads(Path(job_path).read_text("utf-8")))
    peer, imported = load(adapter)
    run = {"fill": fill, "ask": ask}[step]
    memories = cast("list[dict[str, object]]", job["memories"])
    results = [run(peer, Path(str(job["home"]), str(memory["name"])), memory) for memory in memories]
    sys.stdout.write(json.dumps({"import": imported, "memories": results}))
    sys.stdout.flush()
    os._exit(0)  # some engines abort or wait when the interpreter takes them down; what they did is closed by now


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Many processes, one memory: `python -m bench.clients [--clients N] [--operations N] [--kill N] [--json]`.

Every client is a process of its own that remembers, reads, asks and lists sessions, all at once, over one embedded
store: one of them holds it. With `--kill N` the process that holds the store is killed with SIGKILL N times while they
work, and started again under another name to do the rest of its share. Afterwards the memory is opened and looked at:
every note and turn that was acknowledged must be there once, one that was not at most once, and `verify` must find no
fault. How long operations took is told per client and kind, and the run is unsound where a client was served far worse
than the typical one, or where an outcome is unknown although nobody was killed. `--table` prints the row of
docs/holder.md.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final, cast

import anyio

from bench.clients_worker import note, parts, question, settings
from bench.report import Timings, machine
from voice import Voice
from voice.adapters.surreal.sharing.lock_file import HoldingPlace, read_holder_card
from voice.adapters.system.data_directory import STORE_NAME
from voice.core.records import Thought

_PAGE = 1000
_LONGEST_RUN_S = 3600.0
FAIR: Final = {"p50": 4.0, "p95": 8.0}
"""How many times the typical client's figure the worst one's may be, kind by kind."""
ENOUGH: Final = 20
"""Operations of a kind that every client made, below which nothing is said of fairness."""


@dataclass(slots=True)
class Share:
    """What one client is to do, and what came of it over all its lives."""

    name: str
    left: int
    lives: int = 0
    said: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    begun: list[str] = field(default_factory=list[str])
    """Keys of operations that a killed life may have begun and did not acknowledge."""
    errors: list[str] = field(default_factory=list[str])
    timings: Timings = field(default_factory=Timings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What is in the memory afterwards, by the key it was stored under."""

    notes: Counter[str]
    turns: Counter[str]
    faults: Sequence[str]


class Run:
    """One run of all clients over one memory."""

    def __init__(self, home: Path, *, clients: int, operations: int, kills: int, seed: int) -> None:
        self.home = home
        self.shares = [Share(name=f"c{number}", left=operations) for number in range(clients)]
        self.kills_done = 0
        self._kills = kills
        self._seed = seed
        self._living: dict[str, subprocess.Popen[str]] = {}
        self._all_ready = threading.Barrier(clients + 1)
        self._over = threading.Event()

    def __call__(self) -> float:
        """Let all clients do their share and return how long that took, in seconds."""
        threads = [threading.Thread(target=self._live, args=(share,)) for share in self.shares]
        for thread in threads:
            thread.start()
        self._all_ready.wait(_LONGEST_RUN_S)
        began = time.perf_counter()
        killer = threading.Thread(target=self._kill_holders)
        killer.start()
        for thread in threads:
            thread.join(_LONGEST_RUN_S)
        self._over.set()
        killer.join()
        return time.perf_counter() - began

    def _live(self, share: Share) -> None:
        """Start a client, and again as long as it is killed before it has done its share."""
        while share.left:
            name = f"{share.name}.{share.lives}"
            with self._started(share, name) as process:
                self._hear(share, process, name)
            if process.returncode not in (0, -signal.SIGKILL):
                share.errors.append(f"{name} ended with {process.returncode}: {share.said[-1:]}")
                return
            share.lives += 1

    def _started(self, share: Share, name: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "bench.clients_worker", str(self.home), name, str(share.left)]
        process = subprocess.Popen(
            [*command, "--first", share.name[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._living[share.name] = process
        return process

    def _hear(self, share: Share, process: "subprocess.Popen[str]", name: str) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        done = 0
        for line in process.stdout:
            if line == "ready\n":
                if share.lives == 0:
                    self._all_ready.wait(_LONGEST_RUN_S)
                with suppress(BrokenPipeError):  # killed the moment it was ready: it did nothing
                    process.stdin.write("\n")
                    process.stdin.flush()
            elif line.endswith("}\n"):
                share.said.append(json.loads(line))
                share.timings.ms.append(float(str(share.said[-1]["ms"])))
                share.left -= 1
                done += 1
        if share.left:
            share.begun.append(f"{name}-{done}")
        complaints = process.stderr.read()
        if complaints:
            share.errors.append(f"{name}: {complaints.strip().splitlines()[-1][:300]}")

    def _kill_holders(self) -> None:
        """Kill whoever holds the store, spread over the run by how much is done."""
        total = sum(share.left for share in self.shares)
        chance = random.Random(self._seed)
        while self.kills_done < self._kills and not self._over.wait(0.005):
            done = total - sum(share.left for share in self.shares)
            if done < total * (self.kills_done + 1) / (self._kills + 1):
                continue
            time.sleep(chance.uniform(0.0, 0.05))
            card = read_holder_card(HoldingPlace(self.home / STORE_NAME))
            if card is not None and card.pid in [process.pid for process in self._living.values()]:
                os.kill(card.pid, signal.SIGKILL)
                self.kills_done += 1


async def look(home: Path) -> Found:
    """Return what is in the memory."""
    async with Voice.open(settings(10.0), home, parts=parts()) as voice:
        notes: Counter[str] = Counter()
        turns: Counter[str] = Counter()
        after = 0
        while page := await voice.services.store.changes(after, _PAGE):
            after = page[-1].seq
            rows = [change.row for change in page]
            notes.update(row.content for row in rows if isinstance(row, Thought))
        for session in await voice.services.sessions.sessions(limit=100_000):
            for exchange in await voice.services.sessions.exchanges(session_id=session.id, limit=100_000):
                turns[exchange.my_query] += 1
        return Found(notes=notes, turns=turns, faults=await voice.services.maintenance.verify())


def judge(shares: Sequence[Share], found: Found, *, kills: int) -> dict[str, list[str]]:
    """Return what went wrong, by kind; all empty where nothing did.

    Args:
        shares: what the clients said.
        found: what is in the memory afterwards.
        kills: how many holders were killed; where none was, no outcome may be unknown, and where some were, at most one
            to each client a kill.
    """
    wrong: dict[str, list[str]] = {"lost": [], "doubled": [], "unknown_to_anybody": [], "misread": [], "errors": []}
    unknown = [str(said["key"]) for share in shares for said in share.said if "unknown" in said]
    wrong["outcome_unknown"] = unknown if len(unknown) > kills * len(shares) else []
    wrong["starved"] = starved(shares)
    asked: set[str] = set()
    for share in shares:
        wrong["errors"] += share.errors
        for said in share.said:
            key, operation = str(said["key"]), said["op"]
            wrong["misread"] += [f"{key}: {said['wrong']}"] if "wrong" in said else []
            if operation in ("remember", "ask"):
                there = found.notes[note(key)] if operation == "remember" else found.turns[question(key)]
                asked.update((note(key), question(key)))
                wrong["lost"] += [key] if there == 0 and "unknown" not in said else []
                wrong["doubled"] += [key] if there > 1 else []
        for key in share.begun:
            asked.update((note(key), question(key)))
            wrong["doubled"] += [key] if max(found.notes[note(key)], found.turns[question(key)]) > 1 else []
    wrong["unknown_to_anybody"] = sorted({*found.notes, *found.turns} - asked)
    return wrong | {"faults": list(found.faults)}


def spreads(shares: Sequence[Share]) -> dict[str, dict[str, float]]:
    """Return per kind of operation the typical and the worst client's median and 95th percentile, and their ratios.

    Kinds are told apart, because a client that mostly reads is no better served than one that mostly writes. The worst
    client is held against the typical one: the holder itself is always the fastest.
    """
    found: dict[str, dict[str, float]] = {}
    for kind in sorted({str(said["op"]) for share in shares for said in share.said if "ms" in said}):
        each = [_took(share, kind).summary() for share in shares if _took(share, kind).ms]
        found[kind] = {"fewest": min(len(_took(share, kind).ms) for share in shares)}
        for name in ("p50", "p95"):
            typical, worst = median(one[name] for one in each), max(one[name] for one in each)
            found[kind] |= {f"{name}_typical": round(typical, 2), f"{name}_worst": round(worst, 2)}
            found[kind][f"{name}_ratio"] = round(worst / typical, 2) if typical else 0.0
    return found


def starved(shares: Sequence[Share]) -> list[str]:
    """Return a sentence per kind of operation in which a client was served far worse than is typical.

    Kinds of which a client made only a few are passed over: their figures are those of single moments.
    """
    return [
        f"{kind}: the worst client's {name} is {spread[f'{name}_ratio']:g} times the typical one's"
        for kind, spread in spreads(shares).items()
        for name, bound in FAIR.items()
        if spread["fewest"] >= ENOUGH and spread[f"{name}_ratio"] > bound
    ]


def _took(share: Share, kind: str) -> Timings:
    return Timings([float(str(said["ms"])) for said in share.said if said["op"] == kind and "ms" in said])


def figures(run: Run, seconds: float, found: Found) -> dict[str, object]:
    """Return everything that was measured."""
    said = [each for share in run.shares for each in share.said]
    per_client = {share.name: share.timings.summary() for share in run.shares}
    wrong = judge(run.shares, found, kills=run.kills_done)
    return {
        "clients": len(run.shares),
        "operations": len(said),
        "by_kind": dict(sorted(Counter(str(each["op"]) for each in said).items())),
        "seconds": round(seconds, 2),
        "operations_per_second": round(len(said) / seconds, 1),
        "holders_killed": run.kills_done,
        "outcome_unknown": sum("unknown" in each for each in said),
        "unacknowledged_when_killed": sum(len(share.begun) for share in run.shares),
        "ms": _spread([summary["p50"] for summary in per_client.values()], "p50")
        | _spread([summary["p95"] for summary in per_client.values()], "p95"),
        "ms_by_kind": {
            kind: Timings([float(str(each["ms"])) for each in said if each["op"] == kind]).summary()
            for kind in sorted({str(each["op"]) for each in said})
        },
        "fairness_by_kind": spreads(run.shares),
        "per_client": per_client,
        "wrong": wrong,
        "sound": not any(wrong.values()),
        "machine": machine(),
    }


def _spread(values: Sequence[float], name: str) -> dict[str, float]:
    """Return the best and the worst client's figure, and how many times the worst is the best."""
    best, worst = min(values), max(values)
    return {f"{name}_best": best, f"{name}_worst": worst, f"{name}_ratio": round(worst / best, 2) if best else 0.0}


def row(found: dict[str, object]) -> str:
    """Return the run as a row of the table in docs/holder.md."""
    by_kind = cast("dict[str, dict[str, float]]", found["fairness_by_kind"])
    cells = [str(found[name]) for name in ("clients", "operations", "holders_killed", "operations_per_second")]
    cells.append(str(found["outcome_unknown"]))
    for name in ("p50", "p95"):
        kind, spread = max(by_kind.items(), key=lambda each: each[1][f"{name}_ratio"])
        cells.append(f"{spread[f'{name}_typical']:g} / {spread[f'{name}_worst']:g} ms ({kind})")
    return "| " + " | ".join([*cells, "yes" if found["sound"] else "no"]) + " |"


def measure(home: Path, *, clients: int, operations: int, kills: int, seed: int) -> dict[str, object]:
    """Run all clients over a fresh memory in `home` and return what was measured."""
    run = Run(home, clients=clients, operations=operations, kills=kills, seed=seed)
    seconds = run()
    return figures(run, seconds, anyio.run(look, home))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--operations", type=int, default=200, help="of each client")
    parser.add_argument("--kill", type=int, default=0, help="how often the holder is killed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--table", action="store_true", help="print the row of docs/holder.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        found = measure(home, clients=given.clients, operations=given.operations, kills=given.kill, seed=given.seed)
    if given.table:
        print(row(found))
    elif given.json:
        print(json.dumps(found, indent=2))
    else:
        print("\n".join(f"{name}: {value}" for name, value in found.items() if name != "per_client"))
    sys.exit(0 if found["sound"] else 1)


if __name__ == "__main__":
    main()

"""Does the store keep what it acknowledged? `python -m bench.crash [--trials N] [--cycles N] [--seed N] [--json]`.

A trial starts a process that writes batches and turns to a store, kills it with SIGKILL at a random moment (while it
opens the store, too), opens the store again and looks: everything acknowledged must be there, the one write that was
under way must be there as a whole or not at all, and `verify` must find no fault. The store grows from trial to trial
and is replaced every twenty. A cycle is a process that opens a store, writes, closes it and ends; it must end with 0
and say nothing on stderr.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

import anyio

from bench.crash_worker import SESSION_ID, batch_ids, removed_id
from bench.report import machine, progress
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.opening import open_store
from voice.core.errors import StoreError

TRIALS_PER_STORE = 20
_LONGEST_LIFE_S = 0.6
_EARLY_SHARE = 0.15
"""Of the trials, how many are killed before the store says it is open."""


@dataclass(slots=True)
class Findings:
    """What all trials and cycles together showed."""

    trials: int = 0
    killed_while_opening: int = 0
    acknowledged_batches: int = 0
    acknowledged_turns: int = 0
    unacknowledged_but_whole: int = 0
    lost: list[str] = field(default_factory=list[str])
    half: list[str] = field(default_factory=list[str])
    faults: list[str] = field(default_factory=list[str])
    reopen_failed: list[str] = field(default_factory=list[str])
    cycles: int = 0
    aborts: list[str] = field(default_factory=list[str])

    @property
    def sound(self) -> bool:
        """True when nothing at all went wrong."""
        return not (self.lost or self.half or self.faults or self.reopen_failed or self.aborts)


@dataclass(slots=True)
class Acknowledged:
    """The highest batch and turn that one store has acknowledged so far; -1 for none."""

    batch: int = -1
    turn: int = -1


def trial(directory: Path, known: Acknowledged, chance: random.Random, findings: Findings) -> None:
    """Let one process write, kill it, and look at what it left."""
    early = chance.random() < _EARLY_SHARE
    process = _worker(directory)
    stdout = process.stdout
    assert stdout is not None
    if early:
        time.sleep(chance.uniform(0.05, 0.8))
    elif stdout.readline() == "ready\n":
        time.sleep(chance.uniform(0.0, _LONGEST_LIFE_S))
    process.kill()
    opened = _take_in(stdout, known, findings) or not early
    process.wait()
    stdout.close()
    findings.trials += 1
    findings.killed_while_opening += not opened
    try:
        anyio.run(_look, directory, known, findings)
    except StoreError as error:
        findings.reopen_failed.append(f"trial {findings.trials}: {error}")


def cycle(directory: Path, findings: Findings) -> None:
    """Let one process open, write, close and end."""
    command = [sys.executable, "-m", "bench.crash_worker", str(directory), "--writes", "2"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    findings.cycles += 1
    if ended.returncode != 0 or ended.stderr:
        findings.aborts.append(f"cycle {findings.cycles}: exit {ended.returncode}, {ended.stderr[-200:]!r}")


def _worker(directory: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "bench.crash_worker", str(directory)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def _take_in(stdout: IO[str], known: Acknowledged, findings: Findings) -> bool:
    """Read what the process said before it died, and return whether it said anything."""
    said = [line for line in stdout if line.endswith("\n")]
    for line in said:
        word, _, number = line.strip().partition(" ")
        if word == "batch":
            known.batch = int(number)
            findings.acknowledged_batches += 1
        elif word == "turn":
            known.turn = int(number)
            findings.acknowledged_turns += 1
    return bool(said)


async def _look(directory: Path, known: Acknowledged, findings: Findings) -> None:
    async with await open_store(f"surrealkv://{directory}", home=directory.parent) as stores:
        await _look_at_batches(stores, known, findings)
        await _look_at_turns(stores, known, findings)
        findings.faults.extend(f"trial {findings.trials}: {fault}" for fault in await stores.maintenance.verify())


async def _look_at_batches(stores: SurrealStores, known: Acknowledged, findings: Findings) -> None:
    vectors = {change.row_id for change in await stores.memory.changes(0, 10**9) if change.vector is not None}
    for number in range(known.batch + 2):
        ids = batch_ids(number)
        there = set(await stores.memory.fetch(ids)) & vectors
        stones = await stores.ledger.buried([removed_id(number)])
        if len(there) == len(ids) and stones:
            findings.unacknowledged_but_whole += number > known.batch
            known.batch = max(known.batch, number)
        elif number <= known.batch:
            findings.lost.append(f"trial {findings.trials}: batch {number} has {len(there)} of {len(ids)} rows")
        elif there or stones:
            findings.half.append(f"trial {findings.trials}: batch {number} has {len(there)} of {len(ids)} rows")


async def _look_at_turns(stores: SurrealStores, known: Acknowledged, findings: Findings) -> None:
    turns = await stores.sessions.exchanges(session_id=SESSION_ID, limit=10**9)
    session = await stores.sessions.load(SESSION_ID, window=0)
    total = session.total_exchanges if session else 0
    if [each.index for each in turns] != list(range(total)):
        findings.half.append(f"trial {findings.trials}: the session counts {total} turns and {len(turns)} are there")
    if total <= known.turn:
        findings.lost.append(f"trial {findings.trials}: turn {known.turn} was acknowledged, {total} are there")
    findings.unacknowledged_but_whole += total == known.turn + 2
    known.turn = total - 1


def run(trials: int, cycles: int, seed: int) -> Findings:
    """Carry out all trials and cycles in a directory that is thrown away."""
    findings, chance = Findings(), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="voice crash ") as place:
        known = Acknowledged()
        for number in progress(range(trials), "trial"):
            if number % TRIALS_PER_STORE == 0:
                known = Acknowledged()
            trial(Path(place, f"store {number // TRIALS_PER_STORE}"), known, chance, findings)
        for _ in progress(range(cycles), "cycle"):
            cycle(Path(place, "cycles"), findings)
    return findings


def main() -> int:
    """Run what the command line asks for; 1 when anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=10, help="processes to kill")
    parser.add_argument("--cycles", type=int, default=10, help="processes to let end by themselves")
    parser.add_argument("--seed", type=int, default=1, help="of the moments at which processes are killed")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    started = time.monotonic()
    findings = run(options.trials, options.cycles, options.seed)
    report = {**asdict(findings), "sound": findings.sound, "seconds": round(time.monotonic() - started, 1), **machine()}
    if options.json:
        print(json.dumps(report))
    else:
        print("\n".join(f"{name}: {value}" for name, value in report.items()))
    return 0 if findings.sound else 1


if __name__ == "__main__":
    raise SystemExit(main())

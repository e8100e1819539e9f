"""Does the index catch up? `python -m bench.index_crash [--trials N] [--seed N] [--json]`.

A trial starts a process that writes to a real store on disk and folds its index (`bench.index_crash_worker`), kills it
with SIGKILL at a random moment (while it opens and catches up, too), opens both again in a fresh process and looks
(`bench.index_crash_check`): `faults()` must be empty, every row the store holds must be found with the scores of the
plain definitions, and no other. What was on disk must have been used: an index that begins from nothing after a kill is
counted as thrown away. The store grows from trial to trial and is replaced every ten.
"""

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import anyio

from bench.index_crash_check import look
from bench.index_crash_worker import ROWS_TOUCHED, SMALL_YOUNG_ROWS, write_for_ever
from bench.killed import Moments, Trials, homes, in_child, killed_at, told
from voice.adapters.index.directory import read_manifest

TRIALS_PER_STORE: Final = 10
_MOMENTS: Final = Moments(most_lines=12, longest_pause_s=0.08)
"""A line is a fold, and a pause several folds long."""
_SLACK: Final = 2 * (SMALL_YOUNG_ROWS + 4 * ROWS_TOUCHED)
"""Changes that may still be in memory alone when a fold was said to be done."""


@dataclass(slots=True)
class Findings(Trials):
    """What all trials together showed."""

    killed_before_it_caught_up: int = 0
    killed_in_a_commit: int = 0
    """Left files behind that no manifest names."""
    folds: int = 0
    files_written: int = 0
    """Segments and their lists of dead rows, by the numbers in their names."""
    rows_compared: int = 0
    searches_compared: int = 0
    missing: list[str] = field(default_factory=list[str])
    stale: list[str] = field(default_factory=list[str])
    faults: list[str] = field(default_factory=list[str])
    thrown_away: list[str] = field(default_factory=list[str])
    reopen_failed: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Said:
    """The highest `seq` that one store's index has said it folded; 0 for none."""

    seq: int = 0


def trial(home: Path, said: Said, chance: random.Random, findings: Findings) -> None:
    """Let one process write and fold, kill it, and look at what it left."""
    home.mkdir(exist_ok=True)
    before = _last_file(home)
    folds = [int(seq) for seq in killed_at(_MOMENTS, chance, lambda say: anyio.run(write_for_ever, home, say))]
    findings.trials += 1
    findings.folds += len(folds)
    findings.killed_before_it_caught_up += not folds
    findings.killed_in_a_commit += _has_unnamed_files(home)
    findings.files_written += max(0, _last_file(home) - before)
    said.seq = max([said.seq, *folds])
    name = f"trial {findings.trials}"
    looked = in_child(lambda: anyio.run(look, home))
    if looked is None:
        findings.reopen_failed.append(name)
        return
    findings.rows_compared += looked.rows
    findings.searches_compared += looked.searches
    findings.missing += [f"{name}: {each}" for each in looked.missing]
    findings.stale += [f"{name}: {each}" for each in looked.stale]
    findings.faults += [f"{name}: {each}" for each in looked.faults]
    if looked.opened_at < said.seq - _SLACK:
        findings.thrown_away.append(f"{name}: stood at {looked.opened_at}, had said {said.seq}")


def _has_unnamed_files(home: Path) -> bool:
    index = home / "index"
    manifest = read_manifest(index) if index.exists() else None
    named = set[str]() if manifest is None else manifest.names()
    return any(path.name not in named for path in _files(home))


def _last_file(home: Path) -> int:
    return max((int(path.name[:8]) for path in _files(home)), default=0)


def _files(home: Path) -> list[Path]:
    index = home / "index"
    return [path for path in index.iterdir() if path.name[:8].isdigit()] if index.exists() else []


def run(trials: int, seed: int) -> Findings:
    """Carry out all trials in a directory that is thrown away."""
    findings, chance, said = Findings(), random.Random(seed), Said()
    for home, is_new in homes(trials, of_a_store=TRIALS_PER_STORE, called="index crash"):
        said = Said() if is_new else said
        trial(home, said, chance, findings)
    return findings


if __name__ == "__main__":
    raise SystemExit(told(__doc__, run))

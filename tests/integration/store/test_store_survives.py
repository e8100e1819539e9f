"""The short version of `bench.crash`: killed processes lose nothing, ended ones end well."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from bench.crash import Acknowledged, Findings, cycle, trial

_UNCLOSED = ["--writes", "2", "--no-close"]


@pytest.mark.requirement("promise:3")
def test_five_processes_killed_at_random_moments_lose_nothing_acknowledged(tmp_path: Path) -> None:
    findings, known, chance = Findings(), Acknowledged(), random.Random(7)
    for _ in range(5):
        trial(tmp_path / "a store", known, chance, findings)
    assert findings.sound, findings
    assert findings.trials == 5
    assert findings.acknowledged_batches + findings.acknowledged_turns > 0


def test_processes_that_open_write_close_and_end_do_so_without_an_abort(tmp_path: Path) -> None:
    findings = Findings()
    for _ in range(3):
        cycle(tmp_path / "a store", findings)
    assert (findings.aborts, findings.cycles) == ([], 3)


def test_a_process_that_forgets_to_close_ends_well_too(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench.crash_worker", str(tmp_path / "store"), *_UNCLOSED]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")

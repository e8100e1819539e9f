"""The short version of `bench.removal_crash`: a process killed at any point of a removal loses nothing."""

import json
import subprocess
import sys

import pytest
from bench.removal_crash import Findings, Looked, compare
from bench.removal_crash_worker import note_ids


@pytest.mark.requirement("ruling:F.9", "promise:3")
def test_four_processes_killed_while_they_take_away_and_bring_back_lose_nothing() -> None:
    command = [sys.executable, "-m", "bench.removal_crash", "--json", "--trials", "4", "--seed", "3"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    found = json.loads(ended.stdout)
    assert (found["sound"], found["trials"], found["steps"] > 0) == (True, 4, True)
    assert found["all_there"] + found["all_away"] + found["between"] == 4


def test_a_thought_in_neither_place_or_in_both_is_found_out() -> None:
    every = note_ids()
    looked = Looked(
        there=frozenset(every[2:]),
        buried=frozenset({every[0], every[3]}),
        archived=frozenset({every[1]}),
        derived=len(every) - 1,
        faults=("a fault",),
    )
    findings = Findings()
    compare("trial", looked, findings)
    assert findings.lost == [f"trial: {every[0]}", f"trial: {every[1]}", "trial: 1 rows of the graph"]
    assert (findings.doubled, findings.faults) == ([f"trial: {every[3]}"], ["trial: a fault"])
    assert not findings.sound

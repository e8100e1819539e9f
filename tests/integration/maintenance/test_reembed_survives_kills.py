"""The short version of `bench.reembed_crash`, and what it would say of a memory whose vectors were mixed up."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bench.reembed_crash import Findings, Looked, Memory, compare, resumed

SOUND = Looked(notes=2, rows=4, vectors=3, new=1, old=2, pending=1, mixed=(), wrong=(), faults=())
DONE = replace(SOUND, vectors=4, new=4, old=0, pending=0)


@pytest.mark.requirement("promise:3", "ruling:C17", "s2:dimension:stamp")
def test_two_processes_killed_in_a_change_of_encoder_lose_nothing_and_mix_nothing() -> None:
    command = [sys.executable, "-m", "bench.reembed_crash", "--json", "--trials", "2", "--seed", "2"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    found = json.loads(ended.stdout)
    assert (found["sound"], found["trials"]) == (True, 2)
    assert found["rows_encoded_by_running_again"] == found["rows_left"] > 0


@pytest.mark.parametrize(
    ("looked", "where"),
    [
        (replace(SOUND, notes=1), "lost"),
        (replace(SOUND, rows=3, pending=0), "lost"),
        (replace(SOUND, pending=0), "lost"),
        (replace(SOUND, vectors=4), "doubled"),
        (replace(SOUND, old=1, mixed=("t:1",)), "mixed"),
        (replace(SOUND, wrong=("t:1 is 0.5 like the question, not 0.1",)), "wrong"),
        (replace(SOUND, faults=("doctor says nothing",)), "faults"),
    ],
)
def test_what_is_lost_doubled_mixed_or_wrong_is_seen(looked: Looked, where: str) -> None:
    findings = Findings()
    compare("trial 0", Memory(Path("home"), notes=2, rows=4), looked, findings)
    assert {name for name in ("lost", "doubled", "mixed", "wrong", "faults") if getattr(findings, name)} == {where}
    assert not findings.sound


def test_rows_that_are_encoded_twice_or_not_at_all_are_seen() -> None:
    findings = Findings()
    resumed("trial 0", SOUND, {"reembed": 2, "embed-pending": 1, "reindex": 0}, DONE, findings)
    assert (findings.sound, findings.rows_left, findings.rows_encoded_by_running_again) == (True, 3, 3)
    resumed("trial 1", SOUND, {"reembed": 3, "embed-pending": 1, "reindex": 0}, DONE, findings)
    assert findings.encoded_again == ["trial 1: reembed encoded 3 rows where 2 were left"]
    resumed("trial 2", SOUND, {"reembed": 2, "embed-pending": 1, "reindex": 0}, SOUND, findings)
    assert findings.incomplete == ["trial 2: 1 of 4 rows have the new encoder's vector"]

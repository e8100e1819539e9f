"""The short version of `bench.turn_crash`, and what it would say of a memory that had lost something."""

import json
import subprocess
import sys
from collections.abc import Sequence

import pytest
from bench.turn_crash import Findings, Known, Looked, compare
from bench.turn_crash_worker import question


@pytest.mark.requirement("promise:3", "sessions:killed", "sessions:idempotency")
def test_of_killed_processes_every_returned_turn_is_there_once() -> None:
    command = [sys.executable, "-m", "bench.turn_crash", "--json", "--trials", "5", "--seed", "5"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    found = json.loads(ended.stdout)
    assert (found["sound"], found["trials"]) == (True, 5)
    assert found["turns_returned"] > 0


def _looked(
    *turns: str, questions: list[str] | None = None, faults: list[str] | None = None, open_calls: Sequence[str] = ()
) -> Looked:
    asked = [question(number) for number in range(len(turns))] if questions is None else questions
    return Looked(turns=list(turns), questions=asked, faults=faults or [], open_calls=list(open_calls))


@pytest.mark.parametrize(
    ("looked", "said", "where"),
    [
        (_looked("a", "b"), ["b", "c"], "lost"),
        (_looked("x", "b"), ["b"], "lost"),
        (_looked("a", "b", questions=[question(0), question(0)]), ["b"], "doubled"),
        (_looked("a", "b", "c"), [], "doubled"),
        (_looked("a", faults=["a hole"]), [], "faults"),
    ],
)
def test_what_is_lost_doubled_or_broken_is_seen(looked: Looked, said: list[str], where: str) -> None:
    findings = Findings()
    compare("trial 0", Known(turns=["a"]), said, looked, findings)
    found = {name for name in ("lost", "doubled", "faults") if getattr(findings, name)}
    assert (found, findings.sound) == ({where}, False)


def test_a_call_that_was_begun_is_on_record_until_its_turn_is_and_no_longer() -> None:
    findings, known = Findings(), Known(turns=["a l"], open_calls=["w"])
    compare("trial 0", known, [], _looked("a l", open_calls=["w", "x"]), findings)
    assert (findings.sound, findings.killed_while_asking, known.open_calls) == (True, 1, ["w", "x"])
    compare("trial 1", known, [], _looked("a l", open_calls=["w", "x", "y", "z"]), findings)
    compare("trial 2", known, [], _looked("a l", open_calls=["a", "x"]), findings)
    assert (len(findings.doubled), len(findings.faults), len(findings.lost)) == (1, 1, 3)


def test_a_turn_that_was_kept_and_not_returned_is_no_fault() -> None:
    findings, known = Findings(), Known(turns=["a"])
    compare("trial 0", known, ["b"], _looked("a", "b", "c"), findings)
    assert (findings.sound, findings.turns_kept, findings.kept_but_not_returned) == (True, 2, 1)
    assert (known.turns, known.unreturned) == (["a", "b", "c"], "c")

"""The short version of `bench.torn`: what is stopped in the middle of a long note leaves all of it or nothing."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import anyio
import pytest
from bench.torn import Findings, Looked, compare, look, wanted
from bench.torn_worker import ACTS, NOW, note, parts, settings

from voice.bootstrap import open_services
from voice.core.graph.thoughts.distillation import distil
from voice.core.records import Origin, Thought

pytestmark = pytest.mark.requirement("ruling:I8", "promise:3")
SHORTER = """
from bench import torn, torn_worker
from bench.killed import told
from voice.services.memory import ingest
from voice.services.removal import forget

torn_worker.LENGTHS = {name: sentences // 10 for name, sentences in torn_worker.LENGTHS.items()}
ingest.MAX_TRANSACTION_ROWS, forget._PAGE, forget.MAX_BATCH = 50, 100, 100
raise SystemExit(told(torn.__doc__, torn.run))
"""
"""`bench.torn` with notes and transactions a tenth as long, so that a note is longer than a transaction here, too."""


@pytest.mark.slow
def test_processes_stopped_at_any_point_of_something_long_leave_no_part_of_a_note() -> None:
    command = [sys.executable, "-c", SHORTER, "--json", "--trials", str(len(ACTS)), "--seed", "3"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    found = json.loads(ended.stdout)
    assert (found["orphans"], found["doubled"], found["lost"], found["torn"]) == ([], [], [], [])
    assert (found["sound"], found["acts"]) == (True, dict.fromkeys(ACTS, 1))


def test_what_is_cut_off_is_found_out(tmp_path: Path) -> None:
    cut = Thought(id="t:cut", content=note("cut", 9), created_at=NOW, recorded_at=NOW, origin=Origin.HUMAN)
    half = Thought(id="t:half", content=note("half", 9), created_at=NOW, recorded_at=NOW, origin=Origin.HUMAN)

    async def leave_parts() -> Looked:
        async with open_services(settings(), tmp_path / "home", parts()) as services:
            rows = (*distil(cut)[:4], half, *distil(half)[:5])
            await services.ingest.save(rows, names=await services.ingest.names.known())
        return await look(tmp_path / "home")

    looked = anyio.run(leave_parts)
    assert len(looked.orphans) == 4
    assert looked.torn == ("t:half (active) has 5 of 9 observations", "4 observations of t:cut, which is gone")
    assert (looked.doubled, looked.faults) == ((), ())


def test_what_is_lost_doubled_or_strange_after_a_trial_is_told() -> None:
    before, after = wanted("remember", done=False), wanted("remember", done=True)
    findings = Findings()
    compare("sound", "remember", Looked(live=Counter(before)), findings, done=False)
    compare("sound", "remember", Looked(live=Counter(after)), findings, done=False)
    assert (findings.sound, findings.nothing_yet) == (True, 1)
    compare("acknowledged", "remember", Looked(live=Counter(before)), findings, done=True)
    compare("kept", "remember", Looked(live=Counter(list(before)[1:])), findings, done=False)
    assert findings.lost == ["acknowledged: 1 thoughts are not there", "kept: 1 thoughts are not there"]
    compare("twice", "remember", Looked(live=Counter([*after, *after - before])), findings, done=True)
    assert findings.doubled == ["twice: a thought is there 2 times"]
    compare(
        "odd", "forget", Looked(live=Counter([*before, "odd"]), orphans=("o:1",), torn=("t:1",)), findings, done=False
    )
    assert findings.faults == ["odd: 1 thoughts should not be there"]
    assert (findings.orphans, findings.torn) == (["odd: o:1"], ["odd: t:1"])


def test_a_correction_leaves_the_old_note_or_the_new_one() -> None:
    before, after = wanted("correct", done=False), wanted("correct", done=True)
    findings = Findings()
    for live in (before, after):
        compare("either", "correct", Looked(live=Counter(live)), findings, done=False)
    assert findings.sound
    for live in (before | after, before & after):
        compare("both or none", "correct", Looked(live=Counter(live)), findings, done=False)
    assert len(findings.lost) == 2

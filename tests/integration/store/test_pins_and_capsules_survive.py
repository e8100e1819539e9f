"""Pins and capsules that a store acknowledged are there after kill -9, and nothing is half there."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from voice.adapters.surreal.opening import open_store

TESTS = Path(__file__).resolve().parents[2]
WORKER = TESTS / "pins_killed.py"


def killed_after(home: Path, lines: int) -> list[list[str]]:
    """Run the worker, kill it after it has said `lines` lines, and return all it said."""
    said: list[str] = []
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join((str(TESTS.parent), str(TESTS)))}
    command = [sys.executable, str(WORKER), str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=paths) as worker:
        assert worker.stdout is not None
        said.extend(worker.stdout.readline() for _ in range(lines))
        worker.kill()
        said.extend(worker.stdout.readlines())
    return [line.split() for line in said if line.endswith("\n")]


@pytest.mark.requirement("promise:3")
async def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    chance = random.Random(5)
    for _ in range(3):
        said = killed_after(tmp_path, chance.randrange(5, 40))
        pins = max(int(number) for what, number in said if what == "pin")
        revision = max(int(number) for what, number in said if what == "capsule")
        async with await open_store(tmp_path / "memory", home=tmp_path) as stores:
            found = {pin.target_id for pin in await stores.pins.pins()}
            capsule = await stores.capsules.capsule("c:1")
            assert found >= {f"t:{place}" for place in range(pins + 1)}
            assert len(found) <= pins + 2
            assert capsule is not None
            assert capsule.summary is not None
            assert capsule.revision in (revision, revision + 1)
            assert capsule.summary.content == f"Revision {capsule.revision}."
            assert await stores.maintenance.verify() == []

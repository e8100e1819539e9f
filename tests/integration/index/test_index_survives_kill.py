"""The index is correct after kill -9 at any moment of a fold."""

import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import index_killed
from change_feed import DIM, MODEL, ChangeFeed, ask, packed
from index_killed import fill
from voice.adapters.index.index import FoldedIndex
from voice.adapters.index.updating import YOUNG_ROWS

_SCRIPT = Path(index_killed.__file__)
QUERY = ask("topic3 note 45", vector=packed(1, 2, 1, 1), limit=30, neighbour_weight=0.5)


def kill_after(directory: Path, lines: int, moment_s: float) -> int:
    """Fold in another process, kill it `moment_s` after it has printed so many lines; return the last `seq` it said."""
    command = [sys.executable, str(_SCRIPT), str(directory)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": str(_SCRIPT.parent)}
    ) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(lines)]
        killer = threading.Timer(moment_s, process.kill)
        killer.start()
        said += [int(line) for line in process.stdout if line.strip().isdigit() and line.endswith("\n")]
        killer.join()
    return said[-1]


@pytest.mark.parametrize("trial", range(2))
async def test_after_kill_9_the_index_catches_up_with_nothing_missing_and_nothing_stale(
    tmp_path: Path, trial: int
) -> None:
    directory = tmp_path / "index"
    chance = random.Random(trial)
    last = kill_after(directory, lines=chance.randint(1, 12), moment_s=chance.uniform(0, 0.08))
    feed = ChangeFeed()
    await fill(feed, 0, last // 2 + 400)  # two changes a row; the store went on after the last word of the index
    index = FoldedIndex(feed, directory, model=MODEL, dim=DIM)
    feed.asked.clear()
    await index.refresh()
    assert feed.asked[0] >= last - 2 * (YOUNG_ROWS + 40) - 1, "what was on disk was thrown away"
    assert await index.faults() == []
    assert await index.search(QUERY) == await FoldedIndex(feed, None, model=MODEL, dim=DIM).search(QUERY)

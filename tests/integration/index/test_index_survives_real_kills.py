"""The short version of `bench.index_crash`: store and index of killed processes are one again when they are opened."""

import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from bench import scale


def run(module: str, *options: str) -> dict[str, object]:
    command = [sys.executable, "-m", module, "--json", *options]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return json.loads(ended.stdout)


@pytest.mark.requirement("promise:3")
def test_five_processes_killed_while_they_write_and_fold_leave_nothing_missing_and_nothing_stale() -> None:
    found = run("bench.index_crash", "--trials", "5")
    assert found["sound"], found
    assert found["trials"] == 5
    assert found["searches_compared"] == 25


def test_a_small_memory_is_measured_by_a_process_that_did_not_build_it_and_finds_what_brute_force_finds(
    tmp_path: Path,
) -> None:
    found = run("bench.scale", "--rows", "1000", "--dim", "32", "--adds", "20", "--home", str(tmp_path / "a memory"))
    recall = cast("dict[str, float]", found["recall_at_10_of_exact"])
    assert min(recall["vector"], recall["hybrid"]) >= 0.99
    assert {"ingest_rows_per_s", "open_s", "worst_shape_cpu_ms_p50", "rss_mb", "disk_mb"} <= found.keys()
    assert set(found["shapes"]) == set(scale.SHAPES)  # pyright: ignore[reportArgumentType]

"""What the benchmarks print."""

import shutil
import subprocess
from pathlib import Path

import pytest
from bench.report import share

ROOT = Path(__file__).resolve().parents[3]


def test_a_share_of_no_trials_is_a_dash_and_not_a_zero() -> None:
    assert share(0.0, of=0) == "–"
    assert share(0.0, of=3) == "0.000"
    assert share(0.98765, of=40, digits=4) == "0.9877"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("target", ["grounding", "e2e-llm"])
def test_make_says_that_there_is_no_data_where_it_was_told_to_look(target: str, tmp_path: Path) -> None:
    command = ["make", "-n", target, f"DATA={tmp_path}"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)
    assert ran.returncode == 2
    assert f"no data in {tmp_path}" in ran.stderr

"""A test that hangs is killed and run once more, and is told from one whose process crashed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # each starts three processes of pytest, and waits
_TESTS = Path(__file__).resolve().parents[1]
_SETTINGS = """
[pytest]
addopts = -p xdist -p hung_tests -n 2 --dist loadgroup --max-worker-restart=2
faulthandler_timeout = 2
faulthandler_exit_on_timeout = true
"""
_HANGS = "ctypes.PyDLL(None).sleep(60)"


def _run(folder: Path, body: str) -> tuple[int, str]:
    """Run a test that does this and others, and return the exit code and what was printed."""
    (folder / "pytest.ini").write_text(_SETTINGS)
    (folder / "test_it.py").write_text(
        "import ctypes, os, pathlib\n"
        "import pytest\n"
        "@pytest.mark.parametrize('number', range(20))\n"
        "def test_before(number): pass\n"
        f"def test_it():\n    first = not os.path.exists('seen')\n    pathlib.Path('seen').touch()\n    {body}\n"
        "def test_behind(): pass\n"
    )
    alone = {"PATH": os.environ["PATH"], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(_TESTS)}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    ran = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, timeout=60, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def test_a_test_that_holds_the_interpreter_is_killed_with_its_stack_and_run_again(tmp_path: Path) -> None:
    code, printed = _run(tmp_path, f"if first: {_HANGS}")
    assert code == 0, printed
    assert "in test_it" in printed
    assert "HUNG test_it.py::test_it: run again" in printed
    assert "22 passed, 1 hung" in printed


def test_a_test_that_hangs_each_time_fails(tmp_path: Path) -> None:
    code, printed = _run(tmp_path, _HANGS)
    assert code == 1, printed
    assert "crashed while running" in printed


def test_a_process_that_dies_before_its_time_is_up_is_a_failure_like_any_other(tmp_path: Path) -> None:
    code, printed = _run(tmp_path, "if first: os._exit(3)")
    assert code == 1, printed
    assert "crashed while running" in printed
    assert "HUNG" not in printed

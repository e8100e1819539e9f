"""A test that hangs ends its run, and is told from one whose process crashed."""

import os
import subprocess
import sys
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
_SETTINGS = """
[pytest]
addopts = -p xdist -p hung_tests -n 1 --max-worker-restart=0
faulthandler_timeout = 1
faulthandler_exit_on_timeout = true
"""


def _run(folder: Path, body: str) -> tuple[str, str | None]:
    """Run a test that does this, and return what was printed and which test is told to have hung."""
    (folder / "pytest.ini").write_text(_SETTINGS)
    (folder / "test_it.py").write_text(f"import ctypes, os\ndef test_it(): {body}\n")
    alone = {"PATH": os.environ["PATH"], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(_TESTS)}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    ran = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    marker = folder / ".hung"
    return ran.stdout + ran.stderr, marker.read_text() if marker.exists() else None


def test_a_test_that_holds_the_interpreter_is_killed_with_its_stack_and_named(tmp_path: Path) -> None:
    printed, hung = _run(tmp_path, "ctypes.PyDLL(None).sleep(60)")
    assert hung == "test_it.py::test_it\n"
    assert "in test_it" in printed
    assert "1 failed" in printed


def test_a_process_that_dies_before_is_a_failure_like_any_other(tmp_path: Path) -> None:
    printed, hung = _run(tmp_path, "os._exit(3)")
    assert hung is None
    assert "crashed while running" in printed

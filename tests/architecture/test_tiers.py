"""The fast tests are fast, because one that is not fails; and nothing is lost between the tiers."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

_TESTS = Path(__file__).resolve().parents[1]
_SETTINGS = """
[pytest]
addopts = -p tiers --import-mode=importlib
markers =
    slow: slow
    no_cover: no_cover
cpu_limit_s = 0.02
slow_folders = far
journeys = far/test_door.py::test_goes_through
"""
_BURNING = """
import subprocess, sys, time, pytest

BURN = "import time\\nwhile time.process_time() < 0.3: pass"

def burn():
    ends = time.process_time() + 0.3
    while time.process_time() < ends: pass

@pytest.fixture(scope="module")
def made_once(): burn()

@pytest.fixture
def made_again(): burn()

def test_burns(): burn()
def test_burns_before(made_again): pass
def test_burns_in_a_child(): subprocess.run([sys.executable, "-c", BURN], check=True)
@pytest.mark.slow
def test_burns_and_says_so(): burn()
def test_finds_it_made(made_once): pass
def test_waits(): time.sleep(0.4)
"""


def _run(folder: Path, *options: str) -> dict[str, str]:
    """Run the tests of that folder with the tiers as their one plugin, and return each one's outcome by its name."""
    alone = {"PATH": os.environ["PATH"], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(_TESTS)}
    command = [sys.executable, "-m", "pytest", "-vv", "-p", "no:cacheprovider", *options]
    ran = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    lines = [line.split() for line in ran.stdout.splitlines() if "::" in line and "[" in line]
    return {place.rpartition("::")[2]: outcome for place, outcome, *_ in lines}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text(_SETTINGS)
    (tmp_path / "far").mkdir()
    return tmp_path


def test_a_test_over_its_limit_of_cpu_fails_unless_it_says_that_it_is_slow(project: Path) -> None:
    (project / "test_near.py").write_text(_BURNING)
    outcomes = _run(project)
    failed = {name for name, outcome in outcomes.items() if outcome == "FAILED"}
    assert failed == {"test_burns", "test_burns_before", "test_burns_in_a_child"}
    assert outcomes.keys() - failed == {"test_burns_and_says_so", "test_finds_it_made", "test_waits"}


def test_each_test_is_in_one_tier_and_what_is_not_wanted_is_not_even_read(project: Path) -> None:
    (project / "test_near.py").write_text("import pytest\ndef test_a(): ...\n@pytest.mark.slow\ndef test_b(): ...\n")
    (project / "far" / "test_door.py").write_text("def test_goes_through(): ...\ndef test_goes_on(): ...\n")
    (project / "far" / "test_more.py").write_text("def test_c(): ...\n")
    fast, slow = (_run(project, "-m", wanted) for wanted in ("not slow", "slow"))
    assert fast.keys() == {"test_a", "test_goes_through"}
    assert slow.keys() == {"test_b", "test_c", "test_goes_on"}
    (project / "far" / "test_more.py").write_text("cannot be read")
    assert _run(project, "-m", "not slow").keys() == fast.keys()


def test_what_takes_longest_is_begun_first(project: Path) -> None:
    with (project / "pytest.ini").open("a") as settings:
        settings.write("first = test_last.py\n")
    for name in ("before", "last", "near"):
        (project / f"test_{name}.py").write_text(f"def test_{name}(): ...\ndef test_{name}_again(): ...\n")
    names = ("last", "before", "near")
    assert list(_run(project)) == [f"test_{name}{again}" for name in names for again in ("", "_again")]


def test_slow_tests_of_what_is_tested_elsewhere_are_not_traced(project: Path) -> None:
    with (project / "pytest.ini").open("a") as settings:
        settings.write("untraced = near\n")
    (project / "conftest.py").write_text(
        "import sys, threading\nfor each in sys, threading: each.settrace(lambda *_: None)\n"
    )
    (project / "near").mkdir()
    seen = (
        "import sys, threading, pytest\ndef traced(): return [sys.gettrace(), threading.gettrace()]\n"
        "@pytest.fixture\ndef made(): return traced()\n"
    )
    slow = "@pytest.mark.slow\ndef test_slow(made): assert traced() + made == [None] * 4\n"
    rest = "def test_quick(made): assert all(traced() + made)\n"
    (project / "near" / "test_near.py").write_text(seen + slow + rest)
    (project / "far" / "test_far.py").write_text(seen + rest)
    assert set(_run(project).values()) == {"PASSED"}


def test_one_test_goes_through_each_door() -> None:
    root = _TESTS.parent
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    for journey in settings["journeys"]:
        path, _, name = journey.partition("::")
        assert f"def {name}(" in (root / path).read_text("utf-8")
        assert any(path.startswith(f"{folder}/") for folder in settings["slow_folders"])
    doors = [Path(journey).parts[2] for journey in settings["journeys"]]
    assert doors == ["cli", "library", "mcp", "web", "web"]

"""The first minute of whoever is new: `make demo` in a fresh checkout, and `pipx install` of the wheel."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
_MOST_BYTES = 300_000_000


def _run(command: list[str], where: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)


def _checkout(into: Path) -> Path:
    """Copy what is in the repository, or would be once it is committed."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, into / name)
    return into


def _bytes_on_disk(*folders: Path) -> int:
    stats = {(stat.st_dev, stat.st_ino): stat for folder in folders for stat in map(Path.lstat, folder.rglob("*"))}
    return sum(512 * stat.st_blocks for stat in stats.values())


@pytest.mark.requirement("install:first-minute", "install:locked")
def test_make_demo_answers_in_a_fresh_checkout_and_takes_little_room(
    tmp_path: Path, outside: dict[str, str], pipx: Path
) -> None:
    """`pipx` is asked for because the registry that gives it gives the rest; without one the test is skipped."""
    checkout, home = _checkout(tmp_path / "fresh checkout"), tmp_path / "home"
    home.mkdir()
    environment = outside | {"HOME": str(home), "PYTHON": sys.executable}

    done = _run(["make", "demo"], checkout, environment)

    assert done.returncode == 0, done.stderr
    assert "✓ Mestre Horácio died" in done.stdout
    assert "Offline, so free" in done.stdout
    assert list(checkout.glob(".lent*")) == []
    assert _bytes_on_disk(home) < 100_000
    assert _bytes_on_disk(checkout) < _MOST_BYTES
    assert _run(["make", "--question", ".venv/.installed-for-demo"], checkout, environment).returncode == 0


@pytest.mark.requirement("install:pipx", "install:extras")
def test_pipx_installs_the_wheel_and_what_lacks_an_extra_names_it(
    tmp_path: Path, outside: dict[str, str], pipx: Path, wheel: Path
) -> None:
    places = {"PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(tmp_path / "bin"), "PIPX_MAN_DIR": str(tmp_path)}
    environment = outside | places | {"VOICE_HOME": str(tmp_path / "home")}
    done = _run([str(pipx), "install", "--python", sys.executable, str(wheel)], tmp_path, environment)
    assert done.returncode == 0, done.stderr
    voice = str(tmp_path / "bin" / "voice")

    demo = _run([voice, "demo"], tmp_path, environment)
    assert (demo.returncode, demo.stderr) == (0, "")
    shown = ("✓ Mestre Horácio died", "reason: no_sources", "reason: invalid_citation", "Offline, so free")
    assert [each for each in shown if each not in demo.stdout] == []
    mcp = _run([voice, "mcp"], tmp_path, environment)
    assert mcp.returncode == 4
    (line,) = mcp.stderr.splitlines()
    assert line.startswith(
        "voice: voice mcp needs the package mcp, which is not installed: pip install 'inner-voice[mcp]'"
    )

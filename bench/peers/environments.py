"""Where a peer's packages live: one virtual environment each, made on demand, never this program's own.

Law: what is installed is pinned to the last package, so that a figure names what it measured. An environment counts
when its marker says the very pins that are asked for; one that was left half made is made anew. A peer that cannot be
installed is missing with a reason, and the others are measured.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

_REQUIREMENTS: Final = Path(__file__).parent / "requirements"
_MARKER: Final = "ready.txt"
_QUIET: Final = {"PIP_NO_COLOR": "1", "PYTHONNOUSERSITE": "1"}
_NO_INDEX: Final = (
    "ConnectionError",
    "NewConnectionError",
    "Temporary failure",
    "No matching distribution",
    "timed out",
)


class PeerMissing(Exception):
    """A peer that cannot be measured here; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command left behind."""

    code: int
    said: str
    """Standard output and standard error."""


Run = Callable[[Sequence[str], Mapping[str, str]], Ran]
"""Runs a command with these additions to the environment."""


def run_command(command: Sequence[str], extra: Mapping[str, str]) -> Ran:
    """Run a command to its end."""
    env = {**os.environ, **extra}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    return Ran(code=done.returncode, said=done.stdout + done.stderr)


def default_directory() -> Path:
    """Return where environments are kept when nobody says otherwise: the user's cache directory."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "voice-bench-peers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Environments:
    """Virtual environments under one directory."""

    directory: Path
    may_install: bool = True
    run: Run = run_command
    requirements: Path = _REQUIREMENTS
    """Where the pins are, one file a peer."""

    def python(self, peer: str) -> Path:
        """Return the interpreter that has the packages of `peer`, installing them when they are not there.

        Raises:
            PeerMissing: they are not there and may not, or cannot, be installed.
        """
        wanted = pins(peer, self.requirements)
        place = self.directory / f"{peer}-{sha256(wanted.encode()).hexdigest()[:12]}"
        if not _is_ready(place, wanted):
            self._make(peer, place, wanted)
        return _interpreter(place)

    def _make(self, peer: str, place: Path, wanted: str) -> None:
        if not self.may_install:
            raise PeerMissing(f"{peer} is not installed in {self.directory}; run once without --offline")
        shutil.rmtree(place, ignore_errors=True)
        self._do(peer, [sys.executable, "-m", "venv", str(place)])
        pip = [str(_interpreter(place)), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
        self._do(peer, [*pip, "--no-deps", "--requirement", str(_file_of(peer, self.requirements))])
        (place / _MARKER).write_text(wanted, encoding="utf-8")

    def _do(self, peer: str, command: Sequence[str]) -> None:
        ran = self.run(command, _QUIET)
        if ran.code:
            raise PeerMissing(_reason(peer, ran.said))


def pins(peer: str, requirements: Path = _REQUIREMENTS) -> str:
    """Return the pinned packages of a peer, one a line."""
    return _file_of(peer, requirements).read_text("utf-8")


def _file_of(peer: str, requirements: Path) -> Path:
    return requirements / f"{peer}.txt"


def _is_ready(place: Path, wanted: str) -> bool:
    marker = place / _MARKER
    return marker.is_file() and marker.read_text("utf-8") == wanted


def _interpreter(place: Path) -> Path:
    return place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _reason(peer: str, said: str) -> str:
    last = _last_line(said)
    if any(sign in said for sign in _NO_INDEX):
        return f"{peer} could not be fetched; is there a network, and an index that has these versions? ({last})"
    return f"{peer} could not be installed: {last}"


def _last_line(said: str) -> str:
    return next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "it said nothing")

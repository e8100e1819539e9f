"""The command line, run inside the test's own process or as the real command."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")

SCHEMAS = Path(__file__).resolve().parents[1] / "src" / "voice" / "schemas"
SETTINGS = """\
enabled = true
[embed]
provider = "hash"
[llm]
provider = "extractive"
[grounding]
single_source = "green"
[nlq]
timeout_ms = 600000
[time]
timezone = "Europe/Lisbon"
"""
"""No answer depends on how fast the machine is: a search has ten minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> object:
        """The one document on stdout."""
        return json.loads(self.out)

    @property
    def only_line(self) -> str:
        """The one line on stderr."""
        lines = self.err.splitlines()
        assert len(lines) == 1, lines
        return lines[0]


class Voice:
    """Runs commands on one data directory."""

    def __init__(self, home: Path, run: Callable[[list[str], bytes], Ran]) -> None:
        self.home = home
        self._run = run

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ran:
        return self._run(["--home", str(self.home), *arguments], stdin)

    def ok(self, *arguments: str, stdin: bytes = b"") -> Ran:
        """Run a command that must succeed."""
        ran = self(*arguments, stdin=stdin)
        assert ran.code == 0, ran
        return ran


def run_command(*arguments: str, home: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Ran:
    """Run the real command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "voice", *arguments],
        input=stdin,
        capture_output=True,
        env={**clean_environment(), "VOICE_HOME": str(home), "PYTHONUTF8": "1", **(env or {})},
        timeout=120,
        check=False,
    )
    return Ran(code=done.returncode, out=done.stdout.decode(errors="replace"), err=done.stderr.decode())


def clean_environment() -> dict[str, str]:
    """Return the environment without settings and keys of whoever runs the tests."""
    ours = ("SURR_", "VOICE_", "MCP_", "LITELLM_")
    return {
        name: value for name, value in os.environ.items() if not name.startswith(ours) and not name.endswith("_API_KEY")
    }


def always(make: Callable[[], _T]) -> Callable[..., _T]:
    """Return a function of any arguments that returns what `make` makes."""

    def call(*_args: object, **_named: object) -> _T:
        return make()

    return call

"""Processes of their own that use one store, as a test sees them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import holding_process
import voice

_TESTS = Path(holding_process.__file__).parent
_PATH = [str(Path(voice.__file__).parents[1]), str(_TESTS), str(_TESTS.parent)]


class Process:
    """One process that uses the store of a home; it has said that the store is open, or why not."""

    def __init__(self, home: Path, *options: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(_TESTS / "holding_process.py"), str(home), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(_PATH)},
        )
        self.said = self.hears()

    @property
    def pid(self) -> int:
        return self._process.pid

    def tell(self, line: str) -> None:
        """Tell it something, and do not wait for what it says."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def hears(self) -> str:
        """Return the next line it says; empty when it has ended."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __call__(self, line: str) -> str:
        """Tell it something and return what it says."""
        self.tell(line)
        return self.hears()

    def send(self, signal: int) -> None:
        self._process.send_signal(signal)

    def wait(self) -> int:
        """Wait for its end and return how it ended."""
        return self._process.wait(60)

    def end(self) -> None:
        """End it however it is, asleep even."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()


Start = Callable[..., Process]

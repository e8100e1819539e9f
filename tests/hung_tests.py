"""Tests that hang: killed with their stacks printed, so that a run ends, and told from those that crash.

Law: a test hangs when it has not ended after `faulthandler_timeout` seconds, far more than the longest takes; the
process it runs in is killed then, whoever holds the interpreter, and the run is over and has failed. The embedded
engine now and then never comes back from opening a store, holding the interpreter (docs/adr/0001-embedded-store.md); so
the Makefile makes a run that hung once more, from the start, and says so. A process that died of anything else is a
failure.
"""

from pathlib import Path
from time import monotonic
from typing import Final

import pytest

MARKER: Final = ".hung"
"""The file that tells the Makefile which test hung."""


def pytest_configure(config: pytest.Config) -> None:
    """Watch every run."""
    limit = float(config.getini("faulthandler_timeout"))
    config.pluginmanager.register(HungTests(limit, config.rootpath / MARKER))


class HungTests:
    """Tells tests that hung from those whose process crashed."""

    def __init__(self, limit_s: float, marker: Path) -> None:
        self._limit = limit_s
        self._marker = marker
        self._began: dict[str, float] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note when a test began."""
        self._began[nodeid] = monotonic()

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str) -> None:
        """Leave word of a test whose process died when its time was up."""
        if monotonic() - self._began.get(crashitem, monotonic()) >= self._limit:
            self._marker.write_text(f"{crashitem}\n", encoding="utf-8")

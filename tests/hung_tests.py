"""Tests that hang: killed with their stacks printed, and run once more in another process.

Law: a test hangs when it has not ended after `faulthandler_timeout` seconds, far more than the longest takes; the
process it runs in is killed then, whoever holds the interpreter. The first time the test is run again, with what that
process had still before it, and the summary counts it as `hung`; the second time it fails. A process that died of
anything else is a failure. What the killed process covered is kept up to its last save, at most `SAVED_EVERY_S` before.

The embedded engine locks itself up once in some thousand openings of a store on a busy machine, holding the interpreter
(docs/adr/0001-embedded-store.md); nothing in Python can end that.
"""

from collections.abc import Generator
from time import monotonic
from typing import Final, Protocol, cast

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController

SAVED_EVERY_S: Final = 10.0
"""How many seconds lie between two saves of what the tests of one process covered."""


def pytest_configure(config: pytest.Config) -> None:
    """Watch every run."""
    config.pluginmanager.register(HungTests(float(config.getini("faulthandler_timeout"))))
    covers: object = config.pluginmanager.get_plugin("_cov")
    if hasattr(config, "workerinput") and covers is not None:
        config.pluginmanager.register(_SavedCoverage(cast("_Covers", covers)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadGroupScheduling:
    """Give out the tests so that those of a killed process are run by the others."""
    return _Rescheduling(config, log)


class _Rescheduling(LoadGroupScheduling):
    """The scheduler of xdist, which gives the process that replaces a killed one nothing to do, or what is done."""

    def remove_node(self, node: WorkerController) -> str | None:
        done = [scope for scope, tests in self.assigned_work[node].items() if all(tests.values())]
        for scope in done:
            del self.assigned_work[node][scope]
        return super().remove_node(node)

    def schedule(self) -> None:
        super().schedule()
        for node in self.nodes:  # a process begins a test once it knows the next
            self._reschedule(node)

    def _reschedule(self, node: WorkerController) -> None:
        if node in self.registered_collections:
            super()._reschedule(node)


class HungTests:
    """Tells tests that hung from those whose process crashed, in the process that gives out the tests."""

    def __init__(self, limit_s: float) -> None:
        self._limit = limit_s
        self._began: dict[str, float] = {}
        self._hung: list[str] = []

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note when a test began."""
        self._began[nodeid] = monotonic()

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport) -> None:
        """Make a hang of what the scheduler runs again, the first time, and leave every other crash a failure."""
        took = monotonic() - self._began.get(crashitem, monotonic())  # word of its start came a little after it
        if crashitem in self._hung or took < 0.9 * self._limit:
            return
        self._hung.append(crashitem)
        report.outcome, report.keywords = "skipped", {"hung": 1}
        report.longrepr = (crashitem, 0, "hung")

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str, str] | None:
        """Count what hung by itself, neither passed nor failed."""
        has_hung = isinstance(report, pytest.TestReport) and report.skipped and "hung" in report.keywords
        return ("hung", "H", "HUNG") if has_hung else None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name what hung."""
        for nodeid in self._hung:
            terminalreporter.write_line(f"HUNG {nodeid}: run again; its stack is above")


class _Coverage(Protocol):
    def save(self) -> None: ...


class _Controller(Protocol):
    cov: _Coverage


class _Covers(Protocol):
    """The plugin of pytest-cov, as far as it is used."""

    cov_controller: _Controller


class _SavedCoverage:
    """Saves what a process covered while it runs, for it may be killed."""

    def __init__(self, covers: _Covers) -> None:
        self._covers = covers
        self._saved = monotonic()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Generator[None, bool, bool]:
        done = yield
        if monotonic() - self._saved >= SAVED_EVERY_S:
            self._covers.cov_controller.cov.save()
            self._saved = monotonic()
        return done

"""Two tiers of tests: what `make test` runs in minutes, and what `make check` and CI run beyond it.

Law: a test is slow when it is marked so, or lies in one of `slow_folders` and is not one of `journeys` (both stand in
pyproject.toml). Every other one has `cpu_limit_s` seconds of CPU, those of its processes included; CPU, because a busy
machine makes a test wait but not work. Not counted is what is done once for many: fixtures of a wider scope, and
loading a vendor. The tracer of coverage doubles the limit, and a machine on which Python takes longer at that moment (a
slower one, or two workers on the two threads of one core) has as many times as much. A test fails at `CLEARLY` times
its limit: what it takes differs by as much from one minute to the next where others share the cores.

`-m "not slow"` does not read the slow folders at all, and `-m slow` reads elsewhere only files that mark a test so.
"""

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from operator import mul
from pathlib import Path
from time import process_time

import pytest

LOADED_FOR_ALL = 50
"""A test during which more modules than these were loaded has loaded them for those that follow."""

WORK_S = 0.05
"""Seconds of CPU that the work of `slowness` takes on the machine that the limits were set on."""

CLEARLY = 2
"""How many times its limit a test takes before it fails."""

_FOR_MANY_S = [0.0]
"""How much of this process's CPU went into what many tests use."""

Reports = Generator[None, pytest.TestReport, pytest.TestReport]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare what pyproject.toml says of the tiers."""
    parser.addini("slow_folders", "folders whose tests are slow, relative to the root", type="linelist", default=[])
    parser.addini("journeys", "tests of slow folders that are not: one through each door", type="linelist", default=[])
    parser.addini("first", "what takes longest and is begun first, relative to the root", type="linelist", default=[])
    parser.addini("untraced", "what is tested elsewhere, relative to the root", type="linelist", default=[])
    parser.addini("cpu_limit_s", "seconds of CPU that a test has which is not slow", default="2")


class Tiers:
    """Which test is slow, and whether those that are not are quick."""

    def __init__(self, config: pytest.Config) -> None:
        self._root = config.rootpath
        self._folders = [self._root / each for each in config.getini("slow_folders")]
        self._journeys = {self._place(each) for each in config.getini("journeys")}
        self._untraced = [self._root / each for each in config.getini("untraced")]
        self._first = [self._root / each for each in config.getini("first")]
        self._limit = float(config.getini("cpu_limit_s"))
        self._wanted: str = config.option.markexpr
        self._began = 0.0
        self._modules = 0

    def _place(self, journey: str) -> tuple[Path, str]:
        path, _, name = journey.partition("::")
        return self._root / path, name

    def _is_in_slow_folder(self, path: Path) -> bool:
        return _is_within(path, self._folders)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Leave files unread whose tests would be deselected anyway; None leaves it to others."""
        if self._wanted == "not slow" and self._is_in_slow_folder(collection_path):
            roads = [path for path, _ in self._journeys]
            return None if any(collection_path in (path, *path.parents) for path in roads) else True
        if self._wanted == "slow" and collection_path.suffix == ".py" and not self._is_in_slow_folder(collection_path):
            return True if "mark.slow" not in collection_path.read_text(encoding="utf-8") else None
        return None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None]:
        """Mark what lies in a slow folder before anybody selects by marks, and at last put first what takes longest."""
        for item in items:
            name = item.originalname if isinstance(item, pytest.Function) else item.name
            if self._is_in_slow_folder(item.path) and (item.path, name) not in self._journeys:
                item.add_marker("slow")
            if _is_within(item.path, self._untraced) and item.get_closest_marker("slow"):
                item.add_marker("no_cover")
        yield
        items.sort(key=lambda item: not _is_within(item.path, self._first))

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        """Take the tracer away where nothing is to be covered."""
        with _traced_as_wanted(item):
            yield

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """Take it away again: in a worker of xdist pytest-cov leaves one."""
        with _traced_as_wanted(item):
            yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        """Begin to count."""
        self._began, self._modules = _own_cpu_s(), len(sys.modules)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
        """Leave out what is made once for many tests."""
        if fixturedef.scope == "function":
            return (yield)
        with made_for_many():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Reports:
        """Fail a test that passed, and neither says that it is slow nor is quick."""
        report = yield
        used = _own_cpu_s() - self._began
        if call.when == "call" and report.passed and used > self._allowed() and not item.get_closest_marker("slow"):
            allowed = self._allowed() * slowness()
            if used > allowed * CLEARLY:
                report.outcome = "failed"
                report.longrepr = f"{used:.1f} s of CPU, {allowed:.1f} s are allowed: make it quicker or mark it slow"
        return report

    def _allowed(self) -> float:
        if len(sys.modules) - self._modules > LOADED_FOR_ALL:
            return float("inf")
        return self._limit * 2 if sys.gettrace() else self._limit


def slowness() -> float:
    """Return how many times as long Python takes now as where the limits were set, at least 1; no tracer sees it."""
    began = process_time()
    sum(map(mul, range(1_000_000), range(1_000_000)))
    return max(1.0, (process_time() - began) / WORK_S)


def _is_within(path: Path, places: list[Path]) -> bool:
    return any(place == path or place in path.parents for place in places)


@contextmanager
def _traced_as_wanted(item: pytest.Item) -> Generator[None]:
    """Let no tracer see what happens within, nor what threads do that begin there, if nothing is to be covered."""
    tracer, of_threads = sys.gettrace(), threading.gettrace()
    if item.get_closest_marker("no_cover"):
        sys.settrace(None)
        threading.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracer)
        threading.settrace(of_threads)


@contextmanager
def made_for_many() -> Generator[None]:
    """Leave out what is made within, once, for whichever test comes first."""
    before, began = _FOR_MANY_S[0], _cpu_s()
    try:
        yield
    finally:
        _FOR_MANY_S[0] = before + _cpu_s() - began


def _own_cpu_s() -> float:
    return _cpu_s() - _FOR_MANY_S[0]


def _cpu_s() -> float:
    """Return the seconds of CPU that this process and its ended children have used."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def pytest_configure(config: pytest.Config) -> None:
    """Watch this run."""
    config.pluginmanager.register(Tiers(config), "voice-tiers")

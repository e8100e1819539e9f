"""What every test lives under: asyncio only, no connection beyond this machine, no environment of the developer's."""

import gc
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import settings, strategies

pytest_plugins = ["tiers", "hung_tests", "stores_in_memory"]

settings.register_profile("untimed", parent=settings(), deadline=None)
settings.load_profile("untimed")  # a slow example on a busy machine is no fault; time is measured under bench/

_DATA = Path(os.environ.setdefault("INSTALLED_DATA", os.environ.get("XDG_DATA_HOME") or "~/.local/share")).expanduser()
"""Where models are installed on this machine; workers learn it of who starts them."""
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_KEPT_IN_MEMORY = Path("/dev/shm")
_ENOUGH = 2 * 2**30
"""Bytes that a whole run is sure to find room in."""

# The stores of thousands of tests are each on the disk, and wait for it at every write: half of a run's time. What
# outlives a killed process does so in memory, too; only a power cut would tell the difference, and no test makes one.
if "TMPDIR" not in os.environ and _KEPT_IN_MEMORY.is_dir() and shutil.disk_usage(_KEPT_IN_MEMORY).free >= _ENOUGH:
    os.environ["TMPDIR"] = str(_KEPT_IN_MEMORY)
    tempfile.tempdir = None


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio, the one event loop of the program."""
    return "asyncio"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that is not loopback: a missed mock fails loudly."""
    real_connect = socket.socket.connect

    def connect(self: socket.socket, address: tuple[object, ...]) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in _LOOPBACK:
            raise AssertionError(f"a test tried to connect to {address[0]}")
        real_connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


def pytest_configure() -> None:
    """Let no model file that is installed here be seen by what is made once for many tests."""
    os.environ["XDG_DATA_HOME"] = mkdtemp(prefix="voice tests ")


def pytest_collection_finish() -> None:
    """Leave thousands of collected tests out of what the collector walks through again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _known_characters() -> None:
    """Let the table of all characters, which Hypothesis makes once and keeps, be made at nobody's cost."""
    strategies.text().validate()


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return paths for homes, in a folder of their own: pytest reads all names of a folder for each that it makes."""
    root = tmp_path_factory.mktemp("homes")
    return (root / str(number) for number in count())


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, _homes: Iterator[Path]) -> None:
    """Take away every setting and key of whoever runs the tests, and give each test a home of its own."""
    for name in list(os.environ):
        if name.startswith(("SURR_", "VOICE_", "MCP_", "LITELLM_")) or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    home = next(_homes)
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def reranker() -> None:
    """Put the re-ranker that is installed on this machine, if one is, where the program looks for it."""
    from voice.adapters.rerankers import FILE
    from voice.adapters.system.data_directory import models_directory

    if not (installed := _DATA / models_directory().name / FILE).is_file():
        pytest.skip("not installed: voice models install reranker")
    models_directory().mkdir(parents=True)
    (models_directory() / FILE).symlink_to(installed)

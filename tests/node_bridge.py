"""The vendor's engine over RocksDB, behind the server's protocol, in a process of its own that can be killed.

Needs Node and what tests/bridge-node/package-lock.json pins: `npm ci --prefix tests/bridge-node`.
"""

import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from store_bridge import PASSWORD

HOME = Path(__file__).parent / "bridge-node"


def missing() -> str | None:
    """Return what this bridge lacks here; None when it can be run."""
    if shutil.which("node") is None:
        return "node is not installed"
    if not (HOME / "node_modules" / "@surrealdb" / "node").is_dir():
        return "the engine for node is not installed: npm ci --prefix tests/bridge-node"
    return None


class NodeBridge:
    """A process and its port; the port stays the same over a restart."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._port = "0"
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"ws://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start the process and wait until it listens."""
        command = ["node", str(HOME / "bridge.mjs"), self._store, self._port, PASSWORD]
        environment = {"PATH": os.environ["PATH"]}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)
        assert self._process.stdout is not None
        self._port = self._process.stdout.readline().strip()
        assert self._port.isdecimal(), f"the bridge did not start; it ended with {self._process.wait()}"

    def kill(self) -> None:
        """End the process with SIGKILL."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


@contextmanager
def node_bridge(store: str) -> Generator[NodeBridge]:
    """Run the bridge over `mem://` or `rocksdb://DIRECTORY`."""
    running = NodeBridge(store)
    running.start()
    try:
        yield running
    finally:
        running.kill()

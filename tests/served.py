"""`voice serve` as a process of its own, and raw requests to it."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cli_runner import clean_environment, data_directory

_LINK = re.compile(r"http://(?P<host>[^ ]+):(?P<port>[0-9]+)/(?:\?code=(?P<code>\S+)|api/v1)")
_TOKEN = re.compile(r"^token for programs(: | is in )(?P<token>.+)$")


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    process: subprocess.Popen[bytes]
    host: str
    port: int
    token: str
    code: str
    """What opens its page, once; empty where it serves none."""

    @property
    def origin(self) -> str:
        """What a browser calls it."""
        return f"http://{self.host}:{self.port}"

    @property
    def bearer(self) -> dict[str, str]:
        """The header of a program that was given the token."""
        return {"Authorization": f"Bearer {self.token}"}

    def raw(self, data: bytes, *, timeout_s: float = 20.0) -> bytes:
        """Send bytes, and return what comes back until the server closes or has nothing to say."""
        with self.connect(timeout_s) as talk:
            talk.sendall(data)
            return read_all(talk)

    def connect(self, timeout_s: float = 20.0) -> socket.socket:
        """Return a connection to it."""
        return socket.create_connection((self.host, self.port), timeout=timeout_s)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Send it a signal, and return how it ended and what it said since its link."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err.decode()


def read_all(talk: socket.socket) -> bytes:
    """Return what comes until the other side closes, whether it closes gently or not."""
    parts: list[bytes] = []
    try:
        while part := talk.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        parts.append(b"")
    return b"".join(parts)


@contextmanager
def serving(
    home: Path, *arguments: str, port: int = 0, environment: Mapping[str, str] | None = None
) -> Generator[Served]:
    """Run `voice serve` on a data directory, which is made where there is none; it is ended with the block."""
    if not home.exists():
        data_directory(home)
    command = [sys.executable, "-m", "voice", "--home", str(home), "serve", "--port", str(port), *arguments]
    with running(command, environment) as it:
        yield it


@contextmanager
def running(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Generator[Served]:
    """Run a server that says its token and its link or addresses on stderr; it is ended with the block."""
    env = {**clean_environment(), "PYTHONUTF8": "1", "PYTHONPATH": os.pathsep.join(sys.path), **(environment or {})}
    # Unbuffered: what is said in one breath with the link would be read along with it, and be missed at the end.
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=env)
    try:
        yield _started(process)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=60)


def _started(process: subprocess.Popen[bytes]) -> Served:
    """Wait for the link: it is printed when the server answers."""
    assert process.stderr is not None
    said: list[str] = []
    token = ""
    for raw in process.stderr:
        line = raw.decode()
        said.append(line)
        if found := _TOKEN.match(line):
            token = (
                Path(found["token"]).read_text(encoding="ascii").strip() if found[1] == " is in " else found["token"]
            )
        if found := _LINK.search(line):
            return Served(process, found["host"].strip("[]"), int(found["port"]), token, found["code"] or "")
    raise AssertionError(f"it ended without a link: {said}")

"""An OpenAI-compatible server on this machine, for as long as it is needed.

Law: it is a process of its own under the interpreter it was given, with a key of its own, and gone when this one is:
its standard input is its life. What it logs goes to a file, as it may hold prompts, beside the drafts that hold them
anyway.
"""

import json
import os
import secrets
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self, cast

from bench.peers.environments import PeerMissing

CONTEXT_TOKENS: Final = 4096
_WORKER: Final = Path(__file__).with_name("serve.py")
_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_LONGEST_END_S: Final = 30


@dataclass(slots=True, kw_only=True)
class Server:
    """One model behind `/v1/chat/completions`."""

    python: Path
    model: Path
    alias: str
    log: Path
    worker: Path = _WORKER
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    _process: "subprocess.Popen[str] | None" = None
    _address: str = ""

    def __enter__(self) -> Self:
        """Start it and wait until it listens.

        Raises:
            PeerMissing: it ended before.
        """
        command = (str(self.python), str(self.worker), str(self.model), "--alias", self.alias)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [*command, "--context", str(CONTEXT_TOKENS)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=_environment(),
            )  # fmt: skip
        try:
            self._say(self.key)
            self._address = str(self._heard("address"))
        except PeerMissing:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        self._end()

    @property
    def api_base(self) -> str:
        """What to configure as the endpoint."""
        return f"{self._address}/v1"

    def cpu_s(self) -> float:
        """Return the processor seconds that the server has taken, loading included."""
        self._say("cpu")
        return float(cast("float", self._heard("cpu_s")))

    def _say(self, line: str) -> None:
        try:
            stdin = cast("IO[str]", self._running.stdin)
            stdin.write(f"{line}\n")
            stdin.flush()
        except OSError:
            raise self._gone() from None

    def _heard(self, key: str) -> object:
        """Return the next value called `key`; whatever else the server prints is not ours."""
        for line in cast("IO[str]", self._running.stdout):
            message = _message(line)
            if key in message:
                return message[key]
        raise self._gone()

    def _gone(self) -> PeerMissing:
        return PeerMissing(f"the model server ended; what it said is in {self.log}")

    @property
    def _running(self) -> "subprocess.Popen[str]":
        assert self._process is not None, "a server runs inside `with`"
        return self._process

    def _end(self) -> None:
        process, self._process = self._running, None
        with suppress(OSError):  # it may have ended by itself
            cast("IO[str]", process.stdin).close()
        try:
            process.wait(timeout=_LONGEST_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        cast("IO[str]", process.stdout).close()


def _message(line: str) -> Mapping[str, object]:
    try:
        said = cast("object", json.loads(line))
    except ValueError:
        return {}
    return cast("Mapping[str, object]", said) if isinstance(said, dict) else {}


def _environment() -> dict[str, str]:
    """Return what the server sees: no settings and no keys of whoever runs this."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "SYSTEMROOT", "TMPDIR") if name in os.environ}
    return {**kept, **dict.fromkeys(_ONE_THREAD, "1"), "PYTHONNOUSERSITE": "1"}

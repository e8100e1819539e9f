"""A host with one `voice mcp` that it talks to line by line, as an editor does for hours."""

import json
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from cli_runner import clean_environment
from mcp_talk import call, handshake, lines


class Host:
    """One server, spoken to call by call."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._calls = 0
        first, *rest = handshake()
        self._say(first)
        self._hears()
        for each in rest:
            self._say(each)

    @property
    def pid(self) -> int:
        return self._process.pid

    def __call__(self, tool: str, **arguments: object) -> Mapping[str, object]:
        """Call a tool and return what it answered, or the error that it answered with."""
        self._calls += 1
        self._say(call(self._calls, tool, arguments))
        result = cast("Mapping[str, object]", self._hears()["result"])
        content = cast("list[Mapping[str, str]]", result["content"])
        told = cast("Mapping[str, object]", json.loads(content[0]["text"]))
        return cast("Mapping[str, object]", told["error"]) if result.get("isError") else told

    def close(self) -> int:
        """End the talk as a host does, and return how the server ended."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(60)

    def _say(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(lines([message]))
        self._process.stdin.flush()

    def _hears(self) -> Mapping[str, object]:
        assert self._process.stdout is not None
        while "id" not in (heard := cast("Mapping[str, object]", json.loads(self._process.stdout.readline()))):
            pass
        return heard


@contextmanager
def hosting(home: Path) -> Generator[Host]:
    """Start a server on the memory in `home`, and end it if the test did not."""
    environment = {**clean_environment(), "VOICE_HOME": str(home), "PYTHONUTF8": "1"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-m", "voice", "mcp"], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        try:
            yield Host(process)
        finally:
            process.kill()

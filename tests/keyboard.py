"""A command of ours at a terminal of its own, as a person sits at it."""

import os
import pty
import re
import select
import signal
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

PATIENCE_S = 60.0
CTRL_C, CTRL_D = b"\x03", b"\x04"
_STEERING = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")


class Typist:
    """Types at a terminal and reads what it shows."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._unread = b""

    def sees(self, words: bytes) -> bytes:
        """Return what is shown up to these words, which must come in time, without what steers the terminal."""
        until = time.monotonic() + PATIENCE_S
        while words not in self._unread and time.monotonic() < until:
            if select.select([self._terminal], [], [], 1.0)[0]:
                self._unread += os.read(self._terminal, 4096)
        shown, found, self._unread = self._unread.partition(words)
        assert found, shown
        return _STEERING.sub(b"", shown + found)

    def types(self, *keys: bytes, sees: Sequence[bytes] = ()) -> bytes:
        """Type keys, wait for each of these words in turn, and return what is shown up to the last of them."""
        for each in keys:
            os.write(self._terminal, each)
        return b"".join([self.sees(words) for words in sees])


@contextmanager
def at_a_terminal(arguments: Sequence[str], settings: Mapping[str, str], *, ends: int = 0) -> Generator[Typist]:
    """Start `voice` with these arguments at a terminal; behind the block it must have ended with this exit code."""
    process, terminal = pty.fork()
    if process == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # what runs in the background of a shell hands on a deaf ear
        os.execve(sys.executable, [sys.executable, "-m", "voice", *arguments], {**os.environ, **settings})
    try:
        yield Typist(terminal)
        _, status = os.waitpid(process, 0)
    finally:
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == ends

"""A command of ours at a terminal of its own, as a person sits at it."""

import os
import pty
import select
import signal
import sys
import time
from collections.abc import Mapping, Sequence

PATIENCE_S = 60.0


def at_a_terminal(arguments: Sequence[str], settings: Mapping[str, str]) -> tuple[int, int]:
    """Start `voice` with these arguments; return its process and the terminal."""
    process, terminal = pty.fork()
    if process == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # what runs in the background of a shell hands on a deaf ear
        os.execve(sys.executable, [sys.executable, "-m", "voice", *arguments], {**os.environ, **settings})
    return process, terminal


def read_until(terminal: int, wanted: bytes, seen: bytes = b"") -> bytes:
    """Return what the terminal shows, behind what was seen, until `wanted` stands in it, or patience is over."""
    until = time.monotonic() + PATIENCE_S
    while wanted not in seen and time.monotonic() < until:
        if select.select([terminal], [], [], 1.0)[0]:
            seen += os.read(terminal, 4096)
    return seen

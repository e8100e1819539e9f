"""A conversation at a real terminal."""

import os
import pty
import select
import signal
import sys
import time
from pathlib import Path

import pytest

PATIENCE_S = 60.0


def read_until(terminal: int, wanted: bytes) -> bytes:
    seen = b""
    until = time.monotonic() + PATIENCE_S
    while wanted not in seen and time.monotonic() < until:
        if select.select([terminal], [], [], 1.0)[0]:
            seen += os.read(terminal, 4096)
    return seen


@pytest.mark.requirement("ruling:D25")
def test_ctrl_c_ends_a_conversation_at_once_and_typed_lines_are_asked(tmp_path: Path) -> None:
    settings = {"VOICE_HOME": str(tmp_path), "SURR_ENABLE_INNER_VOICE": "1", "SURR_INNER_VOICE_PROVIDER": "extractive"}
    process, terminal = pty.fork()
    if process == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # what runs in the background of a shell hands on a deaf ear
        os.execve(sys.executable, [sys.executable, "-m", "voice", "chat"], {**os.environ, **settings})
    try:
        assert b"> " in read_until(terminal, b"> ")
        os.write(terminal, b"Where is the kiln?\n")
        assert b"no_sources" in read_until(terminal, b"no_sources")
        os.write(terminal, b"\x03")
        assert b"stopped" in read_until(terminal, b"stopped")
        _, status = os.waitpid(process, 0)
    finally:
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 130

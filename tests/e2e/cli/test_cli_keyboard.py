"""A conversation at a terminal that can do nothing but show lines."""

import os
from pathlib import Path

import pytest

from keyboard import at_a_terminal, read_until


def leave(process: int, terminal: int) -> None:
    """Press Ctrl-C at the prompt, which says how to leave, and leave."""
    os.write(terminal, b"\x03")
    told = b"press Ctrl-D or type /quit to leave\r\n> "
    assert told in read_until(terminal, told)
    os.write(terminal, b"\x04")
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


@pytest.mark.requirement("ruling:D25")
def test_ctrl_c_at_the_prompt_says_how_to_leave_and_typed_lines_are_asked(tmp_path: Path) -> None:
    (tmp_path / "voice.toml").write_text("enabled = true\n")  # in an empty directory nothing is asked
    settings = {"SURR_ENABLE_INNER_VOICE": "1", "SURR_INNER_VOICE_PROVIDER": "extractive", "TERM": "dumb"}
    process, terminal = at_a_terminal(["chat"], {**settings, "VOICE_HOME": str(tmp_path)})
    try:
        assert b"> " in read_until(terminal, b"> ")
        os.write(terminal, b"Where is the kiln?\n")
        assert b"no_sources" in read_until(terminal, b"\n> ")
        leave(process, terminal)
    finally:
        os.close(terminal)

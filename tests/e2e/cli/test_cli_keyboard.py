"""A conversation at a terminal that can do nothing but show lines."""

from pathlib import Path

import pytest

from keyboard import CTRL_C, CTRL_D, at_a_terminal


@pytest.mark.requirement("ruling:D25")
def test_ctrl_c_at_the_prompt_says_how_to_leave_and_typed_lines_are_asked(tmp_path: Path) -> None:
    (tmp_path / "voice.toml").write_text("enabled = true\n")  # in an empty directory nothing is asked
    settings = {"SURR_INNER_VOICE_PROVIDER": "extractive", "TERM": "dumb", "VOICE_HOME": str(tmp_path)}
    with at_a_terminal(["chat"], settings) as typist:
        typist.sees(b"> ")
        assert b"no_sources" in typist.types(b"Where is the kiln?\n", sees=[b"\n> "])
        typist.types(CTRL_C, sees=[b"press Ctrl-D or type /quit to leave\r\n> "])
        typist.types(CTRL_D)

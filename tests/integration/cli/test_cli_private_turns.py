"""What rests on private rows is shown only to somebody who asks for it."""

from typing import cast

import pytest

from cli_runner import Voice


@pytest.fixture
def confided(voice: Voice) -> str:
    """Return a session with one private turn and one public one."""
    voice.ok("remember", "The safe opens with 4711, said Anna.", "--private")
    voice.ok("remember", "Moved the kiln to the shed.")
    asked = voice.ok("ask", "What opens the safe?", "--private", "--new", "keys", "--json").json
    name = str(cast("dict[str, object]", asked)["session_id"])
    voice.ok("ask", "Where did I move the kiln?", "-s", name)
    return name


@pytest.mark.requirement("ruling:H.5", "promise:6")
def test_a_private_turn_is_left_out_of_a_shown_session_unless_asked_for(voice: Voice, confided: str) -> None:
    plain, machine = voice.ok("sessions", "show", confided), voice.ok("sessions", "show", confided, "--json")
    asked = voice.ok("sessions", "show", confided, "--private")
    assert "4711" not in plain.out + machine.out
    assert "kiln" in plain.out
    assert plain.only_line == "voice: 1 private turn left out; --private shows it"
    assert "4711" in asked.out
    assert asked.err == ""


@pytest.mark.requirement("promise:6")
def test_a_thread_begun_with_private_rows_is_not_named_after_its_question(voice: Voice) -> None:
    voice.ok("remember", "The safe opens with 4711, said Anna.", "--private")
    voice("ask", "Does the safe open with 4711?", "--private")
    assert "4711" not in voice.ok("sessions", "list").out

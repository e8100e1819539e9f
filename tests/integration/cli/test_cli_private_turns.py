"""What rests on private rows is shown only to somebody who asks for it."""

import pytest

from cli_runner import Voice
from tables import tables

TABLES = tables(__file__)


@pytest.mark.requirement("ruling:H.5", "promise:6")
def test_a_private_turn_is_left_out_of_a_shown_session_unless_asked_for(told: Voice) -> None:
    told.ok("remember", "The safe opens with 4711, said Anna.", "--private")
    told.ok("ask", "What opens the safe?", "--private", "--new", "keys")
    told.ok("ask", "Where did I move the kiln?", "-s", "keys")
    plain, machine = told.ok("sessions", "show", "keys"), told.ok("sessions", "show", "keys", "--json")
    asked = told.ok("sessions", "show", "keys", "--private")
    assert ("4711" in plain.out + machine.out, "kiln" in plain.out) == (False, True)
    assert plain.only_line == "voice: 1 private turn left out; --private shows it"
    assert ("4711" in asked.out, asked.err) == (True, "")


KINDS = ("used", "let in, not used")
TOPIC = "my HIV test"
VEILED = "a private conversation"


@pytest.fixture
def begun(request: pytest.FixtureRequest, voice: Voice) -> str:
    """Return a session about a topic that began with private rows let in: one was used, or none was."""
    is_used = getattr(request, "param", "used") == "used"
    voice.ok("remember", "Moved the kiln to the shed.", *(["--private"] if is_used else []))
    return voice.ok("ask", "Where did I move the kiln?", "--private", "--new", TOPIC, "--json").json["session_id"]


@pytest.mark.requirement("cli:withheld", "promise:6")
@pytest.mark.parametrize("begun", KINDS, indirect=True)
def test_what_it_is_about_is_printed_where_that_is_asked_for(voice: Voice, begun: str) -> None:
    for each in TABLES["what_it_is_about_is_printed_where_that_is_asked_for"]:
        command = [begun if word == "SESSION" else word for word in each]
        veiled, told = voice.ok(*command), voice.ok(*command, "--private")
        assert TOPIC not in veiled.out + veiled.err, command
        assert VEILED in veiled.out, command
        assert TOPIC in told.out, command


@pytest.mark.requirement("cli:withheld", "promise:6")
def test_who_says_what_it_is_about_names_it_and_others_are_told_its_id(voice: Voice, begun: str) -> None:
    voice.ok("ask", "Where did I move the kiln?", "--private", "-s", TOPIC)
    forked = voice.ok("sessions", "fork", begun)
    closed = voice.ok("sessions", "edit", begun, "--status", "closed")
    several = voice("sessions", "show", begun[:5])
    held = voice("sessions", "delete", begun, "--yes")
    going = voice.ok("sessions", "delete", begun, "--with-forks", "--dry-run")
    again = voice.ok("sessions", "edit", TOPIC, "--status", "open")
    for ran in (forked, closed, several, held, going):
        assert TOPIC not in ran.out + ran.err
        assert VEILED in ran.out + ran.err
        assert begun in ran.out + ran.err
    assert (several.code, held.code, again.out) == (2, 2, f"{begun}  open  {TOPIC}\n")
    assert voice.ok("sessions", "edit", begun, "--topic", "the clinic").out == f"{begun}  open  the clinic\n"

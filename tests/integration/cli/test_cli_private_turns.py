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


@pytest.mark.requirement("promise:6")
def test_a_thread_begun_with_private_rows_is_not_named_after_its_question(voice: Voice) -> None:
    voice.ok("remember", "The safe opens with 4711, said Anna.", "--private")
    voice("ask", "Does the safe open with 4711?", "--private")
    assert "4711" not in voice.ok("sessions", "list").out
    voice("ask", "Is the safe blue, as Anna said?", "--new", "the safe of Anna")
    assert "the safe of Anna" in voice.ok("sessions", "list").out


KINDS = ("used", "let in, not used")
TOPIC = "my HIV test"
VEILED = "a private conversation"


@pytest.fixture(params=KINDS)
def begun(request: pytest.FixtureRequest, voice: Voice) -> str:
    """Return a session about a topic that began with private rows let in: one was used, or none was."""
    voice.ok("remember", "Moved the kiln to the shed.", *(["--private"] if request.param == "used" else []))
    return voice.ok("ask", "Where did I move the kiln?", "--private", "--new", TOPIC, "--json").json["session_id"]


@pytest.mark.requirement("cli:withheld", "promise:6")
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


@pytest.mark.requirement("cli:withheld", "promise:6")
def test_a_prompt_is_rebuilt_and_shown_where_that_is_asked_for(voice: Voice, begun: str) -> None:
    veiled = voice.ok("sessions", "replay", begun, "--show")
    machine = voice.ok("sessions", "replay", begun, "--show", "--json")
    told = voice.ok("sessions", "replay", begun, "--show", "--private")
    assert "Where did I move the kiln?" not in veiled.out + machine.out
    assert "private" in veiled.out
    assert "Where did I move the kiln?" in told.out


@pytest.mark.requirement("cli:withheld", "promise:6")
def test_of_conversations_that_share_nothing_the_withheld_turns_are_told_of_and_not_shown(
    voice: Voice, begun: str
) -> None:
    voice.ok("remember", "Sold the wheel to Anna.")
    voice.ok("ask", "To whom did I sell the wheel?", "--new", "the wheel")
    voice.ok("ask", "To whom did I sell the wheel?", "-s", "the wheel", "--private")
    for pair in ((begun, "the wheel"), ("the wheel", begun)):
        veiled, told = voice.ok("sessions", "diff", *pair), voice.ok("sessions", "diff", *pair, "--private")
        assert "\nnothing is shared\n" in veiled.out
        assert "kiln" not in veiled.out + veiled.err
        assert (veiled.out.count("private; --private shows it"), veiled.out.count("wheel?")) == (2, 1)
        assert ("kiln" in told.out, told.out.count("wheel?")) == (True, 2)


@pytest.mark.requirement("cli:withheld", "promise:6")
def test_what_is_shown_to_who_says_what_it_is_about_is_headed_with_it(voice: Voice, begun: str) -> None:
    for command in (("show",), ("show", "--json"), ("export", "--format", "markdown")):
        veiled, told = voice.ok("sessions", *command, begun), voice.ok("sessions", *command, TOPIC.upper())
        assert (TOPIC in veiled.out, VEILED in veiled.out) == (False, True), command
        assert (TOPIC in told.out, VEILED in told.out) == (True, False), command
        assert "Where did I move the kiln?" not in veiled.out + told.out, command
    file = voice.ok("sessions", "export", TOPIC).out
    assert (TOPIC in file, VEILED in file) == (False, True)

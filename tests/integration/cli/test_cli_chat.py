"""`voice chat`, its questions and its commands, with lines from a pipe."""

from typing import cast

import pytest

from cli_runner import Voice

REMEMBERED = "Moved the kiln to the shed. Anna Lund fired the kiln at cone 6 on Friday."
QUESTION = "Where is the kiln?"


@pytest.fixture
def told(voice: Voice) -> Voice:
    """Return a voice whose memory holds two sentences."""
    voice.ok("remember", REMEMBERED)
    return voice


def test_a_conversation_runs_line_by_line_and_ends_with_an_empty_one(told: Voice) -> None:
    lines = (
        f"{QUESTION}\n/stance challenge\nThe kiln is in the house.\n/new the shed\n{QUESTION}\n/help\n/what\n\nunasked"
    )
    ran = told.ok("chat", "--new", "the kiln", stdin=lines.encode())
    assert ran.out.count("Moved the kiln to the shed.") >= 2
    assert ran.err.count("/stance synthesize|challenge|question") == 2
    assert "the stance is challenge from now on" in ran.err
    assert "your next question starts a new thread: the shed" in ran.err
    assert "unknown command /what; the commands are: /stance" in ran.err
    sessions = cast("list[dict[str, object]]", told.ok("sessions", "list", "--json").json)
    assert {(each["thread_topic"], each["total_exchanges"]) for each in sessions} == {("the kiln", 2), ("the shed", 1)}


@pytest.mark.parametrize("word", ["/quit", "/EXIT"])
def test_a_conversation_is_left_by_a_word(told: Voice, word: str) -> None:
    ran = told.ok("chat", stdin=f"{word}\n{QUESTION}\n".encode())
    assert (ran.out, ran.err.count("> "), "there is no" in ran.err) == ("", 1, False)


def test_where_the_input_ends_the_line_of_the_prompt_does_too(told: Voice) -> None:
    assert told.ok("chat", stdin=b"").err.endswith("\n> \n")
    assert told.ok("chat", stdin=b"\n").err.endswith("\n> ")


def test_a_conversation_goes_on_or_is_begun(told: Voice) -> None:
    ran = told("chat", "-s", "the kiln", "--new", "the shed", stdin=b"")
    assert (ran.code, "choose one of -s ID and --new TOPIC" in ran.err) == (2, True)


def test_a_command_of_a_conversation_that_changes_nothing_says_what_stands(told: Voice) -> None:
    lines = "/stance\n/stance bogus\n/stance Question\n/stance\n/new\n/help me\n/STANCE challenge\n"
    ran = told.ok("chat", stdin=lines.encode())
    said = [line.removeprefix("> ") for line in ran.err.splitlines()[1:]]
    choices = "/stance synthesize|challenge|question"
    assert said[:5] == [
        f"the stance is synthesize; change it with {choices}",
        f"unknown stance 'bogus'; the stance stays synthesize. Choose one: {choices}",
        "the stance is question from now on",
        f"the stance is question; change it with {choices}",
        "name a topic for the new thread: /new TOPIC",
    ]
    assert said[5].startswith("unknown command /help me; the commands are: ")
    assert said[6] == "the stance is challenge from now on"


@pytest.mark.requirement("cli:chat:stance")
def test_a_new_thread_says_that_the_stance_goes_on(told: Voice) -> None:
    ran = told.ok("chat", stdin=b"/new the oven\n/stance challenge\n/new the shed\n/stance\n")
    said = [line.removeprefix("> ") for line in ran.err.splitlines()[1:]]
    begins = "your next question starts a new thread: "
    assert said[0] == f"{begins}the oven"
    assert said[2].startswith(f"{begins}the shed; the stance stays challenge")
    assert "type /stance synthesize" in said[2]
    assert said[3].startswith("the stance is challenge;")


@pytest.mark.requirement("grounding:refusal:no-model")
def test_no_model_is_said_to_have_refused_where_none_was_asked(told: Voice) -> None:
    ran = told.ok("chat", stdin=b"/stance challenge\nThe kiln is in the shed.\n")
    assert "I found nothing in your memory that speaks against this" in ran.out
    assert "*Reason: no_sources*" in ran.out


def test_a_conversation_goes_on_after_a_question_that_cannot_be_asked(told: Voice) -> None:
    ran = told.ok("chat", stdin=f"{'x' * 30_000}\n{QUESTION}\n".encode())
    assert "[invalid_params]" in ran.err
    assert "Moved the kiln to the shed." in ran.out


@pytest.mark.requirement("answers:small-talk")
@pytest.mark.parametrize("form", [("--format", "markdown"), ("--format", "text"), ("--plain",)])
def test_small_talk_is_answered_without_a_tick_or_a_figure_of_proof(voice: Voice, form: tuple[str, ...]) -> None:
    ran = voice.ok("ask", "Hi there!", *form)
    assert "Ask me about anything in your notes." in ran.out
    assert not [sign for sign in ("✓", "overage", "source", "prove") if sign in ran.out]
    assert "answered    nobody would be asked" in voice.ok("ask", "Hi there!", "--dry-run").out


@pytest.mark.requirement("answers:small-talk")
def test_small_talk_in_a_conversation_is_answered_and_written_down(voice: Voice) -> None:
    ran = voice.ok("chat", "--new", "the kiln", stdin=b"hi\nwhat can you do?\nbye\n")
    assert [said for said in ("Hello.", "I search your notes", "Goodbye.") if said not in ran.out] == []
    written = voice.ok("sessions", "export", "the kiln", "--format", "markdown").out
    assert "Goodbye." in written
    assert "Coverage" not in written

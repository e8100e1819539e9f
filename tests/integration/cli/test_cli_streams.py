"""`voice ask --stream-json`, and the line that says how far a question is."""

import json
import sys
from typing import Any

import pytest

from cli_runner import Ran, Terminal, Voice
from told_events import require_schema
from voice.core.session.turn_events import Drafting, Understood
from voice.entrypoints.cli.ask import status_line

WHERE = "Where is the kiln?"


def _events(ran: Ran) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in ran.out.splitlines()]
    for event in events:
        require_schema(event)
    return events


@pytest.mark.requirement("stream:cli", "stream:schema")
def test_each_event_is_a_line_and_the_last_one_holds_the_turn(told: Voice) -> None:
    events = _events(told.ok("ask", WHERE, "--stream-json"))
    names = ["understood", "retrieved", "asked", "drafting", "judged", "sentence", "done"]
    assert [event["event"] for event in events] == names
    turn = events[-1]["turn"]
    assert turn["id"] in told.ok("sessions", "show", turn["session_id"], "--json").out


@pytest.mark.requirement("stream:cli")
def test_what_cannot_be_asked_ends_with_an_error_event_and_the_usual_line(voice: Voice) -> None:
    ran = voice("ask", WHERE, "-s", "s:nowhere", "--stream-json")
    (event,) = _events(ran)
    both = voice("ask", WHERE, "--stream-json", "--json")
    assert (both.code, "--stream-json cannot be combined with another format" in both.only_line) == (2, True)
    plain = voice("ask", WHERE, "-s", "s:nowhere")
    assert (ran.code, ran.err) == (plain.code, plain.err)
    assert (event["event"], f"[{event['code']}]" in ran.err) == ("error", True)


@pytest.mark.requirement("stream:cli", "stream:unseen")
def test_a_line_on_a_terminal_says_how_far_a_question_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", said := Terminal())
    with status_line() as tell:
        tell(Understood(terms=(), time="[bold]last month\x1b[2J"))
    assert ("looking; [bold]last month" in said.getvalue(), "\x1b[2J" in said.getvalue()) == (True, False)
    with status_line() as tell:
        tell(Drafting(tokens=40))
    assert "drafting, 40 tokens so far" in said.getvalue()

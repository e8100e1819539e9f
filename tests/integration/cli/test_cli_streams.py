"""`voice ask --stream-json`, and the line that says how far a question is."""

import io
import json
import sys
from collections.abc import Callable
from typing import cast

import pytest

from cli_runner import Ran, Voice
from told_events import require_schema
from voice.core.session.turn_events import Drafting, Event, Understood
from voice.entrypoints.cli.ask import status_line

WHERE = "Where is the kiln?"


def _events(ran: Ran) -> list[dict[str, object]]:
    events = [json.loads(line) for line in ran.out.splitlines()]
    for event in events:
        require_schema(event)
    return events


@pytest.mark.requirement("stream:cli", "stream:schema")
def test_each_event_is_a_line_and_the_last_one_holds_the_turn(voice: Voice) -> None:
    voice.ok("remember", "Moved the kiln to the shed behind the house.")
    ran = voice.ok("ask", WHERE, "--stream-json")
    events = _events(ran)
    assert [event["event"] for event in events] == [
        *("understood", "retrieved", "asked", "drafting", "judged"),
        *("sentence", "done"),
    ]
    turn = cast("dict[str, object]", events[-1]["turn"])
    again = voice.ok("sessions", "show", str(turn["session_id"]), "--json")
    assert str(turn["id"]) in again.out


@pytest.mark.requirement("stream:cli")
def test_a_refusal_exits_as_it_does_without_events(voice: Voice) -> None:
    ran = voice("ask", "Who is the mayor of Paris?", "--stream-json")
    assert (ran.code, [event["event"] for event in _events(ran)][-2:]) == (3, ["refused", "done"])


@pytest.mark.requirement("stream:cli")
def test_what_cannot_be_asked_ends_with_an_error_event_and_the_usual_line(voice: Voice) -> None:
    ran = voice("ask", WHERE, "-s", "s:nowhere", "--stream-json")
    (event,) = _events(ran)
    plain = voice("ask", WHERE, "-s", "s:nowhere")
    assert (ran.code, ran.err) == (plain.code, plain.err)
    assert (event["event"], f"[{event['code']}]" in ran.err) == ("error", True)


@pytest.mark.requirement("stream:cli")
@pytest.mark.parametrize("other", ["--json", "--plain", "--explain", "--dry-run", "--format=markdown", "--shape=nlq"])
def test_it_is_a_form_of_its_own(voice: Voice, other: str) -> None:
    ran = voice("ask", WHERE, "--stream-json", other)
    assert (ran.code, "--stream-json cannot be combined with another format" in ran.only_line) == (2, True)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.requirement("stream:cli", "stream:unseen")
@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Understood(terms=(), time="[bold]last month\x1b[2J"), "looking; [bold]last month"),
        (Drafting(tokens=40), "drafting, 40 tokens so far"),
    ],
)
def test_a_line_on_a_terminal_says_how_far_a_question_is(
    monkeypatch: pytest.MonkeyPatch, event: Event, line: str
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", said := _Terminal())
    with status_line() as tell:
        tell(event)
    assert line in said.getvalue()
    assert "\x1b[2J" not in said.getvalue()


@pytest.mark.requirement("stream:cli")
def test_elsewhere_nothing_is_written_beside_the_answer(voice: Voice, run_voice: Callable[..., Ran]) -> None:
    del run_voice
    voice.ok("remember", "Moved the kiln to the shed behind the house.")
    assert voice.ok("ask", WHERE).err == ""
    assert "shed" in voice.ok("ask", WHERE).out

"""How a turn ends, as an exit code: answered, refused, failed, too dear; and what a long conversation leaves."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli_runner import Documented, Playing, Voice, always
from voice.adapters.llm.scripted import SCRIPTED_PROFILE, Line
from voice.adapters.system.data_directory import load_key
from voice.core.errors import DeadlineExceeded, ProviderRejected, ProviderUnavailable
from voice.core.text.normalise import content_hash, keyed_hash
from voice.entrypoints.cli.main import exit_code

QUESTION = "Where is the kiln?"
INVENTED = '{"answer": "The kiln is on the moon.", "sources": [{"source_id": "S1", "span": "on the moon"}]}'


@pytest.mark.requirement("ruling:D6")
@pytest.mark.parametrize(
    ("line", "code", "ended"),
    [
        (ProviderUnavailable("busy"), 5, ("error", "provider_error")),
        (ProviderRejected("no such model"), 5, ("error", "provider_error")),
        (DeadlineExceeded("too late"), 5, ("error", "deadline")),
        (INVENTED, 3, ("refused", "invalid_citation")),
        ("not json", 3, ("refused", "malformed")),
    ],
)
def test_every_outcome_has_its_exit_code_and_is_kept(
    told: Voice, playing: Playing, is_as_documented: Documented, line: Line, code: int, ended: tuple[str, str]
) -> None:
    playing(always(lambda: line), profile=SCRIPTED_PROFILE)
    ran = told("ask", QUESTION, "--json")
    is_as_documented("cli/ask", ran)
    turn = ran.json
    assert (ran.code, (turn["status"], turn["reason"]), '"event"' in ran.err) == (code, ended, False)
    assert "moon" not in ran.out + told.ok("sessions", "show", turn["session_id"]).out
    assert f"{ended[1]} 1" in told.ok("report").out


@pytest.mark.requirement("promise:7", "spending:caps")
def test_a_call_that_is_too_dear_is_not_made_whosever_client_it_is(
    told: Voice, playing: Playing, is_as_documented: Documented, monkeypatch: pytest.MonkeyPatch
) -> None:
    playing([])
    monkeypatch.setenv("SURR_INNER_VOICE_MAX_COST", "0.0001")
    ran = told("ask", QUESTION, "--json")
    is_as_documented("cli/ask", ran)
    turn = ran.json
    assert (ran.code, turn["status"], turn["reason"]) == (6, "refused", "budget")
    assert "the spending cap of this turn ($0.0001, llm.max_turn_cost)" in turn["notes"]
    assert "budget 1" in told.ok("report").out


def test_a_time_that_holds_nothing_is_widened_and_that_is_said(told: Voice) -> None:
    ran = told("ask", "Where was the kiln two weeks ago?", "--explain")
    assert "no notes from that time; searched a little wider" in ran.err
    assert "two weeks ago: " in ran.err
    assert "understood" not in ran.out, "an explanation goes to stderr"


def test_what_a_question_leaves_open_is_explained(told: Voice) -> None:
    assert "several_phrases" in told("ask", "Where was the kiln yesterday, or last week?", "--explain").err


@pytest.mark.requirement("ruling:H.7")
def test_what_was_forgotten_stays_forgotten(told: Voice, is_as_documented: Documented) -> None:
    forgotten = keyed_hash(load_key(told.home), content_hash("Anna owes me money."))
    gone = {"row_id": "t:gone", "keyed_hash": forgotten, "reason": "forgotten", "at": "2026-01-01T00:00:00Z"}
    line = json.dumps({"type": "tombstone", **gone})
    assert told.ok("import", "-", stdin=line.encode()).out == "1 tombstone\n"
    ran = told("remember", "Anna owes me  money.", "--json")
    is_as_documented("cli/remember", ran)
    assert (ran.code, "stays forgotten" in ran.only_line) == (1, True)
    assert told("remember", "Anna owes me money.").out == ""


def unread() -> int:
    """Return a pipe whose reader has gone away."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.mark.parametrize(("place", "code"), [(unread, 0), (lambda: "/dev/full", 1)], ids=["pipe", "full disk"])
def test_an_output_that_breaks_is_let_go(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: Callable[[], int | str], code: int
) -> None:
    with open(place(), "w", encoding="utf-8") as file:  # noqa: PTH123 - a pipe or a device
        monkeypatch.setattr(sys, "stdout", file)
        assert exit_code(["--home", str(tmp_path), "config"]) == code
        assert os.fstat(file.fileno()).st_rdev == Path(os.devnull).stat().st_rdev

"""How a turn ends, as an exit code: answered, refused, failed, too dear; and what a long conversation leaves."""

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

import voice.bootstrap
from cli_runner import Ran, Voice, always
from played_turns import PAID
from voice.adapters.llm.scripted import Line, ScriptedClient
from voice.adapters.system.data_directory import load_key
from voice.core.errors import DeadlineExceeded, ProviderRejected, ProviderUnavailable
from voice.core.text.normalise import content_hash, keyed_hash

QUESTION = "Where is the kiln?"
KEPT = "Moved the kiln to the shed."
INVENTED = '{"answer": "The kiln is on the moon.", "sources": [{"source_id": "S1", "span": "on the moon"}]}'


@pytest.fixture
def told(voice: Voice) -> Voice:
    voice.ok("remember", KEPT)
    return voice


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Line], None]:
    """Return a function that puts a scripted provider in place of the configured one."""

    def script(line: Line) -> None:
        monkeypatch.setattr(voice.bootstrap, "make_llm", always(lambda: ScriptedClient(lambda _request: line)))

    return script


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
    told: Voice,
    scripted: Callable[[Line], None],
    is_as_documented: Callable[[str, Ran], None],
    line: Line,
    code: int,
    ended: tuple[str, str],
) -> None:
    scripted(line)
    ran = told("ask", QUESTION, "--json")
    is_as_documented("cli/ask", ran)
    turn = cast("dict[str, object]", ran.json)
    assert (ran.code, (turn["status"], turn["reason"]), '"event"' in ran.err) == (code, ended, False)
    assert "moon" not in ran.out + told.ok("sessions", "show", str(turn["session_id"])).out
    assert f"{ended[1]} 1" in told.ok("report").out


@pytest.mark.requirement("promise:7", "spending:caps")
def test_a_call_that_is_too_dear_is_not_made_whosever_client_it_is(
    told: Voice, is_as_documented: Callable[[str, Ran], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voice.bootstrap, "make_llm", always(lambda: ScriptedClient([], profile=PAID)))
    monkeypatch.setenv("SURR_INNER_VOICE_MAX_COST", "0.0001")
    ran = told("ask", QUESTION, "--json")
    is_as_documented("cli/ask", ran)
    turn = cast("dict[str, object]", ran.json)
    assert (ran.code, turn["status"], turn["reason"]) == (6, "refused", "budget")
    assert "the spending cap of this turn ($0.0001, llm.max_turn_cost)" in str(turn["notes"])
    assert "budget 1" in told.ok("report").out


def test_a_conversation_that_was_folded_shows_its_summary(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_INNER_VOICE_WINDOW", "2")
    monkeypatch.setenv("SURR_INNER_VOICE_WINDOW_KEEP", "1")
    told.ok("chat", "--new", "the kiln", stdin=f"{QUESTION}\n".encode() * 3)
    assert "Summary of 2 earlier turns (revision 1):\n" in told.ok("sessions", "show", "the kiln").out


def test_a_time_that_holds_nothing_is_widened_and_that_is_said(told: Voice) -> None:
    ran = told("ask", "Where was the kiln two weeks ago?", "--explain")
    assert "no notes from that time; searched a little wider" in ran.err
    assert "two weeks ago: " in ran.err


def test_what_a_question_leaves_open_is_explained(told: Voice) -> None:
    ran = told("ask", "Where was the kiln yesterday, or last week?", "--explain")
    assert "several_phrases" in ran.err


@pytest.mark.requirement("ruling:H.7")
def test_what_was_forgotten_stays_forgotten(told: Voice, is_as_documented: Callable[[str, Ran], None]) -> None:
    forgotten = keyed_hash(load_key(told.home), content_hash("Anna owes me money."))
    line = (
        f'{{"type":"tombstone","row_id":"t:gone","keyed_hash":"{forgotten}",'
        '"reason":"forgotten","at":"2026-01-01T00:00:00Z"}\n'
    )
    assert told.ok("import", "-", stdin=line.encode()).out == "1 tombstone\n"
    ran = told("remember", "Anna owes me  money.", "--json")
    is_as_documented("cli/remember", ran)
    assert ran.code == 1
    assert "stays forgotten" in ran.only_line
    assert told("remember", "Anna owes me money.").out == ""


class Broken(io.StringIO):
    """An output that cannot be written any more."""

    def __init__(self, fault: OSError, descriptor: int) -> None:
        super().__init__()
        self._fault = fault
        self._descriptor = descriptor

    def flush(self) -> None:
        raise self._fault

    def fileno(self) -> int:
        return self._descriptor


@pytest.mark.parametrize(("fault", "code"), [(BrokenPipeError(), 0), (OSError(28, "No space left on device"), 1)])
def test_an_output_that_breaks_is_let_go(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fault: OSError, code: int
) -> None:
    from voice.entrypoints.cli.main import exit_code

    with (tmp_path / "out").open("w") as file:
        monkeypatch.setattr(sys, "stdout", Broken(fault, file.fileno()))
        assert exit_code(["--home", str(tmp_path), "config"]) == code
        assert os.fstat(file.fileno()).st_rdev == Path(os.devnull).stat().st_rdev


def test_a_standard_output_of_another_encoding_shows_numbers_instead_of_failing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from voice.entrypoints.cli.main import main

    stream = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", stream)
    with pytest.raises(SystemExit) as left:
        main(["--home", str(tmp_path / "nowhere"), "doctor"])
    stream.flush()
    assert left.value.code == 1
    assert b"\\u2717 home" in stream.buffer.getvalue()

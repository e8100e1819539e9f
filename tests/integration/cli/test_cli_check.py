"""`voice check` holds any answer against any facts, with no memory there."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import cast

import pytest

import voice.bootstrap
from cli_runner import Ran, Voice, always
from played_turns import PAID
from voice.adapters.llm.scripted import ScriptedClient
from voice.core.grounding.verifier_values import CalibrationRecord
from voice.core.usage import Usage
from voice.testing.verifiers import say_verbatim
from voice.wiring.data_directory import calibrations_of

pytestmark = pytest.mark.requirement("grounding:check:alone")
Documented = Callable[[str, Ran], None]
_FACTS = '[{"id": "a", "text": "The kiln is in the shed and it is cold."}, "It cost 41 euros."]'


@pytest.fixture
def nowhere(tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran]) -> Voice:
    return Voice(tmp_path / "nowhere", run_voice)


@pytest.fixture
def facts(tmp_path: Path) -> str:
    (tmp_path / "facts.json").write_text(_FACTS, encoding="utf-8")
    return str(tmp_path / "facts.json")


def playing(monkeypatch: pytest.MonkeyPatch, reply: str | None = None) -> ScriptedClient:
    script = say_verbatim if reply is None else [reply]
    client = ScriptedClient(script, profile=PAID, usage=Usage(input_tokens=1000, output_tokens=10))
    monkeypatch.setattr(voice.bootstrap, "make_llm", always(lambda: client))
    return client


def test_what_is_proven_ends_with_0_and_makes_no_memory(
    nowhere: Voice, facts: str, is_as_documented: Documented
) -> None:
    shown = nowhere("check", "--answer", "-", "--facts", facts, stdin=b"It cost 41 euros [2].")
    assert (shown.code, shown.err) == (0, "")
    assert "✓ It cost 41 euros." in shown.out
    assert "    [2] “It cost 41 euros.”" in shown.out
    ran = nowhere("check", "--answer", "-", "--facts", facts, "--json", stdin=b"It cost 41 euros.")
    is_as_documented("cli/check", ran)
    assert not nowhere.home.exists()


def test_what_is_not_proven_ends_with_3_stands_in_its_mark_and_says_why(
    nowhere: Voice, facts: str, is_as_documented: Documented
) -> None:
    answer = b"It cost 42 euros. The kiln is cold [9]."
    ran = nowhere("check", "--answer", "-", "--facts", facts, "--json", stdin=answer)
    is_as_documented("cli/check", ran)
    shown = nowhere("check", "--answer", "-", "--facts", facts, stdin=answer)
    assert (ran.code, shown.code) == (3, 3)
    assert "[✗ not supported: It cost 42 euros.]" in shown.out
    assert "✗ the answer cites a source that is not among the facts" in shown.out
    assert "0 of 2 claims proven" in shown.out


def test_a_model_that_is_named_verifies_and_its_cost_is_told(
    nowhere: Voice, facts: str, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    client = playing(monkeypatch)
    named = ("check", "--answer", "-", "--facts", facts, "-m", "openai/judge-1", "--json")
    ran = nowhere(*named, stdin=b"The kiln is in the shed [a]")
    is_as_documented("cli/check", ran)
    told = cast("dict[str, list[dict[str, object]]]", ran.json)
    assert (ran.code, told["claims"][0]["rung"], client.calls) == (0, "verified", 1)
    assert "was never tested here" in ran.err
    assert "about 1 claim, for $" in ran.err
    assert not nowhere.home.exists()


def test_the_verifier_that_is_set_is_asked_only_where_it_was_tried(
    nowhere: Voice, facts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = playing(monkeypatch)
    ran = nowhere("check", "--answer", "-", "--facts", facts, "--verifier", "auto", stdin=b"The kiln is in the shed.")
    assert (ran.code, client.calls) == (3, 0)
    assert "was never tested here, so claims that are not quoted stay unverified" in ran.only_line


def test_one_that_was_tried_and_is_believed_is_asked_and_what_was_found_then_is_told(
    nowhere: Voice, facts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = playing(monkeypatch)
    said = ("check", "--answer", "-", "--facts", facts, "--verifier", "auto", "--json")
    untried = cast("dict[str, dict[str, str]]", nowhere(*said, stdin=b"The kiln is in the shed [a]").json)
    label = "{verifier} {version}".format(**untried["verification"])
    nowhere.home.mkdir()
    calibrations_of(nowhere.home).keep(
        CalibrationRecord(verifier=label, checked_on=date(2026, 3, 20), claims=100, false_support=0.04, false_doubt=0.1)
    )
    ran = nowhere(*said, stdin=b"The kiln is in the shed [a]")
    told = cast("dict[str, dict[str, object]]", ran.json)
    assert (ran.code, client.calls, told["verification"]["false_support"]) == (0, 1, 0.04)
    assert "about 1 claim" in ran.only_line


def test_one_that_fails_leaves_its_claims_unverified_and_that_is_said(
    nowhere: Voice, facts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    playing(monkeypatch, "nothing of what was asked for")
    ran = nowhere("check", "--answer", "-", "--facts", facts, "-m", "openai/judge-1", stdin=b"The kiln is cold.")
    assert ran.code == 3
    assert "gave no usable answer, so claims that are not quoted stay unverified" in ran.only_line
    assert "[~ not checked: The kiln is cold.]" in ran.out


def test_where_no_model_is_set_up_nobody_is_asked_and_that_is_said(voice: Voice, facts: str) -> None:
    ran = voice("check", "--answer", "-", "--facts", facts, "--verifier", "auto", stdin=b"The kiln is in the shed.")
    assert ran.code == 3
    assert "no model is set up to verify" in ran.only_line


@pytest.mark.parametrize(
    ("arguments", "stdin", "told"),
    [
        (("--answer", "-", "--facts", "-"), b"", "only one of"),
        (("--answer", "-"), b"a", "Missing option '--facts'"),
        (("--answer", "-", "--facts", "FACTS", "--verifier", "none", "-m", "a/b"), b"a", "choose one of them"),
        (("--answer", "-", "--facts", "FACTS"), b"", "nothing to check"),
        (("--answer", "-", "--facts", "FACTS"), b"\xff", "--answer is not UTF-8 text (byte 0)"),
        (("--answer", "/not/there", "--facts", "FACTS"), b"", "--answer cannot be read"),
        (("--answer", "FACTS", "--facts", "-"), b'[{"text"', "not a complete JSON list"),
        (("--answer", "FACTS", "--facts", "-"), b"a" * 8_000_001, "more than 8 MB"),
    ],
)
def test_what_cannot_be_meant_ends_with_2_and_one_line(
    nowhere: Voice, facts: str, arguments: tuple[str, ...], stdin: bytes, told: str
) -> None:
    ran = nowhere("check", *[facts if each == "FACTS" else each for each in arguments], stdin=stdin)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.only_line

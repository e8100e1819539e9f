"""`voice check` holds any answer against any facts, with no memory there."""

from pathlib import Path

import pytest

from cli_runner import Documented, Playing, Voice
from played_turns import USAGE, passed
from voice.testing.verifiers import say_verbatim
from voice.wiring.data_directory import calibrations_of

pytestmark = pytest.mark.requirement("grounding:check:alone")
_FACTS = '[{"id": "a", "text": "The kiln is in the shed and it is cold."}, "It cost 41 euros."]'


@pytest.fixture
def facts(tmp_path: Path) -> str:
    (tmp_path / "facts.json").write_text(_FACTS, encoding="utf-8")
    return str(tmp_path / "facts.json")


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
    nowhere: Voice, facts: str, playing: Playing, is_as_documented: Documented
) -> None:
    client = playing(say_verbatim, usage=USAGE)
    named = ("check", "--answer", "-", "--facts", facts, "-m", "openai/judge-1", "--json")
    ran = nowhere(*named, stdin=b"The kiln is in the shed [a]")
    is_as_documented("cli/check", ran)
    assert (ran.code, ran.json["claims"][0]["rung"], client.calls) == (0, "verified", 1)
    assert "was never tested here" in ran.err
    assert "about 1 claim, for $" in ran.err
    assert not nowhere.home.exists()


def test_the_one_that_is_set_is_asked_once_it_was_tried_and_what_was_found_then_is_told(
    nowhere: Voice, facts: str, playing: Playing
) -> None:
    client = playing(say_verbatim)
    said = ("check", "--answer", "-", "--facts", facts, "--verifier", "auto", "--json")
    untried = nowhere(*said, stdin=b"The kiln is in the shed [a]")
    assert (untried.code, client.calls) == (3, 0)
    assert "was never tested here, so claims that are not quoted stay unverified" in untried.only_line
    label = "{verifier} {version}".format(**untried.json["verification"])
    nowhere.home.mkdir()
    calibrations_of(nowhere.home).keep(passed(label, false_support=0.04))
    ran = nowhere(*said, stdin=b"The kiln is in the shed [a]")
    assert (ran.code, client.calls, ran.json["verification"]["false_support"]) == (0, 1, 0.04)
    assert "about 1 claim" in ran.only_line


def test_what_cannot_be_meant_ends_with_2_and_one_line(nowhere: Voice, facts: str) -> None:
    for arguments, stdin, said in (
        (("--answer", "-", "--facts", "-"), b"", "only one of"),
        (("--answer", "-", "--facts", facts, "--verifier", "none", "-m", "a/b"), b"a", "choose one of them"),
        (("--answer", "-", "--facts", facts), b"", "nothing to check"),
        (("--answer", "-", "--facts", facts), b"\xff", "--answer is not UTF-8 text (byte 0)"),
        (("--answer", "/not/there", "--facts", facts), b"", "--answer cannot be read"),
        (("--answer", facts, "--facts", "-"), b'[{"text"', "not a complete JSON list"),
        (("--answer", facts, "--facts", "-"), b"a" * 8_000_001, "more than 8 MB"),
    ):
        assert said in nowhere.refused("check", *arguments, stdin=stdin)

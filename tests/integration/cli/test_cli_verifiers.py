"""`voice verifier check` tries the verifier; `voice doctor` and `voice config` say who it is and how it did."""

import json
from collections.abc import Callable
from typing import cast

import pytest

import voice.bootstrap
from cli_runner import SETTINGS, Ran, Voice, always
from played_turns import PAID, supports_everything
from voice.adapters.llm.scripted import ScriptedClient
from voice.core.errors import ProviderUnavailable
from voice.ports.llm import LlmRequest
from voice.testing.verifiers import say_verbatim

Documented = Callable[[str, Ran], None]
MODEL = "openai/judge-1"


def playing(monkeypatch: pytest.MonkeyPatch, script: Callable[[LlmRequest], str]) -> ScriptedClient:
    """Put a model in the place of every one that is asked, and return it."""
    client = ScriptedClient(script, profile=PAID)
    monkeypatch.setattr(voice.bootstrap, "make_llm", always(lambda: client))
    return client


def set_up(voice: Voice, *lines: str) -> None:
    voice.ok("remember", "Moved the kiln to the shed.")
    text = "".join(f"{line}\n" for line in lines)
    (voice.home / "voice.toml").write_text(f"{SETTINGS}[verifier]\n{text}", encoding="utf-8")


def found(ran: Ran) -> dict[str, str] | None:
    findings = cast("dict[str, list[dict[str, str]]]", ran.json)["findings"]
    return next((each for each in findings if each["name"] == "verifier"), None)


@pytest.mark.requirement("grounding:verifier:calibration", "grounding:verifier:belief")
def test_a_model_that_supports_everything_fails_the_check_and_what_follows_is_said(
    voice: Voice, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    client = playing(monkeypatch, supports_everything)
    set_up(voice)
    ran = voice("verifier", "check", "-m", MODEL, "--json")
    is_as_documented("cli/verifier-check", ran)
    told = cast("dict[str, object]", ran.json)
    assert (ran.code, told["believed"], told["claims"], client.calls) == (1, False, 368, 31)
    assert cast("float", told["false_support"]) > 0.8
    assert "SURR_VERIFIER_MODEL" in str(told["follows"])
    assert "testing llm vendor/paid-1 verify.v3" in ran.only_line
    assert "31 calls, $" in ran.only_line
    shown = voice("verifier", "check", "-m", MODEL).out
    assert ": did not pass" in shown
    assert "false, let pass" in shown
    assert "presupposition" in shown
    config = voice.ok("config", "--json")
    is_as_documented("cli/config", config)
    (kept,) = cast("dict[str, list[dict[str, object]]]", config.json)["calibrations"]
    assert (kept["believed"], kept["claims"]) == (False, 368)
    assert ": did not pass" in voice.ok("config").err


@pytest.mark.requirement("grounding:verifier:calibration")
def test_a_model_that_passes_ends_in_order(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    playing(monkeypatch, say_verbatim)
    set_up(voice)
    assert ": passed" in voice.ok("verifier", "check", "-m", MODEL).out


def test_without_a_model_there_is_nothing_to_check_and_it_says_what_to_name(voice: Voice) -> None:
    set_up(voice)
    ran = voice("verifier", "check")
    assert ran.code == 4
    assert "name a model with -m PROVIDER/MODEL" in ran.err


def test_a_provider_that_fails_is_told_as_any_other_and_nothing_is_kept(
    voice: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_: LlmRequest) -> str:
        raise ProviderUnavailable("the provider is busy")

    playing(monkeypatch, busy)
    set_up(voice)
    ran = voice("verifier", "check", "-m", MODEL)
    assert ran.code == 5
    assert "the provider is busy" in ran.err
    assert not (voice.home / "verifiers.json").exists()


@pytest.mark.requirement("promise:7")
def test_a_cap_that_does_not_allow_it_is_told_before_anybody_is_asked(
    voice: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = playing(monkeypatch, say_verbatim)
    set_up(voice)
    monkeypatch.setenv("SURR_INNER_VOICE_MAX_DAY_COST", "0.01")
    ran = voice("verifier", "check", "-m", MODEL)
    assert (ran.code, client.calls) == (6, 0)


@pytest.mark.requirement("grounding:verifier:belief")
def test_the_check_up_says_that_a_verifier_was_not_tried_yet_and_how_it_did_when_it_was(
    voice: Voice, is_as_documented: Documented
) -> None:
    set_up(voice, 'name = "llm"', f'model = "{MODEL}"')
    new = voice("doctor", "--json")
    is_as_documented("cli/doctor", new)
    finding = found(new)
    assert finding is not None
    assert finding["state"] == "unchecked"
    assert finding["advice"].endswith(" verifier check")
    label = finding["detail"].removesuffix(" has not been tested; the first answer that needs it tests it once")
    assert label.startswith("llm openai/judge-1 verify.v3 ")
    record = {
        "verifier": label,
        "checked_on": "2026-03-20",
        "claims": 96,
        "unanswered": 0,
        "false_support": 0.4,
        "false_doubt": 0.1,
    }
    (voice.home / "verifiers.json").write_text(json.dumps({"calibrations": [record]}), encoding="utf-8")
    finding = found(voice("doctor", "--json"))
    assert finding is not None
    assert finding["state"] == "remark"
    assert "let 40.0% of false claims pass" in finding["detail"]
    assert "stronger model" in finding["advice"]


def test_where_rules_answer_nothing_is_said_of_verifiers(voice: Voice) -> None:
    set_up(voice)
    assert found(voice("doctor", "--json")) is None
    set_up(voice, 'name = "llm"', f'model = "{MODEL}"')
    assert found(voice("doctor", "--json")) is not None


@pytest.mark.parametrize(
    ("lines", "says"), [('name = "llm"', "extractive is none"), ('name = "oracle"', "use one of llm")]
)
def test_one_that_cannot_be_used_is_a_fault_with_what_to_do(voice: Voice, lines: str, says: str) -> None:
    set_up(voice, lines)
    sick = voice("doctor")
    said = " ".join(sick.out.split())
    assert sick.code == 1
    assert says in said
    assert "SURR_VERIFIER=none" in said

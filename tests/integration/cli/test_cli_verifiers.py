"""`voice verifier check` tries the verifier; `voice doctor` and `voice config` say who it is and how it did."""

import pytest

from cli_runner import SETTINGS, Documented, Playing, Voice, findings
from played_turns import passed, supports_everything
from voice.wiring.data_directory import calibrations_of

CHECK = ("verifier", "check", "-m", "openai/judge-1")
OF_A_MODEL = f'{SETTINGS}[verifier]\nname = "llm"\nmodel = "openai/judge-1"\n'


@pytest.mark.requirement("grounding:verifier:calibration", "grounding:verifier:belief")
def test_a_model_that_supports_everything_fails_the_check_and_what_follows_is_said(
    told: Voice, playing: Playing, is_as_documented: Documented
) -> None:
    client = playing(supports_everything)
    ran = told(*CHECK, "--json")
    is_as_documented("cli/verifier-check", ran)
    assert (ran.code, ran.json["believed"], ran.json["claims"], client.calls) == (1, False, 368, 31)
    assert ran.json["false_support"] > 0.8
    assert "SURR_VERIFIER_MODEL" in ran.json["follows"]
    assert "testing llm vendor/paid-1 verify.v3" in ran.only_line
    assert "31 calls, $" in ran.only_line
    shown = told(*CHECK).out
    assert [each for each in (": did not pass", "false, let pass", "presupposition") if each not in shown] == []
    config = told.ok("config", "--json")
    is_as_documented("cli/config", config)
    (kept,) = config.json["calibrations"]
    assert (kept["believed"], kept["claims"]) == (False, 368)
    assert ": did not pass" in told.ok("config").err


def test_without_a_model_there_is_nothing_to_check_and_it_says_what_to_name(told: Voice) -> None:
    ran = told("verifier", "check")
    assert (ran.code, "name a model with -m PROVIDER/MODEL" in ran.err) == (4, True)


@pytest.mark.requirement("grounding:verifier:belief")
def test_the_check_up_says_that_a_verifier_was_not_tried_yet_and_how_it_did_when_it_was(
    told: Voice, is_as_documented: Documented
) -> None:
    assert "verifier" not in findings(told("doctor", "--json")), "rules answer"
    told.settings(OF_A_MODEL)
    new = told("doctor", "--json")
    is_as_documented("cli/doctor", new)
    finding = findings(new)["verifier"]
    assert (finding["state"], finding["advice"].endswith(" verifier check")) == ("unchecked", True)
    label = finding["detail"].removesuffix(" has not been tested; the first answer that needs it tests it once")
    assert label.startswith("llm openai/judge-1 verify.v3 ")
    calibrations_of(told.home).keep(passed(label, false_support=0.4))
    finding = findings(told("doctor", "--json"))["verifier"]
    assert (finding["state"], "stronger model" in finding["advice"]) == ("remark", True)
    assert "let 40.0% of false claims pass" in finding["detail"]


def test_one_that_cannot_be_used_is_a_fault_with_what_to_do(told: Voice) -> None:
    for name, says in (("llm", "extractive is none"), ("oracle", "use one of llm")):
        told.settings(f'{SETTINGS}[verifier]\nname = "{name}"\n')
        sick = told("doctor")
        said = " ".join(sick.out.split())
        assert (sick.code, says in said, "SURR_VERIFIER=none" in said) == (1, True, True)

"""Who checks answers, as it is set.

A setting that another one makes change nothing is told.
"""

import pytest

from tables import tables
from voice.core.errors import ConfigurationError
from voice.core.settings.parse import parse_settings
from voice.core.settings.providers import LlmSettings, VerifierSettings

TABLES = tables(__file__)
WRITER = LlmSettings(provider="gemini", model="gemini-2.5-pro", api_key="of-gemini", api_base="https://proxy.example")


def verifier(**env: str) -> VerifierSettings:
    return parse_settings({}, env, {}).settings.verifier


def test_by_default_the_model_that_writes_checks() -> None:
    assert (verifier().name, verifier().model) == ("auto", None)
    assert verifier().llm_of(WRITER) == WRITER


@pytest.mark.requirement("grounding:verifier:model", "ruling:D24")
def test_a_model_of_another_provider_gets_that_providers_key_and_no_other() -> None:
    env = {"GEMINI_API_KEY": "of-gemini", "ANTHROPIC_API_KEY": "of-anthropic"}
    checks = verifier(SURR_VERIFIER_MODEL="anthropic/claude-sonnet-4-5", **env).llm_of(WRITER)
    assert (checks.provider, checks.model) == ("anthropic", "claude-sonnet-4-5")
    assert (checks.api_key, checks.api_base) == ("of-anthropic", None)
    assert verifier(SURR_VERIFIER_MODEL="openai/gpt-5", **env).llm_of(WRITER).api_key is None


@pytest.mark.requirement("grounding:verifier:model")
def test_another_model_of_the_same_provider_shares_its_endpoint_and_key() -> None:
    checks = verifier(SURR_VERIFIER_MODEL="gemini/gemini-2.5-flash").llm_of(WRITER)
    assert (checks.model, checks.api_key, checks.api_base) == ("gemini-2.5-flash", "of-gemini", "https://proxy.example")


def test_a_key_of_its_own_wins_and_is_in_no_repr() -> None:
    own = verifier(SURR_VERIFIER_MODEL="openai/gpt-5", SURR_VERIFIER_API_KEY="own", OPENAI_API_KEY="vendor")
    assert own.llm_of(WRITER).api_key == "own"
    assert "own" not in repr(own)


@pytest.mark.requirement("ruling:C16")
@pytest.mark.parametrize("model", ["gpt-5", "/models/pair.onnx", "openai/"])
def test_what_names_no_provider_and_model_is_a_fault(model: str) -> None:
    with pytest.raises(ConfigurationError, match="must be PROVIDER/MODEL"):
        verifier(SURR_VERIFIER_MODEL=model)


@pytest.mark.requirement("ruling:C16")
@pytest.mark.parametrize("name", [",", "llm,", "a b", "../llm"])
def test_what_is_no_name_is_a_fault(name: str) -> None:
    with pytest.raises(ConfigurationError, match="SURR_VERIFIER"):
        verifier(SURR_VERIFIER=name)


def test_a_setting_that_is_gone_is_said_to_be_ignored() -> None:
    result = parse_settings({}, {"SURR_VERIFIER_SUPPORT": "all"}, {"verifier": {"support_threshold": 0.5}})
    said = " ".join(result.warnings)
    assert "SURR_VERIFIER_SUPPORT" in said
    assert "support_threshold" in said


OFFLINE = {"SURR_INNER_VOICE_PROVIDER": "extractive"}


@pytest.mark.requirement("cli:settings:ignored")
@pytest.mark.parametrize(("env", "said"), TABLES["what_changes_nothing_is_told_with_why"])
def test_what_changes_nothing_is_told_with_why(env: dict[str, str], said: str) -> None:
    (warning,) = parse_settings({}, env, {}).warnings
    assert warning.startswith(said)


@pytest.mark.requirement("cli:settings:ignored")
def test_a_key_of_the_file_is_told_by_its_place() -> None:
    (warning,) = parse_settings({}, {}, {"embed": {"model": "bge"}}).warnings
    assert warning.startswith("embed.model in voice.toml is ignored: the encoder local")


@pytest.mark.requirement("cli:settings:ignored")
@pytest.mark.parametrize("env", TABLES["what_is_used_is_told_nobody"])
def test_what_is_used_is_told_nobody(env: dict[str, str]) -> None:
    result = parse_settings({}, env, {})
    assert set(result.origins.values()) == {"env", "default"}
    assert result.warnings == ()


@pytest.mark.requirement("cli:settings:ignored")
def test_a_choice_for_one_call_sets_others_aside_in_silence() -> None:
    env = {"SURR_INNER_VOICE_MODEL": "m", "SURR_INNER_VOICE_API_BASE": "http://here/v1"}
    named = {"llm.provider": "extractive", "llm.model": "extractive"}
    assert parse_settings(named, env, {}).warnings == ()
    assert len(parse_settings({}, {**OFFLINE, **env}, {}).warnings) == 2

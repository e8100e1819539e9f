"""Providers by name: those that are known, and what is told of others."""

import pytest

from tables import tables
from voice.core.errors import ConfigurationError
from voice.core.settings.parse import parse_settings
from voice.core.settings.providers import is_known

TABLES = tables(__file__)


@pytest.mark.requirement("ruling:A23")
@pytest.mark.parametrize(
    ("provider", "said"), TABLES["a_provider_that_nobody_knows_is_told_so_and_can_be_used_once_its_key_is_set"]
)
def test_a_provider_that_nobody_knows_is_told_so_and_can_be_used_once_its_key_is_set(provider: str, said: str) -> None:
    env = {"SURR_INNER_VOICE_PROVIDER": provider, "SURR_INNER_VOICE_MODEL": "m"}
    with pytest.raises(ConfigurationError, match=said):
        parse_settings({}, env, {}).settings.llm.require_key()
    assert parse_settings({}, env | {f"{provider.upper()}_API_KEY": "sk"}, {}).settings.llm.require_key() == "sk"


@pytest.mark.parametrize("provider", ["extractive", "scripted", "litellm", "ollama_chat", "anthropic"])
def test_providers_of_this_program_are_known_as_those_of_others_are(provider: str) -> None:
    assert (is_known(provider), is_known(f"{provider}x")) == (True, False)

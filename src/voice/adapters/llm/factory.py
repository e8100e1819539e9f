"""The client that the settings name, and its layers.

Law: the configured provider is used and no other; a missing key is an error that says what to set (rulings A23, D24).
The layers are composed here: retries around the provider.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

import anyio

from voice.adapters.extras import require_installed
from voice.adapters.llm.model_facts import price_for, profile_of
from voice.adapters.llm.provider_errors import CHECKER, WRITER, SettingNames
from voice.adapters.llm.scripted import EXTRACTIVE_PROFILE, ExtractiveClient
from voice.core.errors import ConfigurationError, ProviderRejected
from voice.core.model_endpoints import endpoint_label
from voice.core.settings.providers import is_keyless, is_known, why_no_key, why_unknown
from voice.core.settings.values import LlmSettings
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ModelProfile

if TYPE_CHECKING:
    import httpx

    from voice.ports.files import EndpointStore


_OFFLINE = ("extractive", "scripted")


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmConfig:
    """The model to call."""

    provider: str
    """`extractive`, `gemini`, a vendor that litellm knows, or `litellm` with the vendor before the model's name."""
    model: str
    api_key: str | None = field(default=None, repr=False)
    api_base: str | None = None
    max_prompt_tokens: int = 8_000
    today: date
    names: SettingNames = WRITER
    """The settings that error messages name."""


def make_client(
    config: LlmConfig, *, unix_time: Callable[[], float], http_client: "httpx.AsyncClient | None" = None
) -> LlmClient:
    """Return the client that `config` names, without layers; nothing is imported or connected yet.

    Args:
        unix_time: returns the current Unix time, for a `retry-after` that is a date.
        http_client: the HTTP client for Gemini, which the caller closes.

    Raises:
        ConfigurationError: the provider's key is missing, the provider is unknown, no model is named, or the package
            for it is not installed.
    """
    if config.provider == "extractive":
        return ExtractiveClient()
    vendor, model = _vendor_and_model(config)
    api_key = _require_key(vendor, config)
    profile = _profile(vendor, model, config)
    # `_require_key` lets no Gemini without a key pass; this tells the type checker.
    if vendor == "gemini" and api_key is not None:
        require_installed("google.genai", "Gemini")
        from voice.adapters.llm.gemini import GeminiClient  # noqa: PLC0415 - brings HTTP, which no offline turn needs

        return GeminiClient(
            profile=profile,
            api_key=api_key,
            unix_time=unix_time,
            api_base=config.api_base,
            http_client=http_client,
            names=config.names,
        )
    require_installed("litellm", f"the provider {vendor}")
    _require_known(vendor, config.names)  # after the check above, because it asks litellm
    from voice.adapters.llm.litellm_client import LiteLlmClient  # noqa: PLC0415 - brings litellm, for providers asked elsewhere

    return LiteLlmClient(
        profile=profile, api_key=api_key, unix_time=unix_time, api_base=config.api_base, names=config.names
    )


def config_of(settings: LlmSettings, *, today: date) -> LlmConfig:
    """Return the configuration in the settings, with a key if there is one."""
    return LlmConfig(
        provider=settings.provider,
        model=settings.model,
        api_key=settings.api_key,
        api_base=settings.api_base,
        max_prompt_tokens=settings.max_prompt_tokens,
        today=today,
        names=CHECKER if settings.checks else WRITER,
    )


def make_facts_only(config: LlmConfig) -> LlmClient:
    """Return a client with the model's figures that makes no call and needs no key.

    Raises:
        ConfigurationError: no model is named.
    """
    if config.provider == "extractive":
        return FactsOnlyClient(profile=EXTRACTIVE_PROFILE)
    return FactsOnlyClient(profile=_profile(*_vendor_and_model(config), config))


def with_learning(client: LlmClient, config: LlmConfig, *, kept: "EndpointStore | None" = None) -> LlmClient:
    """Return `client` calling without what its endpoint rejects, which `kept` stores; an offline one unchanged."""
    profile = client.profile
    if profile.provider in _OFFLINE:
        return client
    from voice.adapters.llm.retry import AdaptiveClient  # noqa: PLC0415 - not needed offline

    endpoint = endpoint_label(profile.provider, profile.model, config.api_base)
    return AdaptiveClient(client, endpoint=endpoint, today=config.today, kept=kept)


def with_retries(client: LlmClient, *, monotonic_ms: Callable[[], float]) -> LlmClient:
    """Return `client` with retries; an offline one unchanged."""
    if client.profile.provider in _OFFLINE:
        return client
    from voice.adapters.llm.retry import RetryingClient  # noqa: PLC0415 - not needed offline

    chance = random.SystemRandom()  # so that many clients do not come back at once
    return RetryingClient(client, monotonic_ms=monotonic_ms, sleep=anyio.sleep, jitter=chance.random)


def _vendor_and_model(config: LlmConfig) -> tuple[str, str]:
    vendor, model = config.provider, config.model.strip()
    if vendor == "litellm":
        vendor, _, model = model.partition("/")
    model = model.removeprefix(f"{vendor}/")  # "anthropic/claude-…", as litellm writes it
    if not vendor or not model:
        raise ConfigurationError(
            "no model is named: set SURR_INNER_VOICE_MODEL to the model's name at its vendor "
            "(with the provider litellm: vendor/model, such as anthropic/claude-sonnet-4-5)"
        )
    return vendor, model


def _require_key(vendor: str, config: LlmConfig) -> str | None:
    if config.api_key is not None and config.api_key.strip():
        return config.api_key.strip()
    if is_keyless(vendor) or (config.api_base is not None and vendor != "gemini"):  # an own server may need none
        return None
    raise ConfigurationError(why_no_key(vendor, config.names.provider))


def _require_known(vendor: str, names: SettingNames) -> None:
    """Raise unless the provider is known here, or to the installed litellm, which takes seconds to ask."""
    if is_known(vendor):
        return
    from voice.adapters.litellm_setup import load_litellm  # noqa: PLC0415 - takes seconds

    if vendor not in {str(getattr(each, "value", each)) for each in load_litellm().provider_list}:
        raise ConfigurationError(why_unknown(vendor, names.provider))


def _profile(vendor: str, model: str, config: LlmConfig) -> ModelProfile:
    price = None
    if config.api_base is None:  # a vendor's price says nothing of another server
        price = price_for(vendor, model, on=config.today, prompt_tokens=config.max_prompt_tokens)
    return profile_of(vendor, model, api_base=config.api_base, price=price)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsOnlyClient:
    """A client that knows what a model takes and costs, and makes no call."""

    profile: ModelProfile

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Refuse the call.

        Raises:
            ProviderRejected: always.
        """
        del request  # it goes nowhere
        raise ProviderRejected(f"{self.profile.provider} is not asked here; only what a question would cost is told")

    async def aclose(self) -> None:
        """Do nothing."""

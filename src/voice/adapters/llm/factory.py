"""The client that the settings name, and its layers.

Law: the configured provider is used and no other; a missing key is an error that says what to set (rulings A23, D24).
The layers are composed here: retries around the provider.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import anyio

from voice.adapters.extras import require_installed
from voice.adapters.llm.model_facts import price_for, profile_of
from voice.adapters.llm.provider_errors import CHECKER, WRITER, SettingNames
from voice.adapters.llm.scripted import EXTRACTIVE_PROFILE, ExtractiveClient
from voice.core.errors import ConfigurationError, ProviderRejected
from voice.core.messages.showing import vendor
from voice.core.model_endpoints import endpoint_label
from voice.core.settings.providers import LlmSettings, is_keyless, is_known, why_no_key, why_unknown
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ModelProfile

if TYPE_CHECKING:
    from voice.ports.files import EndpointStore


_OFFLINE = ("extractive", "scripted")


def make_client(settings: LlmSettings, *, today: date, unix_time: Callable[[], float]) -> LlmClient:
    """Return the client that the settings name, without layers, for the prices of `today`; nothing is imported or
    connected yet. The provider is `extractive`, `gemini`, a vendor that litellm knows, or `litellm` with the vendor
    before the model's name. Raises ConfigurationError: its key is missing, it is unknown, no model is named, or its
    package is not installed."""
    if settings.provider == "extractive":
        return ExtractiveClient()
    vendor, model = _vendor_and_model(settings)
    names, api_base = names_of(settings), settings.api_base
    api_key = _require_key(vendor, settings)
    profile = _profile(vendor, model, settings, today)
    # `_require_key` lets no Gemini without a key pass; this tells the type checker.
    if vendor == "gemini" and api_key is not None:
        require_installed("google.genai", "Gemini")
        from voice.adapters.llm.gemini import GeminiClient  # noqa: PLC0415 - brings HTTP, which no offline turn needs

        return GeminiClient(profile=profile, api_key=api_key, unix_time=unix_time, api_base=api_base, names=names)
    require_installed("litellm", f"the provider {vendor}")
    _require_known(vendor, names)  # after the check above, because it asks litellm
    from voice.adapters.llm.litellm_client import LiteLlmClient  # noqa: PLC0415 - brings litellm, for providers asked elsewhere

    return LiteLlmClient(profile=profile, api_key=api_key, unix_time=unix_time, api_base=api_base, names=names)


def names_of(settings: LlmSettings) -> SettingNames:
    """Return the settings that error messages name."""
    return CHECKER if settings.checks else WRITER


def make_facts_only(settings: LlmSettings, *, today: date) -> LlmClient:
    """Return a client with the model's figures that makes no call and needs no key. Raises ConfigurationError: no model
    is named."""
    if settings.provider == "extractive":
        return FactsOnlyClient(profile=EXTRACTIVE_PROFILE)
    return FactsOnlyClient(profile=_profile(*_vendor_and_model(settings), settings, today))


def with_learning(
    client: LlmClient, settings: LlmSettings, *, today: date, kept: "EndpointStore | None" = None
) -> LlmClient:
    """Return `client` calling without what its endpoint rejects, which `kept` stores; an offline one unchanged."""
    profile = client.profile
    if profile.provider in _OFFLINE:
        return client
    from voice.adapters.llm.retry import AdaptiveClient  # noqa: PLC0415 - not needed offline

    endpoint = endpoint_label(profile.provider, profile.model, settings.api_base)
    return AdaptiveClient(client, endpoint=endpoint, today=today, kept=kept)


def with_retries(client: LlmClient, *, monotonic_ms: Callable[[], float]) -> LlmClient:
    """Return `client` with retries; an offline one unchanged."""
    if client.profile.provider in _OFFLINE:
        return client
    from voice.adapters.llm.retry import RetryingClient  # noqa: PLC0415 - not needed offline

    chance = random.SystemRandom()  # so that many clients do not come back at once
    return RetryingClient(client, monotonic_ms=monotonic_ms, sleep=anyio.sleep, jitter=chance.random)


def _vendor_and_model(settings: LlmSettings) -> tuple[str, str]:
    vendor, model = settings.provider, settings.model.strip()
    if vendor == "litellm":
        vendor, _, model = model.partition("/")
    model = model.removeprefix(f"{vendor}/")  # "anthropic/claude-…", as litellm writes it
    if not vendor or not model:
        raise ConfigurationError(
            "no model is named: set SURR_INNER_VOICE_MODEL to the model's name at its vendor "
            "(with the provider litellm: vendor/model, such as anthropic/claude-sonnet-4-5)"
        )
    return vendor, model


def _require_key(vendor: str, settings: LlmSettings) -> str | None:
    if settings.api_key is not None and settings.api_key.strip():
        return settings.api_key.strip()
    if is_keyless(vendor) or (settings.api_base is not None and vendor != "gemini"):  # an own server may need none
        return None
    names = names_of(settings)
    raise ConfigurationError(why_no_key(vendor, names.provider, names.key if settings.api_base else None))


def _require_known(vendor: str, names: SettingNames) -> None:
    """Raise unless the provider is known here, or to the installed litellm, which takes seconds to ask."""
    if is_known(vendor):
        return
    from voice.adapters.litellm_setup import load_litellm  # noqa: PLC0415 - takes seconds

    if vendor not in {str(getattr(each, "value", each)) for each in load_litellm().provider_list}:
        raise ConfigurationError(why_unknown(vendor, names.provider))


def _profile(vendor: str, model: str, settings: LlmSettings, today: date) -> ModelProfile:
    price = None
    if settings.api_base is None:  # a vendor's price says nothing of another server
        price = price_for(vendor, model, on=today, prompt_tokens=settings.max_prompt_tokens)
    return profile_of(vendor, model, api_base=settings.api_base, price=price)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsOnlyClient:
    """A client that knows what a model takes and costs, and makes no call."""

    profile: ModelProfile

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Refuse the call. Raises ProviderRejected: always."""
        del request  # it goes nowhere
        raise ProviderRejected(
            f"{vendor(self.profile.provider)} is not asked here; only what a question would cost is told"
        )

    async def aclose(self) -> None:
        """Do nothing."""

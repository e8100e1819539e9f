"""Facts about models: how much they take, how much they give, whether a prompt leaves this machine.

Law: a pure table and pure functions. A model that is not listed gets figures that hold for nearly every model of today,
never generous ones. Whether a call is remote is read from where it goes, not from who made the model (ruling H).
"""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from voice.core.model_endpoints import RequestPart
from voice.core.usage import Price
from voice.ports.llm import ModelProfile

DEFAULT_API_BASE = {
    "gemini": "https://generativelanguage.googleapis.com",
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "xai": "https://api.x.ai/v1",
    "ollama": "http://localhost:11434",
    "ollama_chat": "http://localhost:11434",
    "hosted_vllm": "http://localhost:8000/v1",
    "lm_studio": "http://localhost:1234/v1",
    "llamafile": "http://localhost:8080/v1",
}
"""Where a provider is asked when no endpoint is set; given to the vendor's library by name, so that no environment
variable of that library can send a key or a prompt elsewhere (ruling D24)."""


@dataclass(frozen=True, slots=True)
class _Facts:
    context: int
    output: int
    untaken: frozenset[RequestPart] = frozenset()


_NO_SCHEMA: frozenset[RequestPart] = frozenset({"schema"})
_REASONS: frozenset[RequestPart] = frozenset({"temperature", "max_tokens"})
"""What OpenAI's reasoning models do not take."""
_UNKNOWN = _Facts(8_192, 2_048)
"""What it takes of a request is not known either: it is sent all, and what it rejects is learned."""
_UNKNOWN_VENDOR_MODEL = _Facts(128_000, 8_192)
_VENDORS = frozenset({"gemini", "openai", "anthropic", "xai"})
_MODELS: tuple[tuple[str, str, _Facts], ...] = (
    ("gemini", "gemini-2.5", _Facts(1_048_576, 65_536)),
    ("gemini", "gemini-3", _Facts(1_048_576, 65_536)),
    ("gemini", "gemini-2.0", _Facts(1_048_576, 8_192)),
    ("openai", "gpt-5", _Facts(400_000, 128_000, _REASONS)),
    ("openai", "gpt-4.1", _Facts(1_047_576, 32_768)),
    ("openai", "gpt-4o", _Facts(128_000, 16_384)),
    ("openai", "o3", _Facts(200_000, 100_000, _REASONS)),
    ("openai", "o4", _Facts(200_000, 100_000, _REASONS)),
    ("openai", "gpt-4", _Facts(8_192, 4_096, _NO_SCHEMA)),
    ("openai", "gpt-3.5", _Facts(16_385, 4_096, _NO_SCHEMA)),
    ("anthropic", "claude-3", _Facts(200_000, 4_096, _NO_SCHEMA)),
    ("anthropic", "claude", _Facts(200_000, 32_000)),
    ("xai", "grok-4", _Facts(256_000, 32_768)),
    ("xai", "grok", _Facts(131_072, 16_384)),
    ("ollama_chat", "", _Facts(8_192, 2_048)),
)
"""(provider, beginning of the model's name, facts); the first that fits holds."""


def profile_of(provider: str, model: str, *, api_base: str | None, price: Price | None) -> ModelProfile:
    """Return the profile of `model` at `provider`.

    Args:
        provider: the vendor, as litellm names it (`gemini`, `openai`, `anthropic`, `ollama_chat`, …).
        model: the model, as its vendor names it.
        api_base: a custom endpoint; what is known of the vendor's models is not assumed of a namesake there.
        price: what a token costs; None = unknown.
    """
    facts = _UNKNOWN if api_base and provider in _VENDORS else _facts_of(provider, model)
    return ModelProfile(
        provider=provider,
        model=model,
        context_tokens=facts.context,
        max_output_tokens=facts.output,
        untaken=facts.untaken,
        remote=not is_loopback(api_base or DEFAULT_API_BASE.get(provider, "")),
        price=price,
    )


def _facts_of(provider: str, model: str) -> _Facts:
    for vendor, beginning, facts in _MODELS:
        if vendor == provider and model.startswith(beginning):
            return facts
    return _UNKNOWN_VENDOR_MODEL if provider in _VENDORS else _UNKNOWN


def is_loopback(url: str) -> bool:
    """Return whether `url` stays on this machine; what cannot be read does not."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False

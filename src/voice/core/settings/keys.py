"""Which environment variable holds whose key.

Law: a key goes only to its own vendor (ruling D24). Only the chosen provider's names are looked up; a custom `api_base`
is somebody else's machine and never gets a vendor's key. Keys come from the environment alone, never from a file.
"""

from collections.abc import Mapping

_KEYLESS = frozenset({
    "extractive", "scripted", "local", "hash", "ollama", "ollama_chat", "hosted_vllm", "lm_studio", "llamafile",
})  # fmt: skip
_NAMES: dict[str, tuple[str, ...]] = {
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "together_ai": ("TOGETHERAI_API_KEY",),
    "perplexity": ("PERPLEXITYAI_API_KEY",),
}


def is_keyless(provider: str) -> bool:
    """Return whether `provider` runs without a key: on this machine, or on a server of the person's own."""
    return provider in _KEYLESS


def key_names(provider: str) -> tuple[str, ...]:
    """Return the environment variables that may hold the key of `provider`, the first one that is set wins."""
    if is_keyless(provider):
        return ()
    return _NAMES.get(provider, (f"{provider.upper().replace('-', '_')}_API_KEY",))


def find_key(provider: str, *, own: str | None, has_api_base: bool, env: Mapping[str, str]) -> str | None:
    """Return the key that may be sent, or None.

    Args:
        provider: who is asked.
        own: a key given for exactly this endpoint (`SURR_INNER_VOICE_API_KEY`, `SURR_EMBED_API_KEY`).
        has_api_base: the endpoint is not the vendor's own.
        env: the environment.
    """
    if own is not None:
        return own
    if has_api_base:
        return None
    return next((env[name].strip() for name in key_names(provider) if env.get(name, "").strip()), None)

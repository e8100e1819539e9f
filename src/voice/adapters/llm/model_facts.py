"""Facts about models: their limits, their prices, their tokenizers.

Law: a pure table and pure functions. An unlisted model gets limits that hold for nearly every model of today. Whether a
call is remote depends on its endpoint, not on the model's vendor (ruling H).

Prices come from a table that is installed with the program, without a network; an unknown price is None, never zero
(ruling D18). A price is for the vendor's own endpoint: that of a namesake on another server is unknown. The table is
imported when first asked.

A model's tokens are counted with its own vocabulary if litellm carries it, and estimated otherwise (ruling D15).
Nothing is fetched: the file is read here, must have its published hash, and is passed to tiktoken, whose own way to a
vocabulary (asking a server) is never used. The first counted text loads it, which takes about a second of CPU. Safe to
call from several threads.
"""

import hashlib
import importlib
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import lru_cache
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from threading import Lock
from typing import Final, Protocol, cast
from urllib.parse import urlsplit

from voice.core.model_endpoints import RequestPart
from voice.core.token_estimates import ConservativeCounter
from voice.core.usage import Price
from voice.ports.llm import ModelProfile, TokenCounter

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
"""A provider's endpoint if none is set; passed to the vendor's library by value, so that none of its environment
variables can send a key or a prompt elsewhere (ruling D24)."""


@dataclass(frozen=True, slots=True)
class _Facts:
    context: int
    output: int
    untaken: frozenset[RequestPart] = frozenset()


_NO_SCHEMA: frozenset[RequestPart] = frozenset({"schema"})
# Parts that OpenAI's reasoning models do not take.
_REASONS: frozenset[RequestPart] = frozenset({"temperature", "max_tokens"})
_UNKNOWN = _Facts(8_192, 2_048)  # which parts it takes is unknown, too: all are sent, and what it rejects is learned
_UNKNOWN_VENDOR_MODEL = _Facts(128_000, 8_192)  # what nearly every model of today has
_VENDORS = frozenset({"gemini", "openai", "anthropic", "xai"})
# (provider, prefix of the model's name, facts); the first match counts.
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


def profile_of(provider: str, model: str, *, api_base: str | None, price: Price | None) -> ModelProfile:
    """Return the profile of a model by its name at its vendor, and by the vendor's name in litellm (`openai`, …). Facts
    about a vendor's model are not assumed of one of that name at another endpoint (`api_base`)."""
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
    for vendor, prefix, facts in _MODELS:
        if vendor == provider and model.startswith(prefix):
            return facts
    return _UNKNOWN_VENDOR_MODEL if provider in _VENDORS else _UNKNOWN


def is_loopback(url: str) -> bool:
    """Return whether `url` is on this machine; False if it cannot be parsed."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


_TABLE_NAME_OF = {
    "gemini": "google", "openai": "openai", "anthropic": "anthropic", "xai": "x-ai", "groq": "groq",
    "mistral": "mistral", "deepseek": "deepseek", "cohere": "cohere", "together_ai": "together",
    "fireworks_ai": "fireworks", "openrouter": "openrouter", "perplexity": "perplexity", "moonshot": "moonshotai",
    "cerebras": "cerebras",
}  # fmt: skip


def price_for(provider: str, model: str, *, on: date, prompt_tokens: int) -> Price | None:
    """Return the price of `model` on a day, past ones included; None if the table does not know it. `prompt_tokens` are
    those of the longest prompt, for which vendors may charge more."""
    table_name = _TABLE_NAME_OF.get(provider)
    if table_name is None:
        return None
    import genai_prices  # noqa: PLC0415 - a third of a second that most commands never need
    from genai_prices.types import TieredPrices  # noqa: PLC0415 - only when a price is asked for

    moment = datetime.combine(on, time(12), UTC)  # noon, so that no time zone moves the day
    try:
        found = genai_prices.calc_price(
            genai_prices.Usage(input_tokens=1, output_tokens=1),
            model,
            provider_id=table_name,
            genai_request_timestamp=moment,
        )
    except (LookupError, ValueError):
        return None

    def rate(name: str) -> Decimal | None:
        value: object = getattr(found.model_price, name, None)
        if isinstance(value, TieredPrices):
            reached = [tier.price for tier in value.tiers if prompt_tokens >= tier.start]
            return max([value.base, *reached])  # the dearest that so long a prompt can cost
        return value if isinstance(value, Decimal) else None

    incoming, outgoing = rate("input_mtok"), rate("output_mtok")
    if incoming is None or outgoing is None:
        return None
    return Price(
        input_per_million=incoming,
        output_per_million=outgoing,
        cached_input_per_million=rate("cache_read_mtok"),
        source=f"genai-prices {genai_prices.__version__}",
        as_of=on.isoformat(),
    )


_EDGES: Final = 2  # for the ends of a text, which may be cut, so that parts are not counted below their whole
_TIKTOKEN_VENDORS: Final = ("openai", "azure", "text-completion-openai")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vocabulary:
    """A published vocabulary."""

    file: str  # its name in litellm's folder: the SHA-1 of its published address
    sha256: str
    words: str  # pattern of the parts of a text that are encoded separately


_ENDINGS: Final = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"  # English endings that stay with their word
_VOCABULARIES: Final = {
    "cl100k_base": _Vocabulary(
        file="9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        words=(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
            r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
        ),
    ),
    "o200k_base": _Vocabulary(
        file="fb374d419588a4632f3f557e76b4b70aebbca790",
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        words=(
            rf"[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}]*[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}]+{_ENDINGS}"
            rf"|[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}]+[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}]*{_ENDINGS}"
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
    ),
}
_OF_MODELS: Final = (  # the first that a model's name begins with
    ("cl100k_base", ("gpt-4-", "gpt-3.5-turbo", "gpt-35-turbo", "ft:gpt-4-", "ft:gpt-4:", "ft:gpt-3.5-turbo")),
    ("o200k_base", ("gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "chatgpt-4o", "ft:gpt-4o", "ft:gpt-4.1")),
    ("o200k_base", ("o1-", "o3-", "o4-")),
)
# Beginnings of others' names, so these count as a whole.
_WHOLE_NAMES: Final = {"gpt-4": "cl100k_base", "o1": "o200k_base", "o3": "o200k_base"}
_loading = Lock()


class _Encoding(Protocol):
    """The used part of tiktoken."""

    def encode_ordinary(self, text: str) -> Sequence[int]:
        """Return the tokens of `text`; special tokens count as text."""
        ...


class ModelCounter:
    """The `TokenCounter` of models with a vocabulary; estimates if that turns out to be missing."""

    def __init__(self, vocabulary: str) -> None:
        """Count by the named vocabulary, which the first text loads."""
        self._vocabulary = vocabulary
        self._counted = lru_cache(maxsize=64)(self._count)

    @property
    def name(self) -> str:
        """The vocabulary, or the version of the estimate."""
        return self._vocabulary if _load(self._vocabulary) else ConservativeCounter().name

    def count(self, text: str) -> int:
        """Return the exact count plus two; 0 only for an empty text."""
        return self._counted(text) if text else 0

    def _count(self, text: str) -> int:
        encoding = _load(self._vocabulary)
        return ConservativeCounter().count(text) if encoding is None else len(encoding.encode_ordinary(text)) + _EDGES


def counter_of(profile: ModelProfile) -> TokenCounter:
    """Return the token counter of a model: its tokenizer if it is known; nothing is loaded yet."""
    vocabulary = vocabulary_of(profile.provider, profile.model)
    return ConservativeCounter() if vocabulary is None else ModelCounter(vocabulary)


def counter_named(name: str) -> TokenCounter | None:
    """Return the counter of that name if it is a vocabulary on this machine."""
    return ModelCounter(name) if name in _VOCABULARIES and _load(name) else None


def vocabulary_of(provider: str, model: str) -> str | None:
    """Return the name of a model's vocabulary; None if it is not one that OpenAI published."""
    is_theirs = provider in _TIKTOKEN_VENDORS or model.startswith("openai/")
    name = model.removeprefix("openai/")
    if not is_theirs:
        return None
    found = (each for each, starts in _OF_MODELS if name.startswith(starts))
    return _WHOLE_NAMES.get(name) or next(found, None)


def forget() -> None:
    """Drop the loaded vocabularies, for a machine whose files have changed."""
    _loaded.cache_clear()


def _load(name: str) -> _Encoding | None:
    with _loading:  # so that threads that count at once do not each load it
        return _loaded(name)


@lru_cache(maxsize=len(_VOCABULARIES))
def _loaded(name: str) -> _Encoding | None:
    vocabulary = _VOCABULARIES[name]
    content = _read(vocabulary)
    if content is None or find_spec("tiktoken") is None:
        return None
    # A line each: token in base 64, rank.
    ranks = {b64decode(token): int(rank) for token, rank in map(bytes.split, content.splitlines())}
    made = importlib.import_module("tiktoken").Encoding(
        name=name, pat_str=vocabulary.words, mergeable_ranks=ranks, special_tokens={}
    )
    return cast("_Encoding", made)


def _read(vocabulary: _Vocabulary) -> bytes | None:
    """Return the vocabulary's file from litellm; None if it is missing or has another hash."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).parent / "litellm_core_utils" / "tokenizers" / vocabulary.file
    content = file.read_bytes() if file.is_file() else b""  # a missing file has another hash as well
    return content if hashlib.sha256(content).hexdigest() == vocabulary.sha256 else None

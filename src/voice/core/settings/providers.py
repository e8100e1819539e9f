"""Settings of the models that encode, write and check; their known providers, and the variables of those keys.

Law: an unknown name is told before a key is asked for. The names are those of the installed litellm, held together by a
test, because importing it takes seconds; a later one can be used once its key is set. A key comes from the environment
and goes only to its own vendor (ruling D24), never to a custom `api_base`; only the chosen provider's is looked up.
Source: rulings A23, D24.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from difflib import get_close_matches
from typing import Final, Literal

from voice.core.errors import ConfigurationError
from voice.core.messages import files as messages
from voice.core.settings.readers import integer, number, secret, setting, text, unset, url, word

_USUAL: Final = ("gemini", "openai", "anthropic", "xai", "mistral", "groq", "openrouter", "ollama_chat", "extractive")
_OF_LITELLM: Final = frozenset({
    "a2a", "a2a_agent", "ai21", "ai21_chat", "aiml", "aiohttp_openai", "amazon_nova", "anthropic", "anthropic_text",
    "apertis", "assemblyai", "auto_router", "aws_polly", "aws_textract", "azure", "azure_ai", "azure_speech",
    "azure_text", "baseten", "bedrock", "bedrock_mantle", "black_forest_labs", "bytez", "cerebras", "charity_engine",
    "chatgpt", "chutes", "clarifai", "cloudflare", "codestral", "cognition", "cohere", "cohere_chat", "cometapi",
    "compactifai", "cortecs", "cursor", "custom", "custom_openai", "darkbloom", "dashscope", "databricks", "datarobot",
    "deepgram", "deepinfra", "deepseek", "docker_model_runner", "dotprompt", "edenai", "elevenlabs", "empower",
    "fal_ai", "featherless_ai", "fireworks_ai", "friendliai", "galadriel", "gdc", "gemini", "gigachat", "github",
    "github_copilot", "gradient_ai", "groq", "helicone", "heroku", "hosted_vllm", "huggingface", "humanloop",
    "hyperbolic", "inception", "infinity", "jina_ai", "lambda_ai", "langflow", "langfuse", "langgraph", "lemonade",
    "libertai", "litellm_agent", "litellm_proxy", "llamafile", "lm_studio", "manus", "maritalk", "meta", "meta_llama",
    "milvus", "minimax", "mistral", "modelscope", "mongodb", "moonshot", "morph", "nadir", "nano-gpt", "nebius",
    "neosantara", "nlp_cloud", "novita", "nscale", "nvidia_nim", "nvidia_riva", "oci", "ollama", "ollama_chat",
    "oobabooga", "openai", "openai_like", "openrouter", "ovhcloud", "parasail", "perplexity", "petals", "pg_vector",
    "pinstripes", "poe", "predibase", "prism", "publicai", "qwen_ai_platform", "qwencloud", "ragflow", "recraft",
    "reducto", "reka", "replicate", "runwayml", "s3_vectors", "sagemaker", "sagemaker_chat", "sagemaker_nova", "sail",
    "sambanova", "sap", "scaleway", "scx-ai", "snowflake", "soniox", "stability", "strands_decider", "synthetic",
    "tencent", "tensormesh", "text-completion-codestral", "text-completion-inception", "text-completion-openai",
    "together_ai", "topaz", "transcribe", "triton", "typesafe", "v0", "valkey", "vercel_ai_gateway", "vertex_ai",
    "vertex_ai_beta", "vllm", "volcengine", "voyage", "wandb", "watsonx", "watsonx_text", "xai", "xiaomi_mimo",
    "xinference", "zai",
})  # fmt: skip


def is_known(provider: str) -> bool:
    """Return whether there is a provider of that name."""
    return provider == "litellm" or provider in _OF_LITELLM or is_keyless(provider)  # "litellm": any vendor's model


def why_no_key(provider: str, setting: str = "SURR_INNER_VOICE_PROVIDER", key: str | None = None) -> str:
    """Return what to tell who has no key for a provider: what to set, or that nobody goes by that name.

    `key` is the setting of a key for an endpoint of one's own, where that is asked.
    """
    names, offline = key or " or ".join(key_names(provider)), messages.OR_OFFLINE
    if is_known(provider):
        return messages.key_missing(provider, names, offline)
    return f"{why_unknown(provider, setting)}. {messages.if_newer(provider, names)}; {offline}"


def why_unknown(provider: str, setting: str) -> str:
    """Return what to tell who named a provider that nobody knows, and in which setting."""
    close = get_close_matches(provider, sorted(_OF_LITELLM), n=1)
    meant = messages.did_you_mean(close[0]) if close else ""
    return messages.unknown_provider(provider, meant, setting, ", ".join(_USUAL))


# On this machine, or on a server of the person's own.
_KEYLESS = frozenset({
    "extractive", "scripted", "local", "hash", "ollama", "ollama_chat", "hosted_vllm", "lm_studio", "llamafile",
})  # fmt: skip
_NAMES: dict[str, tuple[str, ...]] = {  # where litellm reads another name than PROVIDER_API_KEY
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
    return _NAMES.get(provider, (f"{provider.upper().replace('-', '_')}_API_KEY",))  # "nano-gpt": NANO_GPT_API_KEY


def find_key(provider: str, *, own: str | None, has_api_base: bool, env: Mapping[str, str]) -> str | None:
    """Return the key that may be sent, or None; `has_api_base`: the endpoint is not the vendor's own.

    own: a key given for exactly this endpoint (`SURR_INNER_VOICE_API_KEY`, `SURR_EMBED_API_KEY`).
    """
    if own is not None:
        return own
    if has_api_base:  # never send a vendor's key to another server (ruling D24)
        return None
    return next((env[name].strip() for name in key_names(provider) if env.get(name, "").strip()), None)


_OWN_ENCODERS = {"local": "all-MiniLM-L6-v2-int8", "hash": "hashed-ngrams-v1"}  # models that come with the program


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedSettings:
    """Which encoder gives the vectors."""

    provider: str = setting("local", "SURR_EMBED_PROVIDER", "Who encodes: local (offline), or a vendor's name.", word())
    model: str | None = unset("SURR_EMBED_MODEL", "The encoder; the offline one's own by default.", text("a model"))
    dim: int | None = unset(
        "SURR_EMBED_DIM", "Numbers per vector; the offline encoder's by default.", integer(1, 16_384)
    )
    path: str | None = unset("SURR_EMBED_PATH", "Another copy of the offline encoder's model file.", text("a path"))
    api_base: str | None = unset("SURR_EMBED_API_BASE", "Endpoint of an embedding server.", url("http", "https"))
    api_key: str | None = secret("SURR_EMBED_API_KEY", "Key of the embedding vendor or server.")

    @property
    def encoder(self) -> str:
        """The name of the model that is meant, as its vectors bear it."""
        return _OWN_ENCODERS.get(self.provider) or f"{self.provider}/{self.model}"  # vectors compare within it alone


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """Who writes the drafts, and what a call may take."""

    provider: str = setting(
        "gemini", "SURR_INNER_VOICE_PROVIDER", "Who writes: gemini, extractive (offline), or a vendor.", word()
    )
    model: str = setting(
        "gemini-2.5-pro", "SURR_INNER_VOICE_MODEL", "The model, as its vendor names it.", text("a model")
    )
    api_base: str | None = unset(
        "SURR_INNER_VOICE_API_BASE", "Endpoint of an OpenAI-compatible server.", url("http", "https")
    )
    api_key: str | None = secret("SURR_INNER_VOICE_API_KEY", "Key of the provider or of the server at api_base.")
    max_prompt_tokens: int = setting(
        8000, "SURR_INNER_VOICE_MAX_TOKENS", "Size of a prompt.", integer(1280, 2_000_000), "tokens"
    )
    max_output_tokens: int = setting(
        2048,
        "SURR_INNER_VOICE_MAX_OUTPUT_TOKENS",
        "Size of a reply, reasoning included.",
        integer(64, 200_000),
        "tokens",
    )
    temperature: float | None = unset(
        "SURR_INNER_VOICE_TEMP",
        "Temperature of every call; by default 0.8 to challenge and question, 0.2 to synthesize.",
        number(0.0, 2.0),
    )
    deadline_s: float = setting(
        60.0, "SURR_INNER_VOICE_DEADLINE", "Time for one whole turn.", number(1.0, 3600.0), "seconds"
    )
    stream: bool = setting(
        True, "SURR_INNER_VOICE_STREAM", "Streams replies, and ends a call whose sources cannot support an answer."
    )
    quarantine_instructions: bool = setting(
        True,
        "SURR_QUARANTINE_INSTRUCTIONS",
        "Keeps notes that read like instructions to a model out of prompts and recall, and says so.",
    )
    cost_tracking: bool = setting(True, "SURR_INNER_VOICE_COST_TRACKING", "Keeps the cost of each exchange.")
    max_turn_cost: Decimal | None = unset(
        "SURR_INNER_VOICE_MAX_COST", "The most that a turn may cost; no cap by default.", unit="US dollars"
    )
    max_session_cost: Decimal | None = unset(
        "SURR_INNER_VOICE_MAX_SESSION_COST", "The most that a session may cost; no cap by default.", unit="US dollars"
    )
    max_day_cost: Decimal | None = unset(
        "SURR_INNER_VOICE_MAX_DAY_COST",
        "The most that a day (of time.timezone) may cost; no cap by default.",
        unit="US dollars",
    )
    max_month_cost: Decimal | None = unset(
        "SURR_INNER_VOICE_MAX_MONTH_COST",
        "The most that a month (of time.timezone) may cost; no cap by default.",
        unit="US dollars",
    )
    on_unknown_price: Literal["refuse", "allow"] = setting(
        "refuse", "SURR_INNER_VOICE_ON_UNKNOWN_PRICE", "What a spending cap does when the price is unknown."
    )
    checks: bool = False
    """Whether it is the model that checks, which settings of its own name; read from none."""

    @property
    def caps_what_was_spent(self) -> bool:  # a turn's cap needs no past
        """Whether a cap is set that rests on what earlier turns cost."""
        return any(cap is not None for cap in (self.max_session_cost, self.max_day_cost, self.max_month_cost))

    def require_key(self) -> str | None:
        """Return the key to send, None for a provider that takes none or an `api_base` of one's own.

        Raises:
            ConfigurationError: the provider needs a key and there is none, or is none that is known (ruling A23).
        """
        if self.api_key is None and self.api_base is None and not is_keyless(self.provider):
            raise ConfigurationError(why_no_key(self.provider))
        return self.api_key


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierSettings:
    """Who checks the sentences that are not quoted (DESIGN 6)."""

    name: str = setting(
        "auto",
        "SURR_VERIFIER",
        "Who checks sentences that are not quoted: auto (the model, if one writes), none, llm, or an installed one.",
        word(),
    )
    model: str | None = unset(
        "SURR_VERIFIER_MODEL",
        "The model that checks, as PROVIDER/MODEL; by default the one that writes.",
        text("PROVIDER/MODEL"),
    )
    api_key: str | None = secret("SURR_VERIFIER_API_KEY", "Key of the provider whose model checks.")
    timeout_s: float = setting(
        30.0, "SURR_VERIFIER_TIMEOUT", "Time for one verification.", number(0.1, 600.0), "seconds"
    )

    @property
    def has_checker(self) -> bool:
        """Whether the model that checks is another one than writes."""
        return self.model is not None and self.name != "none"

    def llm_of(self, writer: LlmSettings) -> LlmSettings:
        """Return the settings of the model that checks; one of the `writer`'s provider shares its endpoint and key."""
        if self.model is None:
            return writer
        provider, _, model = self.model.partition("/")  # "openai/gpt-4o", "openrouter/meta/llama"
        if provider == writer.provider:
            return replace(writer, model=model, api_key=self.api_key or writer.api_key, checks=True)
        # Neither the endpoint nor the key of the writer belongs to another provider (ruling D24).
        return replace(writer, provider=provider, model=model, api_base=None, api_key=self.api_key, checks=True)

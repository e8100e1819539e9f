"""Known model providers, and the environment variables of their keys.

Law: an unknown name is told before a key is asked for. The names are those of the installed litellm, held together by a
test, because importing it takes seconds; a later one can be used once its key is set. A key comes from the environment
and goes only to its own vendor (ruling D24), never to a custom `api_base`; only the chosen provider's is looked up.
Source: rulings A23, D24.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from voice.core.messages import files as messages

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


def why_no_key(provider: str, setting: str = "SURR_INNER_VOICE_PROVIDER") -> str:
    """Return what to tell who has no key for a provider: what to set, or that nobody goes by that name."""
    names, offline = " or ".join(key_names(provider)), messages.OR_OFFLINE
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

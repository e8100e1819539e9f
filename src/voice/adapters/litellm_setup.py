"""The only import of litellm: late, and made safe before and after (DESIGN 7).

Law: importing litellm must not reach a network, read a `.env`, print, or log texts. It reads the relevant switches from
the environment, some at import and some at the first call, so they are set before the import and at every load; a
person's own values cannot undo that (promises 6 and 10). The import takes seconds of CPU: call `load_litellm` from a
worker thread, never at module level.
"""

import importlib
import logging
import os
import ssl
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Protocol, cast

import httpx

from voice.adapters.guarded_http import GuardedTransport

TAMED_ENVIRONMENT: Mapping[str, str] = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else it fetches a price map while being imported
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",  # else the first Anthropic call fetches a header list
    "LITELLM_MODE": "PRODUCTION",  # else it loads the nearest .env above its own files
    "DISABLE_AIOHTTP_TRANSPORT": "True",  # one HTTP library: httpx
    "LITELLM_LOG": "CRITICAL",  # else it logs at the level that is set there
    "HF_HUB_OFFLINE": "1",  # else counting tokens of some model names asks a model hub
}
_HTTP = "litellm.llms.custom_httpx.http_handler"
_LATE_IMPORTS = (  # litellm would import these at the first call, on the event loop, for half a second
    "openai.resources.chat",
    "litellm.litellm_core_utils.default_encoding",
)
_NEVER = logging.CRITICAL + 1
_SILENT = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")  # these warn on the terminal by handlers of their own
_LOGGERS = (  # below WARNING these print arguments and bodies, which are prompts
    "openai",
    "openai._base_client",
    "openai._response",
    "openai._legacy_response",
    "openai.lib.parsing",
    "httpx",
    "httpcore",
)


class LiteLlm(Protocol):
    """The used part of litellm."""

    suppress_debug_info: bool
    """True stops it from printing advice to stdout after every failed call."""
    turn_off_message_logging: bool
    redact_messages_in_exceptions: bool
    disable_aiohttp_transport: bool
    set_verbose: bool
    cache: object
    callbacks: list[object]
    success_callback: list[object]
    failure_callback: list[object]
    model_cost: dict[str, object]
    provider_list: Sequence[object]
    LITELLM_EXCEPTION_TYPES: Sequence[type[Exception]]
    APIConnectionError: type[Exception]
    ContentPolicyViolationError: type[Exception]
    ContextWindowExceededError: type[Exception]

    async def acompletion(self, **arguments: object) -> object:
        """Ask a chat model; the reply is litellm's `ModelResponse`."""
        ...

    async def aembedding(self, **arguments: object) -> object:
        """Ask for vectors; the reply is litellm's `EmbeddingResponse`."""
        ...

    async def close_litellm_async_clients(self) -> None:
        """Close litellm's own HTTP clients."""
        ...

    @property
    def in_memory_llm_clients_cache(self) -> "ClientCache":
        """Litellm's own HTTP clients; closed ones stay in it."""
        ...


class _Handler(Protocol):
    """The class whose static methods make litellm's transports."""

    create_async_transport: Callable[..., object]
    create_httpx_proxy_mounts: Callable[..., Mapping[str, httpx.AsyncBaseTransport | None] | None]


class ClientCache(Protocol):
    """Litellm's cache of HTTP clients."""

    def flush_cache(self) -> None:
        """Remove all clients."""
        ...


def load_litellm() -> LiteLlm:
    """Import litellm if necessary, which blocks for seconds, and return it, silent and offline; safe in any thread."""
    os.environ.update(TAMED_ENVIRONMENT)
    litellm = cast("LiteLlm", cast("object", importlib.import_module("litellm")))
    for name in _LATE_IMPORTS:
        importlib.import_module(name)
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    litellm.redact_messages_in_exceptions = True
    litellm.disable_aiohttp_transport = True
    litellm.set_verbose = False
    litellm.cache = None
    # A callback would see prompts and replies.
    litellm.callbacks, litellm.success_callback, litellm.failure_callback = [], [], []
    for name in _SILENT:
        logging.getLogger(name).setLevel(_NEVER)
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module=r"litellm|pydantic\.main")  # litellm's models warn through pydantic
    _guard_transports()
    return litellm


def _guard_transports() -> None:
    """Make all of litellm's connections guarded: none follows a redirect or sends a request twice in one call."""
    # Its own transports would follow a redirect with the prompt, and skip the check of certificates if its environment
    # variable `SSL_VERIFY` says so.
    handler = cast("_Handler", vars(importlib.import_module(_HTTP))["AsyncHTTPHandler"])
    if handler.create_async_transport is not _transport:  # once, although this runs at every load
        environment_proxies = handler.create_httpx_proxy_mounts  # proxies of the environment still apply, but guarded

        def mounts(*_: object, **_more: object) -> Mapping[str, GuardedTransport | None]:
            made = environment_proxies(
                httpx.AsyncHTTPTransport(verify=_certificates()), verify=_certificates(), cert=None
            )
            return {pattern: None if each is None else GuardedTransport(each) for pattern, each in (made or {}).items()}

        handler.create_httpx_proxy_mounts = mounts
        handler.create_async_transport = _transport


def _transport(*_: object, **_more: object) -> GuardedTransport:
    return GuardedTransport(httpx.AsyncHTTPTransport(verify=_certificates()))


@cache
def _certificates() -> ssl.SSLContext:
    """Return the trusted certificates, read once, since that takes longer than a request."""
    return httpx.create_ssl_context()


def forestall_lookup(litellm: LiteLlm, provider: str, model: str) -> None:
    """Enter a local model into litellm's table, because litellm asks a server about an unknown one during the call."""
    # That server is Ollama's default or `OLLAMA_API_BASE`, whatever endpoint the call goes to.
    if provider in ("ollama", "ollama_chat"):
        litellm.model_cost.setdefault(f"{provider}/{model}", {"litellm_provider": provider, "mode": "chat"})


async def close_litellm(litellm: LiteLlm) -> None:
    """Close litellm's HTTP clients and remove them: it would go on using closed ones."""
    await litellm.close_litellm_async_clients()
    litellm.in_memory_llm_clients_cache.flush_cache()
    vars(litellm).pop("module_level_aclient", None)  # used for streams, and made again when it is missing

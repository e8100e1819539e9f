"""Gemini, through google-genai over an HTTP client of ours (DESIGN 7).

Law: one attempt a call; the key is handed over by value and goes to Gemini's endpoint only (ruling D24); the library's
own environment variables change nothing. A block by the provider's filter is a refusal, not an error.
"""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, cast

import anyio
import httpx
from anyio.to_thread import run_sync

from voice.adapters.llm.faults import (
    DECLINED,
    GRACE_S,
    VENDOR_FAULTS,
    fault_of_status,
    retry_after,
    unreachable,
    unreadable,
)
from voice.adapters.llm.profiles import DEFAULT_API_BASE
from voice.core.errors import DeadlineExceeded, VoiceError
from voice.core.usage import Usage, as_reported
from voice.ports.llm import LlmReply, LlmRequest, ModelProfile

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.types import GenerateContentConfig, GenerateContentResponse

_MIN_THINKING = 512
_MAX_THINKING = 24_576
_BLOCKED = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"})
_LOGGERS = (
    "google_genai",
    "google_genai.models",
    "google_genai._api_client",
    "google_genai._common",
    "google_genai.types",
    "httpx",
    "httpcore",
)


class _Models(Protocol):
    """The one method used of google-genai's models, whose own signature names types that are not installed."""

    async def generate_content(
        self, *, model: str, contents: str, config: "GenerateContentConfig"
    ) -> "GenerateContentResponse": ...


class GeminiClient:
    """One Gemini model."""

    def __init__(
        self,
        *,
        profile: ModelProfile,
        api_key: str,
        unix_time: Callable[[], float],
        api_base: str | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """Prepare a client; nothing is imported or connected yet.

        Args:
            profile: the model's facts.
            api_key: Gemini's key.
            unix_time: the current Unix time, to read a `retry-after` that is a date.
            api_base: another endpoint that speaks Gemini's protocol.
            http_client: the HTTP client to use, which stays the caller's to close; None makes one of our own.
        """
        self._profile = profile
        self._api_key = api_key
        self._unix_time = unix_time
        self._api_base = api_base or DEFAULT_API_BASE["gemini"]
        self._http_client = http_client
        self._owned: httpx.AsyncClient | None = None
        self._client: Client | None = None
        self._faults: tuple[type[Exception], ...] = (httpx.HTTPError, *VENDOR_FAULTS)

    @property
    def profile(self) -> ModelProfile:
        """The model's facts."""
        return self._profile

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the model's reply; see the port for what it raises."""
        fault: VoiceError
        try:
            with anyio.fail_after(request.timeout_s):
                return await self._ask(request)
        except TimeoutError:
            fault = DeadlineExceeded(f"gemini did not answer within {request.timeout_s:.3g} seconds")
        except self._faults as error:
            fault = self._fault_of(error)
        raise fault

    async def aclose(self) -> None:
        """Close our own HTTP client; one that was handed in stays open."""
        self._client = None
        owned, self._owned = self._owned, None
        if owned is not None:
            await owned.aclose()

    async def _ask(self, request: LlmRequest) -> LlmReply:
        if self._client is None:
            http_client = self._http_client or self._own_client()
            self._client = await run_sync(self._connect, http_client)
        _silence()
        models = cast("_Models", cast("object", self._client.aio.models))
        response = await models.generate_content(
            model=self._profile.model, contents=request.prompt, config=_config(request, self._profile.model)
        )
        return _reply_of(response, self._profile.model)

    def _own_client(self) -> httpx.AsyncClient:
        if self._owned is None:
            self._owned = httpx.AsyncClient(follow_redirects=False)
        return self._owned

    def _connect(self, http_client: httpx.AsyncClient) -> "Client":
        """Import the library, which takes a second of CPU, and build its client; runs in a worker thread."""
        from google.genai import Client  # noqa: PLC0415 - costs a second of CPU, so only when used
        from google.genai.errors import APIError  # noqa: PLC0415 - costs a second of CPU, so only when used
        from google.genai.types import HttpOptions, HttpRetryOptions  # noqa: PLC0415 - costs a second of CPU, so only when used

        self._faults = (APIError, httpx.HTTPError, *VENDOR_FAULTS)
        return Client(
            api_key=self._api_key,
            vertexai=False,
            http_options=HttpOptions(
                base_url=self._api_base,
                httpx_async_client=http_client,
                retry_options=HttpRetryOptions(attempts=1),
            ),
        )

    def _fault_of(self, error: Exception) -> VoiceError:
        if isinstance(error, httpx.TransportError):
            return unreachable("gemini")
        status: object = getattr(error, "code", None)
        if not isinstance(status, int):
            return unreadable("gemini")
        if status == 400 and "API_KEY_INVALID" in str(getattr(error, "details", "")):
            return fault_of_status(401, "gemini")
        headers: object = getattr(cast("object", getattr(error, "response", None)), "headers", None)
        known = headers if isinstance(headers, httpx.Headers) else httpx.Headers()
        return fault_of_status(status, "gemini", retry_after_s=retry_after(known, now_s=self._unix_time()))


def _config(request: LlmRequest, model: str) -> "GenerateContentConfig":
    from google.genai import types  # noqa: PLC0415 - costs a second of CPU, so only when used

    return types.GenerateContentConfig(
        system_instruction=request.system,
        temperature=request.temperature,
        max_output_tokens=request.max_output_tokens,
        response_mime_type="application/json",
        response_json_schema=dict(request.schema),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        thinking_config=types.ThinkingConfig(thinking_budget=budget) if (budget := _thinking(request, model)) else None,
        http_options=types.HttpOptions(timeout=round(1000 * (request.timeout_s + GRACE_S))),
    )


def _thinking(request: LlmRequest, model: str) -> int | None:
    """Return how much of the reply may be thought: half of it, where the model would else think it all away."""
    half = request.max_output_tokens // 2
    return min(half, _MAX_THINKING) if model.startswith("gemini-2.5") and half >= _MIN_THINKING else None


def _reply_of(response: "GenerateContentResponse", model: str) -> LlmReply:
    candidate = response.candidates[0] if response.candidates else None
    parts = candidate.content.parts if candidate and candidate.content and candidate.content.parts else []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    finish = candidate.finish_reason.value if candidate and candidate.finish_reason else None
    feedback = response.prompt_feedback
    blocked = finish in _BLOCKED or (feedback is not None and feedback.block_reason is not None)
    return LlmReply(
        text=DECLINED if blocked and not text else text,
        usage=_usage_of(response),
        model=response.model_version or model,
        finish_reason=finish,
    )


def _usage_of(response: "GenerateContentResponse") -> Usage:
    counts = response.usage_metadata
    if counts is None or counts.prompt_token_count is None:
        return Usage()
    sent = (counts.prompt_token_count, counts.tool_use_prompt_token_count or 0)
    written = (counts.candidates_token_count or 0, counts.thoughts_token_count or 0)
    if min(*sent, *written) < 0:
        return Usage()
    return as_reported(sum(sent), sum(written), counts.cached_content_token_count or 0)


def _silence() -> None:
    """Keep the library's own records of requests out of the logs, whatever level the program logs at."""
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)

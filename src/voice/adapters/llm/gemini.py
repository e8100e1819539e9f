"""Gemini, through google-genai over an HTTP client of ours (DESIGN 7).

Law: one attempt a call; the key is handed over by value and goes to Gemini's endpoint only (ruling D24); the library's
own environment variables change nothing, and nothing of it is written to the terminal (ruling J4). What the provider
calls the end of a reply decides what it is: a block is a reply without words, not an error (ruling J3).
"""

import json
import logging
import warnings
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

import anyio
import httpx
from anyio.to_thread import run_sync

from voice.adapters.guarded_http import CALL_TRACE, CallTrace, note_response
from voice.adapters.llm.model_facts import DEFAULT_API_BASE
from voice.adapters.llm.provider_errors import (
    GRACE_S,
    VENDOR_FAULTS,
    WRITER,
    Addressee,
    SettingNames,
    error_of_status,
    html_page_error,
    protocol_error,
    redirect_error,
    retry_after,
    unreachable_error,
)
from voice.adapters.llm.provider_messages import (
    StreamedText,
    deliver_whole,
    ending_of,
    objects_in,
    parse_error_body,
    read_stream,
)
from voice.core.errors import DeadlineExceeded, ProviderUnavailable, VoiceError
from voice.core.model_endpoints import RequestPart
from voice.core.usage import Usage, reported_usage
from voice.ports.llm import LlmReply, LlmRequest, ModelProfile

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.types import GenerateContentConfig, GenerateContentResponse, GenerateContentResponseUsageMetadata

T = TypeVar("T")
_MIN_THINKING = 512  # the vendor's bounds of a budget
_MAX_THINKING = 24_576
_API_VERSION = "v1beta"  # pinned: the library would take it from the environment
_NEVER = logging.CRITICAL + 1
_LOGGERS = (
    "google_genai",
    "google_genai.models",
    "google_genai._api_client",
    "google_genai._common",
    "google_genai.types",
)
_QUIET = ("httpx", "httpcore")  # below WARNING these print addresses and headers


class _Models(Protocol):
    """The used methods of google-genai's models, whose own signatures need types that are not installed."""

    async def generate_content(
        self, *, model: str, contents: str, config: "GenerateContentConfig"
    ) -> "GenerateContentResponse": ...

    async def generate_content_stream(
        self, *, model: str, contents: str, config: "GenerateContentConfig"
    ) -> "AsyncIterator[GenerateContentResponse]": ...


class GeminiClient:
    """A client of one Gemini model."""

    def __init__(
        self,
        *,
        profile: ModelProfile,
        api_key: str,
        unix_time: Callable[[], float],
        api_base: str | None = None,
        names: SettingNames = WRITER,
    ) -> None:
        """Prepare a client, for another endpoint with Gemini's protocol where `api_base` names one; nothing is imported
        or connected yet. `unix_time` is for a `retry-after` that is a date; `names` are the settings that messages
        name."""
        self._addressee = Addressee(provider="gemini", names=names, api_base=api_base)
        self.profile = profile
        self._api_key = api_key
        self._unix_time = unix_time
        self._api_base = api_base or DEFAULT_API_BASE["gemini"]
        self._http_client: httpx.AsyncClient | None = None
        self._client: Client | None = None
        self._faults: tuple[type[Exception], ...] = (httpx.HTTPError, *VENDOR_FAULTS)  # until the library is imported

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the model's reply; see the port for what it raises."""
        fault: VoiceError
        trace = CallTrace()
        watching = CALL_TRACE.set(trace)
        try:
            with anyio.fail_after(request.timeout_s):
                return await self._ask(request)
        except TimeoutError:
            fault = DeadlineExceeded(f"Gemini did not answer within {request.timeout_s:.3g} seconds")
        except ProviderUnavailable as error:  # a reply that cannot be read may be a page
            fault = html_page_error(self._addressee) if trace.is_page else error
        except self._faults as error:
            fault = html_page_error(self._addressee) if trace.is_page else self._fault_of(error)
        finally:
            CALL_TRACE.reset(watching)
        raise fault

    async def aclose(self) -> None:
        """Close the HTTP client."""
        self._client = None
        opened, self._http_client = self._http_client, None
        if opened is not None:
            await opened.aclose()

    async def _ask(self, request: LlmRequest) -> LlmReply:
        _silence()
        if self._client is None:
            if self._http_client is None:
                hooks = {"response": [note_response]}
                self._http_client = httpx.AsyncClient(follow_redirects=False, event_hooks=hooks)
            self._client = await run_sync(self._connect, self._http_client)
        _silence()
        models, model = cast("_Models", cast("object", self._client.aio.models)), self.profile.model
        without = request.without | self.profile.untaken
        contents = request.prompt if "system" not in without else f"{request.system}\n\n{request.prompt}"
        config = _config(request, model, without)
        if request.on_text is None or "stream" in without:
            parts = [await models.generate_content(model=model, contents=contents, config=config)]
            return deliver_whole(_reply_of(parts, model), request.on_text)
        streamed, parts = StreamedText(request.on_text), list["GenerateContentResponse"]()

        def add(part: "GenerateContentResponse") -> bool:
            parts.append(part)
            return streamed.add(_text_of(part))

        await read_stream(await models.generate_content_stream(model=model, contents=contents, config=config), add)
        return replace(_reply_of(parts, model), stopped=streamed.is_enough)

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
                api_version=_API_VERSION,
                httpx_async_client=http_client,
                retry_options=HttpRetryOptions(attempts=1),  # `retry` is the only layer that tries again
            ),
        )

    def _fault_of(self, error: Exception) -> VoiceError:
        if isinstance(error, httpx.TransportError):
            return unreachable_error(self._addressee)
        status: object = getattr(error, "code", None)
        if not isinstance(status, int):
            return protocol_error("gemini")
        response: object = getattr(error, "response", None)
        headers: object = getattr(response, "headers", None)
        known = headers if isinstance(headers, httpx.Headers) else httpx.Headers()
        if 300 <= status < 400:
            return redirect_error(self._addressee, status)
        wait_s = retry_after(known, now_s=self._unix_time())
        body = parse_error_body(_details_of(error))
        return error_of_status(status, self._addressee, retry_after_s=wait_s, body=body)


def _details_of(error: Exception) -> Mapping[str, object]:
    """Return the body of an error, however the library stores it."""
    details: object = getattr(error, "details", None)
    return next(objects_in(json.dumps(details, default=str)), dict[str, object]())


def _config(request: LlmRequest, model: str, without: frozenset[RequestPart]) -> "GenerateContentConfig":
    from google.genai import types  # noqa: PLC0415 - costs a second of CPU, so only when used

    budget = None if "thinking" in without else _thinking(request, model)
    has_no_schema = "schema" in without
    return types.GenerateContentConfig(
        system_instruction=None if "system" in without else request.system,
        temperature=None if "temperature" in without else request.temperature,
        max_output_tokens=request.max_output_tokens,
        response_mime_type=None if has_no_schema else "application/json",
        response_json_schema=None if has_no_schema else dict(request.schema),
        # A model may call no function of this program.
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        thinking_config=types.ThinkingConfig(thinking_budget=budget) if budget else None,
        # Behind our own deadline, which says how long was waited.
        http_options=types.HttpOptions(timeout=round(1000 * (request.timeout_s + GRACE_S))),
    )


def _thinking(request: LlmRequest, model: str) -> int | None:
    """Return the limit of thinking tokens: half of the reply, for models that would otherwise use all of it."""
    half = request.max_output_tokens // 2
    return min(half, _MAX_THINKING) if model.startswith("gemini-2.5") and half >= _MIN_THINKING else None


def _reply_of(parts: "Sequence[GenerateContentResponse]", model: str) -> LlmReply:
    """Return the reply in these parts, of which a whole one has one."""
    if all(part.candidates is None and not part.prompt_feedback and not part.usage_metadata for part in parts):
        raise protocol_error("gemini")
    finish = _last(map(_finish_of, parts))
    blocked = _last(map(_block_of, parts))
    return LlmReply(
        text="".join(map(_text_of, parts)),
        usage=_usage_of(parts),
        model=_last(part.model_version for part in parts) or model,
        finish_reason=blocked or finish,
        ending="declined" if blocked else ending_of(finish),
    )


def _block_of(part: "GenerateContentResponse") -> str | None:
    reason = part.prompt_feedback.block_reason if part.prompt_feedback is not None else None
    return reason.value if reason else None


def _text_of(part: "GenerateContentResponse") -> str:
    candidate = part.candidates[0] if part.candidates else None
    content = candidate.content.parts if candidate and candidate.content and candidate.content.parts else []
    return "".join(each.text for each in content if each.text and not each.thought)  # not what it only thought


def _finish_of(part: "GenerateContentResponse") -> str | None:
    candidate = part.candidates[0] if part.candidates else None
    return candidate.finish_reason.value if candidate and candidate.finish_reason else None


def _last(values: Iterable[T | None]) -> T | None:
    known = [value for value in values if value]
    return known[-1] if known else None


def _usage_of(parts: "Sequence[GenerateContentResponse]") -> Usage:
    """Return the last reported usage: each part of a stream reports the sum so far."""
    counts = _last(part.usage_metadata for part in parts)
    if counts is None or counts.prompt_token_count is None:
        return Usage()
    sent = counts.prompt_token_count + (counts.tool_use_prompt_token_count or 0)
    is_whole = _last(map(_finish_of, parts)) is not None or _last(map(_block_of, parts)) is not None
    written = _output_tokens(counts, sent, is_whole=is_whole)
    reported = (counts.prompt_token_count, counts.tool_use_prompt_token_count, counts.thoughts_token_count, written)
    if min(each or 0 for each in reported) < 0:  # a count below zero is no report
        return Usage()
    return reported_usage(sent, written, counts.cached_content_token_count or 0)


def _output_tokens(counts: "GenerateContentResponseUsageMetadata", sent: int, *, is_whole: bool) -> int | None:
    """Return the tokens of a reply; None if they are unknown, which is not zero."""
    # The count is missing until the provider has it, and if it is zero; of a whole reply the total tells which.
    if counts.candidates_token_count is not None:
        return counts.candidates_token_count + (counts.thoughts_token_count or 0)
    return counts.total_token_count - sent if is_whole and counts.total_token_count is not None else None


def _silence() -> None:
    """Keep the library's logs and warnings off the terminal, whatever level the program logs at (ruling J4)."""
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(_NEVER)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module=r"google\.genai")

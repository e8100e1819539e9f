"""Every provider but Gemini, through litellm (DESIGN 7).

Law: one attempt a call; key and endpoint are handed over by value, so that no environment variable of the library
decides where a prompt or a key goes (ruling D24). What comes back is read as data of unknown shape. A content filter's
answer is a refusal, not an error.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, cast

import anyio
import httpx
from anyio.to_thread import run_sync

from voice.adapters.litellm_setup import LiteLlm, close_litellm, forestall_lookup, load_litellm
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
from voice.adapters.llm.streams import Heard, listen
from voice.core.errors import DeadlineExceeded, VoiceError
from voice.core.usage import Usage, as_reported
from voice.ports.llm import LlmReply, LlmRequest, ModelProfile, OnText

_NO_KEY = "not-needed"
"""Sent where no key is wanted: without one, litellm would look for a vendor's key in the environment."""


class _Dumpable(Protocol):
    def model_dump(self) -> Mapping[str, object]: ...


class _Stream(Protocol):
    """The part of litellm's stream that is used."""

    chunks: Sequence[object]
    """What the provider sent, without what litellm puts into its own last chunk."""
    received_finish_reason: str | None
    """None: the provider has not said that it is at the end."""

    def __aiter__(self) -> AsyncIterator[_Dumpable]: ...


class LiteLlmClient:
    """One model of one provider that litellm knows."""

    def __init__(
        self,
        *,
        profile: ModelProfile,
        api_key: str | None,
        unix_time: Callable[[], float],
        api_base: str | None = None,
    ) -> None:
        """Prepare a client; nothing is imported or connected yet.

        Args:
            profile: the model's facts; `provider` is litellm's name of the vendor.
            api_key: the vendor's key; None where none is needed.
            unix_time: the current Unix time, to read a `retry-after` that is a date.
            api_base: a custom endpoint.
        """
        self._profile = profile
        self._api_key = api_key
        self._unix_time = unix_time
        self._api_base = api_base or DEFAULT_API_BASE.get(profile.provider)
        self._litellm: LiteLlm | None = None
        self._faults: tuple[type[Exception], ...] = (httpx.HTTPError, *VENDOR_FAULTS)

    @property
    def profile(self) -> ModelProfile:
        """The model's facts."""
        return self._profile

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the model's reply; see the port for what it raises."""
        fault: VoiceError
        litellm = await self._load()
        try:
            with anyio.fail_after(request.timeout_s):
                return await self._ask(litellm, request)
        except TimeoutError:
            fault = DeadlineExceeded(f"{self._profile.provider} did not answer within {request.timeout_s:.3g} seconds")
        except self._faults as error:
            if self._is_content_filter(error):
                return LlmReply(text=DECLINED, usage=Usage(), model=self._profile.model, finish_reason="content_filter")
            fault = self._fault_of(error)
        raise fault

    async def aclose(self) -> None:
        """Close the HTTP clients that litellm keeps."""
        litellm, self._litellm = self._litellm, None
        if litellm is not None:
            await close_litellm(litellm)

    async def _load(self) -> LiteLlm:
        litellm = self._litellm = await run_sync(load_litellm)
        forestall_lookup(litellm, self._profile.provider, self._profile.model)
        self._faults = (*litellm.LITELLM_EXCEPTION_TYPES, httpx.HTTPError, *VENDOR_FAULTS)
        return litellm

    async def _ask(self, litellm: LiteLlm, request: LlmRequest) -> LlmReply:
        arguments = self._arguments(request)
        if request.on_text is None:
            response = cast("_Dumpable", await litellm.acompletion(**arguments))
            return _reply_of(response.model_dump(), self._profile)
        asked = await litellm.acompletion(**arguments, stream=True, stream_options={"include_usage": True})
        return await self._heard(cast("_Stream", asked), request.on_text)

    async def _heard(self, stream: _Stream, on_text: OnText) -> LlmReply:
        """Return the reply that comes piece by piece.

        Raises:
            ProviderUnavailable: it ended without a word, and without saying so.
        """
        heard, parts = Heard(on_text), list[Mapping[str, object]]()

        def hear(part: _Dumpable) -> bool:
            parts.append(part.model_dump())
            content = _delta(parts[-1]).get("content")
            return heard.hear(content if isinstance(content, str) else "")

        await listen(aiter(stream), hear)
        if not heard.text and stream.received_finish_reason is None:
            raise unreadable(self._profile.provider)
        whole = _reply_of(_joined(heard.text, parts), self._profile)
        return replace(whole, usage=_usage_reported(stream, whole.usage, heard), stopped=heard.is_enough)

    def _arguments(self, request: LlmRequest) -> dict[str, object]:
        return {
            "model": f"{self._profile.provider}/{self._profile.model}",
            "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.prompt}],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "draft", "strict": True, "schema": dict(request.schema)},
            },
            "temperature": request.temperature,
            "max_tokens": request.max_output_tokens,
            "timeout": request.timeout_s + GRACE_S,
            "api_key": self._api_key or _NO_KEY,
            "api_base": self._api_base,
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,
        }

    def _is_content_filter(self, error: Exception) -> bool:
        return self._litellm is not None and isinstance(error, self._litellm.ContentPolicyViolationError)

    def _fault_of(self, error: Exception) -> VoiceError:
        provider = self._profile.provider
        if self._litellm is not None and isinstance(error, self._litellm.ContextWindowExceededError):
            return fault_of_status(413, provider)
        if self._litellm is not None and isinstance(error, self._litellm.APIConnectionError):
            return unreachable(provider)
        status: object = getattr(error, "status_code", None)
        if not isinstance(status, int):
            return unreadable(provider)
        headers: object = getattr(error, "litellm_response_headers", None)
        known = cast("Mapping[str, str] | None", headers if isinstance(headers, Mapping) else None)
        return fault_of_status(status, provider, retry_after_s=retry_after(known or {}, now_s=self._unix_time()))


def _reply_of(response: Mapping[str, object], profile: ModelProfile) -> LlmReply:
    choice = _mapping(_first(response.get("choices")))
    message = _mapping(choice.get("message"))
    content, finish = message.get("content"), choice.get("finish_reason")
    text = content if isinstance(content, str) else ""
    declined = finish == "content_filter" or bool(_mapping(message.get("provider_specific_fields")).get("refusal"))
    served = response.get("model")
    return LlmReply(
        text=DECLINED if declined and not text else text,
        usage=_usage_of(_mapping(response.get("usage"))),
        model=served.removeprefix(f"{profile.provider}/") if isinstance(served, str) and served else profile.model,
        finish_reason=finish if isinstance(finish, str) else None,
    )


def _delta(part: Mapping[str, object]) -> Mapping[str, object]:
    return _mapping(_mapping(_first(part.get("choices"))).get("delta"))


def _joined(text: str, parts: Sequence[Mapping[str, object]]) -> Mapping[str, object]:
    """Return a stream as the whole reply it is: of what is said several times the last counts."""
    choices = [_mapping(_first(part.get("choices"))) for part in parts]
    finish = [choice["finish_reason"] for choice in choices if choice.get("finish_reason")]
    fields = [fields for part in parts if (fields := _delta(part).get("provider_specific_fields"))]
    message = {"content": text, "provider_specific_fields": fields[-1] if fields else None}
    return {
        "choices": [{"message": message, "finish_reason": finish[-1] if finish else None}],
        "usage": next((part["usage"] for part in reversed(parts) if part.get("usage")), None),
        "model": next((part["model"] for part in reversed(parts) if part.get("model")), None),
    }


def _usage_reported(stream: _Stream, usage: Usage, heard: Heard) -> Usage:
    """Return the usage as far as the provider reported it.

    Where it reported none, litellm puts a count of its own into its last chunk (ruling D18). Of a call that was ended
    early the provider may have said what was sent; how much it wrote it says at the end.
    """
    told = [_mapping(_dumped(getattr(chunk, "usage", None))) for chunk in stream.chunks]
    told = [each for each in told if each]
    if not told:
        return Usage()
    return replace(_usage_of(told[-1]), output_tokens=None) if heard.is_enough else usage


def _dumped(value: object) -> object:
    return cast("_Dumpable", value).model_dump() if hasattr(value, "model_dump") else value


def _usage_of(usage: Mapping[str, object]) -> Usage:
    """Return what was reported; litellm already counts cached tokens as input and reasoning as output.

    Where the provider reports nothing litellm says 0; no prompt has 0 tokens, so that is unknown, too (ruling D18).
    """
    sent, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(sent, int) or not isinstance(written, int) or not sent:
        return Usage()
    cached = _mapping(usage.get("prompt_tokens_details")).get("cached_tokens")
    return as_reported(sent, written, cached if isinstance(cached, int) else None)


def _first(value: object) -> object:
    return cast("list[object]", value)[0] if isinstance(value, list) and value else None


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}

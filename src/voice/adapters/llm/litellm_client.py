"""The client of every provider but Gemini, through litellm (DESIGN 7).

Law: one attempt per call; key and endpoint are passed by value, so that no environment variable of the library decides
where a prompt or a key goes (ruling D24). Replies are read as data of unknown shape, and from the wire if litellm drops
something: how a reply ended, the model's own refusal, a whole reply to a request for a stream, and errors (ruling J3).
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, cast

import anyio
import httpx
from anyio.to_thread import run_sync

from voice.adapters.guarded_http import CALL_TRACE, CallTrace
from voice.adapters.litellm_setup import LiteLlm, close_litellm, forestall_lookup, load_litellm
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
    ReplyFacts,
    StreamedText,
    deliver_whole,
    ending_of,
    first_of,
    mapping_of,
    parse_error_body,
    parse_reply_facts,
    read_stream,
)
from voice.core.errors import DeadlineExceeded, ProviderUnavailable, VoiceError
from voice.core.messages.showing import vendor
from voice.core.model_endpoints import RequestPart
from voice.core.usage import Usage, reported_usage
from voice.ports.llm import LlmReply, LlmRequest, ModelProfile, OnText

# Names for the limit of a reply; the first that the endpoint takes is used.
_LIMITS: tuple[RequestPart, ...] = ("max_tokens", "max_completion_tokens")
_FAILED = 500  # least status of a failed server; litellm also uses it if no server answered
_FAILED_AT_ITS_SOURCE = 502  # status for an error that names none and came with a success status
_NO_KEY = "not-needed"  # sent if no key is needed: without one, litellm would use a vendor's key from the environment


class _Dumpable(Protocol):
    def model_dump(self) -> Mapping[str, object]: ...


class _Stream(Protocol):
    """The used part of litellm's stream."""

    chunks: Sequence[object]  # chunks of the provider, without what litellm adds to its own last one
    received_finish_reason: str | None  # None if the provider has not sent the end

    def __aiter__(self) -> AsyncIterator[_Dumpable]: ...


class LiteLlmClient:
    """A client of one model of a provider that litellm knows."""

    def __init__(
        self,
        *,
        profile: ModelProfile,
        api_key: str | None,
        unix_time: Callable[[], float],
        api_base: str | None = None,
        names: SettingNames = WRITER,
    ) -> None:
        """Prepare a client; nothing is imported or connected yet. The profile's `provider` is litellm's name of the
        vendor. `unix_time` is for a `retry-after` that is a date; `names` are the settings that messages name."""
        self._addressee = Addressee(provider=profile.provider, names=names, api_base=api_base)
        self.profile = profile
        self._api_key = api_key
        self._unix_time = unix_time
        self._api_base = api_base or DEFAULT_API_BASE.get(profile.provider)
        self._litellm: LiteLlm | None = None
        self._faults: tuple[type[Exception], ...] = (httpx.HTTPError, *VENDOR_FAULTS)

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the model's reply; see the port for what it raises."""
        fault: VoiceError
        litellm, trace = await self._load(), CallTrace()
        watching = CALL_TRACE.set(trace)
        try:
            with anyio.fail_after(request.timeout_s):
                return await self._ask(litellm, request, trace)
        except TimeoutError:
            fault = DeadlineExceeded(
                f"{vendor(self.profile.provider)} did not answer within {request.timeout_s:.3g} seconds"
            )
        except (ProviderUnavailable, *self._faults) as error:
            facts = parse_reply_facts(trace.text)
            reply = self._recover_reply(error, trace, facts)
            if reply is not None:
                return deliver_whole(reply, request.on_text)
            fault = self._fault_of(error, trace, facts)
        finally:
            CALL_TRACE.reset(watching)
        raise fault

    async def aclose(self) -> None:
        """Close the HTTP clients that litellm keeps."""
        litellm, self._litellm = self._litellm, None
        if litellm is not None:
            await close_litellm(litellm)

    async def _load(self) -> LiteLlm:
        litellm = self._litellm = await run_sync(load_litellm)
        # Otherwise litellm asks a server about an unknown local model.
        forestall_lookup(litellm, self.profile.provider, self.profile.model)
        self._faults = (*litellm.LITELLM_EXCEPTION_TYPES, httpx.HTTPError, *VENDOR_FAULTS)
        return litellm

    async def _ask(self, litellm: LiteLlm, request: LlmRequest, trace: CallTrace) -> LlmReply:
        without = request.without | self.profile.untaken
        arguments = _arguments(request, self.profile, without)
        arguments |= {"api_key": self._api_key or _NO_KEY, "api_base": self._api_base}
        if request.on_text is None or "stream" in without:
            response = cast("_Dumpable", await litellm.acompletion(**arguments))
            reply = _reply_of(response.model_dump(), self.profile, parse_reply_facts(trace.text))
            return deliver_whole(reply, request.on_text)
        if "usage_in_streams" not in without:
            arguments["stream_options"] = {"include_usage": True}
        stream = await litellm.acompletion(**arguments, stream=True)
        return await self._read_pieces(cast("_Stream", stream), request.on_text, trace)

    async def _read_pieces(self, stream: _Stream, on_text: OnText, trace: CallTrace) -> LlmReply:
        streamed, parts = StreamedText(on_text), list[Mapping[str, object]]()

        def add(part: _Dumpable) -> bool:
            parts.append(part.model_dump())
            content = _delta(parts[-1]).get("content")
            return streamed.add(content if isinstance(content, str) else "")

        await read_stream(aiter(stream), add)
        facts = parse_reply_facts(trace.text)
        # An empty stream that was not ended is no reply.
        if not streamed.text and stream.received_finish_reason is None and (facts.whole or not facts.is_done):
            raise protocol_error(self.profile.provider)
        reply = _reply_of(_joined(streamed.text, parts), self.profile, facts)
        return replace(reply, usage=_reported_usage(stream, reply.usage, streamed), stopped=streamed.is_enough)

    def _recover_reply(self, error: Exception, trace: CallTrace, facts: ReplyFacts) -> LlmReply | None:
        """Return a reply that litellm could not read, or the refusal of the provider's filter; None if neither came."""
        # In the middle of a stream, or where litellm expects another form.
        if trace.status == 200 and facts.whole is not None and "choices" in facts.whole and facts.error is None:
            return _reply_of(facts.whole, self.profile, facts)
        is_filter = self._litellm is not None and isinstance(error, self._litellm.ContentPolicyViolationError)
        if is_filter or (trace.status == 400 and facts.whole and parse_error_body(facts.whole).trouble == "filter"):
            return LlmReply(
                text="", usage=Usage(), model=self.profile.model, finish_reason="content_filter", ending="declined"
            )
        return None

    def _fault_of(self, error: Exception, trace: CallTrace, facts: ReplyFacts) -> VoiceError:
        provider, litellm = self.profile.provider, self._litellm
        if trace.is_page:
            return html_page_error(self._addressee)
        body = parse_error_body(facts.error or facts.whole or {})
        status: object = trace.status if trace.status is not None else getattr(error, "status_code", None)
        if status == 200 and facts.error is not None:
            status = body.status or _FAILED_AT_ITS_SOURCE
        if litellm is not None and isinstance(error, litellm.ContextWindowExceededError):
            status = 413  # as other vendors say that a prompt is too long
        is_broken = litellm is not None and isinstance(error, litellm.APIConnectionError)
        is_broken = is_broken or (trace.status is None and isinstance(status, int) and status >= _FAILED)
        if status == 200 or not isinstance(status, int) or (is_broken and trace.status is None):
            return unreachable_error(self._addressee) if is_broken else protocol_error(provider)
        if 300 <= status < 400:
            return redirect_error(self._addressee, status)
        wait_s = retry_after(trace.headers or _headers_of(error), now_s=self._unix_time())
        return error_of_status(status, self._addressee, retry_after_s=wait_s, body=body)


def _headers_of(error: Exception) -> Mapping[str, str]:
    headers: object = getattr(error, "litellm_response_headers", None)
    return cast("Mapping[str, str]", headers) if isinstance(headers, Mapping) else {}


def _arguments(request: LlmRequest, profile: ModelProfile, without: frozenset[RequestPart]) -> dict[str, object]:
    """Return litellm's arguments, without the endpoint and the parts that it does not take."""
    arguments: dict[str, object] = {
        "model": f"{profile.provider}/{profile.model}",
        "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.prompt}],
        "timeout": request.timeout_s + GRACE_S,  # later than our own deadline
        "num_retries": 0,  # `retry` is the only layer that tries again
        "max_retries": 0,
        "drop_params": True,  # what a vendor is known not to take
    }
    if "system" in without:
        arguments["messages"] = [{"role": "user", "content": f"{request.system}\n\n{request.prompt}"}]
    if "schema" not in without:
        arguments["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "draft", "strict": True, "schema": dict(request.schema)},
        }
    if "temperature" not in without:
        arguments["temperature"] = request.temperature
    limit = next((name for name in _LIMITS if name not in without), None)
    if limit is not None:
        arguments[limit] = request.max_output_tokens
    return arguments


def _reply_of(response: Mapping[str, object], profile: ModelProfile, facts: ReplyFacts) -> LlmReply:
    choice = first_of(response.get("choices"))
    message, finish = mapping_of(choice.get("message")), facts.finish or choice.get("finish_reason")
    named = finish if isinstance(finish, str) else None
    refused = facts.refused or bool(mapping_of(message.get("provider_specific_fields")).get("refusal"))
    served = response.get("model")
    return LlmReply(
        text=_content(message.get("content")),
        usage=_usage_of(mapping_of(response.get("usage"))),
        # Some vendors repeat their own name.
        model=served.removeprefix(f"{profile.provider}/") if isinstance(served, str) and served else profile.model,
        finish_reason=named,
        ending="model_refused" if refused else ending_of(named),
    )


def _content(value: object) -> str:
    """Return the text of a message, which some servers send in parts."""
    if isinstance(value, list):
        return "".join(_content(mapping_of(part).get("text")) for part in cast("list[object]", value))
    return value if isinstance(value, str) else ""


def _delta(part: Mapping[str, object]) -> Mapping[str, object]:
    return mapping_of(first_of(part.get("choices")).get("delta"))


def _joined(text: str, parts: Sequence[Mapping[str, object]]) -> Mapping[str, object]:
    """Return a stream's parts as one reply; of repeated fields the last counts."""
    choices = [first_of(part.get("choices")) for part in parts]
    finish = [choice["finish_reason"] for choice in choices if choice.get("finish_reason")]
    fields = [fields for part in parts if (fields := _delta(part).get("provider_specific_fields"))]
    message = {"content": text, "provider_specific_fields": fields[-1] if fields else None}
    return {
        "choices": [{"message": message, "finish_reason": finish[-1] if finish else None}],
        "usage": next((part["usage"] for part in reversed(parts) if part.get("usage")), None),
        "model": next((part["model"] for part in reversed(parts) if part.get("model")), None),
    }


def _reported_usage(stream: _Stream, usage: Usage, streamed: StreamedText) -> Usage:
    # If it reported none, litellm puts its own count into its last chunk (ruling D18). Of a call that was stopped early
    # the provider may have reported the prompt; the output is reported at the end only.
    values: list[object] = [getattr(chunk, "usage", None) for chunk in stream.chunks]
    dumped = (cast("_Dumpable", each).model_dump() if hasattr(each, "model_dump") else each for each in values)
    reported = [members for each in dumped if (members := mapping_of(each))]
    if not reported:
        return Usage()
    return replace(_usage_of(reported[-1]), output_tokens=None) if streamed.is_enough else usage


def _usage_of(usage: Mapping[str, object]) -> Usage:
    """Return the reported usage; litellm counts cached tokens as input and reasoning as output."""
    # If the provider reports nothing litellm says 0; since no prompt has 0 tokens, that means unknown (ruling D18).
    sent, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(sent, int) or not isinstance(written, int) or not sent:
        return Usage()
    cached = mapping_of(usage.get("prompt_tokens_details")).get("cached_tokens")
    return reported_usage(sent, written, cached if isinstance(cached, int) else None)

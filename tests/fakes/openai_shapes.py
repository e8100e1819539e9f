"""The shapes of OpenAI and of the many servers that speak like it."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import cast

from fakes.fake_provider import draft_text
from fakes.shaped_provider import USAGE, Answer, Asked, Chooses, Json, Raw, Says, half, written
from fakes.wire_shapes import KEY, LIMIT, MODEL, PROVIDER, common, fault, google, shape, thought_aloud, unless

_row = partial(shape, "openai")
_CALL = {"tool_calls": [{"id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}
_PARTS = {"id": "c", "object": "chat.completion", "created": 1, "model": "shaped"}
_NO_FORMAT = fault(400, "'response_format.type' must be 'text'", param="response_format", type="invalid_request_error")
_NO_SCHEMA = fault(422, "Extra inputs are not permitted: response_format")
_NO_STREAM = fault(400, "stream not supported", type="invalid_request_error")
_NO_OPTIONS = fault(400, "Unrecognized request argument supplied: stream_options")
_OTHER_LIMIT = fault(
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    param="max_tokens",
    code="unsupported_parameter",
)
_NO_TEMPERATURE = fault(
    400,
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    param="temperature",
    code="unsupported_value",
)
_NO_SYSTEM = fault(400, "System role not supported")


def _said(body: Json) -> str:
    return draft_text("success", body["messages"][-1]["content"])


def _no_system(body: Json) -> Answer:
    return _NO_SYSTEM if any(each["role"] == "system" for each in body["messages"]) else Says()


def _picky(body: Json) -> Answer:
    """Take nothing but the bare request, and name one part at a time."""
    for name, rejected in (
        ("stream_options", _NO_OPTIONS),
        ("stream", _NO_STREAM),
        ("response_format", _NO_FORMAT),
        ("temperature", _NO_TEMPERATURE),
        ("max_tokens", _OTHER_LIMIT),
    ):
        if body.get(name):
            return rejected
    return Says()


def _frames(edit: Callable[[list[str]], list[str]]) -> Chooses:
    """Send the usual stream, its events edited."""

    def chosen(body: Json) -> Answer:
        usual = written(Says(), Asked(dialect="openai", path="", headers={}, body=body, is_streamed=True))
        events = cast("str", usual.body).split("\n\n")[:-1]
        return replace(usual, body="".join(f"{event}\n\n" for event in edit(events)))

    return chosen


def _with_usage(event: str) -> str:
    """Report the usage in an event that has choices, as some servers do in each."""
    return re.sub(r"}$", f', "usage": {json.dumps(USAGE["openai"])}}}', event) if '"choices": [{' in event else event


_WRITTEN: dict[str, Callable[[str], str]] = {
    "the draft twice": lambda draft: f"{draft}\n{draft}",
    "words behind": lambda draft: f"{draft}\n\nHope this helps!",
    "the draft in a member": lambda draft: json.dumps({"draft": json.loads(draft)}),
    "the draft in a list": lambda draft: f"[{draft}]",
    "breaks between its members": lambda draft: draft.replace('", "', '"\n,\t"'),
}
"""A draft as some models write it."""
_MISWRITTEN: dict[str, Callable[[str], str]] = {
    "single quotes": lambda draft: str(json.loads(draft)),
    "a comma too many": lambda draft: f"{draft[:-1]},}}",
    "the draft as a text": json.dumps,
}
"""What is no JSON, or holds none: it is asked for once more."""


OPENAI = [
    *common(_row),
    _row("thinking aloud", "answered", Says(text=thought_aloud)),
    _row("a byte-order mark", "answered", Says(text=lambda draft: f"\ufeff{draft}")),
    _row("words before", "answered", Says(text=lambda draft: f"Here is the JSON you asked for: {draft}")),
    _row("no usage", "answered", Says(usage={})),
    _row("a usage of zeros", "answered", Says(usage={"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0})),
    *(_row(name, "answered", Says(text=text)) for name, text in _WRITTEN.items()),
    *(_row(name, "malformed", Says(text=text), calls=2, paid=2) for name, text in _MISWRITTEN.items()),
    _row("a usage of nulls", "answered", Says(usage=dict.fromkeys(USAGE["openai"]))),
    _row("a usage of its own", "answered", Says(usage={**USAGE["openai"], "prompt_cache_hit_tokens": 40})),
    _row(
        "comments that keep a stream alive",
        "answered",
        _frames(lambda events: [": PROCESSING", ": PROCESSING", *events]),
        paid=0,
        how="streamed",
    ),
    _row("a stream without a mark at its end", "answered", _frames(lambda events: events[:-1]), paid=0, how="streamed"),
    _row(
        "a usage in every event",
        "answered",
        _frames(lambda events: [*map(_with_usage, events)]),
        paid=0,
        how="streamed",
    ),
    _row("a whole reply to a stream", "answered", Says(ignores_stream=True)),
    _row("a whole reply to a stream, cut", "cut", Says(text=half, finish="length", ignores_stream=True), words=LIMIT),
    _row("a limit behind a whole draft", "answered", Says(finish="length")),
    _row(
        "a content of parts",
        "answered",
        lambda body: Raw(
            body={
                **_PARTS,
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "stop",
                        "message": {"role": "assistant", "content": [{"type": "text", "text": _said(body)}]},
                    }
                ],
            }
        ),
        paid=0,
    ),
    _row("the limit in the midst", "cut", Says(text=half, finish="length"), words=LIMIT),
    _row("the limit before a word", "cut", Says(text=None, finish="length"), words=LIMIT),
    _row(
        "a filter before a word",
        "declined",
        Says(text=None, finish="content_filter"),
        words=("OpenAI", "content_filter"),
    ),
    _row("a filter in the midst", "declined", Says(text=half, finish="content_filter"), words=("OpenAI", MODEL)),
    _row("a new finish reason", "declined", Says(text=half, finish="new_reason"), words=("OpenAI", MODEL)),
    _row(
        "a refusal beside the content", "model_refused", Says(text=None, beside={"refusal": "I can't."}), words=(MODEL,)
    ),
    _row("a tool", "declined", Says(text=None, finish="tool_calls", beside=_CALL), words=("empty reply",), how="whole"),
    _row("an empty text", "declined", Says(text=""), words=("empty reply",)),
    _row("no choices", "declined", Raw(body={**_PARTS, "choices": []}), words=("empty reply",), paid=0, how="whole"),
    _row("no JSON", "malformed", Says(text="I like the kiln."), words=("wrong shape",), calls=2, paid=2),
    _row("half a draft that ended of itself", "malformed", Says(text=half), words=("wrong shape",), calls=2, paid=2),
    _row("an error for a reply", "provider_error", Raw(body={"error": {"message": "no", "code": 502}}), calls=4),
    _row(
        "an error in the midst",
        "provider_error",
        Says(broken_by={"error": {"message": "no", "code": 502}}),
        words=("status 502",),
        calls=4,
        paid=4,
    ),
    _row(
        "quota", "provider_error", fault(429, "quota", code="insufficient_quota"), words=("quota or credit", PROVIDER)
    ),
    _row("a hard limit", "provider_error", fault(400, "limit", code="billing_hard_limit_reached"), words=(PROVIDER,)),
    _row("a filter as an error", "declined", fault(400, "no", code="content_filter"), words=("OpenAI", MODEL), paid=0),
    _row(
        "too long a prompt",
        "provider_error",
        fault(400, "no", code="context_length_exceeded"),
        words=("SURR_INNER_VOICE_MAX_TOKENS",),
    ),
    _row("too long a reply", "provider_error", fault(400, "max_tokens is too large: 2048"), words=(LIMIT[1],)),
    _row("too warm", "provider_error", fault(400, "temperature must be below 0.1"), words=("SURR_INNER_VOICE_TEMP",)),
    _row("a key by its code", "provider_error", fault(400, "no", code="invalid_api_key"), words=(KEY,)),
    _row(
        "a region by its code",
        "provider_error",
        fault(403, "no", code="unsupported_country_region_territory"),
        words=("the place",),
    ),
    _row(
        "a wait that Google asks for",
        "provider_error",
        google(429, "RESOURCE_EXHAUSTED", "quota", {"retryDelay": "40s"}),
        words=("in 40 seconds",),
    ),
    _row("no schema", "answered", unless("response_format", fault=_NO_FORMAT), calls=2),
    _row("no schema, by its message", "answered", unless("response_format", fault=_NO_SCHEMA), calls=2),
    _row("no temperature", "answered", unless("temperature", fault=_NO_TEMPERATURE), calls=2),
    _row("another limit", "answered", unless("max_tokens", fault=_OTHER_LIMIT), calls=2),
    _row("no system message", "answered", _no_system, calls=2),
    _row("no stream", "answered", lambda body: _NO_STREAM if body.get("stream") else Says(), calls=2, how="streamed"),
    _row("no stream options", "answered", unless("stream_options", fault=_NO_OPTIONS), calls=2, how="streamed"),
    _row("next to nothing", "answered", _picky, calls=4, how="whole"),
    _row("next to nothing", "answered", _picky, calls=6, how="streamed"),
]

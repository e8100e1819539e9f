"""The facts in a provider's errors and replies, whole or piece by piece.

Law: pure functions over what came over the wire. Codes, parameter names, waits and a few marks of a vendor's message
are read; none of its words is passed on, since they may repeat the prompt or the key (promise 6). A part of a request
counts as not taken if the error names it and says so; a value that is too high is not that.

A provider's word for the end of a reply is looked up in a table of documented words: a token limit cuts a reply, a few
words mean that it ended by itself, and any other means that the provider ended it (ruling J3).

Of a reply that comes piece by piece, the caller gets every piece of text once and in order, and says when it is enough;
then the connection is closed beneath the vendor's library, so that the provider stops writing. A library may keep a
connection open although its stream was closed (litellm does, for Anthropic), so its next read is cancelled instead.

Source: rulings D18, D24, D25, J3; promise 6; docs/streaming.md.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar, cast

import anyio

from voice.core.grounding.values import Ending
from voice.core.model_endpoints import RequestPart
from voice.ports.llm import LlmReply, OnText

Trouble = Literal["quota", "key", "region", "length", "filter", "limit", "temperature"]
"""`limit` and `temperature` mean that the model does not take the value."""
_MOST_DEPTH = 6  # of objects that are searched for codes
_MOST_CHARS = 600  # length of a vendor's message that is read: later text may be the prompt, repeated


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFacts:
    """The facts of an error."""

    trouble: Trouble | None = None
    untaken: RequestPart | None = None
    wait_s: float | None = None
    status: int | None = None
    """The status in the body itself, as of a proxy whose own status differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyFacts:
    """The facts of a reply, whole or piece by piece."""

    finish: str | None = None
    refused: bool = False
    """Whether the model's own refusal is beside the content."""
    whole: Mapping[str, object] | None = None
    """The reply, if it came as one object."""
    error: Mapping[str, object] | None = None
    """The error that came instead of it, or in the middle of it."""
    is_done: bool = False
    """Whether a stream sent its end."""


def parse_error_body(body: Mapping[str, object]) -> ErrorFacts:
    """Return the facts of an error's body."""
    codes = {code.lower() for code in _codes(body, 0)}
    message = _message(body)
    return ErrorFacts(
        trouble=_trouble(codes, message),
        untaken=_untaken(codes, message, (_text(_error(body).get("param")) or "").lower()),
        wait_s=_wait(body),
        status=_status(body),
    )


def objects_in(text: str) -> Iterator[Mapping[str, object]]:
    """Yield the JSON objects of a body: the whole body, or those of its events or lines."""
    whole = _object(text)
    if whole is not None:
        yield whole
        return
    for line in re.split(r"[\r\n]+", text):  # not `splitlines`: JSON's texts may hold U+2028 as it is
        found = _object(line.removeprefix("data:").strip())
        if found is not None:
            yield found


def parse_reply_facts(text: str) -> ReplyFacts:
    """Return the facts of a reply; of repeated fields the last counts."""
    pieces = list(objects_in(text))
    finish, refused, error = None, False, None
    for piece in pieces:
        choice = first_of(piece.get("choices"))
        delta = mapping_of(piece.get("delta"))
        finish = _text(choice.get("finish_reason"), delta.get("stop_reason"), piece.get("stop_reason")) or finish
        finish = _text(piece.get("done_reason")) or finish
        refusals = (mapping_of(choice.get("message")).get("refusal"), mapping_of(choice.get("delta")).get("refusal"))
        refused = refused or _text(*refusals) is not None
        error = piece if piece.get("error") else error
    whole = pieces[0] if len(pieces) == 1 and _object(text) is not None else None  # not the only line of a stream
    # The end of a stream in OpenAI's protocol.
    return ReplyFacts(finish=finish, refused=refused, whole=whole, error=error, is_done="data: [DONE]" in text)


_TROUBLES: tuple[tuple[Trouble, frozenset[str], re.Pattern[str]], ...] = (
    (
        "key",
        frozenset({"api_key_invalid", "authentication_error", "invalid_api_key"}),
        re.compile(r"api key not valid"),
    ),
    (
        "quota",
        frozenset({"insufficient_quota", "billing_error", "billing_hard_limit_reached", "billing_not_active"}),
        re.compile(r"credit balance|insufficient (?:balance|credit|funds)|billing (?:hard )?limit|perday"),
    ),
    (
        "region",
        frozenset({"unsupported_country_region_territory"}),
        re.compile(r"location is not supported|(?:country|region)[^.]{0,20} not supported"),
    ),
    ("filter", frozenset({"content_filter", "content_policy_violation"}), re.compile(r"content_policy_violation")),
    (
        "length",
        frozenset({"context_length_exceeded", "string_above_max_length"}),
        re.compile(
            r"(?:maximum )?context (?:length|window|size)|prompt is too long|input token count[^.]{0,40}exceed|"
            r"exceed[^.]{0,40}context"
        ),
    ),
)  # fmt: skip
_NOT_TAKEN = re.compile(
    r"not (?:be )?(?:support|enabled|permitted|allowed|accepted|implemented)|n't support|does not accept|unsupported|"
    r"unrecogni[sz]ed|unknown (?:name|parameter|field|argument)|unexpected (?:keyword|field)|extra inputs|deprecated|"
    r"must be 'text'|only the default|use '?\"?max_"
)
# The first that an error names; a more specific name comes before one that it contains.
_PARTS: tuple[tuple[RequestPart, re.Pattern[str]], ...] = (
    ("usage_in_streams", re.compile(r"stream_options|include_usage")),
    (
        "schema",
        re.compile(
            r"response_?format|response_?(?:json_?)?schema|response_?mime_?type|json_schema|json mode|output_format|"
            r"structured output|guided"
        ),
    ),
    ("thinking", re.compile(r"thinking")),
    ("temperature", re.compile(r"temperature")),
    ("max_completion_tokens", re.compile(r"'?max_completion_tokens'?(?! instead)")),
    ("max_tokens", re.compile(r"max_tokens")),
    ("system", re.compile(r"(?:system|developer)[^.]{0,10} (?:role|message|instruction)")),
    ("stream", re.compile(r"\bstream(?:ing)?\b")),
)
_TOO_MUCH: tuple[tuple[Trouble, re.Pattern[str]], ...] = (
    ("limit", re.compile(r"max_(?:completion_|output_)?tokens|maxoutputtokens|num_predict")),
    ("temperature", re.compile(r"temperature")),
)


def _trouble(codes: set[str], message: str) -> Trouble | None:
    named = " ".join((message, *codes))  # a code may hold a mark as well ("…PerDay…")
    for trouble, known, marks in _TROUBLES:
        if codes & known or marks.search(named):
            return trouble
    return next((trouble for trouble, marks in _TOO_MUCH if marks.search(message)), None)


def _untaken(codes: set[str], message: str, param: str) -> RequestPart | None:
    says_so = any(code.startswith("unsupported_") for code in codes) or _NOT_TAKEN.search(message)
    # Naming the parameter alone is enough for these two.
    if not says_so and not re.match(r"response_?format|stream", param):
        return None
    named = param if any(marks.search(param) for _, marks in _PARTS) else message
    return next((part for part, marks in _PARTS if marks.search(named)), None)


def _codes(value: object, depth: int) -> Iterator[str]:
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, Mapping):
        for name, item in cast("Mapping[str, object]", value).items():
            if name in ("code", "type", "status", "reason", "quotaId") and isinstance(item, str):
                yield item[:80]  # a code is short; more would be text
            else:
                yield from _codes(item, depth + 1)
    elif isinstance(value, list):
        for item in cast("list[object]", value)[:20]:
            yield from _codes(item, depth + 1)


def _error(body: Mapping[str, object]) -> Mapping[str, object]:
    found = body.get("error", body)
    return mapping_of(found) or {"message": found}  # some send the text itself


def _message(body: Mapping[str, object]) -> str:
    error = _error(body)
    return (_text(error.get("message"), error.get("detail"), body.get("message"), body.get("detail")) or "")[
        :_MOST_CHARS
    ].lower()


def _status(body: Mapping[str, object]) -> int | None:
    code = _error(body).get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else None


def _wait(body: Mapping[str, object]) -> float | None:
    """Return the seconds of a `google.rpc.RetryInfo`."""
    details = _error(body).get("details")
    for detail in cast("list[object]", details) if isinstance(details, list) else ():
        delay = _text(mapping_of(detail).get("retryDelay")) or ""
        found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,9})?)s", delay)  # "12.5s"
        if found:
            return float(found[1])
    return None


def _object(text: str) -> Mapping[str, object] | None:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, list) and found:  # Gemini's errors may come as a list of one
        found = cast("list[object]", found)[0]
    return cast("Mapping[str, object]", found) if isinstance(found, dict) else None


def first_of(value: object) -> Mapping[str, object]:
    """Return the mapping that a list begins with, and an empty one for anything else."""
    return mapping_of(cast("list[object]", value)[0]) if isinstance(value, list) and value else {}


def mapping_of(value: object) -> Mapping[str, object]:
    """Return a mapping unchanged, and an empty one for anything else."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _text(*values: object) -> str | None:
    return next((value for value in values if isinstance(value, str) and value), None)


_CUT = frozenset({
    "compaction", "length", "max_output_tokens", "max_tokens", "model_context_window_exceeded", "model_length",
})  # fmt: skip
_COMPLETE = frozenset({
    "complete", "end_turn", "eos", "eos_token", "finish_reason_unspecified", "function_call", "load", "stop",
    "stop_sequence", "tool_call", "tool_calls", "tool_use", "unload",
})  # fmt: skip


def ending_of(word: str | None) -> Ending:
    """Return how a reply ended, from the provider's word for it; without one, it is complete."""
    named = (word or "stop").lower()
    if named in _CUT:
        return "cut"
    return "complete" if named in _COMPLETE else "declined"  # an unknown word is no end by itself


T = TypeVar("T")


@dataclass(slots=True)
class StreamedText:
    """The text of a stream so far."""

    on_text: OnText
    pieces: list[str] = field(default_factory=list[str])
    is_enough: bool = False

    @property
    def text(self) -> str:
        """The whole text so far."""
        return "".join(self.pieces)

    def add(self, piece: str) -> bool:
        """Add a piece, which may be empty; return whether the caller has heard enough."""
        if piece:
            self.pieces.append(piece)
            self.is_enough = self.on_text(piece)
        return self.is_enough


async def read_stream(stream: AsyncIterator[T], add: Callable[[T], bool]) -> None:
    """Pass each part of a stream to `add`, until the end or until it returns True; then close the connection. Raises
    what reading the stream raises."""
    async for part in stream:
        if add(part):
            break
    else:
        return
    with anyio.CancelScope() as scope:  # a cancelled read closes the connection that it reads from
        scope.cancel()
        async for _ in stream:  # parts that have already arrived are read without waiting, and dropped
            continue


def deliver_whole(reply: LlmReply, on_text: OnText | None) -> LlmReply:
    """Return a reply that came as a whole, after passing its text to `on_text`; it cannot be stopped."""
    if on_text is not None and reply.text:
        on_text(reply.text)
    return reply

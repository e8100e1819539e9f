"""The fake provider's replies piece by piece: server-sent events, or lines of JSON, in four vendors' dialects."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_PIECE = re.compile(r"\s*\S{1,12}|\s+$")
"""Some characters at a time, as a model's tokens come."""
_MOST_PIECES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a reply says of what it took."""

    sent: int
    written: int
    cached: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Streamed:
    """A reply that is to be sent piece by piece."""

    model: str
    pieces: tuple[str, ...]
    told: Told | None
    """None: nothing is reported."""
    filtered: bool = False
    counts_late: bool = False
    """Gemini's parts count what was sent at once, and what was written at the end alone."""


def pieces_of(text: str) -> tuple[str, ...]:
    """Return a text as it comes, one token after the other; one of very many in larger pieces."""
    found = _PIECE.findall(text)
    size = -(-len(found) // _MOST_PIECES) or 1
    return tuple("".join(found[start : start + size]) for start in range(0, len(found), size))


def frames(dialect: str, reply: Streamed, *, with_usage: bool) -> Iterator[tuple[bytes, bool]]:
    """Yield what goes over the wire, each with whether it holds a piece of the text.

    Args:
        dialect: whose.
        reply: what is said.
        with_usage: whether the caller asked for usage, where a vendor wants to be asked.
    """
    match dialect:
        case "gemini":
            yield from _gemini(reply)
        case "openai":
            yield from _openai(reply, with_usage=with_usage)
        case "anthropic":
            yield from _anthropic(reply)
        case _:
            yield from _ollama(reply)


def _event(body: dict[str, Any], name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(body, ensure_ascii=False)}\n\n".encode()


def _gemini(reply: Streamed) -> Iterator[tuple[bytes, bool]]:
    def chunk(text: str | None, written: int, finish: str | None) -> bytes:
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": text}] if text else []}}
        body: dict[str, Any] = {"candidates": [candidate | ({"finishReason": finish} if finish else {})]}
        body["modelVersion"] = reply.model
        if reply.told is not None:
            thoughts = min(5, written)
            counted = {"candidatesTokenCount": written - thoughts, "thoughtsTokenCount": thoughts}
            is_counted = finish is not None or not reply.counts_late
            body["usageMetadata"] = {
                "promptTokenCount": reply.told.sent,
                **(counted if is_counted else {}),
                "cachedContentTokenCount": reply.told.cached,
                "totalTokenCount": reply.told.sent + (written if is_counted else 0),
            }
        return _event(body)

    most = reply.told.written if reply.told else 0
    for number, piece in enumerate(reply.pieces, start=1):
        yield chunk(piece, min(number, most), None), True
    yield chunk(None, most, "SAFETY" if reply.filtered else "STOP"), False


def _openai(reply: Streamed, *, with_usage: bool) -> Iterator[tuple[bytes, bool]]:
    def chunk(choices: list[dict[str, Any]], **more: object) -> bytes:
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": reply.model}
        return _event({**head, "choices": choices, **more})

    yield chunk([{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]), False
    for piece in reply.pieces:
        yield chunk([{"index": 0, "delta": {"content": piece}, "finish_reason": None}]), True
    finish = "content_filter" if reply.filtered else "stop"
    yield chunk([{"index": 0, "delta": {}, "finish_reason": finish}]), False
    if with_usage and reply.told is not None:
        yield chunk([], usage=_openai_usage(reply.told)), False
    yield b"data: [DONE]\n\n", False


def _openai_usage(told: Told) -> dict[str, Any]:
    return {
        "prompt_tokens": told.sent,
        "completion_tokens": told.written,
        "total_tokens": told.sent + told.written,
        "prompt_tokens_details": {"cached_tokens": told.cached},
        "completion_tokens_details": {"reasoning_tokens": min(5, told.written)},
    }


def _anthropic(reply: Streamed) -> Iterator[tuple[bytes, bool]]:
    told = reply.told
    taken = {"input_tokens": told.sent - told.cached, "cache_read_input_tokens": told.cached} if told else {}
    start: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**taken, "cache_creation_input_tokens": 0, "output_tokens": 1} if told else {},
    }
    yield _event({"type": "message_start", "message": start}, "message_start"), False
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield _event(block, "content_block_start"), False
    for piece in reply.pieces:
        delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
        yield _event(delta, "content_block_delta"), True
    yield _event({"type": "content_block_stop", "index": 0}, "content_block_stop"), False
    end = {"stop_reason": "refusal" if reply.filtered else "end_turn", "stop_sequence": None}
    usage = {"output_tokens": told.written} if told else {}
    yield _event({"type": "message_delta", "delta": end, "usage": usage}, "message_delta"), False
    yield _event({"type": "message_stop"}, "message_stop"), False


def _ollama(reply: Streamed) -> Iterator[tuple[bytes, bool]]:
    def line(content: str, **more: object) -> bytes:
        head = {"model": reply.model, "created_at": "2026-01-01T00:00:00Z"}
        return f"{json.dumps({**head, 'message': {'role': 'assistant', 'content': content}, **more})}\n".encode()

    for piece in reply.pieces:
        yield line(piece, done=False), True
    counts = {"prompt_eval_count": reply.told.sent, "eval_count": reply.told.written} if reply.told else {}
    yield line("", done=True, done_reason="stop", **counts), False

"""A provider on this machine that gives each call the answer a test chose for it, in four vendors' dialects.

What is said (`Says`) is written as a vendor would, whole or piece by piece, as the caller asks for it; what is no reply
of a model (`Raw`) goes over the wire as it stands. A call that is answered with a reply counts as paid.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast

from fakes.fake_provider import draft_text
from fakes.fake_replies import Dialect

Json = dict[str, Any]
Text = str | Callable[[str], str] | None
"""What a reply says: a text, what is made of the draft that answers the prompt, or nothing at all."""
USAGE: Mapping[Dialect, Json] = {
    "gemini": {"promptTokenCount": 90, "candidatesTokenCount": 20, "thoughtsTokenCount": 10, "totalTokenCount": 120},
    "openai": {"prompt_tokens": 90, "completion_tokens": 30, "total_tokens": 120},
    "anthropic": {"input_tokens": 90, "output_tokens": 30},
    "ollama_chat": {"prompt_eval_count": 90, "eval_count": 30},
}
SERVED = "shaped"


def whole(draft: str) -> str:
    """Say the whole draft."""
    return draft


def half(draft: str) -> str:
    """Say its first half."""
    return draft[: len(draft) // 2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """A model's reply."""

    text: Text = whole
    finish: str | None = None
    """None: that of a reply that ended of itself; an empty one: none is named."""
    usage: Json | None = None
    """None: the usual one; an empty one: none is reported."""
    beside: Json = field(default_factory=dict[str, Any])
    """More members of the message, of the reply's last part, or of Gemini's whole reply."""
    thinks: bool = False
    """Whether the model thinks aloud before it speaks, as its vendor sends that."""
    ignores_stream: bool = False
    """Whether it comes whole though a stream is asked for."""
    in_halves: bool = False
    """Whether Anthropic's text comes in two blocks."""
    tool: str | None = None
    """Anthropic's tool whose arguments the text is."""
    broken_by: Json | None = None
    """An error in the midst of a stream; whole, in place of the reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """Anything else that comes over the wire."""

    status: int = 200
    body: Json | list[Json] | str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content_type: str = "application/json"


Answer = Says | Raw
Chooses = Callable[[Json], Answer]
"""Makes an answer of a request's body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it came in."""

    dialect: Dialect
    path: str
    headers: Mapping[str, str]
    body: Json = field(repr=False)
    is_streamed: bool


class ShapedProvider:
    """The server; `with ShapedProvider() as fake:` runs it in a thread."""

    def __init__(self) -> None:
        self.answers: Sequence[Answer | Chooses] = ()
        """One for each call; the last one stays."""
        self.asked: list[Asked] = []
        self.paid = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def plays(self, *answers: Answer | Chooses) -> None:
        """Give the calls from now on these answers, and count from nothing."""
        self.answers, self.asked, self.paid = answers, [], 0

    def api_base(self, dialect: Dialect) -> str:
        """The endpoint to configure for a dialect."""
        url = f"http://127.0.0.1:{self._server.server_address[1]}"
        return f"{url}/v1" if dialect == "openai" else url

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler_of(provider: ShapedProvider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = cast("Json", json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}"))
            asked = _asked(self.path, dict(self.headers.items()), body)
            provider.asked.append(asked)
            chosen = provider.answers[min(len(provider.asked), len(provider.answers)) - 1]
            answer = chosen(body) if callable(chosen) else chosen
            provider.paid += isinstance(answer, Says)
            sent = written(answer, asked)
            text = sent.body if isinstance(sent.body, str) else json.dumps(sent.body, ensure_ascii=False)
            self.send_response(sent.status)
            for name, value in {"content-type": sent.content_type, **sent.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by the base class
            """Say nothing."""

    return Handler


def _asked(path: str, headers: Mapping[str, str], body: Json) -> Asked:
    dialect: Dialect = "openai"
    if "/models/" in path:
        dialect = "gemini"
    elif path.endswith("/messages"):
        dialect = "anthropic"
    elif path.startswith("/api/"):
        dialect = "ollama_chat"
    is_streamed = ":stream" in path or body.get("stream") is True
    return Asked(dialect=dialect, path=path, headers=headers, body=body, is_streamed=is_streamed)


def prompt_of(asked: Asked) -> str:
    """Return what was said to the model."""
    if asked.dialect == "gemini":
        return "".join(part.get("text", "") for content in asked.body["contents"] for part in content["parts"])
    contents = [each["content"] for each in asked.body["messages"] if each["role"] == "user"]
    return "".join(each if isinstance(each, str) else "".join(part["text"] for part in each) for each in contents)


def written(answer: Answer, asked: Asked) -> Raw:
    """Return an answer as it goes over the wire."""
    if isinstance(answer, Raw):
        return answer
    draft = draft_text("success", prompt_of(asked))
    text = answer.text(draft) if callable(answer.text) else answer.text
    is_streamed = asked.is_streamed and not answer.ignores_stream
    if answer.broken_by is not None and not is_streamed:
        return Raw(body=answer.broken_by)
    if asked.dialect == "gemini":
        return _gemini(answer, text, is_streamed=is_streamed)
    if asked.dialect == "anthropic":
        return _anthropic(answer, text, is_streamed=is_streamed)
    if asked.dialect == "ollama_chat":
        return _ollama(answer, text, is_streamed=is_streamed)
    return _openai(answer, text, is_streamed=is_streamed)


def _pieces(text: str | None) -> list[str]:
    return [(text or "")[at : at + 24] for at in range(0, len(text or ""), 24)]


def _usage(answer: Says, dialect: Dialect) -> Json:
    return dict(USAGE[dialect]) if answer.usage is None else answer.usage


def _events(bodies: Sequence[Json], *, named: bool = False, done: bool = False) -> Raw:
    frames = (f"{_name_of(body) if named else ''}data: {json.dumps(body)}\n\n" for body in bodies)
    return Raw(body="".join(frames) + "data: [DONE]\n\n" * done, content_type="text/event-stream")


def _name_of(body: Json) -> str:
    return f"event: {body['type']}\n"


def _gemini(answer: Says, text: str | None, *, is_streamed: bool) -> Raw:
    usage = _usage(answer, "gemini")
    finish = "STOP" if answer.finish is None else answer.finish
    thought = [{"text": "They ask {where}.", "thought": True}] if answer.thinks else []

    def part(parts: list[Json] | None, *, is_last: bool) -> Json:
        candidate: Json = {"index": 0, "content": {"role": "model", **({} if parts is None else {"parts": parts})}}
        ended = {"finishReason": finish} if is_last and finish else {}
        reported = {"usageMetadata": usage} if usage else {}
        return {
            "candidates": [candidate | ended],
            "modelVersion": SERVED,
            **reported,
            **(answer.beside if is_last else {}),
        }

    if not is_streamed:
        said = None if text is None else [*thought, {"text": text}]
        return Raw(body=part(said, is_last=True))
    sent = [
        part([*(thought if not at else []), {"text": piece}], is_last=False) for at, piece in enumerate(_pieces(text))
    ]
    return _events([*sent, answer.broken_by or part(None, is_last=True)])


def _openai(answer: Says, text: str | None, *, is_streamed: bool) -> Raw:
    usage = _usage(answer, "openai")
    finish = "stop" if answer.finish is None else answer.finish or None
    head: Json = {"id": "c", "created": 1, "model": SERVED}
    thoughts: Json = {"reasoning_content": "They ask {where}."} if answer.thinks else {}
    if not is_streamed:
        message = {"role": "assistant", "content": text, **thoughts, **answer.beside}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        reported = {"usage": usage} if usage else {}
        return Raw(body={**head, "object": "chat.completion", "choices": [choice], **reported})

    def chunk(delta: Json, finish: str | None = None) -> Json:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {**head, "object": "chat.completion.chunk", "choices": [choice]}

    said = [
        chunk({"role": "assistant", "content": "", **thoughts}),
        *(chunk({"content": piece}) for piece in _pieces(text)),
    ]
    if answer.broken_by is not None:
        return _events([*said, answer.broken_by])
    last = [*([chunk(answer.beside)] if answer.beside else []), chunk({}, finish)]
    counted: list[Json] = [{**head, "object": "chat.completion.chunk", "choices": [], "usage": usage}] if usage else []
    return _events([*said, *last, *counted], done=True)


def _anthropic(answer: Says, text: str | None, *, is_streamed: bool) -> Raw:
    usage = _usage(answer, "anthropic")
    finish = "end_turn" if answer.finish is None else answer.finish or None
    head: Json = {"id": "m", "type": "message", "role": "assistant", "model": SERVED, "stop_sequence": None}
    blocks: list[Json] = [{"type": "thinking", "thinking": "They ask.", "signature": "s"}] if answer.thinks else []
    blocks += [] if text is None else _said_in_blocks(answer, text)
    if not is_streamed:
        return Raw(body={**head, "content": blocks, "stop_reason": finish, "usage": usage})
    start: Json = {**head, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    said: list[Json] = [{"type": "message_start", "message": start}, *_anthropic_blocks(blocks)]
    if answer.broken_by is not None:
        return _events([*said, {"type": "error", **answer.broken_by}], named=True)
    delta = {"stop_reason": finish, "stop_sequence": None}
    ended = {"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage.get("output_tokens", 0)}}
    return _events([*said, ended, {"type": "message_stop"}], named=True)


def _said_in_blocks(answer: Says, text: str) -> list[Json]:
    if answer.tool is not None:
        return [{"type": "tool_use", "id": "t", "name": answer.tool, "input": json.loads(text)}]
    said = (half(text), text.removeprefix(half(text))) if answer.in_halves else (text,)
    return [{"type": "text", "text": piece} for piece in said]


def _anthropic_blocks(blocks: Sequence[Json]) -> Iterator[Json]:
    for index, block in enumerate(blocks):
        kind = cast("str", block["type"])
        held, text = ("input", json.dumps(block["input"])) if kind == "tool_use" else (kind, cast("str", block[kind]))
        told, delta = ("partial_json", "input_json") if kind == "tool_use" else (kind, kind)
        yield {
            "type": "content_block_start",
            "index": index,
            "content_block": {**block, held: {} if kind == "tool_use" else ""},
        }
        for piece in _pieces(text):
            yield {"type": "content_block_delta", "index": index, "delta": {"type": f"{delta}_delta", told: piece}}
        yield {"type": "content_block_stop", "index": index}


def _ollama(answer: Says, text: str | None, *, is_streamed: bool) -> Raw:
    finish = {"done_reason": answer.finish or "stop"} if answer.finish != "" else {}
    head: Json = {"model": SERVED, "created_at": "2026-01-01T00:00:00Z"}
    thoughts: Json = {"thinking": "They ask."} if answer.thinks else {}
    last: Json = {**head, "done": True, **finish, **_usage(answer, "ollama_chat")}
    if not is_streamed:
        return Raw(body={**last, "message": {"role": "assistant", "content": text or "", **thoughts}})
    lines = [{**head, "message": {"role": "assistant", "content": piece}, "done": False} for piece in _pieces(text)]
    if answer.thinks:
        lines.insert(0, {**head, "message": {"role": "assistant", "content": "", **thoughts}, "done": False})
    lines.append(answer.broken_by or {**last, "message": {"role": "assistant", "content": ""}})
    return Raw(body="".join(f"{json.dumps(line)}\n" for line in lines), content_type="application/x-ndjson")

"""A language model provider on this machine that speaks four vendors' dialects, for tests and for trying the program.

    python tests/fakes/fake_provider.py --port 0

prints `listening on http://127.0.0.1:PORT` and serves until it is stopped. The model's name says how it behaves:
`fake-success`, `fake-rate-limited+success` (the first call one way, the rest the other), … (`BEHAVIOURS`). A successful
reply quotes the first sources of the prompt it was sent, so that whole turns can be played against it; asked to verify
claims, it supports all of them.

| dialect | path | endpoint to configure |
|---|---|---|
| gemini | `/v1…/models/MODEL:generateContent` | `http://127.0.0.1:PORT` |
| openai | `/v1/chat/completions` | `http://127.0.0.1:PORT/v1` |
| anthropic | `/v1/messages` | `http://127.0.0.1:PORT` |
| ollama_chat | `/api/chat` | `http://127.0.0.1:PORT` |
"""

import argparse
import json
import re
import socket
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self, cast

Dialect = Literal["gemini", "openai", "anthropic", "ollama_chat"]
BEHAVIOURS = (
    "success",
    "malformed",  # the reply's text is not JSON
    "fenced",  # JSON inside a code fence, with a sentence before it
    "refusal",  # the model refuses, in the wire schema
    "filtered",  # the provider's content filter steps in
    "rate-limited",  # 429 with retry-after: 7
    "server-error",  # 500
    "unauthorised",  # 401
    "unknown-model",  # 404
    "bad-request",  # 400
    "too-long",  # 400, the prompt does not fit the model
    "hang",  # no reply until the server stops
    "cut",  # the connection ends in the middle of the reply
    "huge",  # an answer of a million characters
    "unicode",  # scripts, emoji, right-to-left, combining marks
    "gibberish",  # status 200 and a web page
    "empty",  # a reply without text
)
RETRY_AFTER_S = 7
UNICODE_ANSWER = "Η Ζωή 学习 zażółć 👩‍👩‍👧‍👦 שלום e\u0301 \u202eabc\u202c ✨"
USAGE = {"input": 100, "output": 20, "cached": 40}
_SOURCE = re.compile(r'<source id="(?P<id>[^"]+)"[^>]*>(?P<text>.*?)</source>', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One request as it came in."""

    dialect: Dialect
    model: str
    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, Any] = field(repr=False)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    provider: "FakeProvider"


class FakeProvider:
    """The server; `with FakeProvider() as fake:` runs it in a thread."""

    def __init__(self, port: int = 0) -> None:
        self.received: list[Received] = []
        self.stopping = threading.Event()
        self.asked = threading.Event()
        """Set once a request has come in."""
        self._calls: Counter[str] = Counter()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.provider = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def api_base(self, dialect: Dialect) -> str:
        """The endpoint to configure for a dialect."""
        return f"{self.url}/v1" if dialect == "openai" else self.url

    def behaviour_of(self, model: str) -> str:
        """The behaviour of this call: the model's name holds one for each call, the last one stays."""
        steps = model.removeprefix("fake-").split("+")
        turn = self._calls[model]
        self._calls[model] += 1
        return steps[min(turn, len(steps) - 1)]

    def serve_forever(self) -> None:
        """Serve in this thread until interrupted."""
        self._server.serve_forever()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def draft_text(behaviour: str, prompt: str) -> str:
    """Return the text a model of that behaviour writes."""
    if behaviour == "malformed":
        return '{"sources": [{"source_id": "S1", "span": "half a'
    if behaviour == "empty":
        return ""
    if behaviour == "refusal":
        return _draft([], "", refused=True, notes="the sources do not say")
    if behaviour == "huge":
        return _draft([], "word " * 200_000)
    if behaviour == "unicode":
        return _draft([], UNICODE_ANSWER)
    if "The pairs, one JSON object a line:" in prompt:
        return json.dumps(
            {"verdicts": [{"pair": n, "verdict": "supported"} for n in range(1, prompt.count('"claim"') + 1)]}
        )
    quotes = [(found["id"], found["text"].strip()) for found in _SOURCE.finditer(prompt)][:4]
    text = _draft(quotes, " ".join(text for _, text in quotes) or "Nothing was quoted.")
    return f"Here it is:\n```json\n{text}\n```\n" if behaviour == "fenced" else text


def _draft(quotes: list[tuple[str, str]], answer: str, *, refused: bool = False, notes: str | None = None) -> str:
    sources = [{"source_id": alias, "span": span} for alias, span in quotes]
    wire = {"sources": sources, "answer": answer, "refused": refused, "notes": notes, "confidence": 0.99}
    return json.dumps(wire, ensure_ascii=False)


def reply_body(dialect: Dialect, model: str, text: str, *, filtered: bool) -> dict[str, Any]:
    """Return a whole successful reply in a vendor's dialect."""
    if dialect == "gemini":
        return {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [] if filtered else [{"text": text}]},
                    "finishReason": "SAFETY" if filtered else "STOP",
                }
            ],
            "usageMetadata": {
                "promptTokenCount": USAGE["input"],
                "candidatesTokenCount": USAGE["output"] - 5,
                "thoughtsTokenCount": 5,
                "cachedContentTokenCount": USAGE["cached"],
                "totalTokenCount": USAGE["input"] + USAGE["output"],
            },
            "modelVersion": model,
        }
    if dialect == "openai":
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "content_filter" if filtered else "stop",
                    "message": {"role": "assistant", "content": None if filtered else text},
                }
            ],
            "usage": {
                "prompt_tokens": USAGE["input"],
                "completion_tokens": USAGE["output"],
                "total_tokens": USAGE["input"] + USAGE["output"],
                "prompt_tokens_details": {"cached_tokens": USAGE["cached"]},
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
        }
    if dialect == "anthropic":
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [] if filtered else [{"type": "text", "text": text}],
            "stop_reason": "refusal" if filtered else "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": USAGE["input"] - USAGE["cached"],
                "output_tokens": USAGE["output"],
                "cache_read_input_tokens": USAGE["cached"],
                "cache_creation_input_tokens": 0,
            },
        }
    return {
        "model": model,
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": USAGE["input"],
        "eval_count": USAGE["output"],
    }


_STATUS = {
    "rate-limited": (429, "rate_limit_error", "Rate limit reached"),
    "server-error": (500, "api_error", "Internal error"),
    "unauthorised": (401, "authentication_error", "Invalid API key"),
    "unknown-model": (404, "not_found_error", "The model does not exist"),
    "bad-request": (400, "invalid_request_error", "Bad request"),
    "too-long": (400, "invalid_request_error", "This model's maximum context length is 8192 tokens"),
}


def error_body(dialect: Dialect, kind: str, message: str, status: int, echo: str) -> dict[str, Any]:
    """Return an error in a vendor's dialect; like real ones, it repeats a part of what was sent."""
    said = f"{message}: {echo}"
    if dialect == "gemini":
        return {"error": {"code": status, "message": said, "status": kind.upper()}}
    if dialect == "openai":
        code = "context_length_exceeded" if "context" in message else None
        return {"error": {"message": said, "type": kind, "code": code, "param": None}}
    if dialect == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": said}}
    return {"error": said}


def _prompt_of(dialect: Dialect, body: Mapping[str, Any]) -> str:
    if dialect == "gemini":
        return "".join(part.get("text", "") for content in body.get("contents", []) for part in content["parts"])
    contents = [message["content"] for message in body.get("messages", []) if message["role"] == "user"]
    texts = [content if isinstance(content, str) else "".join(part["text"] for part in content) for content in contents]
    return "".join(texts)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def _provider(self) -> FakeProvider:
        return cast("_Server", self.server).provider

    def do_POST(self) -> None:
        body = cast("dict[str, Any]", json.loads(self.rfile.read(int(self.headers["content-length"]))))
        dialect, model = self._asked(body)
        self._provider.received.append(
            Received(dialect=dialect, model=model, path=self.path, headers=dict(self.headers.items()), body=body)
        )
        self._provider.asked.set()
        self._play(self._provider.behaviour_of(model), dialect, model, _prompt_of(dialect, body))

    def _asked(self, body: Mapping[str, Any]) -> tuple[Dialect, str]:
        gemini = re.search(r"/models/([^:/]+):generateContent", self.path)
        if gemini:
            return "gemini", gemini.group(1)
        model = str(body.get("model", ""))
        if self.path.startswith("/api/chat"):
            return "ollama_chat", model
        return ("anthropic" if self.path.startswith("/v1/messages") else "openai"), model

    def _play(self, behaviour: str, dialect: Dialect, model: str, prompt: str) -> None:
        if behaviour == "hang":
            self._provider.stopping.wait()
            return
        if behaviour in _STATUS:
            status, kind, message = _STATUS[behaviour]
            headers = {"retry-after": str(RETRY_AFTER_S)} if status == 429 else {}
            self._send(status, json.dumps(error_body(dialect, kind, message, status, prompt[:200])), headers)
            return
        if behaviour == "gibberish":
            self._send(200, "<html><body>Welcome</body></html>", {"content-type": "text/html"})
            return
        text = draft_text(behaviour, prompt)
        whole = json.dumps(reply_body(dialect, model, text, filtered=behaviour == "filtered"), ensure_ascii=False)
        self._send(200, whole, {}, cut=behaviour == "cut")

    def _send(self, status: int, text: str, headers: Mapping[str, str], *, cut: bool = False) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        if cut:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by the base class
        """Say nothing: prompts do not belong into a log."""


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="A language model provider for tests.")
    parser.add_argument("--port", type=int, default=0)
    provider = FakeProvider(parser.parse_args().port)
    sys.stdout.write(f"listening on {provider.url}\n")
    sys.stdout.flush()
    try:
        provider.serve_forever()
    except KeyboardInterrupt:
        provider.stopping.set()


if __name__ == "__main__":
    main()

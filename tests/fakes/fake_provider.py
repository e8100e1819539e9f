"""A language model provider on this machine that speaks four vendors' dialects, for tests and for trying the program.

    PYTHONPATH=tests python -m fakes.fake_provider --port 0

prints `listening on http://127.0.0.1:PORT` and serves until it is stopped. The model's name says how it behaves:
`fake-success`, `fake-rate-limited+success` (the first call one way, the rest the other), … (`BEHAVIOURS`). A successful
reply quotes the first sources of the prompt it was sent, so that whole turns can be played against it; asked to verify
claims, it supports those that a cited passage holds word for word.

Asked to stream, it sends the same replies piece by piece (`fake_streams`), counts the pieces that it wrote, and notes
when the caller hangs up.

| dialect | path | endpoint to configure |
|---|---|---|
| gemini | `/v1…/models/MODEL:generateContent` and `:streamGenerateContent` | `http://127.0.0.1:PORT` |
| openai | `/v1/chat/completions` | `http://127.0.0.1:PORT/v1` |
| anthropic | `/v1/messages` | `http://127.0.0.1:PORT` |
| ollama_chat | `/api/chat` | `http://127.0.0.1:PORT` |
"""

import argparse
import json
import re
import select
import socket
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate
from typing import Any, Self, cast

from fakes.fake_replies import USAGE, Dialect, error_body, reply_body
from fakes.fake_streams import Streamed, Told, frames, pieces_of
from voice.testing.verifiers import verdicts_verbatim

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
    "invented",  # cites a source that was not sent, then goes on at length
    "one-source",  # cites one source, then goes on at length
    "held",  # as invented; streamed, all after the invented quotation is held back until the caller hangs up
    "unreported",  # a good reply that says nothing of what it took
)
RETRY_AFTER_S = 7
HANGING = {
    "SURR_ENABLE_INNER_VOICE": "1",
    "SURR_INNER_VOICE_PROVIDER": "ollama_chat",
    "SURR_INNER_VOICE_MODEL": "fake-hang",
    "SURR_EMBED_PROVIDER": "hash",
    "SURR_EMBED_DIM": "128",
}
"""Settings of a command whose model sends no reply; where it is, is still to be said."""
UNICODE_ANSWER = "Η Ζωή 学习 zażółć 👩‍👩‍👧‍👦 שלום e\u0301 \u202eabc\u202c ✨"
INVENTED = "S4711"
LONG_ANSWER = "And so it goes on, sentence after sentence, about what nobody has asked for. " * 40
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

    def handle_error(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: tuple[str, int]
    ) -> None:
        """Say nothing of a caller that has hung up."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class FakeProvider:
    """The server; `with FakeProvider() as fake:` runs it in a thread."""

    def __init__(self, port: int = 0) -> None:
        self.received: list[Received] = []
        self.stopping = threading.Event()
        self.asked = threading.Event()
        """Set once a request has come in."""
        self.hung_up = threading.Event()
        """Set once a caller has gone before its reply was at an end."""
        self.written: Counter[str] = Counter()
        """By model, how many pieces of text were written to streams."""
        self.is_metered = False
        """Whether replies report what they really took: a fourth of the prompt's characters, and their pieces."""
        self.counts_late = False
        """Whether Gemini's streams count what was written in their last part alone."""
        self.pace_s = 0.0
        """How long it takes to write the next piece of a stream."""
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


_VERIFY = '{"question": "'


def draft_text(behaviour: str, prompt: str) -> str:
    """Return the text a model of that behaviour writes."""
    if behaviour in _SAID:
        return _SAID[behaviour]
    if (asked := _asked_to_verify(prompt)) is not None:
        return verdicts_verbatim(asked)
    quotes = [(found["id"], found["text"].strip()) for found in _SOURCE.finditer(prompt)][:4]
    if behaviour in ("invented", "held"):
        said = [*quotes[:1], (INVENTED, "a quotation of nothing"), *quotes[1:]]
        return _draft([*(([quote], quote[1]) for quote in said), ([], LONG_ANSWER)])
    if behaviour == "one-source":
        return _draft([*(([quote], quote[1]) for quote in quotes[:1]), (quotes[:1], LONG_ANSWER)])
    text = _draft([([quote], quote[1]) for quote in quotes] or [([], "Nothing was quoted.")])
    return f"Here it is:\n```json\n{text}\n```\n" if behaviour == "fenced" else text


def _asked_to_verify(prompt: str) -> dict[str, list[dict[str, object]]] | None:
    """Return the request that a verifier is shown; None where this is no such prompt."""
    start = prompt.find(_VERIFY)
    return None if start < 0 else json.JSONDecoder().raw_decode(prompt[start:])[0]


def _draft(said: list[tuple[list[tuple[str, str]], str]], *, refused: bool = False, notes: str | None = None) -> str:
    """Return a draft in the wire schema, of sentences with what they cite."""
    sentences = [
        {"sources": [{"source_id": alias, "span": span} for alias, span in quotes], "text": text, "kind": "claim"}
        for quotes, text in said
    ]
    wire = {"sentences": sentences, "refused": refused, "notes": notes, "confidence": 0.99}
    return json.dumps(wire, ensure_ascii=False)


_SAID = {
    "malformed": '{"sentences": [{"sources": [{"source_id": "S1", "span": "half a',
    "empty": "",
    "refusal": _draft([], refused=True, notes="the sources do not say"),
    "huge": _draft([([], " ".join(map(str, range(160_000))))]),
    "unicode": _draft([([], UNICODE_ANSWER)]),
}
"""What is said whatever is asked."""


_USAGE_KEYS = frozenset({"usage", "usageMetadata", "prompt_eval_count", "eval_count"})
_STATUS = {
    "rate-limited": (429, "rate_limit_error", "Rate limit reached"),
    "server-error": (500, "api_error", "Internal error"),
    "unauthorised": (401, "authentication_error", "Invalid API key"),
    "unknown-model": (404, "not_found_error", "The model does not exist"),
    "bad-request": (400, "invalid_request_error", "Bad request"),
    "too-long": (400, "invalid_request_error", "This model's maximum context length is 8192 tokens"),
}


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
        is_streamed = ":stream" in self.path or body.get("stream") is True
        behaviour, prompt = self._provider.behaviour_of(model), _prompt_of(dialect, body)
        if not self._failed(behaviour, dialect, prompt):
            self._answer(behaviour, dialect, model, prompt, streamed=body if is_streamed else None)

    def _asked(self, body: Mapping[str, Any]) -> tuple[Dialect, str]:
        gemini = re.search(r"/models/([^:/]+):(?:streamG|g)enerateContent", self.path)
        if gemini:
            return "gemini", gemini.group(1)
        model = str(body.get("model", ""))
        if self.path.startswith("/api/chat"):
            return "ollama_chat", model
        return ("anthropic" if self.path.startswith("/v1/messages") else "openai"), model

    def _failed(self, behaviour: str, dialect: Dialect, prompt: str) -> bool:
        """Play a call that fails before its reply begins; return whether it does."""
        if behaviour == "hang":
            self._provider.stopping.wait()
        elif behaviour in _STATUS:
            status, kind, message = _STATUS[behaviour]
            headers = {"retry-after": str(RETRY_AFTER_S)} if status == 429 else {}
            self._send(status, json.dumps(error_body(dialect, kind, message, status, prompt[:200])), headers)
        elif behaviour == "gibberish":
            self._send(200, "<html><body>Welcome</body></html>", {"content-type": "text/html"})
        else:
            return False
        return True

    def _answer(
        self, behaviour: str, dialect: Dialect, model: str, prompt: str, *, streamed: Mapping[str, Any] | None
    ) -> None:
        text, filtered = draft_text(behaviour, prompt), behaviour == "filtered" and dialect != "ollama_chat"
        told = self._told(text, prompt)
        if streamed is not None:
            pieces = pieces_of("" if filtered else text)
            reply = Streamed(
                model=model,
                pieces=pieces,
                told=None if behaviour == "unreported" else told,
                filtered=filtered,
                counts_late=self._provider.counts_late,
            )
            options = cast("dict[str, object]", streamed.get("stream_options") or {})
            self._stream(behaviour, dialect, reply, with_usage=bool(options.get("include_usage")))
            return
        body = reply_body(
            dialect,
            model,
            text,
            filtered=filtered,
            usage={"input": told.sent, "output": told.written, "cached": told.cached},
        )
        if behaviour == "unreported":  # a client of Anthropic's takes for granted that there is a usage
            kept: dict[str, object] = {"usage": dict[str, int]()} if dialect == "anthropic" else {}
            body = {name: each for name, each in body.items() if name not in _USAGE_KEYS} | kept
        self._send(200, json.dumps(body, ensure_ascii=False), {}, cut=behaviour == "cut")

    def _told(self, text: str, prompt: str) -> Told:
        if self._provider.is_metered:
            return Told(sent=len(prompt) // 4, written=len(pieces_of(text)), cached=0)
        return Told(sent=USAGE["input"], written=USAGE["output"], cached=USAGE["cached"])

    def _stream(self, behaviour: str, dialect: Dialect, reply: Streamed, *, with_usage: bool) -> None:
        """Send a reply piece by piece, until its end or until the caller is gone."""
        self.send_response(200)
        self.send_header("content-type", "application/x-ndjson" if dialect == "ollama_chat" else "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        said = iter(accumulate(reply.pieces))
        heard = ""
        for number, (frame, is_piece) in enumerate(frames(dialect, reply, with_usage=with_usage)):
            if behaviour == "cut" and number == 6:
                self._cut()
                return
            is_held = behaviour == "held" and "a quotation of nothing" in heard
            if self._has_hung_up(until_stopped=is_held) or not self._wrote(frame):
                self._provider.hung_up.set()
                self.close_connection = True
                return
            if is_piece:
                heard = next(said)
                self._provider.written[reply.model] += 1
        self._wrote(b"")

    def _wrote(self, data: bytes) -> bool:
        """Write one chunk, an empty one ends the reply; return whether there is somebody to write to."""
        try:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        except OSError:
            return False
        return True

    def _has_hung_up(self, *, until_stopped: bool) -> bool:
        """Return whether the caller is gone, after the time a piece takes; or wait until it is."""
        while True:
            readable, _, _ = select.select([self.connection], [], [], 0.02 if until_stopped else self._provider.pace_s)
            if readable:
                try:
                    return not self.connection.recv(1, socket.MSG_PEEK)
                except ConnectionResetError:  # it went with pieces unread
                    return True
            if not until_stopped or self._provider.stopping.is_set():
                return False

    def _cut(self) -> None:
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def _send(self, status: int, text: str, headers: Mapping[str, str], *, cut: bool = False) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        if cut:
            self._cut()

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

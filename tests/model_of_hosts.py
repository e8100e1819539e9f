"""A model for the hosts in which the MCP server is tried: it calls one tool of the server, then says what came back.

It speaks the four dialects that Claude Code, Codex, Gemini CLI and opencode speak to their vendors, each as a stream.
Asked with a tool of the server at hand it calls it; asked with the tool's result it says the result word for word.
Claude Code holds the tools of servers back until they are looked for, so there it looks for the tool first, as the real
model does.
"""

import json
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final, cast

Fields = Mapping[str, object]
_USAGE: Final[Fields] = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
_NO_RESULT: Final = "the tool was not called"


@dataclass(slots=True, kw_only=True)
class ModelOfHosts:
    """What the model does, and what it was told."""

    tool: str
    """The tool that it calls, by its name on the server."""
    arguments: Fields
    place: str = ""
    """Where it listens: `http://127.0.0.1:PORT`."""
    offered: list[str] = field(default_factory=list[str])
    """The names under which the hosts offered the tool."""

    def answer(self, path: str, body: Fields) -> tuple[str, bytes]:
        """Return the kind of the reply and the reply to one request."""
        if "count" in path:
            return "application/json", json.dumps({"input_tokens": 1, "totalTokens": 1}).encode()
        for part, speak in (
            ("/messages", self._messages),
            ("/responses", self._responses),
            ("enerateContent", self._contents),
            ("/chat/completions", self._completions),
        ):
            if part in path:
                return "text/event-stream", "".join(_event(each) for each in speak(body)).encode()
        return "application/json", b"{}"

    def _named(self, names: Iterable[str]) -> str | None:
        """Return the host's name for the tool, which ends in the server's own."""
        found = next((name for name in names if name.split("_")[-1] == self.tool), None)
        if found is not None:
            self.offered.append(found)
        return found

    def _messages(self, body: Fields) -> Iterable[Fields]:
        """Speak as Anthropic's Messages do."""
        names = [str(tool.get("name")) for tool in _objects(body.get("tools"))]
        parts = [part for message in _objects(body["messages"]) for part in _objects(message["content"])]
        results = [part["content"] for part in parts if part.get("type") == "tool_result"]
        told = [result for result in results if "tool_reference" not in json.dumps(result)]
        name = self._named(names)
        call: Fields | None = None
        if name is not None and not told:
            call = {"name": name, "input": self.arguments}
        elif name is None and "ToolSearch" in names and not results:
            held_back = self._named(re.findall(r"mcp__[\w-]+", json.dumps(body)))
            call = {"name": "ToolSearch", "input": {"query": f"select:{held_back}", "max_results": 1}}
        if call is None:
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": _said(told)}
        else:
            block = {"type": "tool_use", "id": f"toolu_{len(results)}", "name": call["name"], "input": dict[str, str]()}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call["input"])}
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": list[str](),
        }
        stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        return (
            {"type": "message_start", "message": {**message, "stop_reason": None, "usage": _USAGE}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        )

    def _responses(self, body: Fields) -> Iterable[Fields]:
        """Speak as OpenAI's Responses do; Codex offers the tools of a server as a namespace."""
        spaces = [tool for tool in _objects(body.get("tools")) if tool.get("type") == "namespace"]
        names = {str(tool.get("name")): space for space in spaces for tool in _objects(space["tools"])}
        results = [one["output"] for one in _objects(body["input"]) if one.get("type") == "function_call_output"]
        name = self._named(names)
        if name is not None and not results:
            told = {"name": name, "namespace": names[name]["name"], "arguments": json.dumps(self.arguments)}
            item: Fields = {"type": "function_call", "id": "fc_1", "call_id": "call_1", **told}
        else:
            content = [{"type": "output_text", "text": _said(results), "annotations": list[str]()}]
            item = {"type": "message", "id": "msg_1", "role": "assistant", "content": content}
        return (
            {"type": "response.created", "response": {"id": "resp_1"}},
            {"type": "response.output_item.done", "output_index": 0, "item": {"status": "completed", **item}},
            {"type": "response.completed", "response": {"id": "resp_1", "usage": _USAGE}},
        )

    def _contents(self, body: Fields) -> Iterable[Fields]:
        """Speak as Gemini's `generateContent` does."""
        tools = [tool for each in _objects(body.get("tools")) for tool in _objects(each.get("functionDeclarations"))]
        parts = [part for content in _objects(body["contents"]) for part in _objects(content["parts"])]
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        name = self._named(str(tool["name"]) for tool in tools)
        is_call = name is not None and not results
        part = {"functionCall": {"name": name, "args": self.arguments}} if is_call else {"text": _said(results)}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        return ({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2}},)

    def _completions(self, body: Fields) -> Iterable[Fields]:
        """Speak as OpenAI's chat completions do."""
        functions = [cast("Fields", tool["function"]) for tool in _objects(body.get("tools"))]
        results = [message["content"] for message in _objects(body["messages"]) if message["role"] == "tool"]
        name = self._named(str(function["name"]) for function in functions)
        is_call = name is not None and not results
        function = {"name": name, "arguments": json.dumps(self.arguments)}
        call = {"index": 0, "id": "call_1", "type": "function", "function": function}
        told = {"tool_calls": [call]} if is_call else {"content": _said(results)}
        base = {"id": "c_1", "object": "chat.completion.chunk", "created": 1, "model": body.get("model")}
        first = {"index": 0, "delta": {"role": "assistant", **told}, "finish_reason": None}
        last = {"index": 0, "delta": dict[str, str](), "finish_reason": "tool_calls" if is_call else "stop"}
        return ({**base, "choices": [first]}, {**base, "choices": [last]})


@contextmanager
def model_of_hosts(tool: str, arguments: Fields) -> Generator[ModelOfHosts]:
    """Serve the model on a free port of this machine."""
    model = ModelOfHosts(tool=tool, arguments=arguments)

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the library's name)
            """Say nothing."""

        def do_GET(self) -> None:
            self._send("application/json", b'{"data": [], "models": []}')

        def do_POST(self) -> None:
            body = cast("Fields", json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))) or b"{}"))
            self._send(*model.answer(self.path, body))

        def _send(self, kind: str, reply: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    model.place = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield model
    server.shutdown()
    thread.join()
    server.server_close()


def _event(told: Fields) -> str:
    named = f"event: {told['type']}\n" if "type" in told else ""
    return f"{named}data: {json.dumps(told)}\n\n"


def _objects(value: object) -> Sequence[Fields]:
    """Return the objects of a list; of a text, which has none, nothing."""
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Fields", one) for one in listed if isinstance(one, dict)]


def _said(results: Sequence[object]) -> str:
    return json.dumps(results[-1], ensure_ascii=False) if results else _NO_RESULT

"""What is answered before the protocol's library is loaded is what the library would answer."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import cast

import anyio
import pytest
from bench.mcp_openings import OPENINGS, STRANGE, initialize
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest, jsonrpc_message_adapter
from mcp_types.methods import SPEC_CLIENT_METHODS
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS

from mcp_talk import MODERN_META, call, handshake, lines, modern, request
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.discovery import ToolNames
from voice.entrypoints.mcp.handshake import HANDSHAKES, METHODS, MODERN, Handover, HandshakeServer
from voice.entrypoints.mcp.server import make_server

Message = dict[str, object]
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")


def on_the_porch(
    messages: Sequence[Mapping[str, object]], names: ToolNames = "plain"
) -> tuple[list[Message], Handover | None]:
    """Return what the porch answers, and what it hands over."""
    sent: list[Message] = []
    handover = HandshakeServer(names).receive(lines(messages).splitlines(), lambda line: sent.append(json.loads(line)))
    return sent, handover


async def by_the_library(messages: Sequence[Mapping[str, object]], names: ToolNames = "plain") -> list[Message]:
    """Return what the library answers to the same messages, over a server that has no memory."""

    async def opens() -> Voice:
        raise AssertionError("nothing of this needs a memory")

    server = make_server(opens, tool_names=names)
    incoming, heard = anyio.create_memory_object_stream[SessionMessage | Exception](len(messages))
    said, outgoing = anyio.create_memory_object_stream[SessionMessage](len(messages))
    read = [jsonrpc_message_adapter.validate_python(dict(message)) for message in messages]
    for message in read:
        await incoming.send(SessionMessage(message))
    answers: list[Message] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, heard, said, server.create_initialization_options())
        for _ in [message for message in read if isinstance(message, JSONRPCRequest)]:
            answer = (await outgoing.receive()).message
            answers.append(json.loads(answer.model_dump_json(by_alias=True, exclude_unset=True)))
        incoming.close()
    outgoing.close()
    asked = [message.id for message in read if isinstance(message, JSONRPCRequest)]
    return sorted(answers, key=lambda answer: asked.index(cast("str | int", answer["id"])))


@pytest.mark.requirement("mcp:porch", "mcp:eras")
def test_the_porch_knows_the_versions_of_the_library() -> None:
    assert HANDSHAKES == HANDSHAKE_PROTOCOL_VERSIONS
    assert HANDSHAKES[-1] == LATEST_HANDSHAKE_VERSION
    assert list(MODERN_PROTOCOL_VERSIONS) == [MODERN]
    assert METHODS == SPEC_CLIENT_METHODS


@pytest.mark.requirement("mcp:porch", "mcp:eras")
@pytest.mark.parametrize("version", HANDSHAKES)
@pytest.mark.parametrize("names", ["plain", "dotted"])
async def test_a_talk_with_a_handshake_opens_as_with_the_library(version: str, names: ToolNames) -> None:
    asked = [request(at, method) for at, method in enumerate(("ping", *LISTS), start=1)]
    token = request(9, "tools/list", {"_meta": {"progressToken": 3}})
    messages = [*handshake(version), *asked, token]
    answers, handover = on_the_porch(messages, names)
    assert handover is None
    assert answers == await by_the_library(messages, names)
    assert len(answers) == 7


@pytest.mark.requirement("mcp:porch", "mcp:eras")
async def test_a_talk_without_a_handshake_opens_as_with_the_library() -> None:
    messages = [modern(at, method) for at, method in enumerate(("server/discover", *LISTS))]
    answers, handover = on_the_porch(messages)
    assert handover is None
    assert answers == await by_the_library(messages)
    assert len(answers) == 5


@pytest.mark.requirement("mcp:porch", "mcp:porch-shapes")
@pytest.mark.parametrize("opening", OPENINGS.values(), ids=OPENINGS.keys())
async def test_every_shape_in_which_hosts_open_is_answered_as_the_library_does(opening: list[Message]) -> None:
    answers, handover = on_the_porch(opening)
    assert handover is None
    assert answers == await by_the_library(opening)
    assert any("tools" in cast("Message", answer.get("result", {})) for answer in answers)


@pytest.mark.requirement("mcp:porch-shapes")
@pytest.mark.parametrize("name", ["experimental", "extensions"])
@pytest.mark.parametrize("value", [{}, {"x": True}, {"x": [1, {"y": None}]}, {"x": "text"}, None])
def test_what_a_host_says_of_extensions_is_its_own_and_not_handed_on(name: str, value: object) -> None:
    capabilities = {"roots": {"listChanged": True}, name: value}
    opening = [initialize(capabilities), request(1, "tools/list")]
    answers, handover = on_the_porch([*opening, call(2, "recall", {"query": "kiln"})])
    assert [answer["id"] for answer in answers] == [0, 1]
    assert handover is not None
    (kept,) = handover.opening
    assert cast("Message", kept["params"])["capabilities"] == {"roots": {"listChanged": True}}


def _said(**more: object) -> Message:
    return {**handshake()[0], "params": {**handshake()[0]["params"], **more}}  # pyright: ignore[reportGeneralTypeIssues]


@pytest.mark.requirement("mcp:porch")
@pytest.mark.parametrize(
    "first",
    [
        request(1, "tools/list"),
        request(1, "server/discover"),
        STRANGE[0],
        _said(protocolVersion=3),
        _said(clientInfo={"name": "a host"}),
        _said(clientInfo="a host"),
        _said(clientInfo={"name": "a host", "version": "1", "icons": [{"src": None}]}),
        _said(clientInfo={"name": "a host", "version": "1", "icons": {"src": "a"}}),
        _said(capabilities={"roots": 3}),
        _said(capabilities={"roots": {"listChanged": "maybe"}}),
        _said(capabilities={"sampling": []}),
        _said(capabilities={"elicitation": {"form": True}}),
        _said(capabilities={"extensions": []}),
        _said(capabilities=None),
        _said(_meta={"progressToken": 1.5}),
        modern(1, "tools/list", {"cursor": 3}),
        modern(1, "tools/call", {"name": "recall"}),
        {**modern(1, "tools/list"), "params": {"_meta": {**MODERN_META, "io.modelcontextprotocol/clientInfo": 1}}},
        {**modern(1, "tools/list"), "params": {"_meta": {**MODERN_META, "io.modelcontextprotocol/logLevel": "loud"}}},
        {
            **modern(1, "tools/list"),
            "params": {
                "_meta": {**MODERN_META, "io.modelcontextprotocol/clientCapabilities": {"extensions": {"x": 1}}}
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    ],
)
def test_what_is_not_known_is_handed_over(first: Message) -> None:
    answers, handover = on_the_porch([first])
    assert answers == []
    assert handover == Handover(message=first)


@pytest.mark.requirement("mcp:porch", "mcp:faults")
@pytest.mark.parametrize("line", [b"nonsense", b"[]", b'"text"', b"[" * 100_000, b"\xff"])
def test_what_is_no_message_is_answered_with_an_error_and_nothing_is_loaded_for_it(line: bytes) -> None:
    sent: list[Message] = []
    assert HandshakeServer("plain").receive([line], lambda line: sent.append(json.loads(line))) is None
    (answer,) = sent
    assert (answer["id"], cast("Message", answer["error"])["code"] in {-32700, -32600}) == (None, True)


@pytest.mark.requirement("mcp:porch")
@pytest.mark.parametrize(
    "next_",
    [
        call(5, "recall", {"query": "kiln"}),
        handshake()[0],
        modern(5, "tools/list"),
        request(5, "tools/list", {"cursor": 7}),
        request(5, "tools/list", {"_meta": {"progressToken": True}}),
        request(5, "logging/setLevel", {"level": "loud"}),
        request(5, "logging/setLevel"),
        request(5, "prompts/get", {"name": "synthesize"}),
    ],
)
def test_the_library_is_handed_the_opening_with_what_was_answered(next_: Message) -> None:
    opening = handshake()
    answers, handover = on_the_porch([*opening, request(1, "tools/list"), next_])
    assert [answer["id"] for answer in answers] == [0, 1]
    assert handover == Handover(opening=tuple(opening), answered=(0,), message=next_)


@pytest.mark.requirement("mcp:porch", "mcp:porch-shapes")
def test_what_decides_the_state_of_a_talk_is_kept_for_the_library_and_what_was_withdrawn_is_not() -> None:
    changed = {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
    withdrawn = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    first, (opened, ready), next_ = request("a", "ping"), handshake(), call(5, "recall", {"query": "kiln"})
    spoken = [first, opened, ready, request(1, "tools/list"), withdrawn, changed, request(2, "prompts/list"), next_]
    answers, handover = on_the_porch(spoken)
    assert [answer["id"] for answer in answers] == ["a", 0, 1, 2]
    assert handover == Handover(opening=(first, opened, ready, changed), answered=("a", 0), message=next_)


@pytest.mark.requirement("mcp:porch")
def test_a_host_that_only_notifies_is_handed_over_before_too_much_is_kept() -> None:
    notice = {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
    _, handover = on_the_porch([*handshake(), *[notice] * 100])
    assert handover is not None
    assert len(handover.opening) < 100
    assert handover.message == notice


@pytest.mark.requirement("mcp:porch")
def test_of_a_talk_without_a_handshake_the_first_request_is_handed_over() -> None:
    first, second = modern(7, "tools/list"), modern(8, "tools/call", {"name": "recall", "arguments": {"query": "a"}})
    answers, handover = on_the_porch([first, second])
    assert [answer["id"] for answer in answers] == [7]
    assert handover == Handover(opening=(first,), answered=(7,), message=second)


@pytest.mark.requirement("mcp:porch", "mcp:start")
def test_nothing_heavy_is_loaded_for_it() -> None:
    heavy = "{'mcp', 'mcp_types', 'pydantic', 'anyio', 'asyncio', 'voice.bootstrap', 'surrealdb', 'numpy', 'rich'}"
    code = (
        "import sys, voice.entrypoints.cli.main, voice.entrypoints.cli.serve\n"
        "from voice.entrypoints.mcp.handshake import HandshakeServer\n"
        "from voice.entrypoints.mcp.json_rpc import StdioStreams\n"
        "HandshakeServer().receive([sys.argv[1].encode()], lambda line: print(len(line)))\n"
        f"print(sorted(set(sys.modules) & {heavy}))"
    )
    message = json.dumps(modern(1, "tools/list"))
    done = subprocess.run([sys.executable, "-c", code, message], capture_output=True, text=True, check=True, timeout=60)
    size, loaded = done.stdout.split(maxsplit=1)
    assert int(size) > 20_000
    assert loaded.strip() == "[]"


@pytest.mark.slow
@pytest.mark.requirement("mcp:start")
def test_what_only_a_call_needs_is_not_loaded_with_the_library() -> None:
    code = (
        "import sys, voice.entrypoints.mcp.stdio_server; print(sorted(set(sys.modules) & {'voice.bootstrap', 'numpy'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"

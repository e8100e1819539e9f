"""What is answered before the protocol's library is loaded is what the library would answer."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest, jsonrpc_message_adapter
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from mcp_talk import MODERN_META, call, handshake, lines, modern, request
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.listing import ToolNames
from voice.entrypoints.mcp.porch import HANDSHAKES, MODERN, Handover, Porch
from voice.entrypoints.mcp.server import make_server

Message = dict[str, object]
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")


def on_the_porch(
    messages: Sequence[Mapping[str, object]], names: ToolNames = "plain"
) -> tuple[list[Message], Handover | None]:
    """Return what the porch answers, and what it hands over."""
    sent: list[Message] = []
    handover = Porch(names).receive(lines(messages).splitlines(), lambda line: sent.append(json.loads(line)))
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
    return sorted(answers, key=lambda answer: int(str(answer["id"])))


@pytest.mark.requirement("mcp:porch", "mcp:eras")
def test_the_porch_knows_the_versions_of_the_library() -> None:
    assert set(HANDSHAKES) == set(HANDSHAKE_PROTOCOL_VERSIONS)
    assert list(MODERN_PROTOCOL_VERSIONS) == [MODERN]


@pytest.mark.anyio
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


@pytest.mark.anyio
@pytest.mark.requirement("mcp:porch", "mcp:eras")
async def test_a_talk_without_a_handshake_opens_as_with_the_library() -> None:
    messages = [modern(at, method) for at, method in enumerate(("server/discover", *LISTS))]
    answers, handover = on_the_porch(messages)
    assert handover is None
    assert answers == await by_the_library(messages)
    assert len(answers) == 5


def _said(**more: object) -> Message:
    return {**handshake()[0], "params": {**handshake()[0]["params"], **more}}  # pyright: ignore[reportGeneralTypeIssues]


@pytest.mark.requirement("mcp:porch")
@pytest.mark.parametrize(
    "first",
    [
        request(1, "tools/list"),
        request(1, "server/discover"),
        _said(protocolVersion="1999-01-01"),
        _said(clientInfo={"name": "a host"}),
        _said(clientInfo="a host"),
        _said(capabilities={"roots": 3}),
        _said(capabilities=None),
        _said(more=True),
        modern(1, "ping"),
        modern(1, "tools/list", {"cursor": "x"}),
        {**modern(1, "tools/list"), "params": {"_meta": {**MODERN_META, "io.modelcontextprotocol/clientInfo": 1}}},
        {**modern(1, "tools/list"), "params": {"_meta": {**MODERN_META, "more": 1}}},
        {**request(1, "tools/list"), "params": [1]},
        {**request(1, "tools/list"), "jsonrpc": "1.0"},
        {**request(1, "tools/list"), "more": 1},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    ],
)
def test_whatever_is_not_known_to_the_letter_is_handed_over(first: Message) -> None:
    answers, handover = on_the_porch([first])
    assert answers == []
    assert handover == Handover(line=lines([first]).strip())


@pytest.mark.requirement("mcp:porch")
@pytest.mark.parametrize("line", [b"nonsense", b"[]", b'"text"', b"[" * 100_000, b"\xff"])
def test_what_is_no_message_is_handed_over(line: bytes) -> None:
    sent: list[bytes] = []
    assert Porch("plain").receive([line], sent.append) == Handover(line=line)
    assert sent == []


@pytest.mark.requirement("mcp:porch")
@pytest.mark.parametrize(
    "next_",
    [
        call(5, "recall", {"query": "kiln"}),
        handshake()[0],
        modern(5, "tools/list"),
        request(5, "tools/list", {"cursor": ""}),
    ],
)
def test_the_library_is_handed_the_opening_with_what_was_answered(next_: Message) -> None:
    opening = handshake()
    answers, handover = on_the_porch([*opening, request(1, "tools/list"), next_])
    assert [answer["id"] for answer in answers] == [0, 1]
    assert handover == Handover(opening=tuple(lines(opening).splitlines()), answered=0, line=lines([next_]).strip())


@pytest.mark.requirement("mcp:porch")
def test_of_a_talk_without_a_handshake_the_first_request_is_handed_over() -> None:
    first, second = modern(7, "tools/list"), modern(8, "tools/call", {"name": "recall", "arguments": {"query": "a"}})
    answers, handover = on_the_porch([first, second])
    assert [answer["id"] for answer in answers] == [7]
    assert handover == Handover(opening=(lines([first]).strip(),), answered=7, line=lines([second]).strip())


@pytest.mark.requirement("mcp:porch", "mcp:start")
def test_nothing_heavy_is_loaded_for_it() -> None:
    heavy = "{'mcp', 'mcp_types', 'pydantic', 'anyio', 'asyncio', 'voice.bootstrap', 'surrealdb', 'numpy', 'rich'}"
    code = (
        "import sys, voice.entrypoints.cli.main, voice.entrypoints.cli.mcp\n"
        "from voice.entrypoints.mcp.porch import Porch\nfrom voice.entrypoints.mcp.wire import Wire\n"
        "Porch().receive([sys.argv[1].encode()], lambda line: print(len(line)))\n"
        f"print(sorted(set(sys.modules) & {heavy}))"
    )
    message = json.dumps(modern(1, "tools/list"))
    done = subprocess.run([sys.executable, "-c", code, message], capture_output=True, text=True, check=True, timeout=60)
    size, loaded = done.stdout.split(maxsplit=1)
    assert int(size) > 20_000
    assert loaded.strip() == "[]"

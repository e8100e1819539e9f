"""Talks over the Model Context Protocol: an open memory with a server, and lines as hosts send them."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal, cast

from jsonschema import Draft202012Validator
from mcp import Client
from mcp_types import CallToolResult, TextContent

from played_turns import KILN, NOW, given
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import ExtractiveClient
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Parts
from voice.core.settings.values import GateSettings, Settings
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.discovery import find_tool, schema_of
from voice.entrypoints.mcp.server import make_server

Era = Literal["legacy", "auto"]
ERAS: tuple[Era, ...] = ("legacy", "auto")
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "a host", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
ON = given(gate=GateSettings(enabled=True))
PARTS = Parts(clock=FixedClock(NOW), embedder=HashedEmbedder(64), llm=ExtractiveClient())


@asynccontextmanager
async def remembering(home: Path, settings: Settings = ON, *, parts: Parts = PARTS) -> AsyncGenerator[Voice]:
    """Open a memory that holds the four notes about a kiln."""
    async with Voice.open(settings, home, parts=parts) as memory:
        for note in KILN:
            await memory.remember(note)
        yield memory


@asynccontextmanager
async def talking(home: Path, era: Era = "auto", settings: Settings = ON) -> AsyncGenerator[Client]:
    """Connect a client of an era to a server over such a memory."""
    async with remembering(home, settings) as memory, Client(make_server(memory), mode=era) as client:
        yield client


def logged() -> Settings:
    """Return settings whose owner vouches for what their programs log."""
    return replace(ON, gate=GateSettings(enabled=True, mcp_origin="logged"))


def told(result: CallToolResult, tool: str) -> dict[str, object]:
    """Return what a tool answered, once it is held against its schema and against its own text."""
    assert not result.is_error, result.content
    first = cast("TextContent", result.content[0])
    assert json.loads(first.text) == result.structured_content
    meant = find_tool(tool)
    assert meant is not None
    checker = Draft202012Validator.FORMAT_CHECKER
    validator = Draft202012Validator(schema_of(meant.name, "output"), format_checker=checker)
    assert [*validator.iter_errors(result.structured_content)] == []  # pyright: ignore[reportUnknownMemberType]
    return cast("dict[str, object]", result.structured_content)


def refused(result: CallToolResult) -> Mapping[str, object]:
    """Return the error that a tool answered with, once its shape is checked."""
    assert result.is_error
    assert result.structured_content is None
    only = cast("TextContent", result.content[0])
    error = cast("Mapping[str, object]", json.loads(only.text)["error"])
    assert len(result.content) == 1
    assert error.keys() - {"reason"} == {"code", "message"}
    assert result.meta is not None
    meta = cast("Mapping[str, object]", cast("Mapping[str, object]", result.meta)["voice/error"])
    assert {name: meta[name] for name in error} == error
    assert isinstance(meta["retryable"], bool)
    return error


def request(request_id: int | str, method: str, params: Mapping[str, object] | None = None) -> dict[str, object]:
    """Return a request of the era of handshakes."""
    head: dict[str, object] = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return head if params is None else {**head, "params": params}


def modern(request_id: int, method: str, params: Mapping[str, object] | None = None) -> dict[str, object]:
    """Return a request of the protocol without a handshake."""
    return request(request_id, method, {**(params or {}), "_meta": MODERN_META})


def handshake(version: str = "2025-06-18") -> list[dict[str, object]]:
    """Return the opening of a talk of the era of handshakes."""
    client = {"name": "a host", "version": "1"}
    said = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
    return [request(0, "initialize", said), {"jsonrpc": "2.0", "method": "notifications/initialized"}]


def call(request_id: int, tool: str, arguments: Mapping[str, object]) -> dict[str, object]:
    """Return the call of a tool."""
    return request(request_id, "tools/call", {"name": tool, "arguments": arguments})


def lines(messages: Sequence[Mapping[str, object]]) -> bytes:
    """Return messages as they stand on the wire."""
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)

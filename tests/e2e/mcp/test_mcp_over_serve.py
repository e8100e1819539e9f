"""The tools over `voice serve`, as a host that speaks HTTP reaches them: its address, `/mcp`, and the token."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from mcp_talk import ERAS, Era, refused, told
from served import Served, serving
from voice.entrypoints.mcp.tools import TOOLS

pytestmark = pytest.mark.xdist_group("mcp_over_serve")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with serving(tmp_path_factory.mktemp("served") / "memory") as running:
        yield running


@asynccontextmanager
async def _client(server: Served, era: Era) -> AsyncGenerator[Client]:
    async with (
        httpx2.AsyncClient(headers=server.bearer, timeout=60) as http,
        Client(streamable_http_client(f"{server.origin}/mcp", http_client=http), mode=era) as client,
    ):
        yield client


@pytest.mark.requirement("mcp:over-http", "mcp:eras", "mcp:exact")
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_with_the_token_lists_and_calls_the_tools(server: Served, era: Era) -> None:
    heard: list[str | None] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    async with _client(server, era) as client:
        listed = (await client.list_tools()).tools
        kept = told(await client.call_tool("remember", {"content": f"The {era} wheel is by the window."}), "remember")
        found = told(await client.call_tool("inner_voice_retrieve", {"query": f"{era} wheel", "mix": 0}),
                     "inner_voice_retrieve")  # fmt: skip
        asked = {"query": "Where is the wheel?"}
        turn = told(await client.call_tool("inner_voice_chat", asked, progress_callback=hear), "inner_voice_chat")
        error = refused(await client.call_tool("recall", {"query": "wheel", "limit": "few"}))
        (resource,) = (await client.list_resources()).resources
        read = await client.read_resource(resource.uri)
    assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
    assert str(kept["id"]) in str(found["snippets"])
    assert str(turn["session_id"]) in str(read)
    assert heard[0] == "looking"
    assert error["code"] == "invalid_params"

"""A memory whose vectors another encoder made, asked at every door: answered by words, and said so."""

import json
import re
import warnings
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from html import unescape
from pathlib import Path
from typing import cast

import httpx
import pytest
from mcp import Client
from mcp_types import TextContent

from played_turns import FIRED, KILN, MOVED, ON_DISK, WHERE, given, memory, quoting, scripted, tell
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.system.clock_and_ids import CountingIds
from voice.core.organise import OrganiseRequest
from voice.core.retrieval.selection import NO_VECTORS_WARNING
from voice.core.settings.providers import VerifierSettings
from voice.core.settings.values import GateSettings
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.server import make_server
from voice.entrypoints.shared.sessions import turn_notices
from voice.entrypoints.web.pages import page_routes
from voice.entrypoints.web.server import make_app
from web_door import BEARER, COOKIE, ORIGIN, guard

pytestmark = pytest.mark.requirement("grounding:another-encoder", "promise:5")
QUERY = "the kiln in the shed"


@asynccontextmanager
async def opened(home: Path) -> AsyncGenerator[Voice]:
    """Write a memory with one encoder and open it with another."""
    settings = given(store=ON_DISK, gate=GateSettings(enabled=True), verifier=VerifierSettings(name="none"))
    ids, other = CountingIds(), HashedEmbedder(96)
    async with memory(home, settings=settings, ids=ids) as services:
        await tell(services, *KILN)
    says = scripted(quoting(MOVED, FIRED, answer=f"{MOVED} {FIRED}"))
    async with memory(home, says, settings=settings, ids=ids, embedder=other) as services:
        yield Voice(services, settings)


def scores(snippets: object, name: str = "score") -> list[float]:
    return [cast("float", each[name]) for each in cast("list[dict[str, object]]", snippets)]


async def test_the_library_answers_by_words_and_warns(tmp_path: Path) -> None:
    async with opened(tmp_path) as voice:
        with pytest.warns(UserWarning, match=re.escape(NO_VECTORS_WARNING)):
            found = await voice.retrieve(QUERY)
        recalled = await voice.recall(QUERY)
        organised = await voice.services.organise(OrganiseRequest(content=QUERY, save=False))
        turn = await voice.ask(WHERE)
    assert min(scores(found["snippets"])) > 0.0
    assert recalled["candidates"] != []
    assert NO_VECTORS_WARNING in recalled["provenance"]["warnings"]
    assert min(source.similarity for source in organised.sources) > 0.0
    assert NO_VECTORS_WARNING in organised.warnings
    assert turn.exchange.status == "answered"
    assert NO_VECTORS_WARNING in turn_notices(turn)


@pytest.mark.parametrize("provider", ["local-vector", "local-hybrid"])
async def test_no_row_is_shown_at_the_score_of_one_that_was_compared_and_is_unlike(
    tmp_path: Path, provider: str
) -> None:
    async with opened(tmp_path) as voice:
        found = await voice.explain(QUERY, provider=provider, limit=20)
    assert {each["cosine"] for each in found["snippets"]} == {None}
    assert min(scores(found["snippets"])) > 0.0
    assert found["diagnostics"]["warnings"] == [NO_VECTORS_WARNING]


async def test_mcp_answers_by_words_and_warns_beside_the_result(tmp_path: Path) -> None:
    async with opened(tmp_path) as voice, Client(make_server(voice), mode="auto") as client:
        for tool, said in (
            ("inner_voice_retrieve", {"query": QUERY}),
            ("recall", {"query": QUERY}),
            ("inner_voice_chat", {"query": WHERE}),
        ):
            answer = await client.call_tool(tool, said)
            assert not answer.is_error, tool
            texts = [part.text for part in answer.content if isinstance(part, TextContent)]
            assert NO_VECTORS_WARNING.partition(";")[0] in "\n".join(texts[1:]), tool
            assert "`voice " not in "\n".join(texts[1:]), tool
            if tool == "inner_voice_retrieve":
                assert min(scores(json.loads(texts[0])["snippets"])) > 0.0


async def test_http_and_the_page_answer_by_words_and_warn(tmp_path: Path) -> None:
    async with opened(tmp_path) as voice:
        transport = httpx.ASGITransport(app=make_app(voice, guard=guard(), extra=page_routes(voice)))
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=BEARER) as program:
            found = await program.post("/api/v1/retrieve", json={"query": QUERY})
            asked = await program.post("/api/v1/ask", json={"question": WHERE})
            short = await program.post("/api/v1/ask", json={"question": WHERE, "shape": "nlq"})
        cookies = {guard().cookie_name: COOKIE}
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, cookies=cookies) as person:
            sources = await person.post(
                "/sources", data={"words": QUERY}, headers={"Origin": ORIGIN}, follow_redirects=True
            )
            chat = await person.post("/ask/stream", data={"question": WHERE, "key": "k:9"}, headers={"Origin": ORIGIN})
    assert min(scores(found.json()["snippets"])) > 0.0
    assert json.loads(found.headers["Voice-Warnings"]) == [NO_VECTORS_WARNING]
    assert NO_VECTORS_WARNING in asked.json()["warnings"]
    assert NO_VECTORS_WARNING in json.loads(short.headers["Voice-Warnings"])
    words = "no row has a vector of the current encoder"
    assert words in unescape(sources.text)
    assert words in unescape(chat.text)


async def test_a_memory_of_this_encoder_is_answered_without_a_warning(tmp_path: Path) -> None:
    settings = given(gate=GateSettings(enabled=True))
    async with memory(tmp_path, settings=settings) as services:
        await tell(services, *KILN)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = await Voice(services, settings).retrieve(QUERY)
    assert found["snippets"] != []

"""The time in a query narrows what `retrieve` and `recall` find, at every door, and what is no time is said."""

from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from mcp import Client
from mcp_types import TextContent

from mcp_talk import ON, remembering, told
from played_turns import NOW
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.server import make_server
from voice.services.graph.editor import Backing

pytestmark = pytest.mark.requirement("ruling:A22", "ruling:E.1", "ruling:E.5")
OLD, NEW = "The boat was painted blue.", "The boat was painted red."


async def painted(memory: Voice) -> None:
    await memory.remember(OLD, at=NOW - timedelta(days=40))
    await memory.remember(NEW, at=NOW - timedelta(days=1))


async def test_retrieve_and_recall_look_in_the_time_that_a_query_names(tmp_path: Path) -> None:
    async with remembering(tmp_path, ON) as memory:
        await painted(memory)
        explained = await memory.explain("the painted boat yesterday", floor=0.0)
        recalled = await memory.recall("the painted boat yesterday")
        overridden = await memory.recall("the painted boat yesterday", when="last year")
    texts = {snippet["text"] for snippet in explained["snippets"]}
    assert (NEW in texts, OLD in texts) == (True, False)
    time = explained["diagnostics"]["time"]
    assert time is not None
    assert (time["asked"], recalled["provenance"]["time"]) == ("yesterday", time)
    assert [one["entity"]["content"] for one in recalled["candidates"]] == [NEW]
    assert recalled["provenance"]["query"] == "the painted boat yesterday"
    assert any("only notes from that time" in warning for warning in recalled["provenance"]["warnings"])
    assert overridden["candidates"] == []


async def test_what_sounds_like_a_time_and_is_none_is_said_and_narrows_nothing(tmp_path: Path) -> None:
    query = "the painted boat the other day"
    said = "not understood as a time: the other day"
    async with remembering(tmp_path, ON) as memory:
        await painted(memory)
        explained = await memory.explain(query, floor=0.0)
        recalled = await memory.recall(query)
        async with Client(make_server(memory)) as client:
            answer = await client.call_tool("inner_voice_retrieve", {"query": query, "floor": 0.0})
    assert {OLD, NEW} <= {snippet["text"] for snippet in explained["snippets"]}
    assert explained["diagnostics"]["when_unparsed"] == recalled["provenance"]["whenUnparsed"] == said
    assert told(answer.model_copy(update={"content": answer.content[:1]}), "inner_voice_retrieve")
    assert any(said in cast("TextContent", part).text for part in answer.content)


async def test_a_name_that_is_also_a_month_is_no_time(tmp_path: Path) -> None:
    async with remembering(tmp_path, ON) as memory:
        await painted(memory)
        editor, backing = memory.services.graph_editor, Backing()
        await editor.add_entity("April", entity_type="person", description="paints", aliases=[], backing=backing)
        recalled = await memory.recall("the boat that was painted by April")
    assert recalled["provenance"]["time"] is None
    assert {OLD, NEW} <= {one["entity"]["content"] for one in recalled["candidates"]}

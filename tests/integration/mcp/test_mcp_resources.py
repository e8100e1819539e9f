"""Conversations and sources by id, and the stances as prompts."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent, TextResourceContents

from mcp_talk import ERAS, ON, PARTS, Era, remembering, told
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.server import make_server
from withheld_turns import TOPIC, Kind, both_kinds, confided

eras = pytest.mark.parametrize("era", ERAS)


async def _read(client: Client, uri: str) -> Mapping[str, object]:
    (only,) = (await client.read_resource(uri)).contents
    shown = cast("TextResourceContents", only)
    assert (shown.uri, shown.mime_type) == (uri, "application/json")
    return cast("Mapping[str, object]", json.loads(shown.text))


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requirement("mcp:resources", "mcp:prompts", "mcp:eras")
async def test_conversations_and_their_sources_are_read_by_id_and_the_stances_are_prompts(
    tmp_path: Path, era: Era
) -> None:
    said = {"question": 'I should take "the job" in Porto', "when": "last month"}
    async with remembering(tmp_path) as memory, Client(make_server(memory), mode=era) as client:
        turn = await memory.ask("Where is the kiln?")
        (listed,) = (await client.list_resources()).resources
        templates = [each.uri_template for each in (await client.list_resource_templates()).resource_templates]
        (item,) = cast("list[Mapping[str, object]]", (await _read(client, listed.uri))["sessions"])
        session = await _read(client, f"voice://sessions/{item['id']}")
        source = await _read(client, f"voice://sources/{turn.exchange.sources[0].source_id}")
        for uri in ("voice://sources/t:nothing", "voice://sessions/s:nothing", "voice://walls", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="Resource not found") as raised:
                await client.read_resource(uri)
            assert (raised.value.code, raised.value.data) == (-32602, {"uri": uri})
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        (message,) = (await client.get_prompt("challenge", said)).messages
        for name, arguments in (("sing", said), ("challenge", {"question": " "})):
            with pytest.raises(MCPError) as raised:
                await client.get_prompt(name, arguments)
            assert raised.value.code == -32602
    assert templates == ["voice://sessions/{id}", "voice://sources/{id}"]
    (exchange,) = cast("list[Mapping[str, object]]", session["exchanges"])
    assert exchange["id"] == turn.exchange.id
    assert "kiln" in str(source["text"])
    assert prompts == ["synthesize", "challenge", "question"]
    call = json.dumps({"query": said["question"], "stance": "challenge", "when": "last month"})
    assert call in cast("TextContent", message.content).text


@pytest.mark.requirement("mcp:resources", "promise:6")
async def test_private_rows_and_private_turns_are_not_there(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        kept = await memory.remember("The private key lies under the blue bowl.", is_private=True)
        turn = await memory.ask("Where is the private key?", include_private=True)
        assert turn.exchange.is_private
        with pytest.raises(MCPError, match="Resource not found"):
            await client.read_resource(f"voice://sources/{kept.stored[0]}")
        session = await _read(client, f"voice://sessions/{turn.exchange.session_id}")
    assert session["exchanges"] == []
    assert "blue bowl" not in json.dumps(session)


@pytest.mark.requirement("mcp:withheld", "promise:6")
async def test_what_was_asked_with_private_rows_let_in_is_not_there_though_none_was_used(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        sent = {"query": "What did the doctor in Oslo say?", "include_private": True, "topic": "the illness"}
        turn = told(await client.call_tool("inner_voice_chat", {**sent, "detail": "full"}), "inner_voice_chat")
        listed = await _read(client, "voice://sessions")
        session = await _read(client, f"voice://sessions/{turn['session_id']}")
        named = {"query": "Where is the kiln?", "session": "the illness", "include_private": True}
        again = told(await client.call_tool("inner_voice_chat", named), "inner_voice_chat")
        asked = {"query": "Where is the kiln?", "detail": "full"}
        public = told(await client.call_tool("inner_voice_chat", asked), "inner_voice_chat")
        after = await _read(client, f"voice://sessions/{turn['session_id']}")
        assert await memory.services.maintenance.verify() == []
    assert (turn["status"], turn["private"], again["session_id"]) == ("refused", True, turn["session_id"])
    assert (public["private"], public["session_id"]) == (False, turn["session_id"])
    assert session["exchanges"] == []
    for shown in (listed, session, after):
        assert [word for word in ("illness", "Oslo") if word in json.dumps(shown)] == []
    assert [each["id"] for each in cast("list[Mapping[str, object]]", after["exchanges"])] == [public["id"]]


@both_kinds
@pytest.mark.requirement("mcp:withheld", "promise:6")
async def test_neither_a_list_nor_an_error_tells_what_is_private(tmp_path: Path, kind: Kind) -> None:
    async with Voice.open(ON, tmp_path, parts=PARTS) as memory, Client(make_server(memory)) as client:
        turn = await confided(memory.services, kind)
        await memory.ask("Where is the kiln?", new_topic=TOPIC, include_private=True)
        listed = await _read(client, "voice://sessions")
        sent = {"query": "Where is the kiln?", "session": turn.session.id[:6]}
        several = await client.call_tool("inner_voice_chat", sent)
    said = json.dumps([each.model_dump(mode="json") for each in several.content])
    assert "could mean several sessions" in said
    for shown in (json.dumps(listed), said):
        assert "a private conversation" in shown
        assert TOPIC not in shown

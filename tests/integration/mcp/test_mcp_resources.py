"""Conversations and sources by id, and the stances as prompts.

A connection has a conversation of its own, and what programs noted is answered once it is approved.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent, TextResourceContents

from mcp_talk import ERAS, ON, PARTS, Era, refused, remembering, talking, told
from voice.core.graph.thoughts.vouching import NotedFilter
from voice.core.session.values import RollingSummary
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.server import make_server
from withheld_turns import TOPIC, Kind, both_kinds, confided

eras = pytest.mark.parametrize("era", ERAS)


async def _read(client: Client, uri: str) -> Mapping[str, object]:
    (only,) = (await client.read_resource(uri)).contents
    shown = cast("TextResourceContents", only)
    assert (shown.uri, shown.mime_type) == (uri, "application/json")
    return cast("Mapping[str, object]", json.loads(shown.text))


@eras
@pytest.mark.requirement("mcp:resources", "mcp:eras")
async def test_conversations_and_their_sources_can_be_read_by_id(tmp_path: Path, era: Era) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory), mode=era) as client:
        turn = await memory.ask("Where is the kiln?")
        (listed,) = (await client.list_resources()).resources
        templates = [each.uri_template for each in (await client.list_resource_templates()).resource_templates]
        (item,) = cast("list[Mapping[str, object]]", (await _read(client, listed.uri))["sessions"])
        session = await _read(client, f"voice://sessions/{item['id']}")
        source = await _read(client, f"voice://sources/{turn.exchange.sources[0].source_id}")
    assert templates == ["voice://sessions/{id}", "voice://sources/{id}"]
    (exchange,) = cast("list[Mapping[str, object]]", session["exchanges"])
    assert exchange["id"] == turn.exchange.id
    assert "kiln" in str(source["text"])


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
@pytest.mark.parametrize(
    ("question", "status"), [("Where is the kiln?", "answered"), ("What did the doctor in Oslo say?", "refused")]
)
async def test_what_was_asked_with_private_rows_let_in_is_not_there_though_none_was_used(
    tmp_path: Path, question: str, status: str
) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        sent = {"query": question, "include_private": True, "topic": "the illness", "detail": "full"}
        turn = told(await client.call_tool("inner_voice_chat", sent), "inner_voice_chat")
        listed = await _read(client, "voice://sessions")
        session = await _read(client, f"voice://sessions/{turn['session_id']}")
        named = {"query": "Where is the kiln?", "session": "the illness", "include_private": True}
        again = told(await client.call_tool("inner_voice_chat", named), "inner_voice_chat")
        asked = {"query": "Where is the kiln?", "detail": "full"}
        public = told(await client.call_tool("inner_voice_chat", asked), "inner_voice_chat")
        after = await _read(client, f"voice://sessions/{turn['session_id']}")
        assert await memory.services.maintenance.verify() == []
    assert (turn["status"], turn["private"], again["session_id"]) == (status, True, turn["session_id"])
    assert (public["private"], public["session_id"]) == (False, turn["session_id"])
    assert session["exchanges"] == []
    for shown in (listed, session, after):
        assert "illness" not in json.dumps(shown)
        assert "Oslo" not in json.dumps(shown)
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


@eras
@pytest.mark.requirement("mcp:resources", "mcp:eras")
@pytest.mark.parametrize(
    "uri", ["voice://sources/t:nothing", "voice://sessions/s:nothing", "voice://walls", "file:///etc/passwd"]
)
async def test_what_is_not_there_is_not_found(tmp_path: Path, era: Era, uri: str) -> None:
    async with talking(tmp_path, era) as client:
        with pytest.raises(MCPError, match="Resource not found") as raised:
            await client.read_resource(uri)
    assert (raised.value.code, raised.value.data) == (-32602, {"uri": uri})


@eras
@pytest.mark.requirement("mcp:prompts", "mcp:eras")
async def test_the_stances_are_prompts_that_call_the_tool(tmp_path: Path, era: Era) -> None:
    async with talking(tmp_path, era) as client:
        listed = [prompt.name for prompt in (await client.list_prompts()).prompts]
        said = {"question": 'I should take "the job" in Porto', "when": "last month"}
        got = await client.get_prompt("challenge", said)
        for name, arguments in (("sing", said), ("challenge", {"question": " "})):
            with pytest.raises(MCPError) as raised:
                await client.get_prompt(name, arguments)
            assert raised.value.code == -32602
    assert listed == ["synthesize", "challenge", "question"]
    (message,) = got.messages
    text = cast("TextContent", message.content).text
    call = json.dumps({"query": said["question"], "stance": "challenge", "when": "last month"})
    assert call in text


WHERE = "Where is the kiln?"
FACTS = {
    "The deploy key of the shop rotates on the 3rd of each month.": "When does the deploy key rotate?",
    "Ines Prates reviews every change to the billing service.": "Who reviews changes to the billing service?",
    "The staging database lives on the host named Quercus.": "Where does the staging database live?",
    "The importer times out after ninety seconds.": "When does the importer time out?",
    "Release notes are written by Tomas Vidal on Thursdays.": "Who writes the release notes?",
}


async def ask(client: Client, query: str = WHERE, **more: object) -> Mapping[str, object]:
    return told(await client.call_tool("inner_voice_chat", {"query": query, **more}), "inner_voice_chat")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requirement("mcp:own-session", "mcp:eras")
async def test_neither_the_persons_conversation_nor_anothers_is_gone_on_with(tmp_path: Path, era: Era) -> None:
    async with remembering(tmp_path) as memory:
        theirs = (await memory.ask(WHERE)).session.id
        async with Client(make_server(memory), mode=era) as one, Client(make_server(memory), mode=era) as other:
            first, again = await ask(one), await ask(one, "What about the blue glaze?")
            second = await ask(other)
            named = await ask(other, session=str(first["session_id"]))
            fresh = await ask(other, mode="new_thread", topic="glaze")
            after = await ask(other)
        back = (await memory.ask("And the ferry?")).session.id
        begun = {each.id: each.begun_by for each in await memory.services.sessions.sessions(limit=9)}
    assert first["session_id"] == again["session_id"] == named["session_id"]
    assert len({theirs, first["session_id"], second["session_id"], fresh["session_id"]}) == 4
    assert after["session_id"] == fresh["session_id"], "a thread that a program begins is its conversation from then on"
    assert back == theirs, "the person's own conversation is not led elsewhere by a program"
    assert begun[theirs] is None
    assert {begun[str(each["session_id"])] for each in (first, second, fresh)} == {"mcp"}


@pytest.mark.requirement("mcp:own-session")
async def test_nothing_is_gone_on_with_before_the_first_question(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        await memory.ask(WHERE)
        async with Client(make_server(memory)) as client:
            error = refused(await client.call_tool("inner_voice_chat", {"query": WHERE, "mode": "continue"}))
            await ask(client)
            on = await ask(client, "What about the blue glaze?", mode="continue")
    assert error["code"] == "no_session"
    assert on["session_id"]


@pytest.mark.requirement("mcp:own-session", "ruling:G.2h")
async def test_recall_tells_a_program_of_no_conversation_but_its_own(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        theirs = await memory.ask(WHERE)
        held = theirs.session
        folded = RollingSummary(
            text="The kiln was spoken of.", last_updated=held.last_interaction, exchanges_summarized=1, token_savings=1
        )
        told_on = replace(held, rolling_summary=folded, revision=held.revision + 1)
        await memory.services.sessions.save(told_on, (), expected=held.revision)
        before = told(await client.call_tool("recall", {"query": "kiln"}), "recall")
        mine = await ask(client)
        after = told(await client.call_tool("recall", {"query": "kiln"}), "recall")
        named = {"query": "kiln", "scope": {"session_id": theirs.session.id}}
        asked_for = told(await client.call_tool("recall", named), "recall")
    assert mine["session_id"] != theirs.session.id
    assert before["currentSummary"] is None
    assert cast("Mapping[str, object]", after["currentSummary"])["id"] == f"m:{mine['session_id']}"
    assert asked_for["currentSummary"] is not None


@pytest.mark.requirement("ruling:J2:at-once", "ruling:J2")
async def test_five_facts_sent_over_mcp_and_approved_in_one_act_are_all_answered(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        ids = [str(told(await client.call_tool("remember", {"content": fact}), "remember")["id"]) for fact in FACTS]
        before = [await ask(client, question) for question in FACTS.values()]
        noted = (await memory.services.review.vouching.listed(NotedFilter(noted_by="mcp"))).thoughts
        done = await memory.services.review.vouching.approve([each.id for each in noted])
        after = [await ask(client, question) for question in FACTS.values()]
    assert [turn["refused"] for turn in before] == [True] * 5
    for row_id, turn in zip(ids, before, strict=True):
        assert "an agent noted this (mcp: " in str(turn["notes"])
        assert row_id in str(turn["notes"])
        assert "approve" in str(turn["notes"])
    assert {each.id for each in done.thoughts} == set(ids)
    for fact, row_id, turn in zip(FACTS, ids, after, strict=True):
        assert (turn["refused"], fact in str(turn["answer"])) == (False, True), turn
        assert fact in [each["span"] for each in cast("list[Mapping[str, str]]", turn["sources"])]
        assert row_id not in str(turn.get("notes"))

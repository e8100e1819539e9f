"""A connection has a conversation of its own, and what programs noted is answered once it is approved."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from mcp import Client

from mcp_talk import refused, remembering, told
from voice.core.graph.thoughts.vouching import NotedFilter
from voice.core.session.values import RollingSummary
from voice.entrypoints.mcp.server import make_server

WHERE = "Where is the kiln?"
FACTS = {
    "The deploy key of the shop rotates on the 3rd of each month.": "When does the deploy key rotate?",
    "Ines Prates reviews every change to the billing service.": "Who reviews changes to the billing service?",
    "Release notes are written by Tomas Vidal on Thursdays.": "Who writes the release notes?",
}


async def ask(client: Client, query: str = WHERE, **more: object) -> Mapping[str, object]:
    return told(await client.call_tool("inner_voice_chat", {"query": query, **more}), "inner_voice_chat")


@pytest.mark.requirement("mcp:own-session")
async def test_neither_the_persons_conversation_nor_anothers_is_gone_on_with(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        theirs = (await memory.ask(WHERE)).session.id
        async with Client(make_server(memory), mode="legacy") as one, Client(make_server(memory)) as other:
            error = refused(await one.call_tool("inner_voice_chat", {"query": WHERE, "mode": "continue"}))
            assert error["code"] == "no_session"
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
    assert [turn["refused"] for turn in before] == [True] * len(FACTS)
    for row_id, turn in zip(ids, before, strict=True):
        assert "an agent noted this (mcp: " in str(turn["notes"])
        assert row_id in str(turn["notes"])
        assert "approve" in str(turn["notes"])
    assert {each.id for each in done.thoughts} == set(ids)
    for fact, row_id, turn in zip(FACTS, ids, after, strict=True):
        assert (turn["refused"], fact in str(turn["answer"])) == (False, True), turn
        assert fact in [each["span"] for each in cast("list[Mapping[str, str]]", turn["sources"])]
        assert row_id not in str(turn.get("notes"))

"""Conflicts over the protocol: listed within a bound, and settled but for what is the person's own."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from mcp import Client

from mcp_talk import logged, refused, remembering, told
from voice.core.records import Origin
from voice.core.text.instants import UNDATED
from voice.core.token_estimates import estimate_tokens
from voice.entrypoints.mcp.server import make_server
from voice.services.memory.ingest_values import NewThought

pytestmark = pytest.mark.requirement("conflicts:mcp")
TOOL = "knowledgegraph_moderate"
HOT, HOTTER = "The oven fires at 1200 degrees.", "The oven fires at 1250 degrees."
Form = Mapping[str, object]


async def listed(client: Client, **said: object) -> list[Form]:
    answer = told(await client.call_tool(TOOL, {"action": "conflicts", **said}), TOOL)
    return cast("list[Form]", answer["conflicts"])


async def test_a_program_lists_pairs_and_changes_nothing_by_it(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        undated = NewThought(content="", source_ref="Oven.md", origin=Origin.HUMAN, created_at=UNDATED)
        await memory.services.ingest.remember([replace(undated, content=text) for text in (HOT, HOTTER)])
        (pair,) = await listed(client)
        waiting = await memory.services.conflicts.waiting()
        about = await listed(client, text="oven")
        nothing = [*await listed(client, text="zither"), *await listed(client, since="today")]
    sides = cast("list[Form]", pair["sides"])
    assert {str(side["said"]) for side in sides} == {HOT, HOTTER}
    assert [(side["told_at"], side["location"]) for side in sides] == [(None, {"label": "Oven.md"})] * 2
    assert (waiting.total, about, nothing) == (0, [pair], [])


@pytest.mark.requirement("ruling:J1")
async def test_a_list_ends_where_it_would_take_more_than_a_list_may(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        for number in range(16):
            for degrees in (1200, 1250):
                await memory.remember(f"The oven of workshop house{number} fires at {degrees} degrees all year.")
        brief = await client.call_tool(TOOL, {"action": "conflicts"})
        told(brief, TOOL)
        assert estimate_tokens(str(brief.content[0])) <= 1200
        assert len(await listed(client, limit=15)) == 15


@pytest.mark.requirement("conflicts:private")
async def test_a_conflict_of_a_persons_own_words_is_theirs_to_settle_and_a_private_one_is_told_where_asked_for(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        await memory.remember(HOT)
        await memory.remember(HOTTER, is_private=True)
        assert await listed(client) == []
        (pair,) = await listed(client, include_private=True, since="today")
        refused(await client.call_tool(TOOL, {"action": "both_hold", "ids": pair["id"]}))
        await memory.remember(HOTTER.replace("1250", "1300"))
        (pair,) = await listed(client)
        one = str(cast("list[Form]", pair["sides"])[0]["id"])
        for action, act in (("correct", "correct"), ("end", "correct"), ("both_hold", "settle")):
            error = refused(await client.call_tool(TOOL, {"action": action, "ids": pair["id"], "target": one}))
            assert f"only they can {act} these" in str(error["message"])
        strange: tuple[Form, ...] = ({}, {"ids": ["d:1", "d:2"]}, {"ids": "d:nothing"})
        for wrong in strange:
            refused(await client.call_tool(TOOL, {"action": "both_hold", **wrong}))
        assert len(await listed(client)) == 1


async def test_of_what_a_program_logged_both_may_hold_or_one_be_corrected(tmp_path: Path) -> None:
    async with remembering(tmp_path, logged()) as memory, Client(make_server(memory)) as client:
        for text in (HOT, HOTTER):
            told(await client.call_tool("remember", {"content": text}), "remember")
        (pair,) = await listed(client)
        dry = told(await client.call_tool(TOOL, {"action": "both_hold", "ids": pair["id"], "dry_run": True}), TOOL)
        assert (dry["state"], len(await listed(client))) == ("both", 1)
        done = told(await client.call_tool(TOOL, {"action": "both_hold", "ids": pair["id"]}), TOOL)
        (kept,) = await memory.services.conflicts.log.records()
        assert (done["state"], done["corrected"], await listed(client)) == ("both", None, [])
        assert kept.by is Origin.LOGGED
        for degrees in (900, 950):
            sent = {"content": f"The stove of the studio fires at {degrees} degrees."}
            told(await client.call_tool("remember", sent), "remember")
        (pair,) = await listed(client)
        right = str(cast("list[Form]", pair["sides"])[0]["id"])
        done = told(await client.call_tool(TOOL, {"action": "correct", "ids": pair["id"], "target": right}), TOOL)
        assert (done["state"], await listed(client)) == ("corrected", [])

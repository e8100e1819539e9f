"""The tools for one row: read, correct, pin, and whether it counts."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
from mcp import Client

from mcp_talk import refused, remembering, talking, told
from voice.core.records import Scope
from voice.entrypoints.mcp.server import make_server
from voice.services.graph.editor import Backing

pytestmark = pytest.mark.requirement("mcp:rows", "mcp:exact")
Form = Mapping[str, object]
NOTE = "The wheel stands by the window. It was oiled in May."


@pytest.mark.requirement("promise:6")
async def test_no_row_is_told_of_that_may_not_be_seen(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        (secret,) = (await memory.remember("The safe is open.", is_private=True)).stored
        (theirs,) = (await memory.remember("The shop is shut.", scope=Scope(user_id="ann"))).stored
        changes: list[tuple[str, Form]] = [("get_row", {}), ("pin", {"reason": "x"}), ("correct", {"text": "x"})]
        for row_id, scope in ((secret, "all"), (theirs, {"user_id": "bob"}), (theirs, "here")):
            for tool, more in changes:
                sent = [{"id": each, "scope": scope, **more} for each in (row_id, "t:nobody")]
                error, nobody = [refused(await client.call_tool(tool, each)) for each in sent]
                assert (error["code"], str(error).replace(row_id, "t:nobody")) == ("unknown_id", str(nobody)), tool
        await memory.services.archiving.removals.mark([secret])
        steps = ("mark_for_removal", "unmark", "list_removal_candidates", "export_removals", "finalize_removal")
        calls: list[tuple[str, Form]] = [*changes[1:], ("vouch_status", {})]
        calls += [("maintenance_ops", {"subcommand": step}) for step in steps]
        for tool, more in calls:
            for end in ("", "…"):
                sent = [{"id": f"{each}{end}", **more} for each in (secret, "t:nobody")]
                hidden, absent = [refused(await client.call_tool(tool, each)) for each in sent]
                assert str(hidden).replace(secret, "t:nobody") == str(absent), tool
        for step, count in (("list_removal_candidates", "candidates"), ("export_removals", "thoughts")):
            for shown in (False, True):
                asked = {"subcommand": step, "include_private": shown, "dry_run": True}
                done = told(await client.call_tool("maintenance_ops", asked), "maintenance_ops")
                assert len(cast("list[object]", done[count])) == shown
        await memory.services.graph_editor.add_entity(
            "Xanti", entity_type="person", description="", aliases=(), backing=Backing(is_private=True)
        )
        alias = {"action": "alias", "ids": "c:1"}
        for name in ("Xanti", "nobody"):
            error = refused(await client.call_tool("knowledgegraph_moderate", {**alias, "entity": name}))
            assert f"no entity called {name!r}" in str(error), error
        unscoped = refused(await client.call_tool("get_row", {"id": theirs}))
        let_in = {"id": secret, "scope": "all", "include_private": True}
        shown = told(await client.call_tool("get_row", let_in), "get_row")
        hers = told(await client.call_tool("get_row", {"id": theirs, "scope": {"user_id": "ann"}}), "get_row")
    assert unscoped["code"] == "scope_required"
    assert (shown["text"], shown["private"], hers["text"]) == ("The safe is open.", True, "The shop is shut.")


@pytest.mark.requirement("ruling:J2")
async def test_a_program_corrects_what_a_program_noted_which_waits_and_the_old_words_stay_as_the_past(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as client:
        noted = await client.call_tool("remember", {"content": NOTE})
        kept = told(noted, "remember")
        row = told(await client.call_tool("get_row", {"id": kept["id"]}), "get_row")
        status = told(await client.call_tool("vouch_status", {"ids": kept["id"]}), "vouch_status")
        sent = {"id": f"{kept['id']}…", "text": "The wheel stands by the door.", "reason": "moved"}
        tried = told(await client.call_tool("correct", {**sent, "dry_run": True}), "correct")
        done = told(await client.call_tool("correct", sent), "correct")
        old = told(await client.call_tool("get_row", {"id": kept["id"]}), "get_row")
        new = told(await client.call_tool("get_row", {"id": done["id"]}), "get_row")
    assert "answers cite it once the person approves it" in str(noted.content[-1])
    assert (row["vouch"], row["noted_by"], row["trust_tier"]) == ("waiting", "mcp", "amber")
    (note,) = cast("list[Form]", status["notes"])
    assert (note["waiting"], note["approved"], len(cast("list[Form]", note["sentences"]))) == (2, 0, 2)
    assert tried["dry_run"] is True
    assert (old["status"], old["replaced_by"]) == ("superseded", done["id"])
    assert (new["text"], new["origin"], new["vouch"], new["replaced"]) == (
        "The wheel stands by the door.", "tool", "waiting", [kept["id"]],
    )  # fmt: skip


async def test_a_persons_own_words_are_read_whole_and_neither_corrected_nor_marked_by_a_program(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        (own,) = (await memory.remember(NOTE)).stored
        kept = str(told(await client.call_tool("remember", {"content": "The wheel is new."}), "remember")["id"])
        mark = {"subcommand": "mark_for_removal", "ids": [own]}
        for sent in (mark, {**mark, "dry_run": True}):
            error = refused(await client.call_tool("maintenance_ops", sent))
            assert "only they can remove these; tell them what should go, and why" in str(error["message"])
        done = told(await client.call_tool("maintenance_ops", {**mark, "ids": [kept]}), "maintenance_ops")
        told(await client.call_tool("maintenance_ops", {"subcommand": "unmark", "ids": [kept]}), "maintenance_ops")
        await memory.services.review.vouching.approve([kept])
        for row_id in (own, kept):
            error = refused(await client.call_tool("correct", {"id": row_id, "text": "The wheel is gone."}))
            assert (error["code"], "only they can correct" in str(error["message"])) == ("invalid_params", True)
        nothing = refused(await client.call_tool("correct", {"id": kept}))
        shown = told(await client.call_tool("get_row", {"id": own}), "get_row")
        statements = cast("list[str]", shown["statements"])
        said = told(await client.call_tool("get_row", {"id": statements[0]}), "get_row")
        assert said == told(await client.call_tool("get_row", {"row": statements[0][:12]}), "get_row")
    assert (shown["text"], shown["table"], shown["origin"], shown["trust_tier"], shown["status"]) == (
        NOTE, "thoughts", "human", "green", "active",
    )  # fmt: skip
    assert "vouch" not in shown
    assert (said["table"], cast("list[Form]", said["rests_on"])[0]["thought"]) == ("kg_observations", own)
    assert str(said["text"]) in NOTE
    assert done["changed"] == [kept]
    assert "give text, since or until" in str(nothing["message"])


@pytest.mark.requirement("mcp:advice")
async def test_what_is_found_is_pinned_and_corrected_by_the_id_that_is_printed(tmp_path: Path) -> None:
    site = "repo=/home/ann/site"
    async with remembering(tmp_path) as memory, Client(make_server(memory, stands_in="/home/ann/site")) as client:
        await memory.remember("Kim works at Kiln Co.", scope=Scope(repo_id="/home/ann/site"))
        kept = told(await client.call_tool("remember", {"content": NOTE, "scope": site}), "remember")
        asked = {"query": "wheel kiln", "scope": "here", "floor": 0, "top_k": 50}
        found = told(await client.call_tool("inner_voice_retrieve", asked), "inner_voice_retrieve")
        recall = told(await client.call_tool("recall", {"query": "wheel kiln", "scope": "here"}), "recall")
        ids = {str(each["id"]) for each in cast("list[Form]", found["snippets"])}
        ids |= {str(cast("Form", each["entity"])["id"]) for each in cast("list[Form]", recall["candidates"])}
        for row_id in ids - {str(kept["id"])}:
            for scope in ({}, {"scope": "here"}):
                pinned = told(await client.call_tool("pin", {"id": row_id, "reason": "x", **scope}), "pin")
                error = refused(await client.call_tool("correct", {"id": row_id, "text": "x", **scope}))
                assert (pinned["target"], "only they can correct" in str(error["message"])) == (row_id, True)
        for scope in ({}, {"scope": "here"}, {"scope": site}):
            sent = {"id": kept["id"], "text": "The wheel is sold.", "dry_run": True, **scope}
            assert told(await client.call_tool("correct", sent), "correct")["replaced"] == kept["id"]
        unknown = refused(await client.call_tool("pin", {"id": "t:nope", "reason": "x", "scope": "all"}))
        lost = refused(
            await client.call_tool("inner_voice_chat", {"query": "Where?", "session": "s:nope", "scope": "all"})
        )
    assert len(ids) > 5
    assert str(unknown["message"]).endswith("; inner_voice_retrieve shows ids")
    assert str(lost["message"]).endswith(
        '; leave out session to continue your own, or start one with mode "new_thread"'
    )

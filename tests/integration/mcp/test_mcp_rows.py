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


async def test_a_row_is_read_whole_by_its_id_or_the_beginning_of_it(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        kept = await memory.remember(NOTE)
        (row_id,) = kept.stored
        thought = told(await client.call_tool("get_row", {"id": row_id}), "get_row")
        statements = cast("list[str]", thought["statements"])
        said = told(await client.call_tool("get_row", {"id": statements[0]}), "get_row")
        again = told(await client.call_tool("get_row", {"row": statements[0][:12]}), "get_row")
    assert said == again
    assert (thought["text"], thought["table"], thought["origin"], thought["trust_tier"]) == (
        NOTE, "thoughts", "human", "green",
    )  # fmt: skip
    assert "vouch" not in thought
    assert (said["table"], cast("list[Form]", said["rests_on"])[0]["thought"]) == ("kg_observations", row_id)
    assert str(said["text"]) in NOTE


async def test_what_a_program_noted_says_who_noted_it_and_that_it_waits(tmp_path: Path) -> None:
    async with talking(tmp_path) as client:
        kept = told(await client.call_tool("remember", {"content": NOTE}), "remember")
        row = told(await client.call_tool("get_row", {"id": kept["id"]}), "get_row")
        status = told(await client.call_tool("vouch_status", {"ids": kept["id"]}), "vouch_status")
    assert (row["vouch"], row["noted_by"], row["trust_tier"]) == ("waiting", "mcp", "amber")
    (note,) = cast("list[Form]", status["notes"])
    assert (note["waiting"], note["approved"], len(cast("list[Form]", note["sentences"]))) == (2, 0, 2)
    assert status["states"] == {"waiting": 1, "approved": 0, "partly": 0, "declined": 0}


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


async def test_a_program_corrects_what_a_program_noted_and_the_old_words_stay_as_the_past(tmp_path: Path) -> None:
    async with talking(tmp_path) as client:
        kept = told(await client.call_tool("remember", {"content": NOTE}), "remember")
        sent = {"id": f"{kept['id']}…", "text": "The wheel stands by the door.", "reason": "moved"}
        tried = told(await client.call_tool("correct", {**sent, "dry_run": True}), "correct")
        done = told(await client.call_tool("correct", sent), "correct")
        old = told(await client.call_tool("get_row", {"id": kept["id"]}), "get_row")
        new = told(await client.call_tool("get_row", {"id": done["id"]}), "get_row")
    assert tried["dry_run"] is True
    assert (old["status"], old["replaced_by"]) == ("superseded", done["id"])
    assert (new["text"], new["origin"], new["vouch"], new["replaced"]) == (
        "The wheel stands by the door.", "tool", "waiting", [kept["id"]],
    )  # fmt: skip


async def test_a_persons_own_words_and_what_they_approved_are_not_corrected_by_a_program(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        (own,) = (await memory.remember(NOTE)).stored
        kept = str(told(await client.call_tool("remember", {"content": "The wheel is new."}), "remember")["id"])
        await memory.services.review.vouching.approve([kept])
        for row_id in (own, kept):
            error = refused(await client.call_tool("correct", {"id": row_id, "text": "The wheel is gone."}))
            assert error["code"] == "invalid_params"
            assert "only they can correct" in str(error["message"])
        shown = told(await client.call_tool("get_row", {"id": own}), "get_row")
        nothing = refused(await client.call_tool("correct", {"id": kept}))
    assert (shown["text"], shown["status"]) == (NOTE, "active")
    assert "give text, since or until" in str(nothing["message"])


async def test_a_pinned_row_stands_first_in_every_recall(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        (row_id,) = (await memory.remember(NOTE)).stored
        before = told(await client.call_tool("recall", {"query": "ferry"}), "recall")
        pinned = told(await client.call_tool("pin", {"id": f"{row_id}…", "reason": "the task"}), "pin")
        after = told(await client.call_tool("recall", {"query": "ferry"}), "recall")
        row = told(await client.call_tool("get_row", {"id": row_id}), "get_row")
    (shown,) = cast("list[Form]", after["pins"])
    assert (before["pins"], cast("Form", shown["target"])["id"]) == ([], row_id)
    assert row["pins"] == [pinned["id"]] == [cast("Form", shown["pin"])["id"]]


async def test_notes_are_looked_up_by_state_program_time_and_number(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        ids = [
            str(told(await client.call_tool("remember", {"content": f"Fact number {at} is told."}), "remember")["id"])
            for at in range(3)
        ]
        await memory.services.review.vouching.approve(ids[:1])
        await memory.services.review.vouching.decline(ids[1:2])

        async def status(**sent: object) -> Form:
            return told(await client.call_tool("vouch_status", sent), "vouch_status")

        waiting, rejected = await status(state="pending"), await status(state="rejected")
        one, nobody = await status(limit=0), await status(**{"from": "codex"})
        later, short = await status(since="2030-01-01"), await status(ids=[f"{ids[0]}…"])
        unknown = refused(await client.call_tool("vouch_status", {"ids": [ids[0], "t:nope"]}))
    assert ([each["id"] for each in cast("list[Form]", short["notes"])], unknown["code"]) == (ids[:1], "unknown_id")
    assert "there is no 't:nope'" in str(unknown["message"])
    assert [each["id"] for each in cast("list[Form]", waiting["notes"])] == ids[2:]
    assert [each["id"] for each in cast("list[Form]", rejected["notes"])] == ids[1:2]
    assert (len(cast("list[Form]", one["notes"])), one["total"]) == (1, 3)
    assert (nobody["notes"], later["notes"]) == ([], [])
    assert one["states"] == {"waiting": 1, "approved": 1, "partly": 0, "declined": 1}


async def test_what_is_found_is_pinned_and_corrected_by_the_id_that_is_printed(tmp_path: Path) -> None:
    site = "repo=/home/ann/site"
    async with remembering(tmp_path) as memory, Client(make_server(memory, stands_in="/home/ann/site")) as client:
        await memory.remember("Kim works at Kiln Co.", scope=Scope(repo_id="/home/ann/site"))
        kept = told(await client.call_tool("remember", {"content": NOTE, "scope": site}), "remember")
        asked = {"query": "wheel kiln", "scope": "here", "floor": 0, "top_k": 50}
        snippets = cast(
            "list[Form]",
            told(await client.call_tool("inner_voice_retrieve", asked), "inner_voice_retrieve")["snippets"],
        )
        recalled = cast(
            "list[Form]",
            told(await client.call_tool("recall", {"query": "wheel kiln", "scope": "here"}), "recall")["candidates"],
        )
        ids = {str(each["id"]) for each in snippets} | {str(cast("Form", each["entity"])["id"]) for each in recalled}
        for row_id in ids - {str(kept["id"])}:
            for scope in ({}, {"scope": "here"}):
                pinned = told(await client.call_tool("pin", {"id": row_id, "reason": "x", **scope}), "pin")
                error = refused(await client.call_tool("correct", {"id": row_id, "text": "x", **scope}))
                assert (pinned["target"], "only they can correct" in str(error["message"])) == (row_id, True)
        for scope in ({}, {"scope": "here"}, {"scope": site}):
            sent = {"id": kept["id"], "text": "The wheel is sold.", "dry_run": True, **scope}
            assert told(await client.call_tool("correct", sent), "correct")["replaced"] == kept["id"]
    assert len(ids) > 5


@pytest.mark.requirement("mcp:rows")
async def test_a_persons_own_note_is_not_marked_by_a_program(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        (own,) = (await memory.remember("The gate code is at Ben's.")).stored
        mark = {"subcommand": "mark_for_removal", "ids": [own]}
        for sent in (mark, {**mark, "dry_run": True}):
            error = refused(await client.call_tool("maintenance_ops", sent))
            assert "only they can remove these; tell them what should go, and why" in str(error["message"])
        row = told(await client.call_tool("get_row", {"id": own}), "get_row")
        kept = told(await client.call_tool("remember", {"content": NOTE}), "remember")
        done = await client.call_tool("maintenance_ops", {**mark, "ids": [kept["id"]]})
    assert (row["status"], told(done, "maintenance_ops")["changed"]) == ("active", [kept["id"]])


@pytest.mark.requirement("mcp:advice")
async def test_an_unknown_id_names_each_tool_once_and_an_unknown_session_what_to_send(tmp_path: Path) -> None:
    async with talking(tmp_path) as client:
        pinned = refused(await client.call_tool("pin", {"id": "t:nope", "reason": "x"}))
        asked = refused(await client.call_tool("inner_voice_chat", {"query": "Where?", "session": "s:nope"}))
    assert str(pinned["message"]).endswith("; inner_voice_retrieve shows ids")
    assert str(asked["message"]).endswith(
        '; leave out session to continue your own, or start one with mode "new_thread"'
    )


@pytest.mark.requirement("ruling:J2")
async def test_a_program_is_told_that_what_it_noted_waits(tmp_path: Path) -> None:
    async with talking(tmp_path) as client:
        kept = await client.call_tool("remember", {"content": NOTE})
    assert "answers cite it once the person approves it" in str(kept.content[-1])

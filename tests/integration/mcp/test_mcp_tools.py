"""What each tool answers, to a client of either era."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import anyio
import pytest
from mcp import Client
from mcp_types import TextContent

from mcp_talk import ERAS, ON, Era, logged, remembering, talking, told
from tables import tables
from voice.core.settings.values import Settings
from voice.entrypoints.mcp.server import make_server
from voice.entrypoints.mcp.tools import TOOLS

TABLES = tables(__file__)

eras = pytest.mark.parametrize("era", ERAS)


@eras
@pytest.mark.requirement("mcp:tools", "mcp:eras", "mcp:names")
async def test_the_tools_are_listed_with_all_that_a_host_needs(tmp_path: Path, era: Era) -> None:
    async with talking(tmp_path, era) as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
    assert len(listed) == 13
    for tool in listed:
        assert tool.title
        assert tool.description
        assert tool.input_schema["type"] == "object"
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
    hints = {tool.name: tool.annotations for tool in listed if tool.annotations}
    assert [name for name, hint in hints.items() if hint.read_only_hint] == [
        "inner_voice_retrieve", "recall", "get_row", "vouch_status", "check", "detailed_help",
    ]  # fmt: skip
    assert [name for name, hint in hints.items() if hint.destructive_hint] == ["maintenance_ops"]
    # Whatever finds or stores rows may ask an encoder that runs elsewhere.
    assert [name for name, hint in hints.items() if not hint.open_world_hint] == [
        "get_row", "pin", "vouch_status", "maintenance_ops", "check", "detailed_help",
    ]  # fmt: skip


@pytest.mark.requirement(
    "mcp:exact", "mcp:lenient", "s0:name:inner_voice.retrieve", "mcp:names", "mcp:detail", "ruling:I1"
)
async def test_retrieve_answers_exactly_as_the_specification_has_it(tmp_path: Path) -> None:
    note = "# Studio\n\n- Shelves\n  - We replaced the oak one in May.\n"
    async with remembering(tmp_path) as memory, Client(make_server(memory)) as client:
        sent = {"query": "the kiln", "topK": "2", "mix": "0.5", "floor": 0, "include_tags": None, "colour": "blue"}
        for name in ("inner_voice_retrieve", "inner_voice.retrieve"):
            result = await client.call_tool(name, sent)
            found = told(result, name)
            assert found.keys() == {"snippets", "diagnostics"}
            assert len(cast("list[object]", found["snippets"])) == 2
            assert cast("Mapping[str, object]", found["diagnostics"])["k_req"] == 2
            assert cast("Mapping[str, object]", result.meta)["voice/ignored"] == ["colour"]
            assert "colour" in cast("TextContent", result.content[1]).text
        await memory.remember(note)
        sent = {"query": "We replaced the oak one", "mix": 1, "floor": 0, "detail": "explain"}
        found = told(await client.call_tool("inner_voice_retrieve", sent), "inner_voice_retrieve")
    assert found.keys() == {"snippets", "diagnostics", "dropped"}
    snippets = cast("list[Mapping[str, object]]", found["snippets"])
    paths = {str(snippet["text"]): snippet["context_path"] for snippet in snippets}
    assert paths["We replaced the oak one in May."] == ["Studio", "Shelves"]


@eras
@pytest.mark.requirement("mcp:exact", "ruling:A22", "mcp:progress")
async def test_a_question_is_answered_in_a_session_that_goes_on(tmp_path: Path, era: Era) -> None:
    heard: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        heard.append((progress, message))

    async with talking(tmp_path, era) as client:
        asked = {"query": "Where is the kiln?", "mode": "new_thread", "topic": "the kiln"}
        first = told(await client.call_tool("inner_voice_chat", asked, progress_callback=hear), "inner_voice_chat")
        more = {"question": "What about the blue glaze?", "mode": "continue", "stance": "synthesise", "detail": "full"}
        second = told(await client.call_tool("inner_voice.chat", more), "inner_voice_chat")
        short = {"query": "Where is the kiln?", "shape": "nlq", "order": "oldest"}
        third = told(await client.call_tool("inner_voice_chat", short), "inner_voice_chat")
    assert first.keys() == {"answer", "refused", "sources", "session_id"}
    assert (first["refused"], "shed" in str(first["answer"])) == (False, True)
    assert second["session_id"] == first["session_id"]
    assert (second["index"], second["stance"]) == (1, "synthesize")
    assert third.keys() == {"answer", "sources"}
    told_of = [str(message) for _, message in heard]
    assert [done for done, _ in heard] == [*range(1, len(heard) + 1)]
    assert (told_of[0], told_of[-1]) == ("looking", "done")
    assert all(
        str(source["source_id"]) in told_of[1] for source in cast("list[Mapping[str, object]]", first["sources"])
    )
    judged = told_of.index("checked; storing it")
    assert "shed" not in " ".join(told_of[:judged])
    assert any("shed" in line for line in told_of[judged:])


@pytest.mark.requirement("holder:turns-in-line", "mcp:exact")
async def test_three_questions_at_once_are_all_answered_in_one_conversation(tmp_path: Path) -> None:
    turns: list[dict[str, object]] = []
    async with talking(tmp_path) as client, anyio.create_task_group() as tasks:

        async def one() -> None:
            answered = await client.call_tool("inner_voice_chat", {"query": "Where is the kiln?", "detail": "full"})
            turns.append(told(answered, "inner_voice_chat"))

        for _ in range(3):
            tasks.start_soon(one)
    assert {turn["status"] for turn in turns} == {"answered"}
    assert len({turn["session_id"] for turn in turns}) == 1
    assert sorted(cast("int", turn["index"]) for turn in turns) == [0, 1, 2]


@pytest.mark.requirement("mcp:progress")
async def test_what_takes_its_time_tells_how_far_it_is(tmp_path: Path) -> None:
    async with talking(tmp_path) as client:

        async def told_of(tool: str, **sent: object) -> list[str]:
            heard: list[tuple[float, str]] = []

            async def hear(progress: float, total: float | None, message: str | None) -> None:
                heard.append((progress, str(message)))

            told(await client.call_tool(tool, sent, progress_callback=hear), tool)
            assert [done for done, _ in heard] == [*range(1, len(heard) + 1)]
            return [said for _, said in heard]

        organised = await told_of("inner_voice", content="kiln", sim_thresh=0.01, stage_kg=True)
        kept = told(await client.call_tool("remember", {"content": "To be thrown away."}), "remember")
        await told_of("maintenance_ops", subcommand="mark_for_removal", ids=kept["id"])
        await told_of("maintenance_ops", subcommand="export_removals")
        again = await told_of("maintenance_ops", subcommand="export_removals")
        finalised = await told_of("maintenance_ops", subcommand="finalize_removal")
    assert (organised[0], organised[2:]) == ("looking", ["staging entities and relations", "storing the answer"])
    assert organised[1].startswith("found ")
    assert again == finalised == ["reading archives, 0 of 1"]


@pytest.mark.requirement("mcp:exact", "ruling:A22", "s1:compat:help")
async def test_organise_answers_stages_and_saves_only_where_it_is_told(tmp_path: Path) -> None:
    async with talking(tmp_path) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        sent = {"content": "the kiln", "sim_thresh": "0.01", "stage_kg": "yes", "dry_run": "true"}
        found = told(await client.call_tool("inner_voice", sent), "inner_voice")
        kept = told(await client.call_tool("inner_voice", {"content": "kiln", "sim_thresh": 0.01}), "inner_voice")
        nothing = await client.call_tool("inner_voice", {"content": "loom", "sim_thresh": 0.99})
    assert "no note that counts comes close enough to answer" in cast("TextContent", nothing.content[-1]).text
    said = "a RAG query with optional knowledge-graph staging that saves its summary when save=true (the default)"
    assert said in str(listed["inner_voice"].description)
    assert found["synthesized_answer"]
    assert "saved_thought_id" not in found
    assert str(kept["saved_thought_id"]).startswith("t:")


@pytest.mark.requirement("mcp:put-right", "ruling:C16", "mcp:exact", "ruling:A22", "answers:small-talk")
async def test_what_was_put_right_is_said_beside_the_answer_and_a_refusal_and_small_talk_are_answers(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as client:
        for tool, sent, said in TABLES["what_was_put_right_is_said_beside_the_answer"]:
            result = await client.call_tool(tool, sent)
            told(result, tool)
            quiet = await client.call_tool(tool, {**sent, **dict.fromkeys(set(sent) - {"query", "content", "dry_run"})})
            warnings = cast("list[str]", cast("Mapping[str, object]", result.meta)["voice/warnings"])
            assert any(said in warning for warning in warnings), warnings
            assert said in cast("TextContent", result.content[-1]).text
            assert said not in str(quiet)
        unknown = await client.call_tool("inner_voice_chat", {"query": "What is the capital of Mongolia?"})
        await client.call_tool("remember", {"content": "The kiln leaks.", "scope": {"repo_id": "kilns"}})
        thanked = told(await client.call_tool("inner_voice_chat", {"query": "thank you!"}), "inner_voice_chat")
    turn = told(unknown, "inner_voice_chat")
    assert (turn["refused"], len(cast("list[object]", turn["evidence_found"]))) == (True, 3)
    assert str(turn["answer"]).startswith("I cannot provide")
    assert turn["reason"]
    assert (thanked["refused"], thanked["answer"], thanked["sources"]) == (False, "You are welcome.", [])


@pytest.mark.requirement("mcp:origin", "ruling:H.3b", "mcp:exact")
@pytest.mark.parametrize(("settings", "origin", "citable"), [(ON, "tool", 0), (logged(), "logged", 1)])
async def test_what_is_remembered_is_a_tools_word_unless_the_owner_vouches(
    tmp_path: Path, settings: Settings, origin: str, citable: int
) -> None:
    async with talking(tmp_path, "auto", settings) as client:
        sent = {"content": "The wheel stands by the window.", "tags": "studio", "origin": "human", "at": "2026-03-05"}
        result = await client.call_tool("remember", sent)
        kept = told(result, "remember")
        others = ({"tags": "studio"}, {"tags": "kiln"}, {"content": "The wheel stands by the door."})
        ids = [told(await client.call_tool("remember", {**sent, **each}), "remember")["id"] for each in others]
        assert (ids[0], len({*ids})) == (kept["id"], 3), "the same note again is one"
        found = told(
            await client.call_tool("inner_voice_retrieve", {"query": "wheel by the window", "mix": 0, "tag": "studio"}),
            "inner_voice_retrieve",
        )
    assert kept["observations"] == citable
    snippet, *_ = cast("list[Mapping[str, object]]", found["snippets"])
    assert (snippet["id"], snippet["origin"]) == (kept["id"], origin)
    assert str(snippet["created_at"]).startswith("2026-03-05")
    assert cast("Mapping[str, object]", result.meta)["voice/ignored"] == ["origin"]


@pytest.mark.requirement("mcp:exact", "mcp:origin", "mcp:lenient", "ruling:C10")
async def test_candidates_are_listed_edited_approved_and_rejected(tmp_path: Path) -> None:
    async with talking(tmp_path) as client:
        sent = {"content": "Anna Lund works at Kiln Co. Pedro Marsh works at Clay House."}
        await client.call_tool("remember", sent)

        async def moderate(**said: object) -> dict[str, object]:
            return told(await client.call_tool("knowledgegraph_moderate", said), "knowledgegraph_moderate")

        listed = cast("list[Mapping[str, object]]", (await moderate(kind="entities"))["candidates"])
        first, second, *_ = [str(each["id"]) for each in listed]
        edited = await moderate(action="edit", ids=first, name="Anna Lund-Marsh")
        tried = await moderate(action="accept", ids=[{"id": first}], dry_run="true")
        approved = await moderate(action="approve", id=first)
        named = await moderate(action="alias", ids=second, entity="Anna Lund-Marsh")
        others = cast("list[Mapping[str, object]]", (await moderate())["candidates"])
        rejected = await moderate(action="reject", ids=[str(others[0]["id"])], reason="not needed")
        reopened = await moderate(action="reopen", ids=str(others[0]["id"]))
        decided = await moderate(status="approved", detail="full")
    assert [step["action"] for step in _steps(edited)] == ["edited"]
    assert (tried["dry_run"], [step["action"] for step in _steps(tried)]) == (True, ["created"])
    assert [step["action"] for step in _steps(approved)] == ["created"]
    assert [step["action"] for step in _steps(named)] == ["aliased"]
    assert [step["action"] for step in _steps(rejected)] == ["rejected"]
    assert [step["action"] for step in _steps(reopened)] == ["reopened"]
    assert {each["decided_by"] for each in cast("list[Mapping[str, object]]", decided["candidates"])} == {"tool"}, (
        "no human approved it"
    )


def _steps(done: Mapping[str, object]) -> list[Mapping[str, object]]:
    return cast("list[Mapping[str, object]]", done["steps"])


@pytest.mark.requirement("mcp:exact", "mcp:lenient")
async def test_marked_thoughts_are_listed_archived_and_stay_unless_it_is_said_twice(tmp_path: Path) -> None:
    async with talking(tmp_path) as client:
        kept = told(await client.call_tool("remember", {"content": "To be thrown away."}), "remember")

        async def maintain(subcommand: str, **said: object) -> dict[str, object]:
            sent = {"action": subcommand, **said}
            return told(await client.call_tool("maintenance_ops", sent), "maintenance_ops")

        marked = await maintain("mark", ids=kept["id"])
        listed = await maintain("list")
        exported = await maintain("export", format="JSONL", dry_run="yes")
        finalised = await maintain("finalise")
        back = await maintain("unmark", ids=[kept["id"]])
    assert marked["changed"] == back["changed"] == [kept["id"]]
    assert [each["id"] for each in cast("list[Mapping[str, object]]", listed["candidates"])] == [kept["id"]]
    assert (exported["dry_run"], exported["thoughts"]) == (True, [kept["id"]])
    assert (finalised["applied"], finalised["gone"]) == (False, [])


@pytest.mark.requirement("mcp:exact", "mcp:tools")
async def test_help_explains_every_tool_and_every_error(tmp_path: Path) -> None:
    async with talking(tmp_path) as client:

        async def helped(**sent: object) -> dict[str, list[Mapping[str, object]]]:
            said = told(await client.call_tool("detailed_help", sent), "detailed_help")
            return cast("dict[str, list[Mapping[str, object]]]", said)

        compact, everything, one = await helped(), await helped(format="full"), await helped(tool="recall")
    assert len(compact["tools"]) == len(everything["tools"]) == len(TOOLS)
    assert {key for each in compact["tools"] for key in each} == {"name", "about"}
    codes = {each["code"] for each in everything["errors"]}
    assert codes >= {"feature_disabled", "invalid_params", "embedder_unavailable", "db_error", "internal_error"}
    assert "parameters" in one["tools"][0]

"""The session for the OpenAI Agents SDK, beside the SDK's own, and an agent that uses both it and the tools."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from framework_memory import SECRET, opened, scripted_model
from voice.core.errors import StoreUnavailable
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.session.forgetting import TOPIC_GONE
from voice.integrations.openai_agents import VoiceSession, agent_tools

pytestmark = pytest.mark.requirement("frameworks:agents")


def said(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": text}


async def played(session: Any) -> list[Any]:
    """Return all that a session tells while one conversation is held with it."""
    heard: list[Any] = [await session.pop_item(), await session.get_items()]
    await session.add_items([])
    await session.add_items([said("Ä 🔥\n“quoted”"), said("two", "assistant")])
    await session.add_items([{"type": "function_call", "call_id": "c", "arguments": "{}", "n": 1.5, "none": None}])
    heard += [await session.get_items(limit) for limit in (None, 0, 1, 2, 9, -1)]
    heard += [await session.pop_item(), await session.get_items()]
    await session.add_items([said("three")])
    heard.append(await session.get_items())
    await session.clear_session()
    await session.clear_session()
    heard += [await session.get_items(), await session.pop_item()]
    await session.add_items([said("anew")])
    return [*heard, await session.get_items()]


async def test_it_does_what_the_sdks_own_session_does(tmp_path: Path) -> None:
    agents = import_module("agents")
    theirs = agents.SQLiteSession("one", tmp_path / "theirs.sqlite")
    async with opened(tmp_path / "home") as voice:
        ours = VoiceSession("one", voice)
        assert isinstance(ours, agents.memory.Session)
        assert await played(ours) == await played(theirs)
    theirs.close()


async def test_items_come_back_in_order_limited_and_popped(tmp_path: Path) -> None:
    """Said once more without the SDK, which CI lacks."""
    async with opened(tmp_path) as voice:
        heard = await played(VoiceSession("one", voice))
    first, two = said("Ä 🔥\n“quoted”"), said("two", "assistant")
    call = {"type": "function_call", "call_id": "c", "arguments": "{}", "n": 1.5, "none": None}
    limited = [[first, two, call], [], [call], [two, call], [first, two, call], [first, two, call]]
    assert heard == [None, [], *limited, call, [first, two], [first, two, said("three")], [], None, [said("anew")]]


async def test_conversations_are_apart_and_survive_the_process(tmp_path: Path) -> None:
    async with opened(tmp_path) as voice:
        await VoiceSession("one", voice).add_items([said("one")])
        await VoiceSession("two", voice).add_items([said("two")])
        await VoiceSession("two", voice).clear_session()
    async with opened(tmp_path) as voice:
        assert await VoiceSession("one", voice).get_items() == [said("one")]
        assert await VoiceSession("two", voice).get_items() == []


@pytest.mark.requirement("frameworks:records")
async def test_a_file_that_is_none_is_said_in_one_line(tmp_path: Path) -> None:
    async with opened(tmp_path) as voice:
        (tmp_path / "agents.sqlite").write_text("no database, but a text " * 100)
        with pytest.raises(StoreUnavailable, match=r"agents\.sqlite cannot be used"):
            await VoiceSession("one", voice).get_items()


@pytest.mark.requirement("frameworks:forget")
async def test_forgetting_a_note_takes_its_words_out_of_conversations(tmp_path: Path) -> None:
    call = {"type": "function_call_output", "call_id": "c", "output": json.dumps({"snippets": [{"text": SECRET}]})}
    async with opened(tmp_path) as voice:
        session = VoiceSession("one", voice)
        (note,) = (await voice.remember(SECRET)).stored
        await session.add_items([said("How does it open?"), call, said(f"Your note says: {SECRET}", "assistant")])
        wanted = ForgetRequest(ids=frozenset({note}))
        preview = await voice.services.forget.preview(wanted, "forget")
        assert preview.elsewhere["agent records"] == ("2", "3")
        assert preview.files == ()
        await voice.services.forget(wanted, "forget")
        items = await session.get_items()
        assert items == [said("How does it open?"), {**call, "output": TOPIC_GONE}, said(TOPIC_GONE, "assistant")]
        assert not any(b"4711" in path.read_bytes() for path in tmp_path.glob("agents.sqlite*"))
        again = await voice.services.forget(wanted, "forget")
        assert again.elsewhere["agent records"] == ()


@pytest.mark.requirement("frameworks:tools")
async def test_an_agent_of_the_sdk_calls_the_tools_and_goes_on_in_its_session(tmp_path: Path) -> None:
    agents = import_module("agents")
    async with opened(tmp_path) as voice:
        await voice.remember("Moved the kiln to the shed.")
        model = scripted_model()
        agent = agents.Agent(name="Helper", model=model, tools=agent_tools(voice))
        session = VoiceSession("one", voice)
        result = await agents.Runner.run(agent, "Where is the kiln?", session=session)
        await agents.Runner.run(agent, "And now?", session=session)
    assert "Moved the kiln to the shed." in result.final_output
    kinds = [each.get("type", each.get("role")) for each in model.heard[2]]
    assert kinds[:3] == ["user", "function_call", "function_call_output"]
    assert sorted(model.offered) == ["ask", "recall", "remember", "retrieve"]

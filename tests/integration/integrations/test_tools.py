"""The memory as tools for a model, and the toolset of pydantic-ai."""

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from framework_memory import opened
from voice.adapters import extras
from voice.core.errors import ConfigurationError
from voice.core.records import Origin, Thought
from voice.entrypoints.library import Voice
from voice.integrations.openai_agents import agent_tools
from voice.integrations.pydantic_ai import voice_toolset
from voice.integrations.tools import NAMES, tools_of

pytestmark = pytest.mark.requirement("frameworks:tools")
KILN = "Moved the kiln to the shed."


def named(voice: Voice) -> dict[str, Any]:
    return dict(zip(NAMES, tools_of(voice), strict=True))


async def test_each_tool_calls_the_service_of_its_name(tmp_path: Path) -> None:
    async with opened(tmp_path) as voice:
        await voice.remember(KILN)
        await voice.remember("The safe opens with 4711.", is_private=True)
        tools = named(voice)
        found = await tools["retrieve"]("kiln safe", limit=1)
        recalled = await tools["recall"]("kiln safe", token_budget=500)
        answered = await tools["ask"]("Where did I move the kiln?")
        refused = await tools["ask"]("How heavy is the kiln?")
    assert [each["text"] for each in found["snippets"]] == [KILN]
    assert [each["entity"]["content"] for each in recalled["candidates"]] == [KILN]
    assert (answered["refused"], [each["span"] for each in answered["sources"]]) == (False, [KILN])
    assert (refused["refused"], refused["sources"], type(refused["reason"])) == (True, [], str)
    assert [each["span"] for each in refused["evidence_found"]] == [KILN]


async def test_what_a_model_has_remembered_is_its_own_claim_and_no_evidence(tmp_path: Path) -> None:
    async with opened(tmp_path) as voice:
        told = await named(voice)["remember"](KILN)
        (row,) = (await voice.services.store.fetch(told["stored"])).values()
        claimed = await voice.ask("Where did I move the kiln?", new_topic="a")
        await voice.remember("Moved the wheel to the studio.")
        own = await voice.ask("Where did I move the wheel?", new_topic="b")
    assert isinstance(row, Thought)
    assert (row.origin, told["waits_for_approval"]) == (Origin.MODEL, True)
    assert (claimed.exchange.refused, own.exchange.refused) == (True, False)


async def test_what_cannot_be_done_is_told_to_the_model(tmp_path: Path) -> None:
    async with opened(tmp_path) as voice:
        told = await named(voice)["remember"]("")
        assert told["error"]["code"] == "invalid_params"
        assert (await named(voice)["remember"]("x y z"))["stored"]


async def test_every_tool_says_what_it_does_and_what_it_takes(tmp_path: Path) -> None:
    async with opened(tmp_path) as voice:
        for name, tool in named(voice).items():
            assert tool.__name__ == name
            assert "Args:" in (tool.__doc__ or "")
            taken = inspect.signature(tool).parameters.values()
            assert all(each.annotation is not each.empty for each in taken)


async def test_without_the_framework_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", dict[str, object]().get)
    async with opened(tmp_path) as voice:
        for make, extra in ((agent_tools, "openai-agents"), (voice_toolset, "pydantic-ai")):
            with pytest.raises(ConfigurationError, match=rf"inner-voice\[{extra}\]"):
                make(voice)


@pytest.mark.requirement("frameworks:pydantic-ai")
async def test_an_agent_of_pydantic_ai_calls_every_tool(tmp_path: Path) -> None:
    agents, messages = import_module("pydantic_ai"), import_module("pydantic_ai.messages")
    async with opened(tmp_path) as voice:
        await voice.remember(KILN)
        model = import_module("pydantic_ai.models.test").TestModel()
        agent = agents.Agent(model, toolsets=[voice_toolset(voice)])
        result = await agent.run("Where is the kiln?")
    offered = {each.name: each for each in model.last_model_request_parameters.function_tools}
    assert sorted(offered) == sorted(NAMES)
    schema = offered["retrieve"].parameters_json_schema
    assert (schema["required"], schema["properties"]["query"]["description"]) == (["query"], "What to search for.")
    parts = [part for each in result.all_messages() for part in each.parts]
    told = {part.tool_name for part in parts if isinstance(part, messages.ToolReturnPart)}
    assert told == set(NAMES)


@pytest.mark.requirement("frameworks:pydantic-ai")
async def test_an_agent_of_pydantic_ai_is_told_what_the_memory_holds(tmp_path: Path) -> None:
    agents, messages = import_module("pydantic_ai"), import_module("pydantic_ai.messages")

    def scripted(heard: list[Any], info: Any) -> Any:
        if len(heard) == 1:
            return messages.ModelResponse(parts=[messages.ToolCallPart("retrieve", {"query": "kiln", "limit": 1})])
        found = heard[-1].parts[0].content["snippets"]
        return messages.ModelResponse(parts=[messages.TextPart(str(found[0]["text"]))])

    async with opened(tmp_path) as voice:
        await voice.remember(KILN)
        model = import_module("pydantic_ai.models.function").FunctionModel(scripted)
        agent = agents.Agent(model, toolsets=[voice_toolset(voice, id="notes")])
        assert (await agent.run("Where is the kiln?")).output == KILN

"""The examples of docs/howto/frameworks.md run as they stand there, inside an open memory."""

import inspect
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from docs_pages import blocks
from framework_memory import opened, scripted_model


@pytest.mark.requirement("docs:runs", "docs:literal")
async def test_each_example_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a key that no one has")
    monkeypatch.setattr(import_module("agents").MultiProvider, "get_model", Mock(return_value=scripted_model()))
    nothing = import_module("langchain_core.runnables").RunnablePassthrough()
    builder = import_module("langgraph.graph").StateGraph(dict).add_node("n", nothing).add_edge("__start__", "n")
    names: dict[str, Any] = {"question": "Where is the kiln?", "builder": builder}
    async with opened(tmp_path) as names["voice"]:
        await names["voice"].remember("Moved the kiln to the shed.")
        for block in blocks("docs/howto/frameworks.md"):
            ran = eval(compile(block.text, block.place, "exec", flags=PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
            if inspect.isawaitable(ran):
                await ran
    assert "Moved the kiln to the shed." in names["result"].final_output
    assert {"agent", "graph", "tools"} < names.keys()

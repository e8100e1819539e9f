"""The tool `check` holds any text against any facts, with no memory asked."""

import json
from pathlib import Path
from typing import cast

import pytest
from mcp import Client

from mcp_talk import refused, talking, told
from voice.core.errors import StoreHeld
from voice.core.settings.values import Settings
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.server import make_server

pytestmark = pytest.mark.requirement("grounding:check:alone", "mcp:lenient")
_ANSWER = "The kiln is in the shed [1]. It cost 42 euros [2]."
_FACTS = [{"text": "The kiln is in the shed."}, {"text": "It cost 41 euros."}]


async def test_an_answer_is_checked_though_the_inner_voice_is_off(tmp_path: Path) -> None:
    async with talking(tmp_path, settings=Settings()) as client:
        for facts in (_FACTS, json.dumps(_FACTS), [each["text"] for each in _FACTS]):
            report = told(await client.call_tool("check", {"response": _ANSWER, "contexts": facts}), "check")
            claims = cast("list[dict[str, object]]", report["claims"])
            assert [claim["rung"] for claim in claims] == ["quoted", "unsupported"]
        found = told(await client.call_tool("check", {"answer": "It is so.", "facts": {"text": "It is so."}}), "check")
        error = refused(await client.call_tool("check", {"answer": "It is so.", "facts": [3]}))
        missing = refused(await client.call_tool("check", {"answer": "It is so.", "facts": []}))
    assert found["proven"] is True
    assert "facts: fact 1 is neither a text nor an object" in str(error)
    assert "check needs facts" in str(missing)


async def test_no_memory_is_opened_for_it() -> None:
    async def opens() -> Voice:
        raise StoreHeld("another process has the memory")

    async with Client(make_server(opens)) as client:
        found = told(await client.call_tool("check", {"answer": "It is so.", "facts": ["It is so."]}), "check")
    assert found["proven"] is True

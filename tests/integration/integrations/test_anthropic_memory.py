"""Anthropic's memory tool, beside the SDK's own backend of files."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from framework_memory import SECRET, opened
from tables import tables
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.session.forgetting import TOPIC_GONE
from voice.integrations.anthropic_memory import VoiceMemoryTool

pytestmark = pytest.mark.requirement("frameworks:memory-tool")
COMMANDS: list[dict[str, Any]] = tables(__file__)["cases"]


async def told(tool: Any, command: dict[str, Any]) -> str:
    try:
        return await tool.call(command)
    except import_module("anthropic.lib.tools").ToolError as error:
        return f"error: {error}"


async def test_it_says_and_does_what_the_sdks_own_backend_does(tmp_path: Path) -> None:
    own = import_module("anthropic.lib.tools._beta_builtin_memory_tool")
    theirs = own.BetaAsyncLocalFilesystemMemoryTool(str(tmp_path / "files"))
    async with opened(tmp_path / "home") as voice:
        ours = VoiceMemoryTool(voice)
        assert ours.to_dict() == theirs.to_dict()
        for command in COMMANDS:
            assert await told(ours, command) == await told(theirs, command), command


@pytest.mark.parametrize("path", ["/etc/passwd", "/memories/../x", "/memoriesx", "memories/a"])
async def test_no_path_leads_out(path: str, tmp_path: Path) -> None:
    async with opened(tmp_path) as voice:
        tool = VoiceMemoryTool(voice)
        assert "must start with /memories" in await told(tool, {"command": "view", "path": path})
        assert (await told(tool, {"command": "view", "path": "/memories/"})).startswith("Here're the files")


@pytest.mark.requirement("frameworks:forget")
async def test_forgetting_takes_lines_out_of_files(tmp_path: Path) -> None:
    async with opened(tmp_path) as voice:
        tool = VoiceMemoryTool(voice)
        (note,) = (await voice.remember(SECRET)).stored
        await told(tool, {"command": "create", "path": "/memories/a.txt", "file_text": f"# Home\n{SECRET}\n"})
        await voice.services.forget(ForgetRequest(ids=frozenset({note})), "forget")
        shown = await told(tool, {"command": "view", "path": "/memories/a.txt"})
    assert "# Home" in shown
    assert TOPIC_GONE in shown
    assert "4711" not in shown

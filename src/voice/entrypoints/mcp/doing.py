"""Which service each tool is, for a call that was read.

Law: loaded with the first call, because what it needs costs more to load than all that a host asks before.

Source: DESIGN 8 MCP; ruling A8.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.calls import Call, check, moderate, organise, recall, remember, retrieve
from voice.entrypoints.mcp.chatting import chat
from voice.entrypoints.mcp.contract import Tool
from voice.entrypoints.mcp.progress import Tell
from voice.entrypoints.mcp.reading import Arguments
from voice.entrypoints.mcp.upkeep import explain, maintain

_DOES: Final[Mapping[str, Callable[[Call], Awaitable[Mapping[str, object]]]]] = {
    "inner_voice_retrieve": retrieve,
    "inner_voice": organise,
    "inner_voice_chat": chat,
    "recall": recall,
    "remember": remember,
    "knowledgegraph_moderate": moderate,
    "maintenance_ops": maintain,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of a call."""

    told: Mapping[str, object]
    warnings: tuple[str, ...] = ()


async def done(
    tool: Tool, said: Arguments, opens: Callable[[], Awaitable[Voice]], tell: Tell, stands_in: str | None
) -> Done:
    """Return what a tool answers, and what it put right of the call.

    Raises:
        FeatureDisabled: the inner voice is switched off, and the tool asks it.
        VoiceError: whatever opening the memory and the service raise.
    """
    if tool.name == "detailed_help":
        return Done(told=explain(said.text("tool"), said.text("format")))
    if tool.name == "check":
        return Done(told=await check(said))
    memory = await opens()
    if tool.is_gated:
        memory.settings.gate.require()
    call = Call(memory=memory, said=said, tell=tell, stands_in=stands_in)
    told = await _DOES[tool.name](call)
    return Done(told=told, warnings=tuple(call.warnings))

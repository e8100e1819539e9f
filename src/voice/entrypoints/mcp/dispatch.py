"""The handler of each tool.

Law: loaded with the first call, because what it needs costs more to load than all that a host asks before.

Source: DESIGN 8 MCP; ruling A8.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.arguments import Arguments
from voice.entrypoints.mcp.connection import Connection, ReportProgress
from voice.entrypoints.mcp.curation_handlers import correct, explain, get_row, maintain, pin, vouch_status
from voice.entrypoints.mcp.moderation_handlers import moderate
from voice.entrypoints.mcp.question_handlers import Call, chat, check, organise, recall, remember, retrieve
from voice.entrypoints.mcp.tools import Tool

_DOES: Final[Mapping[str, Callable[[Call], Awaitable[Mapping[str, object]]]]] = {
    "inner_voice_retrieve": retrieve,
    "inner_voice": organise,
    "inner_voice_chat": chat,
    "recall": recall,
    "remember": remember,
    "knowledgegraph_moderate": moderate,
    "maintenance_ops": maintain,
    "get_row": get_row,
    "correct": correct,
    "pin": pin,
    "vouch_status": vouch_status,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """What came of a call."""

    told: Mapping[str, object]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOrigin:
    """Where a call came from."""

    connection: Connection
    tell: ReportProgress
    stands_in: str | None = None
    """The repository that the program stands in."""


async def done(tool: Tool, said: Arguments, opens: Callable[[], Awaitable[Voice]], place: CallOrigin) -> CallOutcome:
    """Return what a tool answers, and what it put right of the call.

    Raises:
        FeatureDisabled: the inner voice is switched off, and the tool asks it.
        VoiceError: whatever opening the memory and the service raise.
    """
    if tool.name == "detailed_help":
        return CallOutcome(told=explain(said.text("tool"), said.text("format")))
    if tool.name == "check":
        return CallOutcome(told=await check(said))
    memory = await opens()
    if tool.is_gated:
        memory.settings.gate.require()
    call = Call(memory=memory, said=said, tell=place.tell, connection=place.connection, stands_in=place.stands_in)
    told = await _DOES[tool.name](call)
    return CallOutcome(told=told, warnings=tuple(call.warnings))

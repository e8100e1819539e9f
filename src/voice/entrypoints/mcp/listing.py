"""The tools by name, and what a host is answered when it asks what there is.

Law: one list, from the contracts and from the schema files of the package; names without a dot unless the dotted ones
are asked for, because several hosts drop a whole server over one dot; either spelling is answered, and never both are
listed. It needs no memory and no protocol library.

Source: DESIGN 8 MCP; ECOSYSTEM 2.3.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, cast

from voice.entrypoints.mcp.asking import CHAT, ORGANISE, RECALL, RETRIEVE
from voice.entrypoints.mcp.checking import CHECK
from voice.entrypoints.mcp.contract import Tool, by_name
from voice.entrypoints.mcp.keeping import HELP, MAINTAIN, MODERATE, REMEMBER
from voice.entrypoints.mcp.row_tools import CORRECT, GET, PIN, VOUCH_STATUS

ToolNames = Literal["plain", "dotted"]
TOOLS: tuple[Tool, ...] = (
    RETRIEVE, ORGANISE, CHAT, RECALL, GET, REMEMBER, CORRECT, PIN, VOUCH_STATUS, MODERATE, MAINTAIN, CHECK, HELP,
)  # fmt: skip
SCHEMAS = Path(__file__).resolve().parents[2] / "schemas" / "mcp"
_NAMED = by_name(TOOLS)
_OTHER_NAMES: Mapping[str, str] = {"inner_voice_organise": "inner_voice", "inner_voice_organize": "inner_voice"}


def tool_meant(name: str) -> Tool | None:
    """Return the tool that a name means, spelled with dots, hyphens or underscores; None where it means none."""
    plain = name.strip().casefold().replace(".", "_").replace("-", "_").replace("/", "_")
    return _NAMED.get(_OTHER_NAMES.get(plain, plain))


def listed_name(tool: Tool, names: ToolNames) -> str:
    """Return the name under which a tool is listed."""
    return tool.dotted if names == "dotted" else tool.name


@cache
def schema_of(tool: str, side: Literal["input", "output"]) -> Mapping[str, object]:
    """Return the schema of what a tool takes or returns, as the package has it."""
    text = (SCHEMAS / f"{tool}.{side}.json").read_text(encoding="utf-8")
    return cast("Mapping[str, object]", json.loads(text))


def tools_listed(names: ToolNames) -> list[dict[str, object]]:
    """Return the tools as the protocol lists them."""
    return [
        {
            "name": listed_name(tool, names),
            "title": tool.title,
            "description": tool.about,
            "inputSchema": schema_of(tool.name, "input"),
            "outputSchema": schema_of(tool.name, "output"),
            "annotations": tool.annotations(),
        }
        for tool in TOOLS
    ]

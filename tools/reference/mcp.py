"""The page of MCP tools: what a host lists, each parameter, an example call, and the form of what comes back."""

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from reference.schemas import described
from reference.shelf import Node, Shelf

_LISTING = "voice.entrypoints.mcp.discovery"
_HEAD = """\
# MCP tools

As `voice mcp` lists them. [How to connect a host](../mcp.md); codes of failures are
[the ones of every door](../errors.md).
"""


def mcp_markdown(root: Path) -> str | None:
    """Return the page of the tools; None where the program has no MCP door.

    Raises:
        LookupError: there are schemas of tools, and nothing that lists them.
    """
    if find_spec("voice.entrypoints.mcp") is None or find_spec(_LISTING) is None:
        if (root / "src/voice/schemas/mcp").exists():
            raise LookupError(f"voice/schemas/mcp is there, and {_LISTING} is not")
        return None
    listed = cast("list[dict[str, object]]", import_module(_LISTING).tools_listed("plain"))
    examples = {tool.name: tool.example for tool in import_module(_LISTING).TOOLS}
    return "\n".join([_HEAD, *(line for tool in listed for line in _tool(tool, examples[str(tool["name"])]))])


def _tool(tool: Mapping[str, object], call: Mapping[str, object]) -> Iterator[str]:
    name = str(tool["name"])
    yield from (f"## {name}", "", f"**{tool['title']}.** {tool['description']}", "")
    hints = [f"`{hint}`" for hint, holds in cast("Mapping[str, object]", tool["annotations"]).items() if holds is True]
    yield from ((f"Annotations: {', '.join(hints)}.", "") if hints else ())
    shelf = Shelf({"input": cast("Node", tool["inputSchema"]), "output": cast("Node", tool["outputSchema"])})
    yield from (f"### {name}: what it takes", "", *described("input", shelf, "####"))
    yield from ("```json", json.dumps({"name": name, "arguments": call}, indent=2, ensure_ascii=False), "```", "")
    yield from (f"### {name}: what it returns", "", *described("output", shelf, "####"))

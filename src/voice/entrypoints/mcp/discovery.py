"""What a host lists before it uses anything: the server, its tools, resources and prompts.

Law: none of it depends on a memory, so none is opened for it, and none of it needs the protocol's library: it is the
same JSON that the library sends (tests hold one against the other, in every version of the protocol). Tools have names
without a dot unless the dotted ones are asked for, because several hosts drop a whole server over one dot; either
spelling is answered, and never both are listed.

Source: DESIGN 8 MCP; the Model Context Protocol, 2024-11-05 to 2026-07-28; ECOSYSTEM 2.3.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, cast

from voice import __version__
from voice.entrypoints.mcp.tools import TOOLS, Tool

ToolNames = Literal["plain", "dotted"]
SCHEMAS = Path(__file__).resolve().parents[2] / "schemas" / "mcp"
_NAMED: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}
_OTHER_NAMES: Mapping[str, str] = {"inner_voice_organise": "inner_voice", "inner_voice_organize": "inner_voice"}


def find_tool(name: str) -> Tool | None:
    """Return the tool that a name means, spelled with dots, hyphens or underscores; None where it means none."""
    plain = name.strip().casefold().replace(".", "_").replace("-", "_").replace("/", "_")
    return _NAMED.get(_OTHER_NAMES.get(plain, plain))


def listed_name(tool: Tool, names: ToolNames) -> str:
    """Return the name under which a tool is listed."""
    return tool.dotted if names == "dotted" else tool.name


@cache  # read once per process: hosts list again and again
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


NAME = "inner-voice"
TITLE = "Inner Voice"
INSTRUCTIONS = (
    "A person's long-lived memory. recall at the start of a task; inner_voice_chat for an answer that is proven from "
    "the memory, or refused: report a refusal as it is and do not fill the gap; inner_voice_retrieve for evidence, "
    "get_row for one row; remember what should outlast this conversation: the person approves it before answers cite "
    "it. Answers are brief; detail: full has the rest. detailed_help explains every tool and parameter."
)
SESSIONS_URI = "voice://sessions"
SOURCES_URI = "voice://sources"
JSON = "application/json"
RESOURCES: tuple[Mapping[str, object], ...] = (
    {
        "name": "sessions",
        "title": "Sessions",
        "uri": SESSIONS_URI,
        "description": "The latest sessions: ids, topics and when they were last continued.",
        "mimeType": JSON,
    },
)
TEMPLATES: tuple[Mapping[str, object], ...] = (
    {
        "name": "session",
        "title": "One session",
        "uriTemplate": f"{SESSIONS_URI}/{{id}}",
        "description": "A session with its turns, each sentence with its proof and sources. Private turns are left "
        "out.",
        "mimeType": JSON,
    },
    {
        "name": "source",
        "title": "One source",
        "uriTemplate": f"{SOURCES_URI}/{{id}}",
        "description": "A thought (t:…) or a row of the knowledge graph (e:…, o:…, r:…), as an answer cites it. "
        "Private rows are not shown.",
        "mimeType": JSON,
    },
)


def _prompt(name: str, title: str, description: str, question: str) -> Mapping[str, object]:
    asked = {"name": "question", "description": question, "required": True}
    when = {"name": "when", "description": 'Only this time, such as "last month".', "required": False}
    return {"name": name, "title": title, "description": description, "arguments": [asked, when]}


_FROM_MEMORY = "Answer from my memory, every sentence with its source."
_AGAINST = "Look in my memory for evidence against what I say."
PROMPTS = (
    _prompt("synthesize", "Ask my memory", _FROM_MEMORY, "What to ask the memory."),
    _prompt("challenge", "Challenge me", _AGAINST, "What I claim or intend."),
    _prompt("question", "Question me", "Ask me questions based on my memory.", "What I am thinking about."),
)


def server_info() -> dict[str, object]:
    """Return who answers."""
    return {"name": NAME, "title": TITLE, "version": __version__}


def list_responses(names: ToolNames) -> Mapping[str, Mapping[str, object]]:
    """Return the answer to each request that asks what there is, by method."""
    return {
        "tools/list": {"tools": tools_listed(names)},
        "prompts/list": {"prompts": [*PROMPTS]},
        "resources/list": {"resources": [*RESOURCES]},
        "resources/templates/list": {"resourceTemplates": [*TEMPLATES]},
    }

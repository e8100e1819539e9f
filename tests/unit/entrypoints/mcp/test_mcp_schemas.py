"""The tools as hosts list them: schema files that are up to date, and names within every host's limits."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from mcp_schemas import schema_files

from voice.entrypoints.mcp.discovery import (
    INSTRUCTIONS,
    PROMPTS,
    SCHEMAS,
    find_tool,
    listed_name,
    schema_of,
    tools_listed,
)
from voice.entrypoints.mcp.tools import TOOLS, Tool

Schema = Mapping[str, object]


@pytest.mark.requirement("mcp:schemas")
def test_the_schema_files_are_what_follows_from_contracts_and_published_schemas() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in SCHEMAS.iterdir()}
    assert written == schema_files(), "run: python tools/mcp_schemas.py"


@pytest.mark.requirement("mcp:schemas", "mcp:tools", "mcp:no-references")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_schemas_are_valid_in_the_drafts_that_clients_use(tool: Tool) -> None:
    sides: tuple[Literal["input", "output"], ...] = ("input", "output")
    for side in sides:
        schema = schema_of(tool.name, side)
        Draft202012Validator.check_schema(schema)
        Draft7Validator.check_schema(schema)
        text = json.dumps(schema)
        assert "$schema" not in text
        assert "$id" not in text
        assert "$ref" not in text
        assert "$defs" not in text
        assert schema["type"] == "object"
        assert not schema.keys() & {"anyOf", "oneOf", "allOf"}
    validator = Draft202012Validator(schema_of(tool.name, "input"))
    example = json.loads(json.dumps(dict(tool.example)))
    assert [*validator.iter_errors(example)] == []  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.requirement("mcp:schemas")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_an_error_alone_is_valid_too_for_hosts_that_hold_its_text_against_the_schema(tool: Tool) -> None:
    schema = schema_of(tool.name, "output")
    error = {"code": "db_error", "reason": "store_held", "message": "another program has the memory open"}
    for draft in (Draft7Validator(schema), Draft202012Validator(schema)):
        assert draft.is_valid({"error": error})  # pyright: ignore[reportUnknownMemberType]
        assert not draft.is_valid({"error": error, "more": 1})  # pyright: ignore[reportUnknownMemberType]
        assert not draft.is_valid({"error": {"code": "db_error"}})  # pyright: ignore[reportUnknownMemberType]
        assert not draft.is_valid({})  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.requirement("mcp:use", "ruling:J1")
def test_each_tool_says_in_one_sentence_when_to_use_it_and_none_as_another_does() -> None:
    uses = {tool.name: tool.about for tool in TOOLS}
    for name, use in uses.items():
        assert use.startswith("Use ")
        assert re.findall(r"[.!?](?= |$)", use) == ["."], name
    openings = [" ".join(use.split(",")[0].split()[:6]) for use in uses.values()]
    assert len(set(openings)) == len(TOOLS)


@pytest.mark.requirement("mcp:names", "s0:name:inner_voice.retrieve")
def test_either_spelling_means_the_tool_and_one_is_listed() -> None:
    for tool in TOOLS:
        for name in (
            tool.name,
            tool.dotted,
            tool.name.upper(),
            tool.name.replace("_", "-"),
            tool.name.replace("_", "."),
        ):
            assert find_tool(name) is tool
        assert (listed_name(tool, "plain"), listed_name(tool, "dotted")) == (tool.name, tool.dotted)
    assert [each["name"] for each in tools_listed("dotted")][:3] == [
        "inner_voice.retrieve", "inner_voice", "inner_voice.chat",
    ]  # fmt: skip
    assert find_tool("inner_voice_sing") is None


@dataclass(frozen=True, kw_only=True)
class Host:
    """What a host takes."""

    name: str
    pattern: str
    most_name: int
    """Characters of a tool's name, together with what the host puts before it."""
    prefix: str = ""
    most_description: int | None = None
    keywords: frozenset[str] | None = None
    """The only keywords an input schema may have; None: any."""
    most_tools: int | None = None
    most_instructions: int | None = None
    """Bytes of what the server says of itself."""
    source: str


SERVER = "inner-voice"
_BASIC = frozenset({"type", "properties", "required", "description", "items", "enum"})
HOSTS = (
    Host(
        name="Claude Desktop", pattern=r"[a-zA-Z0-9_-]{1,64}", most_name=64,
        source="support.claude.com, and its error `FrontendRemoteMcpToolDefinition.name`",
    ),
    Host(
        name="Claude Code", pattern=r"[a-zA-Z0-9_-]{1,128}", most_name=64, prefix=f"mcp__{SERVER}__",
        most_description=2048, most_instructions=2048,
        source="code.claude.com/docs/en/mcp: descriptions and instructions are cut at 2 KB; the API's pattern of names",
    ),
    Host(
        name="Cursor", pattern=r"[a-zA-Z0-9_]+", most_name=60, prefix=f"{SERVER}:", most_tools=40,
        source="Cursor's warning on combined server and tool names over 60 characters; 40 tools in all",
    ),
    Host(
        name="VS Code", pattern=r"[a-z0-9_-]+", most_name=64, prefix="mcp_inner-voice_", most_description=1024,
        most_tools=128,
        source="code.visualstudio.com/docs/copilot/chat/mcp-servers: at most 128 tools; names `^[a-z0-9_-]+$`",
    ),
    Host(
        name="Gemini CLI", pattern=r"[a-zA-Z0-9_.-]+", most_name=63, prefix=f"mcp_{SERVER}_", keywords=_BASIC,
        most_tools=128,
        source="geminicli.com/docs/tools/mcp-server: names over 63 characters are cut; schemas are stripped",
    ),
    Host(
        name="Codex", pattern=r"[a-zA-Z0-9_-]+", most_name=64, prefix=f"mcp__{SERVER}__", keywords=_BASIC,
        most_description=1024,
        source="developers.openai.com: function names `^[a-zA-Z0-9_-]{1,64}$`, descriptions of 1,024 characters",
    ),
    Host(
        name="opencode", pattern=r"[a-zA-Z0-9_-]+", most_name=64, prefix=f"{SERVER}_",
        source="opencode.ai/docs/mcp-servers: a tool is called by its server's name, `_` and its own",
    ),
)  # fmt: skip


def _keywords(schema: Schema) -> set[str]:
    found = set(schema)
    items = (cast("Schema", schema["items"]),) if "items" in schema else ()
    for each in (*_properties(schema).values(), *items):
        found |= _keywords(each)
    return found


def _properties(schema: Schema) -> Mapping[str, Schema]:
    return cast("Mapping[str, Schema]", schema.get("properties", {}))


@pytest.mark.requirement("mcp:hosts")
@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_every_tool_is_within_the_documented_limits_of_a_host(host: Host) -> None:
    assert host.source
    assert host.most_tools is None or len(TOOLS) <= host.most_tools
    assert host.most_instructions is None or len(INSTRUCTIONS.encode()) <= host.most_instructions
    for tool in tools_listed("plain"):
        name, about = str(tool["name"]), str(tool["description"])
        assert re.fullmatch(host.pattern, name)
        assert len(host.prefix + name) <= host.most_name
        assert host.most_description is None or len(about.encode()) <= host.most_description
        schema = cast("Schema", tool["inputSchema"])
        assert host.keywords is None or _keywords(schema) <= host.keywords
        _stands_plainly(schema)


def _stands_plainly(schema: Schema) -> None:
    """Nothing beside these three at the top, every list with its items, every object with its properties."""
    assert schema.keys() <= {"type", "properties", "required"}
    for each in _properties(schema).values():
        assert isinstance(each["type"], str)
        assert each["type"] != "array" or "type" in cast("Schema", each["items"])
        assert each["type"] != "object" or each["properties"]


@pytest.mark.requirement("mcp:hosts")
def test_the_whole_list_is_small_enough_to_stand_in_every_prompt() -> None:
    shown = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in tools_listed("plain")]
    assert len(json.dumps(shown)) <= 20_000
    assert len(json.dumps(tools_listed("plain"))) <= 64_000
    assert all(re.fullmatch(r"[a-z]{1,32}", str(prompt["name"])) for prompt in PROMPTS)

"""The schema files of the tools, made from their contracts and from the schemas of what every door answers.

Law: one source for each: what a tool takes is its contract, what it returns is the published schema of that answer,
word for word. Only what JSON Schema libraries of clients stumble over is left out: `$schema` and `$id`, which some of
them look up or refuse to see twice. Nothing here runs when the program does.

Source: DESIGN 8 MCP; rulings A9, A22; tools/mcp_schemas.py writes the files.
"""

import json
import re
from collections.abc import Mapping
from typing import cast

from voice.entrypoints.mcp.keeping import HELP, MAINTAIN, MODERATE
from voice.entrypoints.mcp.listing import SCHEMAS, TOOLS

Schema = dict[str, object]
_ELSEWHERE = re.compile(r"(urn:inner-voice:schema:[^#\"]{1,200}+)#/\$defs/(\w+)")
_PUBLISHED = SCHEMAS.parent
_SAME: Mapping[str, str] = {
    "inner_voice": "organise",
    "recall": "recall",
    "remember": "cli/remember",
    "check": "cli/check",
}
_MARKING = "cli/maintain-mark"
_MODERATED = "cli/kg-moderate"
_ACTIONS: Mapping[str, str] = {
    "list": "cli/kg-candidates",
    **dict.fromkeys(("approve", "reject", "reopen", "edit", "alias"), _MODERATED),
}
_SUBCOMMANDS: Mapping[str, str] = {
    "list_removal_candidates": "cli/maintain-removals",
    "mark_for_removal": _MARKING,
    "unmark": _MARKING,
    "export_removals": "cli/maintain-export-removals",
    "finalize_removal": "cli/maintain-finalise-removals",
}


def schema_files() -> dict[str, str]:
    """Return the text of every schema file by its name."""
    inputs = {f"{tool.name}.input.json": tool.input_schema() for tool in TOOLS}
    outputs = {f"{name}.output.json": schema for name, schema in _outputs().items()}
    return {
        name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n" for name, schema in (inputs | outputs).items()
    }


def _outputs() -> dict[str, Schema]:
    same = {tool: _published(name) for tool, name in _SAME.items()}
    return {
        **same,
        "inner_voice_retrieve": _brief_or_full(_published("retrieve"), _published("retrieve-explain")),
        "inner_voice_chat": _one_of([_published("cli/ask"), _published("cli/ask-nlq")]),
        MODERATE.name: _one_of(_tagged("action", _ACTIONS)),
        MAINTAIN.name: _one_of(_tagged("subcommand", _SUBCOMMANDS)),
        HELP.name: _help(),
    }


def _published(name: str) -> Schema:
    """Return a published schema that stands by itself: what it names of another one is taken along."""
    text = (_PUBLISHED / f"{name}.schema.json").read_text(encoding="utf-8")
    schema = cast("Schema", json.loads(_ELSEWHERE.sub(r"#/$defs/\2", text)))
    taken = {part: _part(urn, part) for urn, part in _ELSEWHERE.findall(text)}
    if taken:
        schema["$defs"] = {**cast("Schema", schema.get("$defs", {})), **taken}
    return {key: value for key, value in schema.items() if key not in ("$schema", "$id", "title")}


def _part(urn: str, part: str) -> object:
    for path in sorted(_PUBLISHED.rglob("*.schema.json")):
        schema = cast("Schema", json.loads(path.read_text(encoding="utf-8")))
        if schema["$id"] == urn:
            return cast("Schema", schema["$defs"])[part]
    raise ValueError(f"no published schema is called {urn}")


def _tagged(tag: str, named: Mapping[str, str]) -> list[Schema]:
    """Return each published schema with a first member that says which of several it is."""
    schemas: list[Schema] = []
    for name in dict.fromkeys(named.values()):
        words = [word for word, each in named.items() if each == name]
        schema = _published(name)
        properties = {tag: {"enum": words}, **cast("Schema", schema["properties"])}
        schemas.append({**schema, "required": [tag, *cast("list[str]", schema["required"])], "properties": properties})
    return schemas


def _brief_or_full(brief: Schema, full: Schema) -> Schema:
    """Return the schema of an answer that is brief or a superset of that: what only the full one has may be missing.

    Hosts put it into every prompt: the two are not told one beside the other, and what the account of the choice means
    is told where it is published.
    """
    parts, own = (cast("dict[str, Schema]", schema["$defs"]) for schema in (full, brief))
    eased = {name: _eased(part, own.get(name.removeprefix("explained_"))) for name, part in parts.items()}
    eased["explained_diagnostics"] = _without_words(eased["explained_diagnostics"], own["diagnostics"])
    return {**_eased(full, brief), "$defs": eased}


def _eased(full: Schema, brief: Schema | None) -> Schema:
    return full if brief is None else {**full, "required": brief["required"]}


def _without_words(full: Schema, brief: Schema) -> Schema:
    """Return a schema without the descriptions of the members that only it has."""
    known = cast("Schema", brief["properties"])
    members = cast("dict[str, Schema]", full["properties"])
    bare = {name: {key: value for key, value in each.items() if key != "description"} for name, each in members.items()}
    return {**full, "properties": {name: members[name] if name in known else bare[name] for name in members}}


def _one_of(schemas: list[Schema]) -> Schema:
    """Return the schema of an answer that has one of several forms, the shared parts together at its end."""
    shared: Schema = {}
    for schema in schemas:
        parts = cast("Schema", schema.pop("$defs", {}))
        if twice := {name for name in shared.keys() & parts.keys() if shared[name] != parts[name]}:
            raise ValueError(f"two forms of one answer both define {sorted(twice)}")
        shared |= parts
    return {"type": "object", "anyOf": schemas, **({"$defs": shared} if shared else {})}


def _help() -> Schema:
    text: Schema = {"type": "string"}
    texts: Schema = {"type": "array", "items": text}
    parameter: Schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["name", "type", "required", "about", "also", "choices"],
        "properties": {
            "name": text, "type": text, "required": {"type": "boolean"}, "about": text, "also": texts, "choices": texts,
        },
    }  # fmt: skip
    tool: Schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["name", "about", "example"],
        "properties": {
            "name": text,
            "about": text,
            "parameters": {"type": "array", "items": parameter},
            "example": {"type": "object"},
        },
    }
    error: Schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["code", "means"],
        "properties": {"code": text, "means": text},
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["tools", "errors"],
        "properties": {"tools": {"type": "array", "items": tool}, "errors": {"type": "array", "items": error}},
    }

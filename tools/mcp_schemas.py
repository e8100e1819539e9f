"""The schema files of the MCP tools, made from their contracts and the published schemas of their answers.

`python tools/mcp_schemas.py` writes src/voice/schemas/mcp. Law: a tool's input follows from its contract, its output
from the published schemas of that answer. Hosts compile these schemas, and some put them into prompts: each stands
alone, without references, without alternatives of whole answers, and without descriptions. A brief answer is a part
of the full one, so only its members are required; an error stands alone.

The schema of an input says the one type that is meant and no bounds where a number is clamped (ruling C16): hosts that
check what a model sends would refuse what the tool takes. Nothing stands at the top of a schema beside `type`,
`properties` and `required`: some providers refuse more than that.

Source: DESIGN 8 MCP; rulings A9, A22, J1, J2.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, cast

from voice.entrypoints.mcp.discovery import SCHEMAS
from voice.entrypoints.mcp.tools import CORRECT, GET, HELP, MAINTAIN, MODERATE, PIN, TOOLS, VOUCH_STATUS, Tool
from voice.requests import Kind, Parameter

Schema = dict[str, object]
_PUBLISHED = SCHEMAS.parent
_SAME: Mapping[str, str] = {
    "inner_voice": "organise",
    "remember": "cli/remember",
    "check": "cli/check",
    CORRECT.name: "cli/correct",
    PIN.name: "cli/pins-add",
}
_MARKING = "cli/maintain-mark"
_MODERATED = "cli/kg-moderate"
_ACTIONS: Mapping[str, str] = {
    "list": "cli/kg-candidates",
    **dict.fromkeys(("approve", "reject", "reopen", "edit", "alias"), _MODERATED),
    "conflicts": "cli/conflicts",
    **dict.fromkeys(("correct", "end", "both_hold"), "cli/conflicts-resolved"),
}
_SUBCOMMANDS: Mapping[str, str] = {
    "list_removal_candidates": "cli/maintain-removals",
    "mark_for_removal": _MARKING,
    "unmark": _MARKING,
    "export_removals": "cli/maintain-export-removals",
    "finalize_removal": "cli/maintain-finalise-removals",
}
_TOLD_ELSEWHERE: Final = frozenset({"description", "$schema", "$id", "title", "$defs", "default", "if", "then", "else"})
_BRIEF_RETRIEVE: Final = frozenset(
    {"snippets", "diagnostics", "id", "origin", "trust_tier", "created_at", "text", "score", "k_req", "k_ret"}
)
_BRIEF_RECALL: Final = frozenset(
    {
        "pins", "currentSummary", "candidates", "provenance", "entity", "score", "id", "content", "pin", "target",
        "totalCandidates", "returnedCandidates",
    }
)  # fmt: skip
_BRIEF_TURN: Final = frozenset({"answer"})
_BRIEF_CONFLICT: Final = frozenset({"conflicts", "total", "id", "difference", "sides", "said", "label"})
_BRIEF_CANDIDATE: Final = frozenset({"id", "proposal", "mentions", "candidates", "total", "next", "text"})

_TYPES: Mapping[Kind, Schema] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "facts": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("text", "id", "date", "speaker")},
            "required": ["text"],
        },
    },
    "scope": {"type": "string"},
}


def schema_files() -> dict[str, str]:
    """Return the text of every schema file by its name."""
    inputs = {f"{tool.name}.input.json": _input(tool) for tool in TOOLS}
    outputs = {f"{name}.output.json": _or_an_error(schema) for name, schema in _outputs().items()}
    return {
        name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n" for name, schema in (inputs | outputs).items()
    }


def _input(tool: Tool) -> Schema:
    required = [each.name for each in tool.parameters if each.required]
    schema: Schema = {"type": "object", "properties": {each.name: _argument(each) for each in tool.parameters}}
    return {**schema, "required": required} if required else schema


def _argument(parameter: Parameter) -> Schema:
    choices = {"enum": list(parameter.choices)} if parameter.choices else {}
    return {**_TYPES[parameter.kind], **choices, "description": parameter.about}


def _or_an_error(answer: Schema) -> Schema:
    """Return the schema of an answer that may be an error instead, for hosts that hold the text of one against it.

    Gemini CLI takes the JSON text of every result for its structured content: what did not match would be lost.
    """
    required = _required(answer)
    rest = {name: value for name, value in answer.items() if name not in ("required", "properties")}
    unless: Schema = {"if": {"not": {"required": ["error"]}}, "then": {"required": required}}
    return {**rest, **(unless if required else {}), "properties": {**_members(answer), "error": ERROR}}


def _outputs() -> dict[str, Schema]:
    listed = _brief(_published("cli/kg-candidates"), _BRIEF_CANDIDATE)
    conflicting = _brief(_published("cli/conflicts"), _BRIEF_CONFLICT)
    moderated = {"cli/kg-candidates": listed, _MODERATED: _published(_MODERATED), "cli/conflicts": conflicting}
    turns = [_published("cli/ask"), _published("cli/ask-nlq")]
    return {
        **{tool: _published(name) for tool, name in _SAME.items()},
        "inner_voice_retrieve": _brief(_published("retrieve-explain"), _BRIEF_RETRIEVE),
        "inner_voice_chat": _brief(_merged(turns), _BRIEF_TURN),
        "recall": _brief(_published("recall"), _BRIEF_RECALL),
        MODERATE.name: _tagged("action", _ACTIONS, moderated),
        MAINTAIN.name: _tagged("subcommand", _SUBCOMMANDS, {}),
        GET.name: ROW,
        VOUCH_STATUS.name: NOTES,
        HELP.name: HELP_ANSWER,
    }


def _published(name: str) -> Schema:
    schema = _read(_PUBLISHED / f"{name}.schema.json")
    return cast("Schema", _resolved(schema, schema))


def _read(path: Path) -> Schema:
    return cast("Schema", json.loads(path.read_text(encoding="utf-8")))


def _resolved(part: object, whole: Schema) -> object:
    """Return a part of a schema with what it refers to in its place, and without what is told elsewhere.

    Args:
        whole: the schema, in which references are looked up.
    """
    if isinstance(part, list):
        return [_resolved(each, whole) for each in cast("list[object]", part)]
    if not isinstance(part, dict):
        return part
    found = cast("Schema", part)
    if "$ref" in found:
        return _resolved(*_definition(cast("str", found["$ref"]), whole))
    names = cast("Schema", found.get("properties", {}))
    kept = {name: value for name, value in found.items() if name not in _TOLD_ELSEWHERE and name != "properties"}
    told = {name: _resolved(value, whole) for name, value in kept.items()}
    if names:
        told["properties"] = {name: _resolved(value, whole) for name, value in names.items()}
    return _one_of(told)


def _definition(reference: str, whole: Schema) -> tuple[object, Schema]:
    urn, _, place = reference.partition("#/$defs/")
    published = map(_read, sorted(_PUBLISHED.rglob("*.schema.json")))
    schema = whole if not urn else next(each for each in published if each["$id"] == urn)
    return cast("Schema", schema["$defs"])[place], schema


def _one_of(told: Schema) -> Schema:
    """Return a schema in which several kinds of object that may stand in one place are one that may be any of them."""
    for word in ("oneOf", "anyOf"):
        if word not in told:
            continue
        kinds = cast("list[Schema]", told[word])
        objects = [each for each in kinds if each.get("type") == "object"]
        others = [each for each in kinds if each.get("type") != "object"]
        rest = {name: value for name, value in told.items() if name != word}
        every = [*others, *([_merged(objects)] if objects else [])]
        return {**rest, **every[0]} if len(every) == 1 else {**rest, "anyOf": every}
    return told


def _merged(schemas: Sequence[Schema]) -> Schema:
    """Return the schema of an object that is any of several: their members together, and what all of them have."""
    properties: Schema = {}
    for schema in schemas:
        for name, each in _members(schema).items():
            properties[name] = _union(properties[name], each) if name in properties else each
    required = [name for name in _required(schemas[0]) if all(name in _required(each) for each in schemas)]
    made: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**made, "required": required} if required else made


def _union(one: object, other: object) -> object:
    if one == other:
        return one
    kinds = [
        kind
        for each in (cast("Schema", one), cast("Schema", other))
        for kind in (cast("list[object]", each["anyOf"]) if each.keys() == {"anyOf"} else [each])
    ]
    return _one_of({"anyOf": [kind for place, kind in enumerate(kinds) if kind not in kinds[:place]]})


def _brief(part: Schema, kept: frozenset[str]) -> Schema:
    return cast("Schema", _brief_part(part, kept))


def _brief_part(part: object, kept: frozenset[str]) -> object:
    """Return a part of a schema that asks for the members of a brief answer alone, at every depth."""
    if isinstance(part, list):
        return [_brief_part(each, kept) for each in cast("list[object]", part)]
    if not isinstance(part, dict):
        return part
    found = {name: _brief_part(value, kept) for name, value in cast("Schema", part).items() if name != "required"}
    required = [name for name in _required(cast("Schema", part)) if name in kept]
    return {**found, "required": required} if required else found


def _tagged(tag: str, named: Mapping[str, str], made: Mapping[str, Schema]) -> Schema:
    """Return the schema of an answer that is one of several, whose first member says which."""
    merged = _merged([made.get(name) or _published(name) for name in dict.fromkeys(named.values())])
    required = [tag, *_required(merged)]
    return {**merged, "required": required, "properties": {tag: {"enum": [*named]}, **_members(merged)}}


def _members(schema: Schema) -> Schema:
    return cast("Schema", schema.get("properties", {}))


def _required(schema: Schema) -> list[str]:
    required = schema.get("required", [])
    return cast("list[str]", required) if isinstance(required, list) else []


JsonSchema = dict[str, object]
_TEXT: Final[JsonSchema] = {"type": "string"}
_TEXTS: Final[JsonSchema] = {"type": "array", "items": _TEXT}
_FLAG: Final[JsonSchema] = {"type": "boolean"}
_COUNT: Final[JsonSchema] = {"type": "integer", "minimum": 0}
_INSTANT: Final[JsonSchema] = {"type": "string", "format": "date-time", "pattern": "Z$"}
_TEXT_OR_NONE: Final[JsonSchema] = {"type": ["string", "null"]}
_INSTANT_OR_NONE: Final[JsonSchema] = {"type": ["string", "null"], "format": "date-time", "pattern": "Z$"}
_STATE: Final[JsonSchema] = {"enum": ["waiting", "approved", "partly", "declined"]}


def _object(properties: JsonSchema, *optional: str) -> JsonSchema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


def _list(of: JsonSchema) -> JsonSchema:
    return {"type": "array", "items": of}


ERROR: Final = _object({"code": _TEXT, "reason": _TEXT, "message": _TEXT}, "reason")
"""What stands under `error` where a tool could not answer."""
ROW: Final = _object(
    {
        "id": _TEXT,
        "table": _TEXT,
        "text": _TEXT,
        "created_at": _INSTANT_OR_NONE,
        "recorded_at": _INSTANT,
        "origin": _TEXT,
        "trust_tier": _TEXT,
        "status": _TEXT,
        "private": _FLAG,
        "tags": _TEXTS,
        "rests_on": _list(_object({"thought": _TEXT, "start": _COUNT, "end": _COUNT})),
        "statements": _TEXTS,
        "replaced_by": _TEXT_OR_NONE,
        "replaced": _TEXTS,
        "pins": _TEXTS,
        "context_path": _TEXTS,
        "noted_by": _TEXT_OR_NONE,
        "vouch": _STATE,
    },
    "context_path",
    "noted_by",
    "vouch",
)
"""What `get_row` tells of a row."""
_NOTE: Final = _object(
    {
        "id": _TEXT,
        "state": _STATE,
        "noted_by": _TEXT_OR_NONE,
        "noted_at": _INSTANT,
        "approved": _COUNT,
        "waiting": _COUNT,
        "sentences": _list(_object({"number": _COUNT, "text": _TEXT, "unfound": _TEXTS}, "unfound")),
    }
)
_COUNTS_BY_STATE: Final = _object(dict.fromkeys(("waiting", "approved", "partly", "declined"), _COUNT))
NOTES: Final = _object({"states": _COUNTS_BY_STATE, "total": _COUNT, "notes": _list(_NOTE), "next": _TEXT_OR_NONE})
"""What `vouch_status` tells of notes."""
_PARAMETER: Final = _object(
    {"name": _TEXT, "type": _TEXT, "required": _FLAG, "about": _TEXT, "also": _TEXTS, "choices": _TEXTS}
)
_TOOL: Final = _object(
    {"name": _TEXT, "about": _TEXT, "parameters": _list(_PARAMETER), "example": {"type": "object"}},
    "parameters",
    "example",
)
HELP_ANSWER: Final = _object(
    {"tools": _list(_TOOL), "errors": _list(_object({"code": _TEXT, "means": _TEXT}))}, "errors"
)
"""What `detailed_help` tells."""


def main() -> None:
    """Write the schema files, and delete those of tools that no longer exist."""
    files = schema_files()
    SCHEMAS.mkdir(exist_ok=True)
    for stale in {path.name for path in SCHEMAS.glob("*.json")} - files.keys():
        (SCHEMAS / stale).unlink()
    for name, text in files.items():
        (SCHEMAS / name).write_text(text, encoding="utf-8")
    print(f"wrote {len(files)} schemas to src/voice/schemas/mcp")  # noqa: T201  (its output)


if __name__ == "__main__":
    main()

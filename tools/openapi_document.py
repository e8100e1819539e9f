"""The OpenAPI document of the HTTP interface, made from the table of operations.

Law: it follows from that table alone: parameters and bodies are the models that check them, answers the published
schemas, problems the codes of each operation. `tools/docs.py` writes it to src/voice/schemas/openapi.json, which is
what the server sends; a test compares the two.

Source: OpenAPI 3.1.1; JSON Schema 2020-12; RFC 9457.
"""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final, cast

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from voice.entrypoints.web.api.call import KEY_HEADER, MAX_KEY_CHARS, REPLAYED_HEADER
from voice.entrypoints.web.api.operations import OPERATIONS, WARNINGS_HEADER, Operation, ref
from voice.entrypoints.web.responses import API_PATH, MAY_SAY_WHEN, MEDIA_TYPE, TITLES
from voice.entrypoints.web.responses import EVENT_STREAM as EVENTS

Json = dict[str, object]
_REQUEST: Final = "#/components/schemas/{model}Request"
_OWN_SCHEMAS: Final = frozenset({"problem", "error"})
_STREAM_ABOUT: Final = "Progress events; the data of each event is one JSON object (`events`)."
_ABOUT: Final = (
    "The JSON interface of `voice serve` for programs. Errors are RFC 9457 problems "
    "with stable codes. Instants are ISO 8601 in UTC, money is a decimal string, unknown is null."
)


def openapi(operations: Sequence[Operation] = OPERATIONS) -> Json:
    """Return the document."""
    paths: dict[str, Json] = {}
    for operation in operations:
        paths.setdefault(f"{API_PATH}{operation.path}", {})[operation.method.lower()] = _operation_json(operation)
    referenced = _referenced_schemas(paths)
    return {
        "openapi": "3.1.0",
        "info": {"title": "voice", "version": "1", "description": _ABOUT, "license": {"name": "Apache-2.0"}},
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}, {"page": []}],
        "paths": paths,
        "components": {
            "schemas": {
                **_request_schemas(operations),
                **referenced,
                "problem": _problem_schema(),
                "error": _error_schema(),
            },
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "The token of `voice serve`."},
                "page": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "voice_PORT",
                    "description": "The cookie that the link of `voice serve` sets; only for its pages.",
                },
            },
        },
    }


def _operation_json(operation: Operation) -> Json:
    document: Json = {"operationId": operation.id, "summary": operation.summary}
    parameters = [*_path_parameters(operation), *_query_parameters(operation), *_key_parameters(operation)]
    if parameters:
        document["parameters"] = parameters
    if operation.body is not None:
        content = {"application/json": {"schema": {"$ref": _REQUEST.format(model=operation.body.__name__)}}}
        document["requestBody"] = {"required": True, "content": content}
    document["responses"] = {f"{operation.status}": _success(operation), **_problems(operation)}
    return document


def _path_parameters(operation: Operation) -> list[Json]:
    schema: Json = {"type": "string", "minLength": 1, "pattern": "^[^/]+$"}
    return [
        {"name": name, "in": "path", "required": True, "description": about, "schema": schema}
        for name, about in operation.needs.items()
    ]


def _query_parameters(operation: Operation) -> list[Json]:
    if operation.query is None:
        return []
    members = cast("Mapping[str, Json]", operation.query.model_json_schema()["properties"])
    return [_parameter(name, dict(member)) for name, member in members.items()]


def _parameter(name: str, schema: Json) -> Json:
    about = schema.pop("description")
    schema.pop("title", None)
    kinds = [kind for kind in cast("list[Json]", schema.pop("anyOf", [])) if kind.get("type") != "null"]
    if schema.get("default", "") is None:
        del schema["default"]
    return {"name": name, "in": "query", "description": about, "schema": {**schema, **(kinds[0] if kinds else {})}}


def _key_parameters(operation: Operation) -> list[Json]:
    if operation.once == "no":
        return []
    about = {
        "kept": "With the same key, the server returns the stored answer; it keeps keys while it runs.",
        "stored": "With the same key, the server returns the stored answer; the key is stored with the turn.",
    }[operation.once]
    schema = {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS}
    return [{"name": KEY_HEADER, "in": "header", "description": about, "schema": schema}]


def _success(operation: Operation) -> Json:
    content: Json = {"application/json": {"schema": operation.answer}}
    if operation.stream is not None:
        content[EVENTS] = {"schema": {"type": "string", "description": _STREAM_ABOUT, "x-data": ref("events")}}
    answer: Json = {"description": "The result.", "content": content}
    headers: Json = {}
    if operation.once != "no":
        about = "`true`: this is the stored answer of the Idempotency-Key."
        headers[REPLAYED_HEADER] = {"description": about, "schema": {"const": "true"}}
    if operation.warns:
        about = "Warnings, if the answer has no member for them: a JSON list of texts."
        headers[WARNINGS_HEADER] = {"description": about, "schema": {"type": "string"}}
    return {**answer, "headers": headers} if headers else answer


def _problems(operation: Operation) -> Json:
    by_status: dict[int, list[str]] = {}
    for code in operation.codes:
        by_status.setdefault(TITLES[code][0], []).append(code)
    return {f"{status}": _one_problem(by_status[status]) for status in sorted(by_status)}


def _one_problem(codes: Sequence[str]) -> Json:
    about = "; ".join(f"`{code}`: {TITLES[code][1]}" for code in codes)
    schema = {"allOf": [ref("problem"), {"properties": {"code": {"enum": [*codes]}}}]}
    problem: Json = {"description": f"{about}.", "content": {MEDIA_TYPE: {"schema": schema}}}
    if MAY_SAY_WHEN.intersection(codes):
        when: Json = {"description": "Try again after this many seconds.", "schema": {"type": "string"}}
        problem["headers"] = {"Retry-After": when}
    return problem


def _request_schemas(operations: Sequence[Operation]) -> Json:
    models = list(dict.fromkeys(operation.body for operation in operations if operation.body is not None))
    inputs: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "validation") for model in models]
    _, made = models_json_schema(inputs, ref_template=_REQUEST)
    definitions = cast("Mapping[str, Json]", made["$defs"])
    return {f"{name}Request": _without_titles(schema) for name, schema in definitions.items()}


def _without_titles(schema: Json) -> Json:
    """Return a model's schema without the titles that repeat the names of its members."""
    members = cast("Mapping[str, Json]", schema["properties"])
    kept = {name: {key: value for key, value in member.items() if key != "title"} for name, member in members.items()}
    return {**schema, "properties": kept}


def _referenced_schemas(paths: Mapping[str, object]) -> Json:
    """Return the published schemas that are referred to, and those that they refer to, each reference to its place."""
    published = {name: schema for name, schema in _published_schemas().items() if name not in _OWN_SCHEMAS}
    names = {str(schema["$id"]): name for name, schema in published.items()}
    found: Json = {}
    waiting = sorted(_references(paths) & published.keys())
    while waiting:
        name = waiting.pop()
        found[name] = _as_component(published[name], name, names)
        waiting += sorted((_references(found[name]) & published.keys()) - found.keys())
    return dict(sorted(found.items()))


def _published_schemas() -> dict[str, Json]:
    folder = files("voice") / "schemas"
    paths = [*(folder / "cli").iterdir(), *folder.iterdir()]
    ending = ".schema.json"
    return {
        path.name.removesuffix(ending): json.loads(path.read_text(encoding="utf-8"))
        for path in paths
        if path.name.endswith(ending)
    }


def _references(document: object) -> set[str]:
    if isinstance(document, Mapping):
        members = cast("Mapping[str, object]", document)
        target = members.get("$ref")
        own = {target.split("/")[3]} if isinstance(target, str) and target.startswith("#/components/") else set[str]()
        return own.union(*map(_references, members.values()))
    if isinstance(document, list):
        return set[str]().union(*map(_references, cast("list[object]", document)))
    return set()


def _as_component(document: object, name: str, names: Mapping[str, str]) -> object:
    """Return a published schema as a component: its references lead into the document that it now stands in."""
    if isinstance(document, dict):
        members = cast("Json", document)
        return {
            key: _component_reference(value, name, names) if key == "$ref" else _as_component(value, name, names)
            for key, value in members.items()
            if key not in ("$id", "$schema")
        }
    if isinstance(document, list):
        return [_as_component(each, name, names) for each in cast("list[object]", document)]
    return document


def _component_reference(value: object, name: str, names: Mapping[str, str]) -> str:
    schema_id, _, place = str(value).partition("#")
    return f"#/components/schemas/{names[schema_id] if schema_id else name}{place}"


def _problem_schema() -> Json:
    return {
        "title": "problem",
        "description": "What went wrong (RFC 9457).",
        "type": "object",
        "required": ["type", "title", "status", "detail", "code"],
        "properties": {
            "type": {"type": "string", "format": "uri-reference", "description": "Where the error is explained."},
            "title": {"type": "string", "description": "The kind of problem; the same for every problem of this kind."},
            "status": {"type": "integer"},
            "detail": {"type": "string", "description": "What failed, and what to do."},
            "code": {"enum": [*TITLES]},
            "faults": {
                "type": "array",
                "description": "Each wrong parameter.",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["at", "what"],
                    "properties": {"at": {"type": "string"}, "what": {"type": "string"}},
                },
            },
            "exchange_id": {"type": "string", "description": "The turn that another writer overtook; it is stored."},
        },
    }


def _error_schema() -> Json:
    return {
        "title": "error",
        "description": "One kind of problem.",
        "type": "object",
        "additionalProperties": False,
        "required": ["type", "code", "status", "title"],
        "properties": {
            "type": {"type": "string", "format": "uri-reference"},
            "code": {"enum": [*TITLES]},
            "status": {"type": "integer"},
            "title": {"type": "string"},
        },
    }

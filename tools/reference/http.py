"""The page of the HTTP interface, made of its OpenAPI document."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from reference.markdown import table

_SCHEMAS = "src/voice/schemas"
_METHODS = ("get", "post", "put", "patch", "delete")
_HEAD = """\
# HTTP

What `voice serve` answers under `/api/v1`, as its OpenAPI document says it. [How to use it](../http.md); codes of
failures are [the ones of every door](../errors.md).
"""
Node = Mapping[str, object]


def http_markdown(root: Path) -> str:
    """Return the page of the HTTP interface."""
    document = cast("Node", json.loads((root / _SCHEMAS / "openapi.json").read_text(encoding="utf-8")))
    suffix = ".schema.json"
    places = {path.name.removesuffix(suffix): path for path in sorted((root / _SCHEMAS).rglob(f"[!.]*{suffix}"))}
    links = {
        name: f"[{name}](schemas/{path.relative_to(root / _SCHEMAS).as_posix().removesuffix(suffix)}.md)"
        for name, path in places.items()
        if path.parent.name != "mcp"
    }
    return "\n".join([_HEAD, *_operations(document, links)])


def _operations(document: Node, links: Mapping[str, str]) -> Iterator[str]:
    for path, item in cast("Mapping[str, Node]", document["paths"]).items():
        for method in _METHODS:
            if method in item:
                yield from _operation(
                    f"{method.upper()} {path}", cast("Node", item[method]), {**item, "links": links}, document
                )


def _operation(title: str, operation: Node, item: Node, document: Node) -> Iterator[str]:
    yield from (f"## {title}", "", str(operation.get("summary", "")), "")
    if operation.get("description"):
        yield from (str(operation["description"]), "")
    listed = (*cast("list[Node]", item.get("parameters", [])), *cast("list[Node]", operation.get("parameters", [])))
    parameters = [_resolved(each, document) for each in listed]
    yield from table(("parameter", "in", "type", "", "what it is"), map(_parameter, parameters))
    yield from _body(operation, document)
    answers = cast("Mapping[str, Node]", operation["responses"]).items()
    links = cast("Mapping[str, str]", item["links"])
    rows = [(f"`{status}`", *_answer(_resolved(answer, document), links)) for status, answer in answers]
    yield from table(("status", "what it means", "form"), rows)


def _answer(answer: Node, links: Mapping[str, str]) -> tuple[str, str]:
    named = dict.fromkeys(re.findall(r"#/components/schemas/([\w-]+)", json.dumps(answer.get("content", {}))))
    return str(answer.get("description", "")), " or ".join(links.get(name, f"`{name}`") for name in named)


def _parameter(each: Node) -> tuple[str, ...]:
    schema = cast("Node", each.get("schema", {}))
    required = "required" if each.get("required") else ""
    about = str(each.get("description", schema.get("description", "")))
    return f"`{each['name']}`", str(each["in"]), _kind(schema), required, about


def _body(operation: Node, document: Node) -> Iterator[str]:
    if "requestBody" not in operation:
        return
    content = cast("Mapping[str, Node]", _resolved(cast("Node", operation["requestBody"]), document)["content"])
    for media, inside in content.items():
        schema = _resolved(cast("Node", inside.get("schema", {})), document)
        required = cast("list[str]", schema.get("required", []))
        members = cast("Mapping[str, Node]", schema.get("properties", {})).items()
        yield from (f"Body, as `{media}`:", "")
        rows = [
            (f"`{name}`", _kind(one), "required" if name in required else "", str(one.get("description", "")))
            for name, one in members
        ]
        yield from table(("member", "type", "", "what it is"), rows)


def _resolved(node: Node, document: Node) -> Node:
    if "$ref" not in node:
        return node
    found: object = document
    for step in str(node["$ref"]).removeprefix("#/").split("/"):
        found = cast("Node", found)[step]
    return cast("Node", found)


def _kind(schema: Node) -> str:
    if "$ref" in schema:
        return f"`{str(schema['$ref']).rpartition('/')[2]}`"
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in cast("list[object]", schema["enum"]))
    choices = [*cast("list[Node]", schema.get("anyOf", [])), *cast("list[Node]", schema.get("oneOf", []))]
    if choices:
        return " or ".join(map(_kind, choices))
    kind = schema.get("type", "anything")
    named = " or ".join(map(str, cast("list[object]", kind))) if isinstance(kind, list) else str(kind)
    return f"array of {_kind(cast('Node', schema['items']))}" if kind == "array" and "items" in schema else named

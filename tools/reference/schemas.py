"""One page for each published JSON schema: what prints it, each member in a table, and an example that keeps it.

A member of a member is named with its path (`sources[].span`); a definition that several places share has a section of
its own and is linked to. Sources: JSON Schema 2020-12; the files below voice/schemas.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from reference.examples import example
from reference.markdown import anchor, table
from reference.shelf import SUFFIX, Node, Shelf

FOLDER = "reference/schemas"


def schema_pages(folder: Path) -> dict[str, str]:
    """Return the page of each schema below a folder, by its place in the site."""
    shelf = Shelf.of(folder)
    pages = {f"{FOLDER}/{name}.md": "\n".join(_page(name, shelf)) + "\n" for name in shelf.documents}
    return {f"{FOLDER}/index.md": "\n".join(_index(shelf)) + "\n", **pages}


def _index(shelf: Shelf) -> Iterator[str]:
    yield from ("# Schemas", "")
    yield "Every JSON document that is printed, read or answered has a published schema, in the package under"
    yield from (
        "`voice/schemas`. The last part of an `$id` is its version: a member added raises the second number.",
        "",
    )
    rows = [
        (f"[{document['title']}]({name}.md)", str(document["description"]).split(". ")[0].rstrip("."))
        for name, document in shelf.documents.items()
    ]
    yield from table(("of", "what it is"), rows)


def _page(name: str, shelf: Shelf) -> Iterator[str]:
    document = shelf.documents[name]
    yield from (f"# {document['title']}", "", str(document["description"]), "")
    yield from (f"`$id`: `{document['$id']}`; the file: `voice/schemas/{name}{SUFFIX}`.", "")
    yield from described(name, shelf, "##")
    yield from ("## Example", "", "Made of the schema, with every member that it may have.", "", "```json")
    yield from (json.dumps(example(document, shelf, name), indent=2, ensure_ascii=False), "```")


def described(name: str, shelf: Shelf, level: str) -> Iterator[str]:
    """Yield what a document says of itself: its members, then each definition under a heading of that level."""
    document = shelf.documents[name]
    writer = _Writer(name=name, shelf=shelf)
    yield from writer.section(document)
    for title, definition in cast("Mapping[str, Node]", document.get("$defs", {})).items():
        yield from (f"{level} {title}", "")
        yield from writer.section(definition)


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes what stands in one document."""

    name: str
    shelf: Shelf

    def section(self, node: Node) -> Iterator[str]:
        """Yield a node: what it is, its members, and what else it asks for."""
        if node.get("description") and node is not self.shelf.documents[self.name]:
            yield from (str(node["description"]), "")
        members = list(self._members(node, ""))
        if members:
            yield from table(("member", "type", "", "what it is"), members)
        else:
            yield from (f"{self._kind(node).capitalize()}. {_bounds(node)}".rstrip() + "\n",)
        if node.get("additionalProperties") is False:
            yield from ("No other members.", "")
        if conditions := [key for key in ("if", "allOf", "dependentRequired") if key in node]:
            yield from (f"What else holds ({', '.join(conditions)}) is in the file.", "")

    def _members(self, node: Node, path: str) -> Iterator[tuple[str, str, str, str]]:
        required = cast("list[str]", node.get("required", []))
        for name, member in cast("Mapping[str, Node]", node.get("properties", {})).items():
            if not isinstance(member, Mapping):
                yield (f"`{path}{name}`", "never" if member is False else "anything", "", "")
                continue
            about = " ".join(filter(None, (str(member.get("description", "")), _bounds(member))))
            yield (f"`{path}{name}`", self._kind(member), "required" if name in required else "", about)
            yield from self._members(member, f"{path}{name}.")
            yield from self._nested(member, f"{path}{name}")
        if path == "" and isinstance(node.get("items"), Mapping):
            yield from self._members(cast("Node", node["items"]), "[].")

    def _nested(self, member: Node, path: str) -> Iterator[tuple[str, str, str, str]]:
        if isinstance(member.get("items"), Mapping):
            yield from self._members(cast("Node", member["items"]), f"{path}[].")
        if isinstance(member.get("additionalProperties"), Mapping):
            yield from self._members(cast("Node", member["additionalProperties"]), f"{path}.*.")
        for choice in (*_choices(member, "anyOf"), *_choices(member, "oneOf")):
            yield from self._members(choice, f"{path}.")
            yield from self._nested(choice, path)

    def _kind(self, node: Node) -> str:
        if "$ref" in node:
            return self._link(str(node["$ref"]))
        if "const" in node:
            return f"`{json.dumps(node['const'], ensure_ascii=False)}`"
        if "enum" in node:
            return ", ".join(f"`{json.dumps(one, ensure_ascii=False)}`" for one in cast("list[object]", node["enum"]))
        choices = [*_choices(node, "anyOf"), *_choices(node, "oneOf")]
        if choices:
            return " or ".join(dict.fromkeys(map(self._kind, choices)))
        kinds = node.get("type", "anything")
        named = [str(kind) for kind in (cast("list[object]", kinds) if isinstance(kinds, list) else [kinds])]
        return " or ".join(self._named(kind, node) for kind in named)

    def _named(self, kind: str, node: Node) -> str:
        inner = {"array": node.get("items"), "object": node.get("additionalProperties")}.get(kind)
        if isinstance(inner, Mapping):
            return f"{kind} of {self._kind(cast('Node', inner))}"
        return kind

    def _link(self, reference: str) -> str:
        where, _, path = reference.partition("#")
        other = self.shelf.name_of(where) if where else self.name
        title = path.rpartition("/")[2] or str(self.shelf.documents[other]["title"])
        target = "" if other == self.name else f"{'../' * self.name.count('/')}{other}.md"
        place = f"#{anchor(title)}" if path.startswith("/$defs/") else ""
        return f"[{title}]({target}{place})"


def _choices(node: Node, key: str) -> list[Node]:
    return [one for one in cast("list[Node]", node.get(key, [])) if isinstance(one, Mapping)]


def _bounds(node: Node) -> str:
    """Return the limits of a value, in words."""
    said = {
        "minimum": "At least {}.",
        "maximum": "At most {}.",
        "minLength": "At least {} characters.",
        "maxLength": "At most {} characters.",
        "minItems": "At least {}.",
        "maxItems": "At most {}.",
        "pattern": "Like `{}`.",
        "format": "As a {}.",
        "contentEncoding": "In {}.",
        "default": "Default: `{}`.",
    }
    return " ".join(
        text.format(json.dumps(node[key]) if key == "default" else node[key])
        for key, text in said.items()
        if key in node
    )

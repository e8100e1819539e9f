"""An example of a schema, made of the schema alone and always the same.

Every member is there where the whole then keeps the schema; where members exclude one another, only those that must be
there are. A text is what its name suggests, or the first of a few that keeps the pattern. What fits nothing fails.
"""

import re
from typing import cast

from reference.shelf import Node, Shelf

_BY_NAME = {
    "my_query": "Where is the kiln?",
    "question": "Where is the kiln?",
    "query": "Where is the kiln?",
    "answer": "Moved the kiln to the shed.",
    "text": "Moved the kiln to the shed.",
    "content": "Moved the kiln to the shed.",
    "span": "Moved the kiln to the shed.",
    "excerpt": "Moved the kiln to the shed.",
    "name": "Anna Lund",
    "topic": "the kiln",
    "thread_topic": "the kiln",
    "reason": "a reason",
    "provider": "extractive",
    "model": "extractive-v1",
    "path": "memory.jsonl",
    "timezone": "Europe/Lisbon",
    "session_id": "s:01m83eyrktg84372d5n1rc2kny",
    "id": "t:01m83eyrktg84372d5n1rc2kny",
}
_TEXTS = (
    "…",
    *(f"{kind}:01m83eyrktg84372d5n1rc2kny" for kind in "toercmpsd"),
    "2026-03-05T14:00:00Z",
    "2026-03-05",
    "0.0012",
    "note",
    "ladder-1",
    "7f3c9a10b2de",
    "7f3c9a10b2de4415" * 4,
)
_FORMATS = {"date-time": "2026-03-05T14:00:00Z", "date": "2026-03-05"}
_DEEPEST = 8


def example(document: Node, shelf: Shelf, name: str) -> object:
    """Return an example of the document of that name.

    Raises:
        ValueError: none could be made that keeps the schema.
    """
    validator = shelf.validator(name)
    for whole in (True, False):
        made = _Maker(shelf, whole=whole).value(document, name)
        if validator.is_valid(made):  # pyright: ignore[reportUnknownMemberType] - stubs leave it open
            return made
    raise ValueError(f"no example of {name} keeps it: {next(validator.iter_errors(made)).message}")


class _Maker:
    """Makes values; `whole` asks for every member, else for those that must be there."""

    def __init__(self, shelf: Shelf, *, whole: bool) -> None:
        self._shelf = shelf
        self._whole = whole

    def value(self, node: Node, document: str, name: str = "", depth: int = 0) -> object:
        """Return a value that keeps a node of a document."""
        if "$ref" in node:
            target, document = self._shelf.resolve(str(node["$ref"]), document)
            return self.value(target, document, name, depth + 1)
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return next(one for one in cast("list[object]", node["enum"]) if one is not None)
        for key in ("oneOf", "anyOf"):
            if key in node and "properties" not in node:
                return self._first(cast("list[Node]", node[key]), document, name, depth)
        kinds = node.get("type", "object" if "properties" in node else "string")
        named = cast("list[str]", kinds) if isinstance(kinds, list) else [str(kinds)]
        kind = next((one for one in named if one != "null"), "null")
        return self._of_kind(kind, node, document, (name, depth))

    def _first(self, choices: list[Node], document: str, name: str, depth: int) -> object:
        null = {"type": "null"}
        real = [choice for choice in choices if choice != null]
        return None if not real or depth > _DEEPEST else self.value(real[0], document, name, depth + 1)

    def _of_kind(self, kind: str, node: Node, document: str, at: tuple[str, int]) -> object:
        name, depth = at
        match kind:
            case "object":
                return self._object(node, document, depth)
            case "array":
                return self._array(node, document, at)
            case "string":
                return _text(node, name)
            case "integer" | "number":
                return _number(node, whole=kind == "integer")
            case "boolean":
                return False
            case "null":
                return None
            case _:
                raise ValueError(f"no example of type {kind}")

    def _object(self, node: Node, document: str, depth: int) -> dict[str, object]:
        required = cast("list[str]", node.get("required", []))
        members = cast("dict[str, Node]", node.get("properties", {}))
        made = {
            name: self.value(member, document, name, depth + 1)
            for name, member in members.items()
            if isinstance(member, dict) and (name in required or (self._whole and depth < _DEEPEST))
        }
        rest = node.get("additionalProperties")
        if not made and isinstance(rest, dict):
            keys = cast("Node", node.get("propertyNames", {}))
            made[str(self.value({"type": "string", **keys}, document))] = self.value(rest, document, "", depth + 1)
        return made

    def _array(self, node: Node, document: str, at: tuple[str, int]) -> list[object]:
        name, depth = at
        if "prefixItems" in node:
            return [self.value(one, document, name, depth + 1) for one in cast("list[Node]", node["prefixItems"])]
        least = cast("int", node.get("minItems", 0))
        most = cast("int", node.get("maxItems", 1))
        if not isinstance(node.get("items"), dict) or (depth >= _DEEPEST and not least):
            return []
        return [
            self.value(cast("Node", node["items"]), document, name, depth + 1) for _ in range(max(least, min(1, most)))
        ]


def _text(node: Node, name: str) -> str:
    if str(node.get("format")) in _FORMATS:
        return _FORMATS[str(node["format"])]
    if node.get("contentEncoding") == "base64":
        return "AACAPw=="
    wanted = re.compile(str(node.get("pattern", "")))
    least, most = cast("int", node.get("minLength", 0)), cast("int", node.get("maxLength", 1_000))
    hinted = (_BY_NAME[name],) if name in _BY_NAME else ()
    fit = (text for text in (*hinted, *_TEXTS) if wanted.search(text) and least <= len(text) <= most)
    found = next(fit, None)
    if found is None:
        raise ValueError(f"no example of a text like {wanted.pattern}")
    return found


def _number(node: Node, *, whole: bool) -> float:
    least = cast("float", node.get("minimum", node.get("exclusiveMinimum", 0)))
    most = cast("float", node.get("maximum", least + 3))
    return int(min(max(1, least), most)) if whole else min(max(0.5, least), most)

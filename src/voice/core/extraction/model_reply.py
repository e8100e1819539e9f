"""What a model says that notes name and relate, from text to values.

Law: one schema for every provider (`extract.schema.json`), and no provider is believed to keep to it. Nothing in a
reply can make this module raise: what is no object of two lists is no reply, an entry of another shape is counted
and left out, and of more entries than a call may give the rest is counted. Nothing here was held against a note yet.

Source: rulings A3, D22, F.1; spec rag-organize 2.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast, get_args

from voice.core.graph.extracted import EntityType, RelationType

MAX_REPLY_CHARS: Final = 200_000
MAX_ENTRIES: Final = 200
"""Of each list, over all notes of a call."""
MAX_NAME_CHARS: Final = 120
MAX_SPAN_CHARS: Final = 600
MAX_ALIASES: Final = 8
_MAX_STARTS: Final = 32
ENTITY_TYPES: Final[Mapping[str, EntityType]] = {each: each for each in get_args(EntityType)}
RELATION_TYPES: Final[Mapping[str, RelationType]] = {each: each for each in get_args(RelationType)}

_TEXT: Mapping[str, object] = {"type": "string"}


def _rows(members: Mapping[str, object]) -> Mapping[str, object]:
    row = {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}
    return {"type": "array", "items": row}


EXTRACT_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "entities": _rows(
            {
                "note": _TEXT,
                "name": _TEXT,
                "type": {"type": "string", "enum": list(ENTITY_TYPES)},
                "aliases": {"type": "array", "items": _TEXT},
            }
        ),
        "relations": _rows(
            {
                "note": _TEXT,
                "source": _TEXT,
                "type": {"type": "string", "enum": list(RELATION_TYPES)},
                "target": _TEXT,
                "span": _TEXT,
            }
        ),
    },
    "required": ["entities", "relations"],
    "additionalProperties": False,
}
"""What providers are asked to enforce: every key required, nothing else allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidEntity:
    """A thing that a note is said to name."""

    note: str
    """The note's id in the prompt."""
    name: str = field(repr=False)
    entity_type: EntityType
    aliases: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidRelation:
    """A relation that a note is said to tell."""

    note: str
    source: str = field(repr=False)
    rel_type: RelationType
    target: str = field(repr=False)
    span: str = field(repr=False)
    """The words of the note that are said to tell it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Everything that one reply says."""

    entities: tuple[SaidEntity, ...] = ()
    relations: tuple[SaidRelation, ...] = ()
    misshapen: int = 0
    """Entries that were left out for their shape or their number."""


def said_in(text: str) -> Said | None:
    """Return what a reply says, or None where it is not the object that was asked for; never raises.

    Code fences, a leading `<think>` block and prose around the object are tolerated.
    """
    found = _object_in(text) if len(text) <= MAX_REPLY_CHARS else None
    if found is None:
        return None
    rows = [cast("Sequence[object]", found[name]) for name in ("entities", "relations")]
    entities = [_entity(row) for row in rows[0][:MAX_ENTRIES]]
    relations = [_relation(row) for row in rows[1][:MAX_ENTRIES]]
    kept_entities = tuple(each for each in entities if each is not None)
    kept_relations = tuple(each for each in relations if each is not None)
    misshapen = len(rows[0]) + len(rows[1]) - len(kept_entities) - len(kept_relations)
    return Said(entities=kept_entities, relations=kept_relations, misshapen=misshapen)


_THINKING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)


def _object_in(text: str) -> Mapping[str, object] | None:
    """Return the first object of a reply that has both lists."""
    thinking = _THINKING.match(text)
    body = text[thinking.end() :] if thinking else text
    start = body.find("{")
    for _ in range(_MAX_STARTS):
        if start < 0:
            return None
        try:
            value = cast("object", _DECODER.raw_decode(body, start)[0])
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            found = cast("Mapping[str, object]", value)
            if all(isinstance(found.get(name), list) for name in ("entities", "relations")):
                return found
        start = body.find("{", start + 1)
    return None


def _no_number(_: str) -> None:
    """Read a number as nothing: none is wanted, and one of a million digits costs nothing then."""


_DECODER = json.JSONDecoder(parse_int=_no_number, parse_float=_no_number)


def _entity(row: object) -> SaidEntity | None:
    members = _members(row, ("note", "name", "type"))
    if members is None or members["type"] not in ENTITY_TYPES:
        return None
    aliases = cast("Mapping[str, object]", row).get("aliases", [])
    if not isinstance(aliases, list):
        return None
    others = [each for each in cast("list[object]", aliases)[:MAX_ALIASES] if isinstance(each, str)]
    short = tuple(each for each in others if len(each) <= MAX_NAME_CHARS)
    entity_type = ENTITY_TYPES[members["type"]]
    return SaidEntity(note=members["note"], name=members["name"], entity_type=entity_type, aliases=short)


def _relation(row: object) -> SaidRelation | None:
    members = _members(row, ("note", "source", "type", "target", "span"))
    if members is None or members["type"] not in RELATION_TYPES:
        return None
    return SaidRelation(
        note=members["note"],
        source=members["source"],
        rel_type=RELATION_TYPES[members["type"]],
        target=members["target"],
        span=members["span"],
    )


def _members(row: object, names: Sequence[str]) -> dict[str, str] | None:
    """Return the members of an entry as texts that are neither empty nor too long, or None."""
    if not isinstance(row, dict):
        return None
    held = cast("Mapping[str, object]", row)
    found = {name: value for name in names if isinstance(value := held.get(name), str) and value.strip()}
    most = {name: MAX_SPAN_CHARS if name == "span" else MAX_NAME_CHARS for name in found}
    return found if len(found) == len(names) and all(len(found[each]) <= most[each] for each in found) else None

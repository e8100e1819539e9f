"""A row → a line of `inner-voice-memory/1`.

Law: one row has exactly one rendering: JSON with sorted keys, UTF-8, no spaces, no NaN, fields at their default left
out. What a store assigns (`seq`, `revision`, `embedding_status`, vectors) is not part of a row's line. Reading a line
back and rendering the row again gives the same bytes, so an export of an import of an export is the export.

Source: docs/formats.md; promise 8.
"""

import json
from dataclasses import fields as fields_of
from datetime import datetime
from enum import StrEnum
from typing import Final, assert_never, cast

from voice.core.interchange.lines import FORMAT
from voice.core.records import (
    Entity,
    Observation,
    Provenance,
    Relation,
    Row,
    Scope,
    Table,
    Thought,
    Tombstone,
    table_of,
)
from voice.core.text.instants import has_date, render_instant

Exported = Row | Tombstone
_Json = str | int | float | bool | None | list["_Json"] | dict[str, "_Json"]

_STORE_ASSIGNED: Final = frozenset({"seq", "revision", "embedding_status"})
_TABLE_ORDER: Final = (Table.THOUGHTS, Table.ENTITIES, Table.OBSERVATIONS, Table.RELATIONS)


def render_header() -> bytes:
    """Return the first line of a file, without its line feed."""
    return _canonical({"format": FORMAT})


def render_line(row: Exported) -> bytes:
    """Return the one line of a row or tombstone, without its line feed."""
    members: dict[str, _Json] = {"type": _type_of(row)}
    for member in fields_of(row):
        value: object = getattr(row, member.name)
        if member.name not in _STORE_ASSIGNED and (member.name == "trust" or value != member.default):
            members[member.name] = _plain(value)
    if not isinstance(row, Tombstone) and not has_date(row.created_at):
        members |= {"created_at": None, "entered_at": render_instant(row.recorded_at)}
    return _canonical(members)


def export_order(row: Exported) -> tuple[int, str]:
    """Return the key that fixes the order of an export: thoughts, entities, observations, relations, tombstones, each
    by id."""
    if isinstance(row, Tombstone):
        return len(_TABLE_ORDER), row.row_id
    return _TABLE_ORDER.index(table_of(row.id)), row.id


def _type_of(row: Exported) -> str:
    match row:
        case Thought():
            return "thought"
        case Entity():
            return "entity"
        case Observation():
            return "observation"
        case Relation():
            return "relation"
        case Tombstone():
            return "tombstone"
        case _:
            assert_never(row)


def _plain(value: object) -> _Json:
    match value:
        case StrEnum():
            return value.value
        case datetime():
            return render_instant(value)
        case tuple():
            return [_plain(item) for item in cast("tuple[object, ...]", value)]
        case Scope():
            names = ("session_id", "repo_id", "agent_id", "user_id")
            return {name: text for name in names if (text := _dimension(value, name)) is not None}
        case Provenance():
            return {"thought_id": value.thought_id, "start": value.start, "end": value.end}
        case str() | bool() | int() | float() | None:
            return value
        case _:
            raise TypeError(f"no rendering for {type(value).__name__}")


def _dimension(scope: Scope, name: str) -> str | None:
    value: object = getattr(scope, name)
    return value if isinstance(value, str) else None


def _canonical(members: dict[str, _Json]) -> bytes:
    text = json.dumps(members, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8")

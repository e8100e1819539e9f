"""Lines of a memory file as values, and rendering of rows as lines.

Law: a line holds only what the file says; ids, origin and trust are settled in `build`. Field names and defaults are
those of `voice.core.records` and part of the format `inner-voice-memory/1`. Each row has one rendering (sorted keys,
UTF-8, no spaces, defaults omitted), without store-assigned values; export, import, export is byte-identical.
Source: rulings A12, H; docs/formats.md; promise 8.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import fields as fields_of
from datetime import datetime
from enum import StrEnum
from typing import Final, cast

from voice.core.records import (
    Entity,
    Observation,
    Origin,
    Provenance,
    Relation,
    Row,
    RowStatus,
    Scope,
    Table,
    Thought,
    Tombstone,
    TrustTier,
    table_of,
)
from voice.core.text.instants import has_date, render_instant
from voice.core.vouch import Vouch

FORMAT: Final = "inner-voice-memory/1"
FORMAT_FAMILY: Final = "inner-voice-memory/"
SCOPE_IDS: Final = ("session_id", "repo_id", "agent_id", "user_id")
MAX_TEXT_CHARS: Final = 1_000_000
"""Maximum characters of one field; longer ones are reported, not cut."""
MAX_LINE_BYTES: Final = 8 * 1024 * 1024
"""Maximum bytes of a line: a maximal text of 4-byte characters, escaped, still fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineBase:
    """Fields of every row's line."""

    id: str | None = None
    created_at: datetime | None = None
    recorded_at: datetime | None = None
    claimed_origin: str | None = None
    """The file's claim; the entrance decides what is believed (ruling H)."""
    tags: tuple[str, ...] = ()
    is_private: bool = False
    scope: Scope = Scope()
    status: RowStatus = RowStatus.ACTIVE
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    superseded_reason: str | None = None
    superseded_author: Origin | None = None
    away: tuple[datetime, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtLine(LineBase):
    """A thought; only `content` is required."""

    content: str
    kind: str = "note"
    speaker: str | None = None
    thread: str | None = None
    source_ref: str | None = None
    is_summary: bool = False
    summary_of: tuple[str, ...] = ()
    pipeline: str | None = None
    significance: float = 0.5
    access_count: int = 0
    last_accessed: datetime | None = None
    submode: str | None = None
    injected_memories: tuple[str, ...] = ()
    enriched_content: str | None = None
    injection_scale: int = 0
    framework_enhanced: bool | None = None
    framework_analysis: str | None = None
    removal_marked_at: datetime | None = None
    noted_by: str | None = None
    vouched: Vouch | None = None
    vouched_at: datetime | None = None
    vouched_spans: tuple[int, ...] = ()
    unfound: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphLineBase(LineBase):
    """Fields of every graph row's line."""

    provenance: tuple[Provenance, ...] = ()
    trust: TrustTier | None = None
    confidence: float = 1.0
    valid_from: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityLine(GraphLineBase):
    """An entity; only `name` is required."""

    name: str
    entity_type: str = "concept"
    description: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationLine(GraphLineBase):
    """An observation; only `text` is required."""

    text: str
    entities: tuple[str, ...] = ()
    """Ids or names."""
    speaker: str | None = None
    thread: str | None = None
    context_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationLine(GraphLineBase):
    """A relation; `source` and `target`, ids or names, and `rel_type` are required."""

    source: str
    target: str
    rel_type: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderLine:
    """The first line, with the format."""


GraphLine = EntityLine | ObservationLine | RelationLine
RowLine = ThoughtLine | GraphLine
Record = RowLine | Tombstone


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedLine:
    """A record read from a file."""

    where: str
    """Its place, for messages: `line 12`, `diary/2025-03-01.md`, `conv-26/D1:3`."""
    record: Record
    unknown_fields: tuple[str, ...] = ()
    """Fields unknown to this format; reported, not kept."""
    note: "LinkedNote | None" = None
    """A vault note's name and links, offered for review, not stored."""
    partly: "tuple[Omission, ...]" = ()
    """Parts that were left out (ruling I6)."""
    owner: str | None = None
    """The file's claimed owner; shown to the person, never trusted (ruling H)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteLink:
    """A link to another note, with its span in the stored text."""

    target: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedNote:
    """A note as other notes refer to it."""

    name: str
    aliases: tuple[str, ...] = ()
    links: tuple[NoteLink, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BadLine:
    """An unreadable record; the rest of the file is read."""

    where: str
    reason: str
    """What is wrong and what to do; never the line's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """An intentional omission, counted by reason."""

    where: str
    reason: str
    """In the plural: `messages of tools`."""
    count: int = 1


FileLine = ParsedLine | BadLine | Omission


Exported = Row | Tombstone
_Json = str | int | float | bool | None | list["_Json"] | dict[str, "_Json"]

_STORE_ASSIGNED: Final = frozenset({"seq", "revision", "embedding_status"})  # values of this store, not of the row
_TYPE_OF: Final[Mapping[type[Exported], str]] = {
    Thought: "thought",
    Entity: "entity",
    Observation: "observation",
    Relation: "relation",
    Tombstone: "tombstone",
}
_TABLE_ORDER: Final = (Table.THOUGHTS, Table.ENTITIES, Table.OBSERVATIONS, Table.RELATIONS)  # first what others name


def render_header() -> bytes:
    """Return the first line of a file, without line feed."""
    return _canonical({"format": FORMAT})


def render_line(row: Exported) -> bytes:
    """Return the line of a row or tombstone, without line feed."""
    members: dict[str, _Json] = {"type": _TYPE_OF[type(row)]}
    for member in fields_of(row):
        value: object = getattr(row, member.name)
        # A trust that is missing is inherited, so it is always said.
        if member.name not in _STORE_ASSIGNED and (member.name == "trust" or value != member.default):
            members[member.name] = _plain(value)
    if not isinstance(row, Tombstone) and not has_date(row.created_at):
        members |= {"created_at": None, "entered_at": render_instant(row.recorded_at)}  # never as its date (ruling I2)
    return _canonical(members)


def export_order(row: Exported) -> tuple[int, str]:
    """Sort key of an export: thoughts, entities, observations, relations, tombstones, each by id."""
    if isinstance(row, Tombstone):
        return len(_TABLE_ORDER), row.row_id
    return _TABLE_ORDER.index(table_of(row.id)), row.id


def _plain(value: object) -> _Json:
    match value:
        case StrEnum():
            return value.value
        case datetime():
            return render_instant(value)
        case tuple():
            return [_plain(item) for item in cast("tuple[object, ...]", value)]
        case Scope():
            return {name: getattr(value, name) for name in SCOPE_IDS if getattr(value, name) is not None}
        case Provenance():
            return {"thought_id": value.thought_id, "start": value.start, "end": value.end}
        case str() | bool() | int() | float() | None:
            return value
        case _:
            raise TypeError(f"no rendering for {type(value).__name__}")  # a new kind of value needs its own


def _canonical(members: dict[str, _Json]) -> bytes:
    text = json.dumps(members, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8")

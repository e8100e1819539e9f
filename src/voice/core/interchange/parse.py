"""Parse a line of `inner-voice-memory/1`.

Law: one JSON object per line; a bad line affects no other. Only `type` and the main text are required. Total over byte
strings: the result is a record or `InvalidParams`.
Source: docs/formats.md; src/voice/schemas/memory.schema.json says the same as JSON Schema.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import Final, TypedDict, cast

from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.json_fields import Fields, checked_id
from voice.core.interchange.memory_lines import (
    FORMAT,
    FORMAT_FAMILY,
    SCOPE_IDS,
    EntityLine,
    HeaderLine,
    ObservationLine,
    Record,
    RelationLine,
    ThoughtLine,
)
from voice.core.messages import files as messages
from voice.core.records import Origin, Provenance, RowStatus, Scope, Table, Tombstone, TrustTier
from voice.core.vouch import Vouch

_REASONS: Final = ("forgotten", "finalised", "redacted")


def parse_line(raw: bytes, zone: tzinfo = UTC) -> tuple[HeaderLine | Record, tuple[str, ...]]:
    """Return a line's record, and the names of its unknown fields.

    Args:
        raw: without byte order mark and line end.
        zone: for dates without a time.

    Raises:
        InvalidParams: unreadable; the message contains none of its text.
        DataFileError: the header of an unsupported format.
    """
    fields = Fields(decode_object(raw), zone)
    if "format" in fields and "type" not in fields:  # the header of a file
        return _header(fields)
    kind = fields.required("type")
    parse = _PARSERS.get(kind)
    if parse is None:
        raise InvalidParams(messages.must_be_one_of("type", ", ".join(_PARSERS)))
    return parse(fields), fields.unknown()


def decode_object(raw: bytes) -> dict[str, object]:
    """Decode a JSON object. Raises InvalidParams: not UTF-8, not JSON, not an object, or a duplicate field."""
    try:
        value: object = _DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidParams(messages.NOT_UTF_8) from None
    except RecursionError:
        raise InvalidParams(messages.TOO_DEEP) from None  # thousands of "["
    except ValueError:
        raise InvalidParams(messages.NOT_JSON) from None
    if not isinstance(value, dict):
        raise InvalidParams(messages.NOT_AN_OBJECT)
    return cast("dict[str, object]", value)


def _no_constant(_name: str) -> object:
    raise ValueError  # NaN and Infinity are not JSON


def _unique_fields(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):  # which of the two was meant is unknown
        raise InvalidParams(messages.FIELD_TWICE)
    return fields


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_unique_fields)


def _header(fields: Fields) -> tuple[HeaderLine, tuple[str, ...]]:
    name = fields.required("format")
    if name == FORMAT:
        return HeaderLine(), ()
    if name.startswith(FORMAT_FAMILY):
        raise DataFileError(messages.another_version(FORMAT))  # ends the import: no line would be read
    raise DataFileError(messages.another_format(FORMAT))


class _Common(TypedDict):
    created_at: datetime | None
    recorded_at: datetime | None
    claimed_origin: str | None
    tags: tuple[str, ...]
    is_private: bool
    scope: Scope
    status: RowStatus
    superseded_at: datetime | None
    superseded_reason: str | None
    superseded_author: Origin | None
    away: tuple[datetime, ...]


class _GraphCommon(_Common):
    provenance: tuple[Provenance, ...]
    trust: TrustTier | None
    confidence: float
    valid_from: datetime | None
    valid_until: datetime | None


def _common(fields: Fields) -> _Common:
    recorded_at, entered_at = fields.instant("recorded_at"), fields.instant("entered_at")
    return _Common(
        created_at=fields.instant("created_at"),
        recorded_at=recorded_at or entered_at,  # `entered_at` of undated rows
        claimed_origin=fields.text("origin"),
        tags=fields.texts("tags"),
        is_private=bool(fields.flag("is_private")),
        scope=_scope(fields),
        status=fields.choice("status", RowStatus) or RowStatus.ACTIVE,
        superseded_at=fields.instant("superseded_at"),
        superseded_reason=fields.text("superseded_reason"),
        superseded_author=fields.choice("superseded_author", Origin),
        away=fields.instants("away"),
    )


def _graph_common(fields: Fields) -> _GraphCommon:
    return _GraphCommon(
        **_common(fields),
        provenance=_provenance(fields),
        trust=fields.choice("trust", TrustTier),
        confidence=fields.share("confidence", 1.0),
        valid_from=fields.instant("valid_from"),
        valid_until=fields.instant("valid_until"),
    )


def _thought(fields: Fields) -> ThoughtLine:
    common = _common(fields)
    return ThoughtLine(
        **common,
        id=fields.row_id("id", Table.THOUGHTS),
        superseded_by=fields.row_id("superseded_by", Table.THOUGHTS),
        content=_text_unless_redacted(fields, "content", common["status"]),
        kind=fields.text_or("kind", "note"),
        speaker=fields.text("speaker"),
        thread=fields.text("thread"),
        source_ref=fields.text("source_ref"),
        is_summary=bool(fields.flag("is_summary")),
        summary_of=fields.row_ids("summary_of"),
        pipeline=fields.text("pipeline"),
        significance=fields.share("significance", 0.5),
        access_count=fields.count("access_count"),
        last_accessed=fields.instant("last_accessed"),
        submode=fields.text("submode"),
        injected_memories=fields.row_ids("injected_memories"),
        enriched_content=fields.text("enriched_content"),
        injection_scale=fields.count("injection_scale"),
        framework_enhanced=fields.flag("framework_enhanced"),
        framework_analysis=fields.text("framework_analysis"),
        removal_marked_at=fields.instant("removal_marked_at"),
        noted_by=fields.text("noted_by"),
        vouched=fields.choice("vouched", Vouch),
        vouched_at=fields.instant("vouched_at"),
        vouched_spans=fields.counts("vouched_spans"),
        unfound=fields.texts("unfound"),
    )


def _entity(fields: Fields) -> EntityLine:
    return EntityLine(
        **_graph_common(fields),
        id=fields.row_id("id", Table.ENTITIES),
        superseded_by=fields.row_id("superseded_by", Table.ENTITIES),
        name=fields.required("name"),
        entity_type=fields.text_or("entity_type", "concept"),
        description=fields.text_or("description", ""),
        aliases=fields.texts("aliases"),
    )


def _observation(fields: Fields) -> ObservationLine:
    common = _graph_common(fields)
    return ObservationLine(
        **common,
        id=fields.row_id("id", Table.OBSERVATIONS),
        superseded_by=fields.row_id("superseded_by", Table.OBSERVATIONS),
        text=_text_unless_redacted(fields, "text", common["status"]),
        entities=fields.row_ids("entity_ids", Table.ENTITIES) + fields.texts("entities"),  # ids of exports, and names
        speaker=fields.text("speaker"),
        thread=fields.text("thread"),
        context_path=fields.texts("context_path"),
    )


def _relation(fields: Fields) -> RelationLine:
    return RelationLine(
        **_graph_common(fields),
        id=fields.row_id("id", Table.RELATIONS),
        superseded_by=fields.row_id("superseded_by", Table.RELATIONS),
        source=fields.row_id("source_id", Table.ENTITIES) or fields.required("source"),
        target=fields.row_id("target_id", Table.ENTITIES) or fields.required("target"),
        rel_type=fields.required("rel_type"),
        description=fields.text_or("description", ""),
    )


def _tombstone(fields: Fields) -> Tombstone:
    at = fields.instant("at")
    reason = fields.required("reason")
    if at is None:
        raise InvalidParams(messages.MOMENT_MISSING)
    if reason not in _REASONS:
        raise InvalidParams(messages.must_be_one_of("reason", ", ".join(_REASONS)))
    return Tombstone(
        row_id=checked_id("row_id", fields.required("row_id"), None),
        keyed_hash=fields.required("keyed_hash"),
        reason=reason,
        at=at,
    )


def _text_unless_redacted(fields: Fields, name: str, status: RowStatus) -> str:
    return fields.text_or(name, "") if status is RowStatus.REDACTED else fields.required(name)  # its words were deleted


def _scope(fields: Fields) -> Scope:
    inner = fields.nested("scope")
    return Scope() if inner is None else replace(Scope(), **{name: inner.text(name) for name in SCOPE_IDS})


def _provenance(fields: Fields) -> tuple[Provenance, ...]:
    return tuple(
        Provenance(
            thought_id=checked_id("thought_id", span.required("thought_id"), Table.THOUGHTS),
            start=span.count("start"),
            end=span.count("end"),
        )
        for span in fields.nested_list("provenance")
    )


_PARSERS: Final[dict[str, Callable[[Fields], Record]]] = {
    "thought": _thought,
    "entity": _entity,
    "observation": _observation,
    "relation": _relation,
    "tombstone": _tombstone,
}

"""Parse a line of `inner-voice-memory/1`.

Law: one JSON object per line; a bad line affects no other. Only `type` and the main text are required. Total over byte
strings: the result is a record or `InvalidParams`.
Source: docs/formats.md; src/voice/schemas/memory.schema.json says the same as JSON Schema.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields as fields_of
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Final, cast

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
    RowLine,
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

    Raises InvalidParams: unreadable, without a word of its text; DataFileError: the header of an unsupported format.
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


def _recorded_at(fields: Fields, name: str) -> datetime | None:
    recorded_at, entered_at = fields.instant(name), fields.instant("entered_at")  # `entered_at` of undated rows
    return recorded_at or entered_at


def _entities(fields: Fields, name: str) -> tuple[str, ...]:
    return fields.row_ids("entity_ids", Table.ENTITIES) + fields.texts(name)  # ids of exports, and names


def _end(fields: Fields, name: str) -> str:
    return fields.row_id(f"{name}_id", Table.ENTITIES) or fields.required(name)


def _status(fields: Fields, name: str) -> RowStatus:
    return fields.choice(name, RowStatus) or RowStatus.ACTIVE


def _scope(fields: Fields, name: str) -> Scope:
    inner = fields.nested(name)
    return Scope() if inner is None else replace(Scope(), **{each: inner.text(each) for each in SCOPE_IDS})


def _provenance(fields: Fields, name: str) -> tuple[Provenance, ...]:
    return tuple(
        Provenance(
            thought_id=checked_id("thought_id", span.required("thought_id"), Table.THOUGHTS),
            start=span.count("start"),
            end=span.count("end"),
        )
        for span in fields.nested_list(name)
    )


_Reader = Callable[[Fields, str], object]
_BY_TYPE: Final[Mapping[object, _Reader]] = {  # how a field of a line is read, by its type…
    str: Fields.required,
    str | None: Fields.text,
    tuple[str, ...]: Fields.texts,
    int: Fields.count,
    tuple[int, ...]: Fields.counts,
    bool: lambda fields, name: bool(fields.flag(name)),
    bool | None: Fields.flag,
    datetime | None: Fields.instant,
    tuple[datetime, ...]: Fields.instants,
    RowStatus: _status,
    Origin | None: lambda fields, name: fields.choice(name, Origin),
    TrustTier | None: lambda fields, name: fields.choice(name, TrustTier),
    Vouch | None: lambda fields, name: fields.choice(name, Vouch),
    Scope: _scope,
    tuple[Provenance, ...]: _provenance,
}
_BY_NAME: Final[Mapping[str, _Reader]] = {  # …and those that are read otherwise
    "recorded_at": _recorded_at,
    "claimed_origin": lambda fields, _: fields.text("origin"),
    "summary_of": Fields.row_ids,
    "injected_memories": Fields.row_ids,
    "entities": _entities,
    "source": _end,
    "target": _end,
}
_REDACTED: Final = frozenset({"content", "text"})  # words that a redacted row has lost


def _row(kind: type[RowLine], table: Table, fields: Fields) -> RowLine:
    """Read the fields that a line's class declares."""
    members: dict[str, object] = {}
    for each in fields_of(kind):
        name, default = each.name, each.default
        if name in ("id", "superseded_by"):
            members[name] = fields.row_id(name, table)
        elif name in _REDACTED and members["status"] is RowStatus.REDACTED:
            members[name] = fields.text_or(name, "")
        elif isinstance(default, float):
            members[name] = fields.share(name, default)
        elif isinstance(default, str) and each.type is str:
            members[name] = fields.text_or(name, default)
        else:
            members[name] = (_BY_NAME.get(name) or _BY_TYPE[each.type])(fields, name)
    return cast("Callable[..., RowLine]", kind)(**members)


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


_PARSERS: Final[dict[str, Callable[[Fields], Record]]] = {
    "thought": partial(_row, ThoughtLine, Table.THOUGHTS),
    "entity": partial(_row, EntityLine, Table.ENTITIES),
    "observation": partial(_row, ObservationLine, Table.OBSERVATIONS),
    "relation": partial(_row, RelationLine, Table.RELATIONS),
    "tombstone": _tombstone,
}

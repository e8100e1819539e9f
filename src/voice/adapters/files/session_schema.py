"""The published schema of an exported conversation, made from the types it describes.

Law: the schema follows the values; a test holds the published file against what is made here. It is strict: a member
that is not in it is refused, a number fits 64 bits, an instant is UTC.

Source: docs/sessions.md; ruling H.
"""

from typing import Final, cast

from pydantic import TypeAdapter

from voice.core.session.chain import CALL, FIGURES
from voice.core.session.portable import FORMAT, HEADER, LATER
from voice.core.session.values import DialogueExchange, InnerVoiceSession

Schema = dict[str, object]
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_HEX: Final[Schema] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_BY_FIELD: Final[Schema] = {
    "type": "object",
    "propertyNames": {"pattern": "^[a-z][a-z0-9_]{0,63}$"},
    "additionalProperties": _HEX,
}
_INSTANT: Final = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$"
_NOT_WRITTEN: Final = frozenset({*CALL, "session_id", "seq", "link", "redacted", "deleted"})
_ALWAYS: Final = ("id", "index", "timestamp", "status", "stance", "refused", "latency_ms")


def session_schema() -> Schema:
    """Return the JSON Schema of `voice-session/1`."""
    defs: Schema = {}
    exchange = _of(DialogueExchange, defs)
    session = _of(InnerVoiceSession, {})
    return {
        "$schema": _DIALECT,
        "$id": "urn:inner-voice:schema:session:1.0.0",
        "title": FORMAT,
        "description": "A conversation that left its store: every value with its nonce, every field with its "
        "commitment, every exchange with its link (docs/sessions.md).",
        **_closed(
            {
                "format": {"const": FORMAT},
                "session": _closed(_only(session, {*HEADER, *LATER}), required=HEADER),
                "exchanges": {"type": "array", "items": _turn(_only(exchange, exchange.keys() - _NOT_WRITTEN))},
                "digest": _HEX,
                "seal": _HEX,
            }
        ),
        "$defs": dict(sorted(defs.items())),
    }


def _turn(values: Schema) -> Schema:
    written = _closed(values, required=tuple(name for name in _ALWAYS if name in FIGURES))
    return _closed({"values": written, "nonces": _BY_FIELD, "commitments": _BY_FIELD, "link": _HEX})


def _of(kind: type[object], defs: Schema) -> Schema:
    """Return the schemas of a record's fields; those of the records in it go to `defs`."""
    made = cast("Schema", _strict(TypeAdapter(kind).json_schema(mode="serialization")))
    defs.update(cast("Schema", made.get("$defs", {})))
    return cast("Schema", made["properties"])


def _only(properties: Schema, names: set[str]) -> Schema:
    return {name: each for name, each in properties.items() if name in names}


def _closed(properties: Schema, required: tuple[str, ...] | None = None) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties if required is None else required),
        "additionalProperties": False,
    }


def _strict(schema: object) -> object:
    """Return a schema without titles and defaults, closed, with the bounds of what can be stored."""
    if isinstance(schema, list):
        return [_strict(each) for each in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    found = cast("Schema", schema)
    made = {name: _strict(each) for name, each in found.items() if name not in ("default", "description")}
    if isinstance(made.get("title"), str):
        del made["title"]
    if made.get("type") == "object" and "properties" in made:
        made["additionalProperties"] = False
    if made.get("type") == "integer":
        made |= {"minimum": -(2**63), "maximum": 2**63 - 1}
    if made.pop("format", None) == "date-time":
        made["pattern"] = _INSTANT
    return made

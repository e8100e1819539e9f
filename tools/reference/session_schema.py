"""The published schema of an exported conversation, made from the types it describes.

Law: the schema follows the values; a test holds the published file against what is made here. It is strict: a member
that is not in it is refused, a number is one that a turn can have, money is written as such, an instant is UTC.

Source: docs/sessions.md; ruling H.
"""

from collections.abc import Mapping
from typing import Final, cast

from pydantic import TypeAdapter

from voice.core.session.document import FORMAT, HEADER, LATER
from voice.core.session.exchange import LexicalSentence, LexicalVerification
from voice.core.session.turn_traces import CALL, FIGURES
from voice.core.session.values import SESSION_SCHEMA_VERSION, DialogueExchange, InnerVoiceSession

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
_MONEY: Final[Schema] = {"pattern": r"^[0-9]{1,30}(\.[0-9]{1,40})?(E[+-][0-9]{1,2})?$", "maxLength": 80}
_SHARE: Final[Schema] = {"minimum": 0, "maximum": 1}
_BOUNDS: Final[Mapping[str, Mapping[str, Schema]]] = {
    "string": {
        "id": {"maxLength": 200},
        "judge": {"pattern": "^ladder-[0-9]{1,4}$"},
        **dict.fromkeys(
            ("cost_estimate", "worst", "input_per_million", "output_per_million", "cached_input_per_million"), _MONEY
        ),
    },
    "integer": {
        "version": {"minimum": 1, "maximum": SESSION_SCHEMA_VERSION},
        "max_prompt_tokens": {"minimum": 1, "maximum": 10**12},
        "summary_through": {"minimum": -1, "maximum": 10**12},
    },
    "number": dict.fromkeys(("confidence", "coverage_ratio", "relevance", "min_coverage", "min_weight_share"), _SHARE),
}
"""By the type and the name of a member; what is not here has the bounds of its type."""
_OF_TYPE: Final[Mapping[str, Schema]] = {
    "integer": {"minimum": 0, "maximum": 10**12},
    "number": {"minimum": -(10**9), "maximum": 10**9},
}
"""A million million tokens, or characters, or milliseconds: more than any turn has, and sums of them fit 64 bits."""
_STORED: Final[Schema] = {"enum": ["open", "closed"], "type": "string"}
"""That a session expired is reckoned where it is looked at."""
_LEFT_OUT: Final = frozenset({"title", "default", "description"})
_EARLIER: Final = (
    ("SentenceVerdict", "lexical", LexicalSentence),
    ("Verification", "panel", LexicalVerification),
)
"""What an earlier judge said stands in a file as it was written: (record, its member for that, the earlier form)."""
_HELD_APART: Final = frozenset({"LexicalDetail", "LexicalPanel"})
"""How that is held while it is read; no file has it so."""
_ALWAYS: Final = ("id", "index", "timestamp", "status", "stance", "refused", "latency_ms")


def session_schema() -> Schema:
    """Return the JSON Schema of `voice-session/1`."""
    defs: Schema = {}
    exchange = cast("Schema", _or_earlier(_of(DialogueExchange, defs)))
    for name, member, earlier in _EARLIER:
        del cast("Schema", cast("Schema", defs[name])["properties"])[member]
        defs[earlier.__name__] = _closed(*_members_of(earlier, defs))
    defs = {name: each for name, each in defs.items() if name not in _HELD_APART}
    session = _of(InnerVoiceSession, {})
    return {
        "$schema": _DIALECT,
        "$id": "urn:inner-voice:schema:session:1.1.0",
        "title": FORMAT,
        "description": "A conversation that left its store: every value with its nonce, every field with its "
        "commitment, every exchange with its link (docs/sessions.md).",
        **_closed(
            {
                "format": {"const": FORMAT},
                "session": _closed(_only(session, {*HEADER, *LATER}) | {"status": _STORED}, required=HEADER),
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
    return _members_of(kind, defs)[0]


def _members_of(kind: type[object], defs: Schema) -> tuple[Schema, tuple[str, ...]]:
    """Return the schemas of a record's fields, and which of them must be there."""
    made = cast("Schema", _strict(TypeAdapter(kind).json_schema(mode="serialization")))
    defs.update(cast("Schema", made.get("$defs", {})))
    return cast("Schema", made["properties"]), tuple(cast("list[str]", made["required"]))


def _or_earlier(schema: object) -> object:
    """Return a schema in which a record may stand in its earlier form, too."""
    if isinstance(schema, list):
        return [_or_earlier(each) for each in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    found = cast("Schema", schema)
    for name, _, earlier in _EARLIER:
        if found.get("$ref") == f"#/$defs/{name}":
            return {"anyOf": [found, {"$ref": f"#/$defs/{earlier.__name__}"}]}
    made = {word: _or_earlier(each) for word, each in found.items()}
    if "anyOf" in made:
        made["anyOf"] = [one for each in cast("list[Schema]", made["anyOf"]) for one in _choices(each)]
    return made


def _choices(schema: Schema) -> list[Schema]:
    """Return what a schema lets stand, each by itself."""
    return cast("list[Schema]", schema["anyOf"]) if schema.keys() == {"anyOf"} else [schema]


def _only(properties: Schema, names: set[str]) -> Schema:
    return {name: each for name, each in properties.items() if name in names}


def _closed(properties: Schema, required: tuple[str, ...] | None = None) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties if required is None else required),
        "additionalProperties": False,
    }


def _strict(schema: object, name: str = "") -> object:
    """Return the schema of the member `name` without titles and defaults, closed, with the bounds of what can be."""
    if isinstance(schema, list):
        return [_strict(each, name) for each in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    found = cast("Schema", schema)
    made = {word: _part(word, each, name) for word, each in found.items() if word not in _LEFT_OUT}
    if "properties" in made:
        made["additionalProperties"] = False
    kind = str(made.get("type"))
    made |= _BOUNDS.get(kind, {}).get(name, _OF_TYPE.get(kind, {}))
    if made.pop("format", None) == "date-time":
        made["pattern"] = _INSTANT
    return made


def _part(word: str, part: object, name: str) -> object:
    """Return what a schema says under a word; under `properties` each member has its own name."""
    if word != "properties":
        return _strict(part, name)
    return {member: _strict(own, member) for member, own in cast("Schema", part).items()}

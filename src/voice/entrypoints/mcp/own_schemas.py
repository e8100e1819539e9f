"""The output schemas of the tools whose answers no other door gives.

Source: DESIGN 8 MCP; rulings J1, J2.
"""

from typing import Final

Schema = dict[str, object]
_TEXT: Final[Schema] = {"type": "string"}
_TEXTS: Final[Schema] = {"type": "array", "items": _TEXT}
_FLAG: Final[Schema] = {"type": "boolean"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_INSTANT: Final[Schema] = {"type": "string", "format": "date-time", "pattern": "Z$"}
_TEXT_OR_NONE: Final[Schema] = {"type": ["string", "null"]}
_INSTANT_OR_NONE: Final[Schema] = {"type": ["string", "null"], "format": "date-time", "pattern": "Z$"}
_STATE: Final[Schema] = {"enum": ["waiting", "approved", "partly", "declined"]}


def _object(properties: Schema, *optional: str) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


ERROR: Final = _object({"code": _TEXT, "reason": _TEXT, "message": _TEXT}, "reason")
"""What stands under `error` where a tool could not answer."""
ROW: Final = _object(
    {
        "id": _TEXT,
        "table": _TEXT,
        "text": _TEXT,
        "created_at": _INSTANT_OR_NONE,
        "recorded_at": _INSTANT,
        "origin": _TEXT,
        "trust_tier": _TEXT,
        "status": _TEXT,
        "private": _FLAG,
        "tags": _TEXTS,
        "rests_on": _list(_object({"thought": _TEXT, "start": _COUNT, "end": _COUNT})),
        "statements": _TEXTS,
        "replaced_by": _TEXT_OR_NONE,
        "replaced": _TEXTS,
        "pins": _TEXTS,
        "context_path": _TEXTS,
        "noted_by": _TEXT_OR_NONE,
        "vouch": _STATE,
    },
    "context_path",
    "noted_by",
    "vouch",
)
"""What `get_row` tells of a row."""
NOTES: Final = _object(
    {
        "notes": _list(
            _object(
                {
                    "id": _TEXT,
                    "state": _STATE,
                    "noted_by": _TEXT_OR_NONE,
                    "noted_at": _INSTANT,
                    "decided_at": _INSTANT_OR_NONE,
                    "private": _FLAG,
                    "sentences": _list(_object({"number": _COUNT, "text": _TEXT, "counts": _FLAG, "unfound": _TEXTS})),
                }
            )
        ),
        "total": _COUNT,
        "states": _object(dict.fromkeys(("waiting", "approved", "partly", "declined"), _COUNT)),
    }
)
"""What `vouch_status` tells of notes."""
HELPING: Final = _object(
    {
        "tools": _list(
            _object(
                {
                    "name": _TEXT,
                    "about": _TEXT,
                    "parameters": _list(
                        _object(
                            {
                                "name": _TEXT,
                                "type": _TEXT,
                                "required": _FLAG,
                                "about": _TEXT,
                                "also": _TEXTS,
                                "choices": _TEXTS,
                            }
                        )
                    ),
                    "example": {"type": "object"},
                },
                "parameters",
                "example",
            )
        ),
        "errors": _list(_object({"code": _TEXT, "means": _TEXT})),
    },
    "errors",
)
"""What `detailed_help` tells."""

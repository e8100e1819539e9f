"""The schemas of responses that only the HTTP API gives.

Law: what another door gives, too, is a published schema and referred to (`ref`); here is only what is HTTP's own.

Source: JSON Schema 2020-12.
"""

from collections.abc import Mapping
from typing import Final

Schema = Mapping[str, object]


def ref(name: str) -> Schema:
    """Return a reference to a published schema, by its file's name; what follows a `/` is a place inside it."""
    return {"$ref": f"#/components/schemas/{name}"}


def object_of(members: Mapping[str, Schema]) -> Schema:
    """Return the schema of an object with these members, all of them and no others."""
    return {"type": "object", "additionalProperties": False, "required": [*members], "properties": members}


def list_of(items: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def page_of(items: Schema, **more: Schema) -> Schema:
    """Return the schema of a part of a list."""
    cursor = {"type": ["string", "null"], "description": "The cursor of the next page; null on the last page."}
    return object_of({"items": list_of(items), **more, "next": cursor})


TEXT: Final[Schema] = {"type": "string"}
MAYBE_TEXT: Final[Schema] = {"type": ["string", "null"]}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
FLAG: Final[Schema] = {"type": "boolean"}
ROW: Final[Schema] = {
    "anyOf": [ref(f"memory/$defs/{kind}") for kind in ("thought", "entity", "observation", "relation")]
}
SOURCE: Final = object_of({"row": ROW, "text": TEXT})
DOSSIER: Final = object_of(
    {
        "id": TEXT,
        "row": {"anyOf": [ROW, {"type": "null"}], "description": "Null if its words were redacted."},
        "text": MAYBE_TEXT,
        "content_hash": MAYBE_TEXT,
        "private": FLAG,
        "withheld": FLAG,
        "grounds": list_of(object_of({"thought": TEXT, "start": COUNT, "end": COUNT, "text": MAYBE_TEXT})),
        "derived": list_of(ROW),
        "entities": list_of(ref("memory/$defs/entity")),
        "successor": MAYBE_TEXT,
        "replaced": list_of(TEXT),
        "pins": ref("pins-list"),
    }
)
SETTINGS: Final = object_of(
    {"settings": list_of(object_of({"name": TEXT, "env": TEXT, "value": TEXT, "unit": MAYBE_TEXT, "about": TEXT}))}
)
DOCTOR: Final = object_of({"healthy": FLAG, "findings": ref("doctor/properties/findings")})
ERRORS: Final = object_of({"errors": list_of(ref("error"))})

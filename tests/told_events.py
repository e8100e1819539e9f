"""Events of a turn, collected, and documents held against their published schema."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import cast

from jsonschema import Draft202012Validator

from voice.core.render.turn_json import event_json
from voice.core.session.turn_events import Event

SCHEMAS = Path(__file__).resolve().parents[1] / "src" / "voice" / "schemas"


@cache
def _validator(name: str) -> Draft202012Validator:
    schema = cast("dict[str, object]", json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)


def require_schema(told: Mapping[str, object], name: str = "events") -> None:
    """Hold a JSON document, by default an event, against the published schema of that name."""
    _validator(name).validate(told)  # pyright: ignore[reportUnknownMemberType] - jsonschema leaves it so


def kinds(events: Iterable[Event]) -> list[str]:
    """Return what each event is called, runs of the same kind once."""
    names = [type(event).__name__.lower() for event in events]
    return [name for at, name in enumerate(names) if at == 0 or names[at - 1] != name]


def until_judged(events: Iterable[Event]) -> str:
    """Return everything that is told before the verdict and with it, as one text."""
    told: list[str] = []
    for event in events:
        told.append(json.dumps(event_json(event)) + repr(event))
        if type(event).__name__ == "Judged":
            break
    return "\n".join(told)

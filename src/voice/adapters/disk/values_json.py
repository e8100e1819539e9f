"""The stored values as JSON, both ways.

Law: a value comes back equal in every field (ruling B8): money as text, datetimes as RFC 3339 in UTC, bytes as base64.
What is read is validated here, once; an invalid value is a `ValueError` that names its kind and never its content.

Source: rulings A7, B8, B10, D18; DESIGN 3 (pydantic at the rims only).
"""

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, TypeVar, cast

from voice.core.errors import InvalidParams
from voice.core.records import Row, Table, VectorRow, table_of
from voice.core.session.exchange import read_today
from voice.core.session.values import DialogueExchange
from voice.core.text.normalise import clean_text
from voice.ports.stores import TYPE_OF_TABLE

if TYPE_CHECKING:
    from pydantic import TypeAdapter

JsonObject = dict[str, object]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metrics row: numbers and words of our own, never text (ruling D19)."""

    name: str
    at: datetime
    values: Mapping[str, float | int | str | bool]


@cache
def adapter(kind: type[T]) -> "TypeAdapter[T]":
    """Return pydantic's reader and writer of a type."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - a command that reads no turn need not wait for it

    return TypeAdapter(kind)


def to_json(kind: type[T], value: T) -> JsonObject:
    """Return `value` as JSON members that can be stored: no text holds NUL or a lone surrogate. Raises InvalidParams: a
    number does not fit 64 bits, or is not finite."""
    return cast("JsonObject", storable(adapter(kind).dump_python(value, mode="json")))


def storable(member: object) -> object:
    """Return a value of JSON without NUL and lone surrogates; raises as `to_json`."""
    if isinstance(member, str):
        return clean_text(member)
    if isinstance(member, dict):
        return {name: storable(each) for name, each in cast("JsonObject", member).items()}
    if isinstance(member, list):
        return [storable(each) for each in cast("list[object]", member)]
    if isinstance(member, int):
        return check_int(member)
    if isinstance(member, float) and not math.isfinite(member):
        raise InvalidParams("a number that is not finite cannot be stored")
    return member


def check_int(number: int) -> int:
    """Return `number`. Raises InvalidParams: it does not fit the store's 64 bits; the engine would keep another one."""
    if not -(2**63) <= number < 2**63:  # JSON has no bound
        raise InvalidParams("a whole number beyond 64 bits cannot be stored")
    return number


def from_json(kind: type[T], members: object) -> T:
    """Return the value in `members`; of a turn, in an earlier form, too. Raises ValueError: they are not a valid value
    of that kind."""
    try:
        if kind is DialogueExchange and isinstance(members, Mapping):  # the only kind with earlier forms
            members = read_today(cast("Mapping[str, object]", members))
        return adapter(kind).validate_python(members)
    # Pydantic's error quotes the value.
    except (ValueError, InvalidParams, TypeError, KeyError, IndexError, RecursionError):
        raise ValueError(f"not a valid {kind.__name__}") from None


def to_text(members: object) -> str:
    """Return storable members as canonical JSON: sorted, compact and readable."""
    # Equal values have equal bytes.
    return json.dumps(members, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)


def object_of(text: str | bytes) -> JsonObject | None:
    """Return the members of one JSON object; None if the text is not one."""
    try:
        members = cast("object", json.loads(text))
    except (ValueError, RecursionError):  # nested too deeply
        return None
    return cast("JsonObject", members) if isinstance(members, dict) else None


def row_to_json(row: Row) -> JsonObject:
    """Return a row's members, without its type, which its id tells."""
    return to_json(TYPE_OF_TABLE[table_of(row.id)], row)


def row_from_json(table: Table, members: object) -> Row:
    """Return the row in `members`. Raises ValueError: they are not a valid row of that table."""
    return from_json(TYPE_OF_TABLE[table], members)


def vector_to_json(vector: VectorRow) -> JsonObject:
    """Return a vector's members with its numbers in base64."""
    data = base64.b64encode(vector.data).decode("ascii")
    return {"row_id": vector.row_id, "model": vector.model, "dim": vector.dim, "data": data}


def vector_from_json(members: object) -> VectorRow:
    """Return the vector in `members`. Raises ValueError: they are not a valid vector."""
    plain = from_json(_EncodedVector, members)
    try:
        data = base64.b64decode(plain.data, validate=True)  # `validate`: other signs are not skipped
        return VectorRow(row_id=plain.row_id, model=plain.model, dim=plain.dim, data=data)
    except (ValueError, InvalidParams):
        raise ValueError("not a valid VectorRow") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class _EncodedVector:
    row_id: str
    model: str
    dim: int
    data: str

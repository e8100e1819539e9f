"""Pins and capsules as the store's records, both ways.

Law: as of every record: what comes back is equal in every field (ruling B8), None is absent (ruling B9), instants are
aware UTC (ruling B10). A scope is four columns; a capsule's summary is one canonical JSON text.
"""

import json
from typing import Final, TypeVar, cast

from voice.adapters.disk.values_json import JsonObject, from_json, to_json, to_text
from voice.adapters.surreal.codec import Record, check_int, decode_instant, encode_instant
from voice.adapters.surreal.dialect import key_of, record
from voice.core.errors import StoreDamaged
from voice.core.recall.values import Capsule, Pin, Summary
from voice.core.records import Scope
from voice.core.text.normalise import clean_text

T = TypeVar("T")

SCOPE_COLUMNS: Final = ("session_id", "repo_id", "agent_id", "user_id")
_INSTANTS: Final = ("created_at", "expires_at", "opened_at", "closed_at")


def encode_pin(pin: Pin, seq: int) -> Record:
    """Return the record of a pin that is written under `seq`."""
    found: Record = {
        "id": record("pins", pin.id),
        "seq": seq,
        "target_id": pin.target_id,
        "reason": clean_text(pin.reason),
        "is_private": pin.is_private,
        "created_at": encode_instant(pin.created_at),
    }
    if pin.expires_at is not None:
        found["expires_at"] = encode_instant(pin.expires_at)
    return found | scope_columns(pin.scope)


def decode_pin(found: Record) -> Pin:
    """Return the pin of a record.

    Raises:
        StoreDamaged: the record is no pin any more.
    """
    return _decode(Pin, found, found)


def encode_capsule(capsule: Capsule, seq: int) -> Record:
    """Return the record of a capsule that is written under `seq`."""
    found: Record = {
        "id": record("capsules", capsule.id),
        "seq": seq,
        "revision": check_int(capsule.revision),
        "status": capsule.status,
        "intent": clean_text(capsule.intent),
        "opened_at": encode_instant(capsule.opened_at),
    }
    if capsule.closed_at is not None:
        found["closed_at"] = encode_instant(capsule.closed_at)
    if capsule.summary is not None:
        found["summary"] = to_text(to_json(Summary, capsule.summary))
    return found | scope_columns(capsule.scope)


def decode_capsule(found: Record) -> Capsule:
    """Return the capsule of a record.

    Raises:
        StoreDamaged: the record is no capsule any more, or its status and its times do not agree.
    """
    members = {name: value for name, value in found.items() if name not in ("status", "summary")}
    if "summary" in found:
        members["summary"] = _summary(cast("str", found["summary"]))
    capsule = _decode(Capsule, found, members)
    if capsule.status != found["status"]:
        raise _damage(found)
    return capsule


def _summary(text: str) -> object:
    try:
        return cast("object", json.loads(text))
    except ValueError:
        return {}  # validates as no summary at all, so the capsule is reported as damaged


def scope_columns(scope: Scope) -> Record:
    """Return the columns of the dimensions that a scope names, cleaned as they are stored."""
    named = {name: cast("str | None", getattr(scope, name)) for name in SCOPE_COLUMNS}
    return {name: clean_text(value) for name, value in named.items() if value is not None}


def _decode(kind: type[T], found: Record, members: Record) -> T:
    plain: JsonObject = {name: value for name, value in members.items() if name not in SCOPE_COLUMNS}
    plain |= {name: decode_instant(plain[name]) for name in _INSTANTS if plain.get(name) is not None}
    plain |= {"id": key_of(found["id"]), "scope": {name: found.get(name) for name in SCOPE_COLUMNS}}
    try:
        return from_json(kind, plain)
    except ValueError:
        raise _damage(found) from None


def _damage(found: Record) -> StoreDamaged:
    return StoreDamaged(f"{key_of(found['id'])} cannot be read; run `voice maintain verify`")

"""Pins and capsules in SurrealDB; implements `PinStore` and `CapsuleStore`.

Law: what decides a write is read under the number that the write advances, so there is one pin per target and scope,
also on a cluster. What is read back is equal in every field (ruling B8), None is absent (ruling B9), datetimes are
aware UTC (ruling B10). A scope is four columns; a capsule's summary is one canonical JSON text.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, TypeVar, cast

from voice.adapters.disk.values_json import JsonObject, check_int, from_json, to_json, to_text
from voice.adapters.surreal.codec import SCOPE_COLUMNS, Record, decode_instant, encode_instant, unreadable_record
from voice.adapters.surreal.connection import PAGE, Params, ThrownCode, block, is_key, key_of, record
from voice.adapters.surreal.stores.reading import pages_of, read_pages, read_rows
from voice.adapters.surreal.writer import Write, WritingStore
from voice.core.errors import InvalidParams, SessionConflict
from voice.core.recall.values import Capsule, Pin, Summary
from voice.core.records import Scope, Thought
from voice.core.text.normalise import clean_text
from voice.ports.recall_stores import ALL_CAPSULES, CapsuleFilter, check_capsule, check_pin

T = TypeVar("T")

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
    """Return the pin of a record. Raises StoreDamaged: it cannot be read."""
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
    """Return the capsule of a record. Raises StoreDamaged: it cannot be read, or its status does not agree with its
    times."""
    members = {name: value for name, value in found.items() if name not in ("status", "summary")}
    if "summary" in found:
        members["summary"] = _summary(cast("str", found["summary"]))
    capsule = _decode(Capsule, found, members)
    if capsule.status != found["status"]:
        raise unreadable_record(found)
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
        raise unreadable_record(found) from None


_WRITE = "UPSERT $id CONTENT $changed RETURN NONE;"
_HELD_PINS = block(  # its own id may be another target's pin
    "LET $same = (SELECT * FROM pins WHERE target_id = $target);",
    "LET $itself = (SELECT * FROM $id);",
    result="array::concat($same, $itself)",
)
_ALL_PINS = "SELECT * FROM pins ORDER BY created_at DESC, id ASC LIMIT $limit START $start"
ACTIVE_PINS = (
    "SELECT * FROM pins WHERE expires_at = NONE OR expires_at > $at"
    " ORDER BY created_at DESC, id ASC LIMIT $limit START $start"
)
PINS_OF = "SELECT * FROM pins WHERE target_id IN $ids"
_DELETE = "DELETE $id RETURN NONE;"
_ITSELF = "SELECT * FROM $id"
_CHECKED = "IF (SELECT VALUE revision FROM $id) != $held { THROW 'session_conflict' };"
_NEWEST_CAPSULES = "ORDER BY opened_at DESC, id ASC LIMIT $limit"
_NEWEST_THOUGHTS = "ORDER BY created_at DESC, id ASC LIMIT $limit"
_IS_SCOPED = " OR ".join(f"{column} != NONE" for column in SCOPE_COLUMNS)
_IS_WANTED = " AND ".join(f"($wanted.{column} = NONE OR {column} = $wanted.{column})" for column in SCOPE_COLUMNS)
_OR_UNSCOPED = f"(!({_IS_SCOPED}) OR ($is_named AND {_IS_WANTED}))"


class SurrealPinStore(WritingStore):
    """`PinStore` over a connection; writes go through the store's one writer."""

    async def save_pin(self, pin: Pin) -> Pin:
        """Write the pin, in place of one of the same target and scope; see `PinStore.save_pin`."""
        check_pin(pin)
        stored = decode_pin(encode_pin(pin, 0))  # as it will be read back
        kept: list[Pin] = []

        async def decide(last_seq: int) -> Write:
            kept[:] = [replace(stored, id=await self._id_for(stored), seq=last_seq + 1)]
            changed = encode_pin(kept[0], kept[0].seq)
            return Write(steps=(_WRITE,), params={"id": changed["id"], "changed": changed}, numbers=1)

        await self._writer.commit("save a pin", decide)
        return kept[0]

    async def remove_pin(self, pin_id: str) -> bool:
        """Remove the pin and return whether it was there; see `PinStore.remove_pin`."""
        if not is_key(pin_id):
            return False
        params = {"id": record("pins", pin_id)}
        there: list[bool] = []

        async def decide(_: int) -> Write | None:
            there[:] = [bool(await self._connection.run("look up a pin", _ITSELF, params))]
            return Write(steps=(_DELETE,), params=params, numbers=1) if there[0] else None

        await self._writer.commit("remove a pin", decide)
        return there[0]

    async def pins(self, target_ids: Sequence[str] | None = None, *, active_at: datetime | None = None) -> list[Pin]:
        """Return pins, newest first; see `PinStore.pins`."""
        if target_ids is None:
            return await self._all(active_at)
        result = await read_pages(self._connection, "look up pins", PINS_OF, pages_of(target_ids))
        found = list(map(decode_pin, cast("list[Record]", result)))
        found.sort(key=lambda pin: pin.id)  # the second sort is stable, so the id decides within one moment
        found.sort(key=lambda pin: pin.created_at, reverse=True)
        return [pin for pin in found if active_at is None or pin.is_active(active_at)]

    async def _all(self, active_at: datetime | None) -> list[Pin]:
        text, params = (_ALL_PINS, {}) if active_at is None else (ACTIVE_PINS, {"at": encode_instant(active_at)})
        found: list[Pin] = []
        while True:
            page = {"limit": PAGE, "start": len(found)}
            result = cast("list[Record]", await self._connection.run("list pins", text, {**params, **page}))
            found.extend(map(decode_pin, result))
            if len(result) < PAGE:
                return found

    async def _id_for(self, pin: Pin) -> str:
        params = {"target": pin.target_id, "id": record("pins", pin.id)}
        result = cast("list[Record]", await self._connection.run("look up pins", _HELD_PINS, params))
        held = [decode_pin(each) for each in result]
        same = [each.id for each in held if (each.target_id, each.scope) == (pin.target_id, pin.scope)]
        if not same and any(each.id == pin.id for each in held):
            raise InvalidParams(f"{pin.id} is already the pin of another target")
        return same[0] if same else pin.id


class SurrealCapsuleStore(WritingStore):
    """`CapsuleStore` over a connection; writes go through the store's one writer."""

    async def save_capsule(self, capsule: Capsule, *, expected: int) -> Capsule:
        """Write the capsule if its stored revision is the expected one; see `CapsuleStore.save_capsule`."""
        check_capsule(capsule, expected)
        stored = decode_capsule(encode_capsule(capsule, 0))

        async def decide(last_seq: int) -> Write:
            changed = encode_capsule(stored, last_seq + 1)
            # As SELECT VALUE gives it: the one revision, or nothing of a new capsule.
            params = {"id": changed["id"], "held": [expected] if expected else [], "changed": changed}
            return Write(steps=(_CHECKED, _WRITE), params=params, numbers=1)

        try:
            return replace(stored, seq=await self._writer.commit("save a capsule", decide))
        except ThrownCode as error:
            if error.thrown != "session_conflict":
                raise
        raise SessionConflict(f"{capsule.id} was changed meanwhile; load it again")

    async def capsule(self, capsule_id: str) -> Capsule | None:
        """Return the capsule, or None; see `CapsuleStore.capsule`."""
        if not is_key(capsule_id):
            return None
        found = await self._connection.run("load a capsule", _ITSELF, {"id": record("capsules", capsule_id)})
        rows = cast("list[Record]", found)
        return decode_capsule(rows[0]) if rows else None

    async def capsules(self, *, limit: int, where: CapsuleFilter = ALL_CAPSULES) -> list[Capsule]:
        """Return capsules, newest first; see `CapsuleStore.capsules`."""
        if where.id_prefix and not is_key(where.id_prefix):
            return []
        text, params = capsules_query(where)
        found = await self._connection.run("list capsules", text, {**params, "limit": max(limit, 0)})
        return [decode_capsule(each) for each in cast("list[Record]", found)]

    async def private_thoughts(self, capsule: Capsule) -> int:
        """Count the private thoughts of a capsule; see `CapsuleStore.private_thoughts`."""
        text, params = private_query(capsule)
        return sum(cast("list[int]", await self._connection.run("count a capsule's private thoughts", text, params)))

    async def thoughts(self, capsule: Capsule, *, limit: int) -> list[Thought]:
        """Return the thoughts of a capsule, newest first; see `CapsuleStore.thoughts`."""
        text, named = thoughts_query(capsule)
        params = {**named, "limit": max(limit, 0)}
        found = cast("list[Record]", await self._connection.run("look up a capsule's thoughts", text, params))
        ids = [f"t:{key_of(each['id'])}" for each in found]
        rows = await read_rows(self._connection, ids)
        return [row for row in (rows.get(row_id) for row_id in ids) if isinstance(row, Thought)]


def capsules_query(where: CapsuleFilter) -> tuple[str, Params]:
    """Return the statement that reads the wanted capsules, and what it binds but the limit."""
    named = {} if where.scope.everything or where.scope.or_unscoped else scope_columns(where.scope)
    conditions = [f"{column} = ${column}" for column in named]
    conditions += ["status = $status"] if where.status != "all" else []
    conditions += [_OR_UNSCOPED] if where.scope.or_unscoped else []
    conditions += [f"({_IS_SCOPED})"] if where.is_scoped else []
    conditions += ["summary != NONE"] if where.has_summary else []
    conditions += ["string::starts_with(record::id(id), $prefix)"] if where.id_prefix else []
    wanted = scope_columns(where.scope)
    params = {**named, "wanted": wanted, "is_named": bool(wanted), "status": where.status, "prefix": where.id_prefix}
    if not conditions:
        return f"SELECT * FROM capsules {_NEWEST_CAPSULES}", params  # noqa: S608 - a constant
    return f"SELECT * FROM capsules WHERE {' AND '.join(conditions)} {_NEWEST_CAPSULES}", params  # noqa: S608 - columns of a closed set; every value is bound


def thoughts_query(capsule: Capsule) -> tuple[str, Params]:
    """Return the statement that names the thoughts of a capsule, newest first, and what it binds but the limit."""
    where, params = _inside(capsule)
    return f"SELECT id, created_at FROM thoughts WHERE {where} {_NEWEST_THOUGHTS}", params  # noqa: S608 - as above


def private_query(capsule: Capsule) -> tuple[str, Params]:
    """Return the statement that counts the private thoughts of a capsule, and what it binds."""
    where, params = _inside(capsule)
    return f"SELECT VALUE count() FROM thoughts WHERE {where} AND is_private = true GROUP ALL", params  # noqa: S608 - as above


def _inside(capsule: Capsule) -> tuple[str, Params]:
    """Return the condition of a thought that is in the capsule: its thread, and every dimension of its scope."""
    named = scope_columns(capsule.scope)
    # What the capsule does not name must be absent.
    scope = [f"{column} = {f'${column}' if column in named else 'NONE'}" for column in SCOPE_COLUMNS]
    return " AND ".join(["thread = $thread", *scope]), {**named, "thread": clean_text(capsule.id)}

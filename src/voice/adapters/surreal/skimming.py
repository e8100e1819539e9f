"""What everything says, in SurrealDB; implements `Skimming`.

Law: a page reads the columns it needs and no vector; only of turns and sessions the body is unpacked, since their words
and sums are in it.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Final, cast

from voice.adapters.disk.values_json import JsonObject, from_json
from voice.adapters.surreal.codec import Record, decode_instant
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import BEHIND, key_of, row_id_of
from voice.adapters.surreal.reading import record_pages
from voice.adapters.surreal.session_codec import unpack
from voice.core.errors import StoreDamaged
from voice.core.records import RowStatus, Table
from voice.core.usage import Total
from voice.ports.skimming import SaidRow, SaidTurn, SessionFigures

_ROWS: Final[Mapping[Table, str]] = {
    Table.THOUGHTS: f"SELECT id, status, is_private, tags, content, source_ref {BEHIND} ORDER BY id LIMIT $limit",
    Table.ENTITIES: "SELECT id, status, is_private, tags, name, description, aliases, thought_ids "
    f"{BEHIND} ORDER BY id LIMIT $limit",
    Table.OBSERVATIONS: f"SELECT id, status, is_private, tags, text, thought_ids {BEHIND} ORDER BY id LIMIT $limit",
    Table.RELATIONS: "SELECT id, status, is_private, tags, rel_type, description, source_id, target_id, thought_ids "
    f"{BEHIND} ORDER BY id LIMIT $limit",
}
_TURNS: Final = f"SELECT id, timestamp, body {BEHIND} ORDER BY id LIMIT $limit"
_SESSIONS: Final = f"SELECT id, body {BEHIND} ORDER BY id LIMIT $limit"
_WORDS: Final = ("content", "text", "name", "rel_type", "description")
_ENDS: Final = ("source_id", "target_id")


class SurrealSkimming:
    """`Skimming` over a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def rows(self, table: Table) -> AsyncIterator[Sequence[SaidRow]]:
        """Yield the rows of a table; see `Skimming.rows`."""
        async for page in record_pages(self._connection, str(table), _ROWS[table]):
            yield list(map(_said, page))

    async def turns(self) -> AsyncIterator[Sequence[SaidTurn]]:
        """Yield the turns of all sessions; see `Skimming.turns`."""
        async for page in record_pages(self._connection, "exchanges", _TURNS):
            yield list(map(_turn, page))

    async def sessions(self) -> AsyncIterator[Sequence[SessionFigures]]:
        """Yield what each session came to; see `Skimming.sessions`."""
        async for page in record_pages(self._connection, "sessions", _SESSIONS):
            yield list(map(_figures, page))


def _said(found: Record) -> SaidRow:
    words = [cast("str", found[name]) for name in _WORDS if found.get(name)]
    thoughts = cast("list[str]", found.get("thought_ids") or [])
    return SaidRow(
        id=row_id_of(found["id"]),
        words=(*words, *cast("list[str]", found.get("aliases") or [])),
        status=RowStatus(cast("str", found["status"])),
        is_private=cast("bool", found["is_private"]),
        tags=tuple(cast("list[str]", found.get("tags") or [])),
        place=cast("str | None", found.get("source_ref")),
        thought_id=thoughts[0] if thoughts else None,
        ends=tuple(cast("str", found[name]) for name in _ENDS if name in found),
    )


def _turn(found: Record) -> SaidTurn:
    body = _body(found)
    return SaidTurn(
        id=key_of(found["id"]),
        at=decode_instant(found["timestamp"]),
        question=cast("str", body["my_query"]),
        answer=cast("str", body["answer"]),
    )


def _figures(found: Record) -> SessionFigures:
    body = _body(found)
    answered, refused, errors = (cast("int", body.get(name, 0)) for name in ("answered", "refused", "errors"))
    return SessionFigures(
        id=key_of(found["id"]),
        turns=answered + refused + errors,
        refused=refused,
        tokens=cast("int", body.get("total_tokens", 0)),
        cost=from_json(Total, body["total_cost"]),
    )


def _body(found: Record) -> JsonObject:
    try:
        return cast("JsonObject", json.loads(unpack(found["body"])))
    except (ValueError, KeyError, TypeError):
        raise StoreDamaged(f"{key_of(found['id'])} cannot be read; run `voice maintain verify`") from None

"""Taking sessions away from SurrealDB; implements `SessionRemoval`.

Law: what decides a deletion is read under the number it is written with, so a turn or a fork that came between makes it
start again and be refused. Everything goes in one transaction: the session, its summary and the pins on it, and the
words of its turns, whose figures take their place. A turn that cannot be read any more is no reason to keep the others:
it goes, too, and that it was there, at an unknown cost, takes its place.
"""

from collections.abc import Mapping
from typing import cast

from voice.adapters.surreal.codec import Record, decode_instant
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import FOUND, REWRITE, is_key, key_of, record, records
from voice.adapters.surreal.session_codec import LISTED, decode_exchange, decode_list_item, encode_exchange
from voice.adapters.surreal.writer import Write, Writer
from voice.core.errors import SessionConflict, StoreDamaged
from voice.core.recall.values import summary_id
from voice.core.session.turn_stubs import turn_stub, unreadable_turn_stub
from voice.ports.stores import SessionListItem

_PAGE = 200
_FORKS = (
    f"SELECT id, recency, {', '.join(LISTED)} FROM sessions"  # noqa: S608 - LISTED is a constant of ours
    " WHERE ancestors CONTAINSANY $held ORDER BY recency, id"
)
_REVISIONS = f"SELECT VALUE [id, revision] FROM $ids {FOUND}"  # noqa: S608 - a literal of ours
_TURNS = "SELECT * FROM exchanges WHERE session_id = $owner AND index > $after ORDER BY index LIMIT $limit"
_GONE = (
    "DELETE $sessions RETURN NONE; DELETE $summaries RETURN NONE; DELETE pins WHERE target_id IN $pinned RETURN NONE;"
)


class SurrealSessionRemoval:
    """`SessionRemoval` over a connection; writes go through the store's one writer."""

    def __init__(self, connection: Connection, writer: Writer) -> None:
        self._connection = connection
        self._writer = writer

    async def forks(self, session_id: str) -> list[SessionListItem]:
        """Return the sessions that share its turns; see `SessionRemoval.forks`."""
        return await self._forks([session_id]) if is_key(session_id) else []

    async def delete(self, revisions: Mapping[str, int]) -> int:
        """Delete sessions with what was said in them; see `SessionRemoval.delete`."""
        stubs: list[Record] = []

        async def decide(_: int) -> Write:
            await self._require_unchanged(revisions)
            stubs[:] = [each for session_id in revisions for each in await self._stubs(session_id)]
            params: dict[str, object] = {
                "sessions": records("sessions", revisions),
                "summaries": records("summaries", revisions),
                "pinned": [summary_id(session_id) for session_id in revisions],
                "rewritten": stubs,
            }
            return Write(steps=(_GONE, REWRITE), params=params, numbers=1)

        await self._writer.commit("delete sessions", decide)
        return len(stubs)

    async def _forks(self, held: list[str]) -> list[SessionListItem]:
        found = await self._connection.run("look up forks", _FORKS, {"held": held})
        return [decode_list_item(each) for each in cast("list[Record]", found)]

    async def _require_unchanged(self, revisions: Mapping[str, int]) -> None:
        ids = {"ids": [record("sessions", session_id) for session_id in revisions]}
        found = await self._connection.run("look up sessions", _REVISIONS, ids)
        held = cast("list[tuple[object, int]]", found)
        if {key_of(place): revision for place, revision in held} != dict(revisions):
            raise SessionConflict("a session was changed or deleted by somebody else meanwhile; nothing was deleted")
        others = [fork.id for fork in await self._forks(list(revisions)) if fork.id not in revisions]
        if others:
            raise SessionConflict(f"{', '.join(others)} was forked meanwhile; nothing was deleted")

    async def _stubs(self, session_id: str) -> list[Record]:
        """Return what stays of a session's own turns; a turn keeps its number."""
        made: list[Record] = []
        after = -1
        while True:
            params = {"owner": session_id, "after": after, "limit": _PAGE}
            found = cast("list[Record]", await self._connection.run("read turns", _TURNS, params))
            if not found:
                return made
            made += [_stub(each) for each in found]
            after = cast("int", found[-1]["index"])


def _stub(found: Record) -> Record:
    seq = cast("int", found["seq"])
    try:
        return encode_exchange(turn_stub(decode_exchange(found)), seq)
    except StoreDamaged:
        left = unreadable_turn_stub(
            exchange_id=key_of(found["id"]),
            session_id=cast("str", found["session_id"]),
            index=cast("int", found["index"]),
            timestamp=decode_instant(found["timestamp"]),
        )
        return encode_exchange(left, seq)

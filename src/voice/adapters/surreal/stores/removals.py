"""Removal and return: rows, rows without their thoughts, sessions, the words of turns.

Law: what decides a write is read under the number that the write advances (`Writer.commit`). So a row that changed
meanwhile is not removed, one that came back or was forgotten meanwhile is not brought back, a turn or a fork that came
between refuses a deletion, and no turn replaces another.

A thought that was ever stored has a stamp, so whether one is known is asked there; of the rows that rest on it only the
column of their thoughts is read, a tenth of a row. A session goes in one transaction with its summary, its pins and the
words of its turns, whose figures stay; of a turn that cannot be read only that it was there stays, at an unknown cost.
Words are taken out of turns in one transaction for each page, and doing so again does no harm.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, cast

from voice.adapters.surreal.codec import (
    Record,
    Stamp,
    decode_instant,
    decode_vector,
    encode_row,
    encode_stamp,
    encode_tombstone,
    encode_vector,
    stamp_of,
)
from voice.adapters.surreal.connection import (
    BEHIND,
    FOUND,
    GRAPH_TABLES,
    NAMING_ENTITIES,
    REWRITE,
    is_key,
    key_of,
    record,
    records,
    row_id_of,
    row_record,
    select_ids,
)
from voice.adapters.surreal.stores.reading import (
    find_rows,
    id_pages,
    key_pages,
    read_pages,
    read_rows,
    read_stamps,
    record_id_pages,
)
from voice.adapters.surreal.stores.session_codec import LISTED, decode_exchange, decode_list_item, encode_exchange
from voice.adapters.surreal.writer import Write, WritingStore
from voice.core.errors import InvalidParams, SessionConflict, StoreDamaged, UnknownId
from voice.core.recall.values import summary_id
from voice.core.records import Observation, Relation, Row, Thought, Tombstone, VectorRow, table_of
from voice.core.session.turn_traces import turn_stub, unreadable_turn_stub
from voice.core.session.values import DialogueExchange
from voice.ports.stores import SessionListItem

_MARKED = "SELECT VALUE id FROM thoughts WHERE status = 'removal'"
_VECTORS = "SELECT * FROM $ids"
_REASONS = f"SELECT VALUE reason FROM $ids {FOUND}"  # noqa: S608 - a literal of ours
_RESTING = select_ids(
    *(f"{table} WHERE thought_ids CONTAINSANY $ids" for table in GRAPH_TABLES),
    "thoughts WHERE summary_of CONTAINSANY $ids",
)
_NO_DAY: Final = datetime.min.replace(tzinfo=UTC)  # sorts first


class SurrealRemovedRows(WritingStore):
    """`RemovedRows` and `RestingRows` over a connection; writes go through the store's one writer."""

    async def marked(self) -> list[Thought]:
        """Return the thoughts that are marked; see `RemovedRows.marked`."""
        found = cast("list[object]", await self._connection.run("look up marked thoughts", _MARKED, {}))
        rows = await read_rows(self._connection, [row_id_of(each) for each in found])
        thoughts = [row for row in rows.values() if isinstance(row, Thought)]
        return sorted(thoughts, key=lambda each: (each.removal_marked_at or _NO_DAY, each.id))

    async def vectors_of(self, row_ids: Sequence[str]) -> dict[str, VectorRow]:
        """Return the vectors that exist; see `RemovedRows.vectors_of`."""
        found = await read_pages(self._connection, "read vectors", _VECTORS, record_id_pages("vectors", row_ids))
        return {vector.row_id: vector for vector in map(decode_vector, cast("list[Record]", found))}

    async def resting_on(self, thought_ids: Sequence[str]) -> list[Row]:
        """Return the rows that rest on thoughts; see `RestingRows.resting_on`."""
        return await find_rows(self._connection, "list what rests on thoughts", _RESTING, id_pages(thought_ids))

    async def naming(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return the rows that name entities; see `RestingRows.naming`."""
        rows = await find_rows(self._connection, "list what names entities", NAMING_ENTITIES, id_pages(entity_ids))
        return [row for row in rows if isinstance(row, Observation | Relation)]

    async def finalise(self, tombstones: Sequence[Tombstone], revisions: Mapping[str, int]) -> None:
        """Remove rows; see `RemovedRows.finalise`."""
        if not tombstones:
            return
        ids = [stone.row_id for stone in tombstones]
        stones = [encode_tombstone(stone) for stone in tombstones]

        async def decide(last_seq: int) -> Write:
            held = await read_stamps(self._connection, ids)
            for row_id in ids:
                require_unchanged(row_id, held.get(row_id), revisions[row_id])
            stamps = [
                Stamp(row_id=row_id, seq=last_seq + place, revision=held[row_id].revision, embedding="gone")
                for place, row_id in enumerate(ids, start=1)
            ]
            with_vector = [row_id for row_id in ids if held[row_id].embedding == "ready"]
            params: dict[str, object] = {
                "dropped": [*map(row_record, ids), *records("vectors", with_vector)],
                "stones": stones,
                "rewritten": [encode_stamp(stamp) for stamp in stamps],
            }
            steps = ("DELETE $dropped;", "INSERT INTO tombstones $stones RETURN NONE;", REWRITE)
            return Write(steps=steps, params=params, numbers=len(ids))

        await self._writer.commit("take rows away", decide)

    async def bring_back(self, rows: Sequence[Row], vectors: Sequence[VectorRow]) -> None:
        """Bring rows back; see `RemovedRows.bring_back`."""
        if not rows:
            return
        ids = [row.id for row in rows]
        written: dict[str, list[Record]] = {}
        for row in rows:
            written.setdefault(str(table_of(row.id)), []).append(encode_row(row))
        if vectors:
            written["vectors"] = [encode_vector(vector) for vector in vectors]
        ready = {vector.row_id for vector in vectors}

        async def decide(last_seq: int) -> Write:
            buried = await self._buried(ids)
            stamps = [
                stamp_of(row, last_seq + place, "ready" if row.id in ready else "pending")
                for place, row in enumerate(rows, start=1)
            ]
            params: dict[str, object] = {**written, "stones": records("tombstones", buried)}
            params["rewritten"] = [encode_stamp(stamp) for stamp in stamps]
            inserts = (f"INSERT INTO {table} ${table} RETURN NONE;" for table in written)
            return Write(steps=("DELETE $stones;", *inserts, REWRITE), params=params, numbers=len(stamps))

        await self._writer.commit("bring rows back", decide)

    async def _buried(self, ids: Sequence[str]) -> list[str]:
        held = await read_stamps(self._connection, ids)
        there = sorted(row_id for row_id, stamp in held.items() if stamp.embedding != "gone")
        if there:
            raise InvalidParams(f"{there[0]} already exists")
        reasons = await self._connection.run("look up tombstones", _REASONS, {"ids": records("tombstones", held)})
        # Forgotten and redacted rows never come back.
        if any(reason != "finalised" for reason in cast("list[str]", reasons)):
            raise InvalidParams("you forgot one of the rows, so voice does not restore it")
        return list(held)


def require_unchanged(row_id: str, stamp: Stamp | None, revision: int) -> None:
    """Check that a row is stored as it was looked at. Raises InvalidParams: it was changed or removed."""
    if stamp is None or stamp.embedding == "gone" or stamp.revision != revision:
        raise InvalidParams(f"{row_id} was changed or removed meanwhile; look again")


_GROUNDS: Final = (
    "SELECT VALUE [id, thought_ids] FROM "  # noqa: S608 - literals of ours
    f"(SELECT id, thought_ids {BEHIND} WHERE thought_ids != NONE ORDER BY id LIMIT $limit)"
)
_KNOWN: Final = "SELECT VALUE id FROM $ids WHERE id != NONE"
_PAGE: Final = 2_500
_Grounds = tuple[object, list[str]]


class SurrealTornRows(WritingStore):
    """`TornRows` over a connection; writes go through the store's one writer."""

    async def torn(self) -> list[str]:
        """Return the ids of rows whose thoughts were never stored; see `TornRows.torn`."""
        known: dict[str, bool] = {}
        found: list[str] = []
        async for page in self._grounds():
            asked = dict.fromkeys(each for _, thoughts in page for each in thoughts if each not in known)
            there = await self._known(asked)
            known |= {each: each in there for each in asked}
            torn = (row for row, thoughts in page if thoughts and not any(known[each] for each in thoughts))
            found.extend(map(row_id_of, torn))
        return sorted(found)

    async def take_back(self, revisions: Mapping[str, int]) -> None:
        """Remove rows; see `TornRows.take_back`."""
        if not revisions:
            return
        ids = list(revisions)

        async def decide(_: int) -> Write:
            held = await read_stamps(self._connection, ids)
            for row_id, revision in revisions.items():
                require_unchanged(row_id, held.get(row_id), revision)
            with_vector = [row_id for row_id in ids if held[row_id].embedding == "ready"]
            gone = [*map(row_record, ids), *records("vectors", with_vector), *records("stamps", ids)]
            return Write(steps=("DELETE $gone;",), params={"gone": gone}, numbers=1)

        await self._writer.commit("take rows back", decide)

    async def _grounds(self) -> AsyncIterator[list[_Grounds]]:
        for table in GRAPH_TABLES:
            params = {"table": table.value, "limit": _PAGE}
            async for page in key_pages(self._connection, "look up grounds", _GROUNDS, params):
                yield cast("list[_Grounds]", page)

    async def _known(self, thought_ids: Mapping[str, object]) -> set[str]:
        stamps = record_id_pages("stamps", thought_ids)
        return set(map(key_of, await read_pages(self._connection, "look up thoughts", _KNOWN, stamps)))


_PAGE_OF_TURNS = 200
_FORKS = (
    f"SELECT id, recency, {', '.join(LISTED)} FROM sessions"  # noqa: S608 - LISTED is a constant of ours
    " WHERE ancestors CONTAINSANY $held ORDER BY recency, id"
)
_REVISIONS = f"SELECT VALUE [id, revision] FROM $ids {FOUND}"  # noqa: S608 - a literal of ours
_TURNS = "SELECT * FROM exchanges WHERE session_id = $owner AND index > $after ORDER BY index LIMIT $limit"
_GONE = (
    "DELETE $sessions RETURN NONE; DELETE $summaries RETURN NONE; DELETE pins WHERE target_id IN $pinned RETURN NONE;"
)


class SurrealSessionRemoval(WritingStore):
    """`SessionRemoval` over a connection; writes go through the store's one writer."""

    async def forks(self, session_id: str) -> list[SessionListItem]:
        """Return the sessions that share its turns; see `SessionRemoval.forks`."""
        return await self._forks([session_id]) if is_key(session_id) else []

    async def delete(self, revisions: Mapping[str, int]) -> int:
        """Delete sessions with their turns' words; see `SessionRemoval.delete`."""
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
            raise SessionConflict("a session was changed or deleted meanwhile; nothing was deleted")
        others = [fork.id for fork in await self._forks(list(revisions)) if fork.id not in revisions]
        if others:
            raise SessionConflict(f"{', '.join(others)} was forked meanwhile; nothing was deleted")

    async def _stubs(self, session_id: str) -> list[Record]:
        """Return what stays of a session's own turns; each keeps its index."""
        made: list[Record] = []
        after = -1
        while True:
            params = {"owner": session_id, "after": after, "limit": _PAGE_OF_TURNS}
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
        stub = unreadable_turn_stub(
            exchange_id=key_of(found["id"]),
            session_id=cast("str", found["session_id"]),
            index=cast("int", found["index"]),
            timestamp=decode_instant(found["timestamp"]),
        )
        return encode_exchange(stub, seq)


_PAGE_OF_WORDS = 200
_STORED = "SELECT * FROM $ids"


class SurrealExchangeWords(WritingStore):
    """`ExchangeWords` over a connection; writes go through the store's one writer."""

    async def take_away(self, exchanges: Sequence[DialogueExchange]) -> None:
        """Replace stored turns by the same without words; see `ExchangeWords.take_away`."""
        await self._records(exchanges)  # checks all of them before the first is written
        for start in range(0, len(exchanges), _PAGE_OF_WORDS):
            page = exchanges[start : start + _PAGE_OF_WORDS]

            async def decide(_: int, page: Sequence[DialogueExchange] = page) -> Write:
                return Write(steps=(REWRITE,), params={"rewritten": await self._records(page)}, numbers=1)

            await self._writer.commit("take words away", decide)

    async def _records(self, exchanges: Sequence[DialogueExchange]) -> list[Record]:
        made: list[Record] = []
        for start in range(0, len(exchanges), _PAGE_OF_WORDS):
            page = exchanges[start : start + _PAGE_OF_WORDS]
            ids = {"ids": records("exchanges", (each.id for each in page))}
            found = cast("list[Record]", await self._connection.run("read turns", _STORED, ids))
            stored = {key_of(each["id"]): decode_exchange(each) for each in found}
            made += [encode_exchange(each, stored_seq(each, stored.get(each.id))) for each in page]
        return made


def stored_seq(bare: DialogueExchange, stored: DialogueExchange | None) -> int:
    """Return the `seq` of the stored turn that `bare` replaces. Raises UnknownId: it is not stored; SessionConflict:
    another turn is stored under its id."""
    if stored is None:
        raise UnknownId(f"{bare.id} is not stored")
    if (stored.session_id, stored.index, stored.link) != (bare.session_id, bare.index, bare.link) or stored.deleted:
        raise SessionConflict(f"{bare.id} was changed meanwhile; nothing was deleted")
    return stored.seq

"""Rows that go and come back in SurrealDB, and what rests on them; implements `RemovedRows` and `RestingRows`.

Law: what decides is read under the number it is written with (`Writer.commit`), so a row that was changed meanwhile is
not taken away, and one that came back or was forgotten meanwhile is not brought back.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, cast

from voice.adapters.surreal.codec import (
    Embedding,
    Record,
    Stamp,
    decode_vector,
    encode_row,
    encode_stamp,
    encode_tombstone,
    encode_vector,
)
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import FOUND, GRAPH_TABLES, REWRITE, block, records, row_id_of, row_record
from voice.adapters.surreal.reading import pages, read_rows, read_stamps
from voice.adapters.surreal.writer import Write, Writer
from voice.core.errors import InvalidParams
from voice.core.records import Observation, Relation, Row, Thought, Tombstone, VectorRow, table_of

_MARKED = "SELECT VALUE id FROM thoughts WHERE status = 'removal'"
_VECTORS = "SELECT * FROM $ids"
_REASONS = f"SELECT VALUE reason FROM $ids {FOUND}"  # noqa: S608 - a literal of ours
_RESTING = block(
    *(
        f"LET ${table} = (SELECT VALUE id FROM {table} WHERE thought_ids CONTAINSANY $ids);"  # noqa: S608 - our tables
        for table in GRAPH_TABLES
    ),
    "LET $written = (SELECT VALUE id FROM thoughts WHERE summary_of CONTAINSANY $ids);",
    result="array::concat(" + ", ".join(f"${table}" for table in GRAPH_TABLES) + ", $written)",
)
_NAMING = block(
    "LET $about = (SELECT VALUE id FROM kg_observations WHERE entity_ids CONTAINSANY $ids);",
    "LET $from = (SELECT VALUE id FROM kg_relations WHERE source_id IN $ids);",
    "LET $to = (SELECT VALUE id FROM kg_relations WHERE target_id IN $ids);",
    result="array::concat($about, $from, $to)",
)
_NO_DAY: Final = datetime.min.replace(tzinfo=UTC)


class SurrealRemovedRows:
    """Both over a connection; writes go through the store's one writer."""

    def __init__(self, connection: Connection, writer: Writer) -> None:
        self._connection = connection
        self._writer = writer

    async def marked(self) -> list[Thought]:
        """Return the thoughts that are marked; see `RemovedRows.marked`."""
        found = cast("list[object]", await self._connection.run("look up marked thoughts", _MARKED, {}))
        rows = await read_rows(self._connection, [row_id_of(each) for each in found])
        thoughts = [row for row in rows.values() if isinstance(row, Thought)]
        return sorted(thoughts, key=lambda each: (each.removal_marked_at or _NO_DAY, each.id))

    async def vectors_of(self, row_ids: Sequence[str]) -> dict[str, VectorRow]:
        """Return the vectors that exist; see `RemovedRows.vectors_of`."""
        found: dict[str, VectorRow] = {}
        for page in pages(row_ids):
            read = await self._connection.run("read vectors", _VECTORS, {"ids": records("vectors", page)})
            found |= {vector.row_id: vector for vector in map(decode_vector, cast("list[Record]", read))}
        return found

    async def resting_on(self, thought_ids: Sequence[str]) -> list[Row]:
        """Return what rests on thoughts; see `RestingRows.resting_on`."""
        return await self._rows("list what rests on thoughts", _RESTING, thought_ids)

    async def naming(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return what names entities; see `RestingRows.naming`."""
        rows = await self._rows("list what names entities", _NAMING, entity_ids)
        return [row for row in rows if isinstance(row, Observation | Relation)]

    async def _rows(self, purpose: str, text: str, ids: Sequence[str]) -> list[Row]:
        found: set[str] = set()
        for page in pages(list(dict.fromkeys(ids))):
            result = await self._connection.run(purpose, text, {"ids": list(page)})
            found.update(map(row_id_of, cast("list[object]", result)))
        rows = await read_rows(self._connection, sorted(found))
        return [rows[row_id] for row_id in sorted(rows)]

    async def finalise(self, tombstones: Sequence[Tombstone], revisions: Mapping[str, int]) -> None:
        """Take rows away; see `RemovedRows.finalise`."""
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
            stamps = [_stamp(row, last_seq + place, ready) for place, row in enumerate(rows, start=1)]
            params: dict[str, object] = {**written, "stones": records("tombstones", buried)}
            params["rewritten"] = [encode_stamp(stamp) for stamp in stamps]
            inserts = (f"INSERT INTO {table} ${table} RETURN NONE;" for table in written)
            return Write(steps=("DELETE $stones;", *inserts, REWRITE), params=params, numbers=len(stamps))

        await self._writer.commit("bring rows back", decide)

    async def _buried(self, ids: Sequence[str]) -> list[str]:
        """Return those that a tombstone bears; it may be one of `finalised` only, and the others must be unknown."""
        held = await read_stamps(self._connection, ids)
        there = sorted(row_id for row_id, stamp in held.items() if stamp.embedding != "gone")
        if there:
            raise InvalidParams(f"{there[0]} is there already")
        reasons = await self._connection.run("look up tombstones", _REASONS, {"ids": records("tombstones", held)})
        if any(reason != "finalised" for reason in cast("list[str]", reasons)):
            raise InvalidParams("one of the rows was forgotten and does not come back")
        return list(held)


def require_unchanged(row_id: str, stamp: Stamp | None, revision: int) -> None:
    """Check that a row is still there as it was looked at.

    Raises:
        InvalidParams: it is not.
    """
    if stamp is None or stamp.embedding == "gone" or stamp.revision != revision:
        raise InvalidParams(f"{row_id} was changed or removed meanwhile; look again")


def _stamp(row: Row, seq: int, ready: set[str]) -> Stamp:
    embedding: Embedding = "ready" if row.id in ready else "pending"
    scoped = not row.scope.is_empty
    return Stamp(row_id=row.id, seq=seq, revision=row.revision, embedding=embedding, scoped=scoped)

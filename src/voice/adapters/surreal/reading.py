"""Reading rows with what belongs to them.

Law: a row, its stamp and its vector are read in one statement, so they are of one moment; unknown ids are absent
(ruling B3). Long lists are read page by page, because the client holds the interpreter while a page is read; a page
that is more than a holder may send its guest at once is read in halves.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from voice.adapters.surreal.codec import Record, Stamp, decode_row, decode_stamp, decode_vector
from voice.adapters.surreal.connection import AnswerTooLong, Connection
from voice.adapters.surreal.dialect import BEHIND, FIRST, PAGE, is_row_id, key_of, records, row_id_of, row_record
from voice.core.records import Row, VectorRow

_ROWS = "RETURN [(SELECT * FROM $stamps), (SELECT * FROM $rows)]"
_ROWS_AND_VECTORS = "RETURN [(SELECT * FROM $stamps), (SELECT * FROM $rows), (SELECT * FROM $vectors)]"
_STAMPS = "SELECT * FROM $stamps"
_BY_ID = f"SELECT * {BEHIND} ORDER BY id LIMIT $limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What the store holds of one row at one moment."""

    stamp: Stamp
    row: Row | None
    vector: VectorRow | None


def pages(ids: Iterable[str]) -> Iterator[list[str]]:
    """Return the ids that rows can have, once each, in pages."""
    wanted = [row_id for row_id in dict.fromkeys(ids) if is_row_id(row_id)]
    for start in range(0, len(wanted), PAGE):
        yield wanted[start : start + PAGE]


async def read_stamps(connection: Connection, ids: Sequence[str]) -> dict[str, Stamp]:
    """Return the stamps that exist, by row id."""
    found: dict[str, Stamp] = {}
    for page in pages(ids):
        result = await connection.run("read rows", _STAMPS, {"stamps": records("stamps", page)})
        found |= {stamp.row_id: stamp for stamp in map(decode_stamp, cast("list[Record]", result))}
    return found


async def read_stored(connection: Connection, ids: Sequence[str], *, vectors: bool = False) -> dict[str, Stored]:
    """Return what is stored of the rows that exist or did, by row id.

    Args:
        connection: to the store.
        ids: of the rows.
        vectors: whether their vectors are read, too.

    Raises:
        StoreDamaged: a record cannot be read.
    """
    found: dict[str, Stored] = {}
    for page in pages(ids):
        found |= await _stored(connection, page, vectors=vectors)
    return found


async def _stored(connection: Connection, page: Sequence[str], *, vectors: bool) -> dict[str, Stored]:
    text = _ROWS_AND_VECTORS if vectors else _ROWS
    params = {"stamps": records("stamps", page), "rows": [row_record(row_id) for row_id in page]}
    if vectors:
        params["vectors"] = records("vectors", page)
    try:
        result = cast("list[list[Record]]", await connection.run("read rows", text, params))
    except AnswerTooLong:
        if len(page) == 1:
            raise
        half = len(page) // 2
        first = await _stored(connection, page[:half], vectors=vectors)
        return first | await _stored(connection, page[half:], vectors=vectors)
    stamps, written_rows, *owned_vectors = result
    rows = {row_id_of(each["id"]): each for each in written_rows}
    owned = {vector.row_id: vector for each in owned_vectors for vector in map(decode_vector, each)}
    found: dict[str, Stored] = {}
    for stamp in map(decode_stamp, stamps):
        written = rows.get(stamp.row_id)
        row = decode_row(written, stamp) if written is not None else None
        found[stamp.row_id] = Stored(stamp=stamp, row=row, vector=owned.get(stamp.row_id))
    return found


async def read_rows(connection: Connection, ids: Sequence[str]) -> dict[str, Row]:
    """Return the rows that exist, by id."""
    stored = await read_stored(connection, ids)
    return {row_id: held.row for row_id, held in stored.items() if held.row is not None}


async def record_pages(connection: Connection, table: str, read: str = _BY_ID) -> AsyncIterator[list[Record]]:
    """Yield all records of a table, by id.

    Args:
        connection: to the store.
        table: one of ours; of rows their own keys are the ids.
        read: what reads a page of it, its ids among what it reads.
    """
    after, limit = FIRST, PAGE
    while True:
        try:
            params = {"table": table, "after": after, "limit": limit}
            result = await connection.run(f"read {table}", read, params)
        except AnswerTooLong:
            if limit == 1:
                raise
            limit //= 2
            continue
        found, limit = cast("list[Record]", result), PAGE
        if not found:
            return
        yield found
        after = key_of(found[-1]["id"])


async def session_pages(connection: Connection) -> AsyncIterator[list[tuple[Record, Record | None]]]:
    """Yield the records of all sessions by id, each with its summary's where it has one."""
    async for sessions in record_pages(connection, "sessions"):
        ids = {"ids": records("summaries", (key_of(each["id"]) for each in sessions))}
        found = cast("list[Record]", await connection.run("read summaries", "SELECT * FROM $ids", ids))
        summaries = {key_of(each["id"]): each for each in found}
        yield [(each, summaries.get(key_of(each["id"]))) for each in sessions]

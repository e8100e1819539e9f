"""Everything a store holds, page by page, in the order a backup keeps it: rows by `seq`, then sessions and the rest."""

from collections.abc import AsyncIterator, Callable
from typing import cast

from voice.adapters.disk.backup_file import Entry
from voice.adapters.surreal.candidate_codec import CANDIDATE_TABLES, decode_candidate
from voice.adapters.surreal.codec import Record, Stamp, decode_stamp, decode_tombstone
from voice.adapters.surreal.conflict_log import CONFLICTS, decode_conflict
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import PAGE, records
from voice.adapters.surreal.merge_log import MERGES, decode_merge
from voice.adapters.surreal.reading import read_stored, record_pages, session_pages
from voice.adapters.surreal.recall_codec import decode_capsule, decode_pin
from voice.adapters.surreal.session_codec import decode_exchange, decode_metric, decode_session

_STAMPS = "SELECT * FROM stamps WHERE seq > $after ORDER BY seq LIMIT $limit"
_DECODERS: dict[str, Callable[[Record], Entry]] = {
    "exchanges": decode_exchange,
    "metrics": decode_metric,
    "pins": decode_pin,
    "capsules": decode_capsule,
    **dict.fromkeys(CANDIDATE_TABLES, decode_candidate),
    MERGES: decode_merge,
    CONFLICTS: decode_conflict,
}


async def dump(connection: Connection) -> AsyncIterator[list[Entry]]:
    """Yield every entry of the store in pages.

    Raises:
        StoreDamaged: a record cannot be read, or a row that the stamps promise is not there.
    """
    async for stamps in stamp_pages(connection):
        yield await _rows_of(connection, stamps)
    async for sessions in session_pages(connection):
        yield [decode_session(*each) for each in sessions]
    for table, decode in _DECODERS.items():
        async for found in record_pages(connection, table):
            yield [decode(each) for each in found]


async def stamp_pages(connection: Connection) -> AsyncIterator[list[Stamp]]:
    """Yield all stamps by `seq`."""
    after = -1
    while True:
        result = await connection.run("read changes", _STAMPS, {"after": after, "limit": PAGE})
        stamps = [decode_stamp(each) for each in cast("list[Record]", result)]
        if not stamps:
            return
        yield stamps
        after = stamps[-1].seq


async def _rows_of(connection: Connection, stamps: list[Stamp]) -> list[Entry]:
    stored = await read_stored(connection, [stamp.row_id for stamp in stamps], vectors=True)
    gone = {stamp.row_id: stamp.seq for stamp in stamps if stamp.embedding == "gone"}
    ids = {"ids": records("tombstones", gone)}
    found = cast("list[Record]", await connection.run("read tombstones", "SELECT * FROM $ids", ids))
    entries: list[Entry] = [each.row for each in stored.values() if each.row is not None]
    entries.extend(each.vector for each in stored.values() if each.vector is not None)
    entries.extend(decode_tombstone(each, gone[str(getattr(each["id"], "id", ""))]) for each in found)
    return entries

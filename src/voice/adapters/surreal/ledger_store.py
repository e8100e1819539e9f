"""What is already known: imports, missing vectors, tombstones, what was redacted; implements `LedgerStore`,
`TombstoneStore` and `RedactedRows`."""

from collections.abc import Iterator, Sequence
from typing import TypeVar, cast

from voice.adapters.surreal.codec import Record, decode_tombstone
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import BEHIND, FIRST, FOUND, PAGE, block, key_of, records, row_id_of
from voice.adapters.surreal.reading import pages, read_rows, read_stamps, record_pages
from voice.core.records import Row, Table, Tombstone
from voice.core.text.normalise import clean_text
from voice.ports.stores import Encoding, ImportKey

T = TypeVar("T")

_IMPORTS = "SELECT source_ref, content_hash FROM thoughts WHERE content_hash IN $hashes"
_WAITING = "SELECT id, seq FROM stamps WHERE embedding = $state ORDER BY seq LIMIT $limit"
_FOREIGN = (
    f"SELECT VALUE id {BEHIND} WHERE model != $model OR dim != $dim OR bytes::len(data) != $bytes"
    " ORDER BY id LIMIT $limit"
)
"""A vector that is not as long as it says cannot be read, and is another encoder's as well."""
_BURIED = f"SELECT VALUE id FROM $ids {FOUND}"  # noqa: S608 - a literal of ours
_TOMBSTONES = "SELECT VALUE keyed_hash FROM tombstones WHERE keyed_hash IN $hashes"
_REDACTED = block(
    *(
        f"LET ${table} = (SELECT VALUE id FROM {table} WHERE status = 'redacted');"  # noqa: S608 - our tables
        for table in Table
    ),
    result="array::concat(" + ", ".join(f"${table}" for table in Table) + ")",
)
"""Thoughts are found by their index, the graph is read through: an audit asks rarely, and every write pays an index."""


class SurrealLedgerStore:
    """`LedgerStore`, `TombstoneStore` and `RedactedRows` over a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def known_imports(self, keys: Sequence[ImportKey]) -> set[ImportKey]:
        """Return the keys that are stored already; see `LedgerStore.known_imports`."""
        stored: set[tuple[object, object]] = set()
        for page in _pages([key.content_hash for key in keys]):
            found = await self._connection.run("look up imports", _IMPORTS, {"hashes": page})
            stored |= {(each.get("source_ref"), each["content_hash"]) for each in cast("list[Record]", found)}
        return {key for key in keys if (_stored_ref(key), key.content_hash) in stored}

    async def pending_embeddings(self, limit: int) -> list[Row]:
        """Return rows without a ready vector; see `LedgerStore.pending_embeddings`."""
        ids: list[str] = []
        for state in ("pending", "failed"):
            params = {"state": state, "limit": limit - len(ids)}
            found = await self._connection.run("look up missing vectors", _WAITING, params)
            ids.extend(key_of(each["id"]) for each in cast("list[Record]", found))
            if len(ids) >= limit:
                break
        rows = await read_rows(self._connection, ids)
        return [rows[row_id] for row_id in ids if row_id in rows]

    async def foreign_embeddings(self, encoding: Encoding, *, after: str, limit: int) -> list[Row]:
        """Return rows whose vector is of another encoding; see `LedgerStore.foreign_embeddings`."""
        model, dim = encoding
        params = {
            "table": "vectors",
            "after": after or FIRST,
            "model": model,
            "dim": dim,
            "bytes": 4 * dim,
            "limit": max(limit, 0),
        }
        found = await self._connection.run("look up vectors of other encoders", _FOREIGN, params)
        ids = [key_of(each) for each in cast("list[object]", found)]
        rows = await read_rows(self._connection, ids)
        return [rows[row_id] for row_id in ids if row_id in rows]

    async def tombstoned(self, keyed_hashes: Sequence[str]) -> set[str]:
        """Return the keyed hashes that a tombstone holds; see `TombstoneStore.tombstoned`."""
        known: set[str] = set()
        for page in _pages(keyed_hashes):
            found = await self._connection.run("look up tombstones", _TOMBSTONES, {"hashes": page})
            known.update(cast("list[str]", found))
        return known

    async def buried(self, row_ids: Sequence[str]) -> set[str]:
        """Return those ids that a tombstone bears; see `TombstoneStore.buried`."""
        known: set[str] = set()
        for page in pages(row_ids):
            ids = {"ids": records("tombstones", page)}
            found = await self._connection.run("look up tombstones", _BURIED, ids)
            known.update(map(key_of, cast("list[object]", found)))
        return known

    async def tombstones(self) -> list[Tombstone]:
        """Return every tombstone, by row id; see `TombstoneStore.tombstones`."""
        found: list[Tombstone] = []
        async for page in record_pages(self._connection, "tombstones"):
            stamps = await read_stamps(self._connection, [key_of(each["id"]) for each in page])
            found.extend(decode_tombstone(each, stamps[key_of(each["id"])].seq) for each in page)
        return found

    async def redacted(self) -> list[Row]:
        """Return every redacted row, newest first; see `RedactedRows.redacted`."""
        found = await self._connection.run("look up redacted rows", _REDACTED, {})
        rows = await read_rows(self._connection, sorted(map(row_id_of, cast("list[object]", found))))
        by_id = sorted(rows.values(), key=lambda row: row.id)
        return sorted(by_id, key=lambda row: row.created_at, reverse=True)


def _stored_ref(key: ImportKey) -> str | None:
    return None if key.source_ref is None else clean_text(key.source_ref)


def _pages(items: Sequence[T]) -> Iterator[list[T]]:
    once = list(dict.fromkeys(items))
    for start in range(0, len(once), PAGE):
        yield once[start : start + PAGE]

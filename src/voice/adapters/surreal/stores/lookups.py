"""Look-ups over stored rows: the graph, superseded rows, imports, tombstones, ids by prefix."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final, cast

from voice.adapters.surreal.codec import (
    NameRecord,
    Record,
    decode_instant,
    decode_name,
    decode_tombstone,
    encode_instant,
    unreadable_record,
)
from voice.adapters.surreal.connection import (
    BEHIND,
    FIRST,
    FOUND,
    GRAPH_TABLES,
    NAMING_ENTITIES,
    Connection,
    is_key,
    key_of,
    row_id_of,
    select_ids,
)
from voice.adapters.surreal.stores.candidates import CANDIDATE_TABLES
from voice.adapters.surreal.stores.reading import (
    RememberedRows,
    find_row_ids,
    find_rows,
    key_pages,
    pages_of,
    read_pages,
    read_rows,
    read_stamps,
    record_id_pages,
    record_pages,
)
from voice.adapters.surreal.writer import ConnectedStore
from voice.core.graph.removal.lifecycle import is_no_longer_held
from voice.core.records import (
    TABLE_OF_PREFIX,
    EntityName,
    Observation,
    Relation,
    Row,
    RowStatus,
    Table,
    Thought,
    Tombstone,
)
from voice.core.retrieval.passages import Sentence
from voice.core.text.normalise import clean_text
from voice.core.vouch import Vouch
from voice.ports.stores import Encoding, ImportKey

_NAMES = (
    "SELECT VALUE [id, name, entity_type, aliases, is_private] FROM "  # noqa: S608 - literals of ours
    f"(SELECT id, name, entity_type, aliases, is_private {BEHIND} WHERE status = 'active' ORDER BY id LIMIT $limit)"
)
# Names are read as bare lists, because decoding its members is most of what an entity costs. Two selections: engine
# 3.0 orders by named columns only.
_NAMES_PAGE = 2_500
_OBSERVATIONS = "SELECT VALUE id FROM kg_observations WHERE entity_ids CONTAINSANY $ids"
_LEAVING = "SELECT VALUE id FROM kg_relations WHERE source_id IN $ids"
_RELATIONS = select_ids("kg_relations WHERE source_id IN $ids", "kg_relations WHERE target_id IN $ids")
_DERIVED = select_ids(*(f"{table} WHERE thought_ids CONTAINSANY $ids" for table in GRAPH_TABLES))
_SENTENCES = (
    "SELECT VALUE [id, thought_ids, spans] FROM kg_observations WHERE thought_ids CONTAINSANY $ids "
    "AND status = 'active'"
)


class SurrealGraphStore:
    """`GraphStore` over a connection."""

    def __init__(self, connection: Connection, rows: RememberedRows | None = None) -> None:
        self._connection = connection
        self._remembered = rows or RememberedRows(connection)

    async def names(self) -> list[EntityName]:
        """Return the names of all live entities, by id; see `GraphStore.names`."""
        names: list[EntityName] = []
        params = {"table": Table.ENTITIES.value, "limit": _NAMES_PAGE}
        async for page in key_pages(self._connection, "list names", _NAMES, params):
            names.extend(map(decode_name, cast("list[NameRecord]", page)))
        return sorted(names, key=lambda name: name.id)

    async def relations_of(self, entity_ids: Sequence[str], *, leaving: bool = False) -> list[Relation]:
        """Return live relations that touch any of the entities, by id; see `GraphStore.relations_of`."""
        rows = await self._rows("list relations", _LEAVING if leaving else _RELATIONS, entity_ids)
        return [row for row in rows if isinstance(row, Relation) and row.status is RowStatus.ACTIVE]

    async def observations_of(self, entity_ids: Sequence[str]) -> list[Observation]:
        """Return live observations that name any of the entities, by id; see `GraphStore.observations_of`."""
        rows = await self._rows("list observations", _OBSERVATIONS, entity_ids)
        return [row for row in rows if isinstance(row, Observation) and row.status is RowStatus.ACTIVE]

    async def derived_from(self, thought_ids: Sequence[str]) -> list[Row]:
        """Return the KG rows whose provenance names any of the thoughts, by id; see `GraphStore.derived_from`."""
        return await self._rows("list derived rows", _DERIVED, thought_ids)

    async def sentences_of(self, thought_ids: Sequence[str]) -> dict[str, list[Sentence]]:
        """Return the places of observations in thoughts, in the order of the text; see `GraphStore.sentences_of`."""
        found: dict[str, list[Sentence]] = {thought_id: [] for thought_id in thought_ids}
        result = await read_pages(self._connection, "list sentences", _SENTENCES, pages_of(thought_ids))
        for record, thoughts, spans in cast("list[tuple[object, list[str], list[int]]]", result):
            row_id = row_id_of(record)
            for at, thought_id in enumerate(thoughts):
                if thought_id in found:
                    # `spans` holds start and end of each thought in turn.
                    found[thought_id].append(Sentence(spans[2 * at], spans[2 * at + 1], row_id))
        return {thought_id: sorted(set(places)) for thought_id, places in found.items()}

    async def _rows(self, purpose: str, text: str, ids: Sequence[str]) -> list[Row]:
        rows = await self._remembered.read(await find_row_ids(self._connection, purpose, text, pages_of(ids)))
        return [rows[row_id] for row_id in sorted(rows)]


_IDS_PAGE = 1_000  # ids alone are short, so a page may hold more of them
_REPLACED = select_ids(*(f"{table} WHERE superseded_by IN $ids" for table in Table))
_FOUND = "SELECT VALUE id FROM thoughts WHERE source_ref IN $ids"
# An absent datetime sorts before every other, so it is asked for by name. A row was away at a moment if it had left
# more often than it came back by then (`was_away`).
_NOT_HELD = (
    f"SELECT VALUE id {BEHIND} WHERE recorded_at > $moment"
    " OR (superseded_at != NONE AND superseded_at <= $moment)"
    " OR (superseded_at = NONE AND status = 'superseded')"
    " OR (away != NONE AND array::len(away[WHERE $this <= $moment]) % 2 = 1) ORDER BY id LIMIT $limit"
)


class SurrealHistoryStore(ConnectedStore):
    """`HistoryStore` over a connection."""

    async def replaced_by(self, row_ids: Sequence[str]) -> list[Row]:
        """Return the rows that these replaced; see `HistoryStore.replaced_by`."""
        rows = await find_rows(self._connection, "look up what was replaced", _REPLACED, pages_of(row_ids))
        return [row for row in rows if row.status is RowStatus.SUPERSEDED]

    async def past_of(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return the superseded rows around the entities; see `HistoryStore.past_of`."""
        rows = await find_rows(self._connection, "look up what was superseded", NAMING_ENTITIES, pages_of(entity_ids))
        past = (row for row in rows if is_no_longer_held(row))
        return [row for row in past if isinstance(row, Observation | Relation)]

    async def not_held_at(self, moment: datetime) -> set[str]:
        """Return what was recorded later or superseded by then; see `HistoryStore.not_held_at`."""
        found: set[str] = set()
        for table in Table:
            params = {"table": table.value, "moment": encode_instant(moment), "limit": _IDS_PAGE}
            async for page in key_pages(self._connection, "look up what was held", _NOT_HELD, params):
                found.update(map(row_id_of, page))
        return found

    async def found_at(self, source_refs: Sequence[str]) -> list[Thought]:
        """Return the live thoughts from these sources; see `HistoryStore.found_at`."""
        refs = pages_of(clean_text(each) for each in source_refs)
        rows = await find_rows(self._connection, "look up notes", _FOUND, refs)
        return [row for row in rows if isinstance(row, Thought) and row.status is RowStatus.ACTIVE]


_IMPORTS = "SELECT source_ref, content_hash FROM thoughts WHERE content_hash IN $ids"
_WAITING = "SELECT id, seq FROM stamps WHERE embedding = $state ORDER BY seq LIMIT $limit"
# A vector whose length is not the stated one cannot be read, so it counts as another encoder's.
_FOREIGN = (
    f"SELECT VALUE id {BEHIND} WHERE model != $model OR dim != $dim OR bytes::len(data) != $bytes"
    " ORDER BY id LIMIT $limit"
)
_BURIED = f"SELECT VALUE id FROM $ids {FOUND}"  # noqa: S608 - a literal of ours
_TOMBSTONES = "SELECT VALUE keyed_hash FROM tombstones WHERE keyed_hash IN $ids"
# Thoughts have an index of their status; the graph is scanned, since audits are rare and every write pays for an
# index.
_REDACTED = select_ids(*(f"{table} WHERE status = 'redacted'" for table in Table))


class SurrealLedgerStore(ConnectedStore):
    """`LedgerStore`, `TombstoneStore` and `RedactedRows` over a connection."""

    async def known_imports(self, keys: Sequence[ImportKey]) -> set[ImportKey]:
        """Return the keys that are already stored; see `LedgerStore.known_imports`."""
        hashes = pages_of(key.content_hash for key in keys)
        found = await read_pages(self._connection, "look up imports", _IMPORTS, hashes)
        stored = {(each.get("source_ref"), each["content_hash"]) for each in cast("list[Record]", found)}
        refs = {key: None if key.source_ref is None else clean_text(key.source_ref) for key in keys}  # as stored
        return {key for key in keys if (refs[key], key.content_hash) in stored}

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
            "bytes": 4 * dim,  # float32
            "limit": max(limit, 0),
        }
        found = await self._connection.run("look up vectors of other encoders", _FOREIGN, params)
        ids = [key_of(each) for each in cast("list[object]", found)]
        rows = await read_rows(self._connection, ids)
        return [rows[row_id] for row_id in ids if row_id in rows]

    async def tombstoned(self, keyed_hashes: Sequence[str]) -> set[str]:
        """Return the keyed hashes that have a tombstone; see `TombstoneStore.tombstoned`."""
        found = await read_pages(self._connection, "look up tombstones", _TOMBSTONES, pages_of(keyed_hashes))
        return set(cast("list[str]", found))

    async def buried(self, row_ids: Sequence[str]) -> set[str]:
        """Return the ids that have a tombstone; see `TombstoneStore.buried`."""
        stones = record_id_pages("tombstones", row_ids)
        return set(map(key_of, await read_pages(self._connection, "look up tombstones", _BURIED, stones)))

    async def tombstones(self) -> list[Tombstone]:
        """Return every tombstone, by row id; see `TombstoneStore.tombstones`."""
        found: list[Tombstone] = []
        async for page in record_pages(self._connection, "tombstones"):
            stamps = await read_stamps(self._connection, [key_of(each["id"]) for each in page])
            for each in page:
                if (stamp := stamps.get(key_of(each["id"]))) is None:
                    raise unreadable_record(each)
                found.append(decode_tombstone(each, stamp.seq))
        return found

    async def redacted(self) -> list[Row]:
        """Return every redacted row, newest first; see `RedactedRows.redacted`."""
        found = await self._connection.run("look up redacted rows", _REDACTED, {})
        rows = await read_rows(self._connection, sorted(map(row_id_of, cast("list[object]", found))))
        by_id = sorted(rows.values(), key=lambda row: row.id)
        return sorted(by_id, key=lambda row: row.created_at, reverse=True)


# Two selections, because engine 3.0 orders by named columns only.
_IDS: Final = "SELECT VALUE id FROM (SELECT id FROM type::record($table, $from..$to) ORDER BY id LIMIT $limit)"
_SCOPED: Final = "SELECT VALUE id FROM (SELECT id, seq FROM stamps WHERE scoped = true ORDER BY seq DESC LIMIT $limit)"
_TABLES_OF: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(TABLE_OF_PREFIX, ("stamps",)),  # rows of every table have a stamp
    "c": CANDIDATE_TABLES,
    "m": ("kg_merges",),
    "p": ("pins",),
    "d": ("kg_conflicts",),
}
_LAST: Final = "\U0010ffff"  # sorts after every character of a key


class SurrealIdBeginnings(ConnectedStore):
    """`IdBeginnings` over a connection: a prefix is a range of keys, so a look-up costs what it finds."""

    async def ids_from(self, start: str, *, limit: int) -> list[str]:
        """Return ids that begin with `start`; see `IdBeginnings.ids_from`."""
        found: list[str] = []
        for table in _TABLES_OF.get(start.partition(":")[0], ()) if ":" in start and is_key(start) else ():
            params = {"table": table, "from": start, "to": start + _LAST, "limit": max(limit, 0)}
            result = await self._connection.run("look up ids", _IDS, params)
            found.extend(map(key_of, cast("list[object]", result)))
        return sorted(found)[: max(limit, 0)]

    async def scoped(self, *, limit: int) -> list[str]:
        """Return ids of rows that belong to a scope; see `IdBeginnings.scoped`."""
        found = await self._connection.run("look up scoped rows", _SCOPED, {"limit": max(limit, 0)})
        return [*map(key_of, cast("list[object]", found))]


_NOTED = "SELECT VALUE [id, recorded_at] FROM thoughts WHERE vouched = $state"


class SurrealNotedRows(ConnectedStore):
    """`NotedRows` over a connection; each state is looked up in an index."""

    async def noted(self, states: Collection[Vouch]) -> list[str]:
        """Return their ids; see `NotedRows.noted`."""
        found: dict[str, datetime] = {}
        for state in sorted(states):
            read = await self._connection.run("look up what programs noted", _NOTED, {"state": str(state)})
            found |= {row_id_of(each): decode_instant(at) for each, at in cast("list[tuple[object, object]]", read)}
        return sorted(found, key=lambda row_id: (found[row_id], row_id))

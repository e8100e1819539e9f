"""The pieces of SurrealQL that are not obvious, and the ids of records.

Law: every value is bound; what the language cannot bind (table names, ORDER BY) comes from the closed sets here and
never from a caller. No regex (ruling B1), no vector or text search (DESIGN 4), no LIVE, no client transaction: only
what every supported engine understands (ruling B20). Record ids are `RecordID` values, never strings (rulings B2, B3),
and do not come from the client library, which costs more to import than a command takes and is needed for servers only
(`remote`). A range of ids is a table and its ends, each bound.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, cast

from voice.core.errors import InvalidParams, StoreDamaged
from voice.core.records import PREFIX_OF_TABLE, TABLE_OF_PREFIX, Table


@dataclass(slots=True, unsafe_hash=True)
class RecordID:
    """A record's table and key; never changed after it is made, but not frozen, because a read makes two per row."""

    table_name: str
    id: str


META: Final = RecordID("meta", "store")
PAGE: Final = 500
"""Rows per statement where there is a choice; the client holds the interpreter while one runs."""

GRAPH_TABLES: Final = (Table.ENTITIES, Table.OBSERVATIONS, Table.RELATIONS)

RESTORING: Final = "restoring"
"""Thrown by a statement that is refused while a backup is restored into the store."""
NOT_RESTORING: Final = "IF (SELECT VALUE restoring FROM $meta) = [true] { THROW 'restoring' };"
"""Refuses a statement while any process fills the store from a backup (`backup`)."""

_MOVE_ON: Final = (
    " LET $bumped = (UPDATE $meta SET seq = $next WHERE seq = $last RETURN AFTER);"
    " IF array::len($bumped) = 0 { THROW 'seq_moved' };"
)
BUMP: Final = NOT_RESTORING + _MOVE_ON
"""Takes the numbers `$last + 1` to `$next` inside the write's own transaction, or throws: nobody sees a gap that a
slower writer fills later, on one machine or on a cluster (ruling H), and nobody writes into a half-restored store."""
STAND_STILL: Final = "IF (SELECT VALUE seq FROM $meta) != [$seq] { THROW 'seq_moved' };"
"""Refuses a statement that was decided on another last `seq` than the store's."""
MARK: Final = "UPSERT $mark.id CONTENT $mark RETURN NONE;"
"""Records which write took the numbers after `$last`, so that a lost answer can be looked up (`writer`)."""
REWRITE: Final = "FOR $each IN $rewritten { UPSERT $each.id CONTENT $each RETURN NONE };"
"""Replaces whole records. Deleting and inserting again inside one transaction works on disk, but the engine's in-memory
store then reports a duplicate id."""
FIRST: Final = " "
"""Sorts before every key of ours."""
BEHIND: Final = "FROM type::record($table, $after>..)"
"""Selects the records of a table after a key. A range of keys is read in place, so a page costs its own rows only: with
`WHERE id > $after` the engine reads the table from its start for each page, or walks an index over a list, which names
a record once per member."""
FOUND: Final = "WHERE id != NONE"
"""Ends a statement that reads some columns of bound records: for a missing one engine 3.0 answers NONE, 3.2 leaves it
out. An id is read in a pair, `[id, revision]`: engine 3.0 cannot read it as one of several columns."""


def block(*steps: str, result: str = "NONE") -> str:
    """Return the steps as one statement, which is one transaction."""
    return f"{{ {' '.join(steps)} RETURN {result}; }}"


def select_ids(*sources: str) -> str:
    """Return a statement that selects the ids of each source (`TABLE WHERE CONDITION`), one source after the other.

    Each is a selection of its own, because the engine uses no index for `a IN … OR b IN …`.
    """
    parts = [f"LET $part{at} = (SELECT VALUE id FROM {source});" for at, source in enumerate(sources)]  # noqa: S608 - sources of ours
    return block(*parts, result="array::concat(" + ", ".join(f"$part{at}" for at in range(len(sources))) + ")")


NAMING_ENTITIES: Final = select_ids(
    "kg_observations WHERE entity_ids CONTAINSANY $ids",
    "kg_relations WHERE source_id IN $ids",
    "kg_relations WHERE target_id IN $ids",
)
"""Selects the observations and relations that name any of the entities."""


def is_row_id(row_id: str) -> bool:
    """Return whether `row_id` could be the id of a stored row."""
    prefix, colon, key = row_id.partition(":")
    return prefix in TABLE_OF_PREFIX and bool(colon) and is_key(key)


def row_record(row_id: str) -> RecordID:
    """Return the record of a row: the table by the id's prefix, and the key after it.

    Raises:
        InvalidParams: it is not the id of a row.
    """
    if not is_row_id(row_id):
        raise InvalidParams("that is not the id of a memory row; ids look like t:…, e:…, o:… or r:…")
    prefix, _, key = row_id.partition(":")
    return RecordID(TABLE_OF_PREFIX[prefix], key)


def row_id_of(record: object) -> str:
    """Return the row id of a record.

    Raises:
        StoreDamaged: the record belongs to no table of rows.
    """
    if not isinstance(record, RecordID) or record.table_name not in set(Table):
        raise StoreDamaged("the store holds a row under an id that cannot be read; run `voice maintain verify`")
    return f"{PREFIX_OF_TABLE[Table(record.table_name)]}:{record.id}"


def record(table: str, key: str) -> RecordID:
    """Return the record of `table` whose key is a whole id of ours (stamps, vectors, sessions, …).

    Raises:
        InvalidParams: the id is empty or not valid Unicode.
    """
    if not is_key(key):
        raise InvalidParams("an id must be a non-empty text")
    return RecordID(table, key)


def records(table: str, keys: Iterable[str]) -> list[RecordID]:
    """Return the records of `table` with these keys."""
    return [record(table, key) for key in keys]


def key_of(found: object) -> str:
    """Return the key of a record: a whole id of ours, in tables other than those of rows."""
    return str(cast("RecordID", found).id)


def is_key(key: str) -> bool:
    """Return whether `key` can be a record's key: a non-empty text of valid Unicode."""
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return bool(key)

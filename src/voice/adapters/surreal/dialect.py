"""The few pieces of SurrealQL that are not obvious, in one place.

Law: every value is bound; what the language cannot bind (table names, ORDER BY) comes from the closed sets here and
never from a caller. No regex (ruling B1), no vector or text search (DESIGN 4), no LIVE, no client transaction: only
what every supported engine understands (ruling B20). Record ids are `RecordID` values, never strings (rulings B2, B3);
a range of them is a table and its ends, each bound.

The id of a record: its table and its key. Ids are values of this kind, never strings (rulings B2, B3), and nothing of
the client library's is loaded for them: the library costs more to import than a command takes, and only a server is
spoken to through it (`remote`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, cast

from voice.core.errors import InvalidParams, StoreDamaged
from voice.core.records import PREFIX_OF_TABLE, TABLE_OF_PREFIX, Table


@dataclass(slots=True, unsafe_hash=True)
class RecordID:
    """A record's table and key; never changed once it is made, but not frozen, because a read makes two per row."""

    table_name: str
    id: str


META: Final = RecordID("meta", "store")
PAGE: Final = 500
"""Rows read or written per statement where there is a choice; the client holds the interpreter meanwhile."""

GRAPH_TABLES: Final = (Table.ENTITIES, Table.OBSERVATIONS, Table.RELATIONS)

RESTORING: Final = "restoring"
"""What a statement throws that may not happen while a backup is restored into the store."""
NOT_RESTORING: Final = "IF (SELECT VALUE restoring FROM $meta) = [true] { THROW 'restoring' };"
"""Keeps a statement from happening while the store is filled from a backup, by whichever process (`filling`)."""

_MOVE_ON: Final = (
    " LET $bumped = (UPDATE $meta SET seq = $next WHERE seq = $last RETURN AFTER);"
    " IF array::len($bumped) = 0 { THROW 'seq_moved' };"
)
BUMP: Final = NOT_RESTORING + _MOVE_ON
"""Takes the numbers `$last + 1` to `$next` inside the write's own transaction, or throws: nobody ever sees a gap that
a slower writer fills later, on one machine or on a cluster (ruling H), and nobody writes into a half-restored store."""


STAND_STILL: Final = "IF (SELECT VALUE seq FROM $meta) != [$seq] { THROW 'seq_moved' };"
"""Keeps a statement from happening that was decided on a last `seq` which is another one by now."""


MARK: Final = "UPSERT $mark.id CONTENT $mark RETURN NONE;"
"""Leaves behind whose write took the numbers after `$last`, so that a lost answer can be looked up (`writer`)."""


REWRITE: Final = "FOR $each IN $rewritten { UPSERT $each.id CONTENT $each RETURN NONE };"
"""Replaces whole records. Deleting and inserting again inside one transaction works on disk, but the engine's in-memory
store then calls the id taken."""


FIRST: Final = " "
"""Sorts before every key of ours."""
BEHIND: Final = "FROM type::record($table, $after>..)"
"""Selects the records of a table behind a key. A range of keys is read where it lies, so a page costs itself: under
`WHERE id > $after` the engine reads the table from its beginning for each page, or walks an index over a list, which
names a record once per member."""


FOUND: Final = "WHERE id != NONE"
"""Ends a statement that reads some columns of bound records: engine 3.0 answers NONE for one that is not there, 3.2
leaves it out. An id is read in a pair, `[id, revision]`: as one of several columns 3.0 cannot read it there."""


def block(*steps: str, result: str = "NONE") -> str:
    """Return the steps as one statement, which is one transaction."""
    return f"{{ {' '.join(steps)} RETURN {result}; }}"


def is_row_id(row_id: str) -> bool:
    """Return whether `row_id` could be the id of a stored row."""
    prefix, colon, key = row_id.partition(":")
    return prefix in TABLE_OF_PREFIX and bool(colon) and is_key(key)


def row_record(row_id: str) -> RecordID:
    """Return the record of a row: its table by the prefix, and its key.

    Raises:
        InvalidParams: no row can have that id.
    """
    if not is_row_id(row_id):
        raise InvalidParams("that is not the id of a memory row; ids look like t:…, e:…, o:… or r:…")
    prefix, _, key = row_id.partition(":")
    return RecordID(TABLE_OF_PREFIX[prefix], key)


def row_id_of(record: object) -> str:
    """Return the row id of a record.

    Raises:
        StoreDamaged: the record is not of a table of rows.
    """
    if not isinstance(record, RecordID) or record.table_name not in set(Table):
        raise StoreDamaged("the store holds a row under an id that cannot be read; run `voice maintain verify`")
    return f"{PREFIX_OF_TABLE[Table(record.table_name)]}:{record.id}"


def record(table: str, key: str) -> RecordID:
    """Return the record of `table` that is keyed by a whole id of ours (stamps, vectors, sessions, …).

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
    """Return the whole id that a record is keyed by."""
    return str(cast("RecordID", found).id)


def is_key(key: str) -> bool:
    """Return whether a record can be keyed by `key`: a non-empty text of valid Unicode."""
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return bool(key)

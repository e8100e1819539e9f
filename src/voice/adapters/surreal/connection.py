"""A connection to a database and its errors; the pieces of SurrealQL that are not obvious, and ids of records.

Law: one call is one statement, one transaction and one result; the engine's multi-statement results are never used
(ruling B14). The engine's error texts may quote a row, so they stay here: a caller gets one of our errors, with at most
the kind of failure and a field's name. A block `{ …; THROW 'code'; }` that throws has no effect, and its code comes
back as `ThrownCode`.

Every value is bound; what the language cannot bind (table names, ORDER BY) comes from the closed sets here and never
from a caller. No regex (ruling B1), no vector or text search (DESIGN 4), no LIVE, no client transaction: only what
every supported engine understands (ruling B20). Record ids are `RecordID` values, never strings (rulings B2, B3), and
do not come from the client library, which costs more to import than a command takes and is needed for servers only
(`remote`). A range of ids is a table and its ends, each bound.
"""

import errno
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol, cast, runtime_checkable

from voice.adapters.disk.private_files import DiskFull
from voice.core.errors import (
    ConfigurationError,
    InvalidParams,
    OutcomeUnknown,
    StoreDamaged,
    StoreError,
    StoreHeld,
    StoreUnavailable,
    VoiceError,
)
from voice.core.messages import memory as messages
from voice.core.records import PREFIX_OF_TABLE, TABLE_OF_PREFIX, Table


@dataclass(slots=True, unsafe_hash=True)
class RecordID:
    """A record's table and key; never changed after it is made, but not frozen, because a read makes two per row."""

    table_name: str
    id: str


META: Final = RecordID("meta", "store")  # the one record of the store's own state
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
    """Return a statement that selects the ids of each source (`TABLE WHERE CONDITION`), one source after the other."""
    # Each is a selection of its own, because the engine uses no index for `a IN … OR b IN …`.
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
    """Return the record of a row: the table by the id's prefix, and the key after it. Raises InvalidParams: it is not
    the id of a row."""
    if not is_row_id(row_id):
        raise InvalidParams("that is not the id of a memory row; ids look like t:…, e:…, o:… or r:…")
    prefix, _, key = row_id.partition(":")
    return RecordID(TABLE_OF_PREFIX[prefix], key)


def row_id_of(record: object) -> str:
    """Return the row id of a record. Raises StoreDamaged: the record belongs to no table of rows."""
    if not isinstance(record, RecordID) or record.table_name not in set(Table):
        raise StoreDamaged("the store holds a row under an id that cannot be read; run `voice maintain verify`")
    return f"{PREFIX_OF_TABLE[Table(record.table_name)]}:{record.id}"


def record(table: str, key: str) -> RecordID:
    """Return the record of `table` whose key is a whole id of ours (stamps, vectors, sessions, …). Raises
    InvalidParams: the id is empty or not valid Unicode."""
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


Params = Mapping[str, object]

_REPEATS = 20
_FIELD = re.compile(r"field [`'](\w+)")  # takes "… field `created_at` …"; of an error only this name leaves the module
_PLACE = re.compile(r"'kind': '(?:Namespace|Database)'")
# The engine's answer on a connection that the SDK silently re-opened, on a server that admits anonymous users.
_NOWHERE = re.compile(r"'kind': '(?:Namespace|Database)Empty'")
_THROWN = "An error occurred: "
_FULL = "no space left on device"
# The engine's words for a truncated or altered file.
_TORN = ("failed to load manifest", "failed to fill whole buffer", "sstable error", "corrupt", "checksum")
# How the engine's errors about its files begin; its errors about a statement may quote a memory.
_FILE_TROUBLE = "There was a problem with "
# The same for counts and parallel reads, whose errors do not give the reason.
_UNREAD = re.compile(r"(?:An error occurred: )?Failed to (?:count|decode|deserialize|fetch|get|iterate|scan) ")
TORN = (
    "the store's files are torn and cannot be read; restore a backup into a new data directory with: "
    "voice --home DIRECTORY maintain restore-backup FILE"
)
_REFUSED = ("read-only file system", "permission denied", "operation not permitted")


class Connection(Protocol):
    """An open database."""

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        """Run one statement and return its result; `purpose` names it in errors ("write rows").

        Raises:
            ThrownCode: the statement threw one of our codes; it had no effect.
            BeingRestored: refused while a backup is restored; it had no effect.
            StoreUnavailable: the engine cannot be reached, the disk is full, or another writer came first.
            AnswerTooLong: the answer is longer than can be sent at once; ask for less.
            OutcomeUnknown: it writes, and its answer was lost or did not come in time.
            StoreError: the engine refused the statement; it had no effect.
        """
        ...

    async def aclose(self) -> None:
        """Release the database; safe to call twice."""
        ...


@runtime_checkable
class Watched(Protocol):
    """A connection that knows of every write to its engine."""

    @property
    def epoch(self) -> object | None:
        """The same object as long as no statement was run that may write; None where that is unknown."""
        ...


def epochs_of(connection: Connection) -> Callable[[], object | None]:
    """Return a function that gives the connection's epoch."""
    if not isinstance(connection, Watched):
        return lambda: None
    watched = connection
    return lambda: watched.epoch


class ThrownCode(StoreError):
    """A block threw one of our codes."""

    def __init__(self, thrown: str) -> None:
        super().__init__("the store did not carry out a write")
        self.thrown = thrown


class Unread(StoreDamaged):
    """The engine could not read its data and gives no reason; on this disk, the files are torn."""


class AnswerTooLong(StoreError):
    """The answer was read but is longer than can be sent at once."""


class BeingRestored(StoreUnavailable):
    """A backup is being restored into the store; no other write is accepted."""


class WriteConflict(StoreUnavailable):
    """Two transactions touched the same rows, and the engine kept the other."""


class SignedOut(StoreUnavailable):
    """A server dropped the connection and treated the next statement as anonymous."""


async def run_repeatable(connection: Connection, purpose: str, text: str, params: Params | None = None) -> object:
    """Run a statement that may safely run twice, again whenever its outcome is unknown. Raises OutcomeUnknown: it was
    unknown every time; StoreError: see `Connection.run`."""
    for _ in range(_REPEATS):
        with suppress(OutcomeUnknown):
            return await connection.run(purpose, text, params)
    return await connection.run(purpose, text, params)


def result_of(purpose: str, response: object) -> object:
    """Return the result of the one statement in a raw response. Raises ThrownCode, WriteConflict, SignedOut,
    StoreError: see `Connection.run`."""
    reply = require_no_error(purpose, response)
    results = cast("list[dict[str, object]]", reply.get("result") or [])
    if len(results) != 1:
        raise StoreError(f"the store gave {len(results)} answers when asked to {purpose}; one was expected")
    if results[0].get("status") != "OK":
        raise _failure(purpose, results[0], "result")
    return results[0].get("result")


def require_no_error(purpose: str, response: object) -> dict[str, object]:
    """Return the members of a raw response that is not itself an error. Raises ThrownCode, WriteConflict, SignedOut,
    StoreError: see `Connection.run`."""
    if not isinstance(response, dict):
        raise StoreError(f"the store gave no answer when asked to {purpose}")
    reply = cast("dict[str, object]", response)
    # The request as a whole failed; a statement that failed is a result whose status is not OK.
    if reply.get("error") is not None:
        raise _failure(purpose, cast("dict[str, object]", reply["error"]), "message")
    return reply


def _failure(purpose: str, failure: dict[str, object], member: str) -> VoiceError:
    kind, text, details = (str(failure.get(name) or "") for name in ("kind", member, "details"))
    # First, because some of these errors begin as thrown codes do.
    if _UNREAD.match(text):
        return Unread(TORN)
    if text.startswith(_FILE_TROUBLE) and _is_torn(text.lower()):
        return StoreDamaged(TORN)
    if kind == "Thrown" or text.startswith(_THROWN):  # an error without a kind is told by its words
        code = text.removeprefix(_THROWN)
        return being_restored(purpose) if code == RESTORING else ThrownCode(code)
    if "TransactionConflict" in details or "can be retried" in text:
        return WriteConflict(f"another writer was first when asked to {purpose}; try again")
    if kind == "NotFound" and _PLACE.search(details):
        return ConfigurationError(
            "the store server has no such namespace or database, and its user may not make it; "
            "check SURR_DB_NS and SURR_DB_DB"
        )
    if kind == "NotAllowed" or _NOWHERE.search(details):
        return SignedOut(f"the store server does not allow this connection to {purpose}")
    if _FULL in text.lower():  # within a statement; `unreachable` sees it when the engine itself fails
        return disk_full(purpose)
    field = _FIELD.search(text)
    detail = f", field {field[1]}" if field else ""
    return StoreError(f"the store refused to {purpose} ({kind or 'unknown'}{detail}); nothing of it was written")


def being_restored(purpose: str, users: str = "") -> BeingRestored:
    """Return the error of a store that a backup is being restored into; `users` says in words who uses it."""
    return BeingRestored(
        f"a backup is being restored into the store, so it did not {purpose}; try again when that is done, and if it "
        f"was broken off, {messages.restore_again(users)}"
    )


def disk_full(purpose: str) -> DiskFull:
    """Return the error of a store on a full disk."""
    return DiskFull(f"the disk is full, so the store could not {purpose}; free some space and try again")


def _is_torn(said: str) -> bool:
    return any(words in said for words in _TORN)


def unreachable(purpose: str, text: str) -> VoiceError:
    """Return the error for a failure of the engine itself, judged by its `text`, which is not passed on."""
    # The client gives one kind of error for all of these, so the words decide.
    said = text.lower()
    if "already locked" in said:
        return StoreHeld("another process holds this store")
    if _FULL in said or f"os error {errno.ENOSPC}" in said:
        return disk_full(purpose)
    if any(words in said for words in _REFUSED):
        return ConfigurationError("the store's directory cannot be written; choose another one with SURR_DB_URL")
    if "manifest format version" in said:
        return ConfigurationError("the store was made by another version of the engine; see docs/store.md")
    if _is_torn(said):
        return StoreDamaged(TORN)
    return StoreUnavailable(f"the store cannot be reached to {purpose}; try again")

"""The records of programs in other frameworks, in one SQLite file of the data directory.

Law: they are not rows of the memory: not searched, not cited, not exported, not backed up. The file is its owner's
alone (0600) and is made by the first write. A change is one transaction, on the disk when it returns; processes that
share the file wait for one another. Deleted data is overwritten.

Calls block: an event loop must make them in a worker thread.

Source: promises 3 and 6; ruling H.
"""

import os
import sqlite3
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from voice.adapters.disk.private_files import FILE_MODE, disk_errors
from voice.core.errors import StoreUnavailable
from voice.core.session.agent_records import AgentRecord, RecordKind

AGENTS_NAME: Final = "agents.sqlite"
RECORD_FILES: Final = (AGENTS_NAME, f"{AGENTS_NAME}-wal", f"{AGENTS_NAME}-shm")  # itself, journal, shared memory
_WAIT_S: Final = 30.0
_LAST: Final = "\U0010ffff"
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS record (
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, owner TEXT NOT NULL, name TEXT, value BLOB NOT NULL,
  made TEXT NOT NULL, changed TEXT NOT NULL, UNIQUE (kind, owner, name))
"""
_PRAGMAS: Final = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA secure_delete = ON")
_COLUMNS: Final = "id, kind, owner, name, value, made, changed"
_INSERT: Final = "INSERT INTO record (kind, owner, name, value, made, changed) VALUES (?, ?, ?, ?, ?, ?)"
_REPLACE: Final = " ON CONFLICT (kind, owner, name) DO UPDATE SET value = excluded.value, changed = excluded.changed"


@dataclass(frozen=True, slots=True)
class StartsWith:
    """All owners, or names, with this prefix."""

    prefix: str


Named = str | StartsWith | None  # one name, those with a prefix, or all


class Records:
    """The records, within one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def find(self, kind: RecordKind, owner: Named = None, name: Named = None, *, last: int = -1) -> list[AgentRecord]:
        """Return records sorted by name and then by age; only the `last` of them unless it is negative."""
        where, values = _where(kind, owner, name)
        query = f"SELECT {_COLUMNS} FROM record WHERE {where} ORDER BY name DESC, id DESC LIMIT ?"  # noqa: S608 - names of columns of ours; values are bound
        return [_record(row) for row in reversed(self._connection.execute(query, [*values, last]).fetchall())]

    def owners(self, kind: RecordKind) -> list[str]:
        """Return the owners of records of a kind, sorted."""
        query = "SELECT DISTINCT owner FROM record WHERE kind = ? ORDER BY owner"
        return [str(row[0]) for row in self._connection.execute(query, [kind.value])]

    def put(
        self, kind: RecordKind, owner: str, name: str | None, value: bytes, at: datetime, *, over: bool = True
    ) -> None:
        """Write a record; one of that name gets the new value, or stays as it is without `over`."""
        when = at.isoformat()
        ending = _REPLACE if over else " ON CONFLICT DO NOTHING"
        self._connection.execute(_INSERT + ending, [kind.value, owner, name, value, when, when])

    def replace(self, record: AgentRecord) -> None:
        """Replace the value of an existing record."""
        self._connection.execute("UPDATE record SET value = ? WHERE id = ?", [record.value, record.id])

    def remove(self, kind: RecordKind, owner: Named = None, name: Named = None) -> int:
        """Remove records and return their number."""
        where, values = _where(kind, owner, name)
        return self._connection.execute(f"DELETE FROM record WHERE {where}", values).rowcount  # noqa: S608 - names of columns of ours; values are bound

    def remove_ids(self, ids: Iterable[int]) -> None:
        """Remove the records with these ids."""
        self._connection.executemany("DELETE FROM record WHERE id = ?", [[each] for each in ids])


class RecordFile:
    """The file of records; the first call opens it."""

    def __init__(self, home: Path) -> None:
        self.path = home / AGENTS_NAME
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @property
    def is_there(self) -> bool:
        """Whether the file exists."""
        return self.path.exists()

    @contextmanager
    def transaction(self) -> Generator[Records]:
        """Yield the records; changes are on the disk when the block ends, and undone if it raises. Raises
        StoreUnavailable, ConfigurationError: the file cannot be read or written; nothing was changed."""
        with self._lock:
            try:
                connection = self._open()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield Records(connection)
                    connection.execute("COMMIT")
                finally:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
            except sqlite3.Error as error:
                raise StoreUnavailable(
                    f"{self.path} cannot be used ({type(error).__name__}); nothing was changed. If its disk has room "
                    "and no program holds it, it is damaged: move it away, and a new one is made"
                ) from None

    def erase(self) -> None:
        """Remove from the file's journal what was removed from the file."""
        with self._lock:
            self._open().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            with disk_errors(self.path):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, FILE_MODE))
            connection = sqlite3.connect(self.path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
            try:
                for statement in (*_PRAGMAS, _TABLE):
                    connection.execute(statement)
            except sqlite3.Error:
                connection.close()
                raise
            self._connection = connection
        return self._connection


def _where(kind: RecordKind, owner: Named, name: Named) -> tuple[str, list[str]]:
    parts, values = ["kind = ?"], [kind.value]
    for column, wanted in (("owner", owner), ("name", name)):
        if isinstance(wanted, StartsWith):
            parts.append(f"{column} >= ? AND {column} < ?")
            values += [wanted.prefix, wanted.prefix + _LAST]
        elif wanted is not None:
            parts.append(f"{column} = ?")
            values.append(wanted)
    return " AND ".join(parts), values


def _record(row: tuple[int, str, str, str | None, bytes, str, str]) -> AgentRecord:
    number, kind, owner, name, value, made, changed = row
    return AgentRecord(
        id=number, kind=RecordKind(kind), owner=owner, name=name, value=value, made=made, changed=changed
    )

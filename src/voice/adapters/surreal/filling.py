"""Filling an empty store from a backup's entries, numbers and all.

Law: rows keep their `seq` and revision, so that what was derived from them elsewhere can be compared. What a tombstone
of this store names stays away, and the tombstone follows the backup's last number, so that every index learns of it.
While the store is being filled it is marked: a marked store is not opened (`opening`), and who has it open already
writes nothing into it (`dialect.NOT_RESTORING`), though a call that cost nothing is still taken off the record
(`open_calls`). It is looked whether it is empty in the transaction that marks it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, cast

from voice.adapters.disk.backup_file import Entry, Header
from voice.adapters.disk.values_json import Metric
from voice.adapters.surreal.candidate_codec import CANDIDATE_TABLES, TABLE_OF_KIND, encode_candidate
from voice.adapters.surreal.codec import (
    Record,
    Stamp,
    decode_stamp,
    embedding_of,
    encode_row,
    encode_stamp,
    encode_tombstone,
    encode_vector,
)
from voice.adapters.surreal.conflict_log import CONFLICTS, encode_conflict
from voice.adapters.surreal.connection import Connection, Thrown, run_repeatable
from voice.adapters.surreal.dialect import META, NOT_RESTORING, REWRITE, STAND_STILL, block
from voice.adapters.surreal.ledger import shipped
from voice.adapters.surreal.merge_log import MERGES, encode_merge
from voice.adapters.surreal.recall_codec import encode_capsule, encode_pin
from voice.adapters.surreal.recognition import Recognising
from voice.adapters.surreal.session_codec import encode_exchange, encode_metric, encode_session, encode_summary
from voice.adapters.surreal.spending import CHARGE, charges_of
from voice.core.errors import StoreError, StoreUnavailable
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.core.graph.entities.merge import Merge
from voice.core.graph.review.candidates import Candidate
from voice.core.recall.values import Capsule, Pin
from voice.core.records import Row, Table, Tombstone, VectorRow, table_of
from voice.core.session.values import DialogueExchange, InnerVoiceSession

_HELD = (
    *(str(table) for table in Table),
    "vectors",
    "sessions",
    "exchanges",
    "pins",
    "capsules",
    *CANDIDATE_TABLES,
    MERGES,
    CONFLICTS,
)
_EMPTY = (
    *(f"LET $n_{table} = (SELECT VALUE id FROM {table} LIMIT 1);" for table in _HELD),  # noqa: S608 - tables of ours
    "IF " + " + ".join(f"array::len($n_{table})" for table in _HELD) + " != 0 { THROW 'not_empty' };",
)
_BEGIN = block(
    NOT_RESTORING,
    *_EMPTY,
    STAND_STILL,
    "UPDATE $meta SET restoring = true;",
    "UPDATE stamps SET seq = -seq;",
    REWRITE,
)
"""The old numbers make way first, so that no new one meets one of them."""
_END = block("UPDATE $meta SET restoring = NONE, unplaced = true, seq = $seq WHERE restoring = true;")
"""Sets whole values, and only while the mark stands: carried out again, when others write already, it does nothing."""


_UNDATED: Final = "016_undated"
"""The step that rewrites rows; those of a backup from before it are rewritten as well."""


class Filling:
    """One restore into one empty store."""

    def __init__(self, connection: Connection, header: Header) -> None:
        self._connection = connection
        self._last_seq = header.last_seq
        self._steps = frozenset(name for name, _ in header.schema)
        self._gone: frozenset[str] = frozenset()

    async def begin(self, last_seq: int) -> None:
        """Mark the store as unfinished and move its own tombstones behind the backup's last number.

        Args:
            last_seq: the store's last number; if it is another one by now, nothing happens.

        Raises:
            StoreError: the store holds rows, sessions, exchanges, pins, capsules, candidates or merges.
            StoreUnavailable: another process writes into it, or restores.
        """
        found = await self._connection.run("read tombstones", "SELECT * FROM stamps ORDER BY seq")
        kept = [decode_stamp(each) for each in cast("list[Record]", found)]
        moved = [replace(stamp, seq=self._last_seq + place) for place, stamp in enumerate(kept, start=1)]
        self._gone = frozenset(stamp.row_id for stamp in kept)
        self._last_seq += len(kept)
        stamps = [encode_stamp(stamp) for stamp in moved]
        try:
            await self._connection.run("begin to restore", _BEGIN, {"meta": META, "seq": last_seq, "rewritten": stamps})
        except Thrown as error:
            if error.thrown == "seq_moved":
                raise StoreUnavailable("the store was written by another process meanwhile; try again") from None
            raise StoreError("the store is not empty; restore into a fresh data directory") from None
        if isinstance(self._connection, Recognising):
            await self._connection.recognise(restores=True)

    async def add(self, entries: Sequence[Entry]) -> None:
        """Write some entries in one transaction."""
        written: dict[str, list[Record]] = {}
        for entry in entries:
            for table, record in self._records(entry):
                written.setdefault(table, []).append(record)
        if written:
            steps = (f"INSERT INTO {table} ${table} RETURN NONE;" for table in written)
            charges = charges_of(entry for entry in entries if isinstance(entry, DialogueExchange))
            summed = (CHARGE,) if charges else ()
            await self._connection.run("restore rows", block(*steps, *summed), {**written, "charges": charges})

    async def end(self) -> None:
        """Take the mark away; again where the answer is lost, so that a whole store is not taken for a broken one.

        Raises:
            OutcomeUnknown: the answer was lost every time.
            StoreUnavailable: the store cannot be reached any more; when it is opened, it tells whether it is whole.
        """
        for step in shipped():
            if step.name == _UNDATED and step.name not in self._steps:
                await run_repeatable(self._connection, "take away dates that nobody told", block(step.text), {})
        await run_repeatable(self._connection, "finish to restore", _END, {"meta": META, "seq": self._last_seq})
        if isinstance(self._connection, Recognising):
            await self._connection.recognise()

    def _records(self, entry: Entry) -> Iterable[tuple[str, Record]]:
        if isinstance(entry, VectorRow):
            return [] if entry.row_id in self._gone else [("vectors", encode_vector(entry))]
        if isinstance(entry, Tombstone):
            return [] if entry.row_id in self._gone else _tombstone(entry)
        if isinstance(entry, Row):
            return [] if entry.id in self._gone else _row(entry)
        if isinstance(entry, InnerVoiceSession):
            return _session(entry)
        return [_beside_rows(entry)]


def _beside_rows(
    entry: DialogueExchange | Metric | Pin | Capsule | Candidate | Merge | ConflictRecord,
) -> tuple[str, Record]:
    match entry:
        case DialogueExchange():
            return "exchanges", encode_exchange(entry, entry.seq)
        case Metric():
            return "metrics", encode_metric(entry)
        case Pin():
            return "pins", encode_pin(entry, entry.seq)
        case Capsule():
            return "capsules", encode_capsule(entry, entry.seq)
        case Candidate():
            return TABLE_OF_KIND[entry.kind], encode_candidate(entry, entry.seq)
        case Merge():
            return MERGES, encode_merge(entry)
        case ConflictRecord():
            return CONFLICTS, encode_conflict(entry)


def _session(session: InnerVoiceSession) -> list[tuple[str, Record]]:
    summary = encode_summary(session)
    digest = [("summaries", summary)] if summary else []
    return [("sessions", encode_session(session, session.seq)), *digest]


def _tombstone(tombstone: Tombstone) -> list[tuple[str, Record]]:
    stamp = Stamp(row_id=tombstone.row_id, seq=tombstone.seq, revision=0, embedding="gone")
    return [("tombstones", encode_tombstone(tombstone)), ("stamps", encode_stamp(stamp))]


def _row(row: Row) -> list[tuple[str, Record]]:
    stamp = Stamp(
        row_id=row.id,
        seq=row.seq,
        revision=row.revision,
        embedding=embedding_of(row.embedding_status),
        scoped=not row.scope.is_empty,
    )
    return [(str(table_of(row.id)), encode_row(row)), ("stamps", encode_stamp(stamp))]

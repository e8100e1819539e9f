"""Back up, verify and restore a whole store; implements `StoreMaintenance`.

Law: the engine silently drops what follows a flipped byte, so a store is only as safe as its last backup that was read
again (ruling H). A backup is of one moment: no write happens meanwhile. While a store is filled from one, no process
writes anything else into it. Files are read and written on threads other than the event loop's.

A restore fills an empty store with a backup's entries and their numbers. Rows keep their `seq` and revision, so that
data derived from them elsewhere can be compared. A row that has a tombstone in this store stays away, and the tombstone
gets a number after the backup's last, so that every index learns of it. A store is marked while it is filled: it is not
opened (`opening`), and a process that has it open writes nothing into it (`connection.NOT_RESTORING`), except that it
still deletes the record of a call that cost nothing (`spending`). The transaction that sets the mark checks that the
store is empty.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, cast

from voice.adapters.disk.backup_file import BackupWriter, Entry, Header, batches, check_backup, read_entries, report_of
from voice.adapters.disk.private_files import open_to_read, replacing
from voice.adapters.disk.values_json import Metric
from voice.adapters.surreal.codec import (
    Record,
    Stamp,
    decode_stamp,
    embedding_of,
    encode_row,
    encode_stamp,
    encode_tombstone,
    encode_vector,
    stamp_of,
)
from voice.adapters.surreal.connection import (
    META,
    NOT_RESTORING,
    PAGE,
    REWRITE,
    STAND_STILL,
    Connection,
    ThrownCode,
    block,
    run_repeatable,
)
from voice.adapters.surreal.schema import IdentifiedConnection, shipped, taken
from voice.adapters.surreal.stores.candidates import TABLE_OF_KIND, encode_candidate
from voice.adapters.surreal.stores.decision_logs import CONFLICTS, MERGES, encode_conflict, encode_merge
from voice.adapters.surreal.stores.recall import encode_capsule, encode_pin
from voice.adapters.surreal.stores.session_codec import encode_exchange, encode_metric, encode_session, encode_summary
from voice.adapters.surreal.stores.spending import CHARGE, charges_of, recount
from voice.adapters.surreal.verification import TABLES, census, count, dump, find_faults
from voice.adapters.surreal.writer import WritingStore
from voice.core.errors import DataFileError, InvalidParams, StoreUnavailable
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.core.graph.entities.merge import Merge
from voice.core.graph.review.candidates import Candidate
from voice.core.messages import memory as messages
from voice.core.recall.values import Capsule, Pin
from voice.core.records import Row, Tombstone, VectorRow, table_of
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.ports.stores import BackupReport


class SurrealMaintenance(WritingStore):
    """`StoreMaintenance` over a connection."""

    async def backup(self, path: str) -> BackupReport:
        """Write everything to one file, which is read again before it has its name; see `StoreMaintenance.backup`.
        Raises StoreUnavailable: the disk is full, or another process wrote meanwhile; ConfigurationError: the file's
        directory cannot be written; StoreDamaged: a record cannot be read."""
        return await self._writer.exclusively("back up", partial(self._write, Path(path)))

    async def verify(self, progress: Callable[[int, int], None] | None = None) -> list[str]:
        """Return a sentence for each fault; see `StoreMaintenance.verify`."""
        check = partial(find_faults, self._connection, progress=progress)
        return await self._writer.exclusively("verify", check)

    async def recount(self, *, mend: bool = False, progress: Callable[[int, int], None] | None = None) -> list[str]:
        """Count again what was spent; see `StoreMaintenance.recount`."""
        if progress is None:
            return await recount(self._connection, self._writer, mend=mend)
        total = await count(self._connection, "exchanges")
        return await recount(self._connection, self._writer, mend=mend, tell=lambda done: progress(done, total))

    async def restore(self, path: str) -> BackupReport:
        """Fill this empty store from a backup file; see `StoreMaintenance.restore`."""
        place = Path(path)
        # Others may write as soon as it is filled, so unlike in `exclusively` the number may have advanced afterwards.
        async with self._writer.undisturbed() as last_seq:
            with ExitStack() as stack:  # one open file: what is restored is what was checked
                file = await asyncio.to_thread(stack.enter_context, open_to_read(place))
                # All of it is read first: a damaged file writes nothing.
                header = await asyncio.to_thread(check_backup, file, path)
                await self._check_schema(header, path)
                report = await asyncio.to_thread(report_of, place, file, header)
                await self._fill(file, path, header, last_seq)
        return report

    async def _write(self, path: Path, last_seq: int) -> BackupReport:
        header = Header(
            store_id=await self._writer.store_id(),
            last_seq=last_seq,
            schema=tuple(await taken(self._connection)),
            counts=await census(self._connection),
        )
        stack = ExitStack()
        try:
            file = await asyncio.to_thread(stack.enter_context, replacing(path))
            writer = await asyncio.to_thread(BackupWriter, file, header)
            async for entries in dump(self._connection):
                await asyncio.to_thread(writer.add, entries)
            await asyncio.to_thread(writer.finish)
            await asyncio.to_thread(check_backup, file, path.name)  # read again, before the file gets its name
            report = await asyncio.to_thread(report_of, path, file, header)
        except BaseException as error:
            # Shielded, so that a cancelled backup still deletes its unfinished file.
            await asyncio.shield(asyncio.to_thread(stack.__exit__, type(error), error, error.__traceback__))
            raise
        await asyncio.to_thread(stack.close)  # gives the file its name
        return report

    async def _check_schema(self, header: Header, name: str) -> None:
        known = {step for step, _ in await taken(self._connection)}
        if any(step not in known for step, _ in header.schema):
            raise DataFileError(f"{name} comes from a newer version of voice; restore it with that version")

    async def _fill(self, file: BinaryIO, name: str, header: Header, last_seq: int) -> None:
        filling = StoreRestore(self._connection, header)
        await filling.begin(last_seq)
        groups = batches(read_entries(file, name), PAGE)
        while group := await asyncio.to_thread(next, groups, None):
            await filling.add(group)
        await filling.end()


_FILLED = tuple(table for table in TABLES if table not in ("tombstones", "metrics"))
_EMPTY = (
    # One record of each is enough: a count would read every table.
    *(f"LET $n_{table} = (SELECT VALUE id FROM {table} LIMIT 1);" for table in _FILLED),  # noqa: S608 - tables of ours
    "IF " + " + ".join(f"array::len($n_{table})" for table in _FILLED) + " != 0 { THROW 'not_empty' };",
)
# The old numbers are moved out of the way first, so that no new one equals one of them.
_BEGIN = block(
    NOT_RESTORING, *_EMPTY, STAND_STILL, "UPDATE $meta SET restoring = true;", "UPDATE stamps SET seq = -seq;", REWRITE
)
# Sets absolute values, and only while the mark is set: repeated after others have written, it does nothing.
_END = block("UPDATE $meta SET restoring = NONE, unplaced = true, seq = $seq WHERE restoring = true;")


# The step that rewrites rows; those of a backup from before it must be rewritten after the restore.
_UNDATED: Final = "016_undated"


class StoreRestore:
    """One restore into an empty store."""

    def __init__(self, connection: Connection, header: Header) -> None:
        self._connection = connection
        self._last_seq = header.last_seq
        self._steps = frozenset(name for name, _ in header.schema)
        self._gone: frozenset[str] = frozenset()

    async def begin(self, last_seq: int) -> None:
        """Mark the store as unfinished and move its own tombstones after the backup's last number, unless its last
        number is not `last_seq`. Raises InvalidParams: the store is not empty; StoreUnavailable: another process writes
        into it, or restores."""
        found = await self._connection.run("read tombstones", "SELECT * FROM stamps ORDER BY seq")
        kept = [decode_stamp(each) for each in cast("list[Record]", found)]
        moved = [replace(stamp, seq=self._last_seq + place) for place, stamp in enumerate(kept, start=1)]
        self._gone = frozenset(stamp.row_id for stamp in kept)
        self._last_seq += len(kept)
        stamps = [encode_stamp(stamp) for stamp in moved]
        try:
            await self._connection.run("begin to restore", _BEGIN, {"meta": META, "seq": last_seq, "rewritten": stamps})
        except ThrownCode as error:
            if error.thrown == "seq_moved":  # `STAND_STILL`; the only other code is `not_empty`
                raise StoreUnavailable("another process wrote to the store meanwhile; try again") from None
            raise InvalidParams(messages.STORE_NOT_EMPTY) from None
        if isinstance(self._connection, IdentifiedConnection):
            await self._connection.recognise(restores=True)

    async def add(self, entries: Sequence[Entry]) -> None:
        """Write some entries in one transaction."""
        written: dict[str, list[Record]] = {}
        for entry in entries:
            for table, record in self._records(entry):
                written.setdefault(table, []).append(record)
        if written:
            # Without `BUMP`: entries keep the backup's numbers, and from `_BEGIN` on it would refuse every write.
            steps = (f"INSERT INTO {table} ${table} RETURN NONE;" for table in written)
            # A backup holds no sums, so what its turns cost is summed again.
            charges = charges_of(entry for entry in entries if isinstance(entry, DialogueExchange))
            summed = (CHARGE,) if charges else ()
            await self._connection.run("restore rows", block(*steps, *summed), {**written, "charges": charges})

    async def end(self) -> None:
        """Remove the mark, repeatedly if the answer is lost, so that a complete store does not count as unfinished.
        Raises OutcomeUnknown: the answer was lost every time; StoreUnavailable: the store cannot be reached any more;
        opening it tells whether the mark was removed."""
        for step in shipped():
            if step.name == _UNDATED and step.name not in self._steps:
                await run_repeatable(self._connection, "take away dates that nobody told", block(step.text), {})
        await run_repeatable(self._connection, "finish to restore", _END, {"meta": META, "seq": self._last_seq})
        if isinstance(self._connection, IdentifiedConnection):
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
        return [_other_record(entry)]


def _other_record(
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
    # Stamps are not in the backup: they are made from the rows.
    stamp = stamp_of(row, row.seq, embedding_of(row.embedding_status))
    return [(str(table_of(row.id)), encode_row(row)), ("stamps", encode_stamp(stamp))]

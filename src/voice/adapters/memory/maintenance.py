"""Backup and restore of an in-memory store, in the same file format; implements `StoreMaintenance`."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from voice.adapters.disk.backup_file import (
    BackupWriter,
    Entry,
    Header,
    check_backup,
    count_by_kind,
    read_entries,
    report_of,
)
from voice.adapters.disk.private_files import open_to_read, replacing
from voice.adapters.disk.values_json import Metric
from voice.adapters.memory.state import State, Tables
from voice.core.errors import StoreError
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.core.graph.entities.merge import Merge
from voice.core.graph.review.candidates import Candidate
from voice.core.recall.values import Capsule, Pin
from voice.core.records import EmbeddingStatus, Tombstone, VectorRow
from voice.core.session.lifecycle import SessionTally, lineage_faults
from voice.core.session.turn_stubs import stub_faults
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.ports.stores import BackupReport


class TransientMaintenance:
    """`StoreMaintenance` in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def backup(self, path: str) -> BackupReport:
        """Write everything to one file; see `StoreMaintenance.backup`."""
        return await asyncio.to_thread(_write, Path(path), self._tables.now)

    async def verify(self, progress: Callable[[int, int], None] | None = None) -> list[str]:  # noqa: ARG002 - at once
        """Return a sentence per fault found; see `StoreMaintenance.verify`."""
        now = self._tables.now
        ready = {row.id for row in now.rows.values() if row.embedding_status is EmbeddingStatus.READY}
        found = [f"{row_id}: its vector and its state do not agree" for row_id in sorted(ready ^ set(now.vectors))]
        tallies = {session_id: SessionTally() for session_id in now.sessions}
        for exchange in now.exchanges.values():
            if exchange.deleted:
                found.extend(stub_faults(exchange))
            else:
                tallies[exchange.session_id].add(exchange)
        turns = {session.id: session.total_exchanges for session in now.sessions.values()}
        for session_id in sorted(tallies):
            session = now.sessions[session_id]
            found.extend([*tallies[session_id].faults(session), *lineage_faults(session, turns)])
        return found

    async def recount(
        self,
        *,
        mend: bool = False,  # noqa: ARG002 - there is nothing to mend
        progress: Callable[[int, int], None] | None = None,  # noqa: ARG002 - at once
    ) -> list[str]:
        """Return nothing: every sum is counted when it is asked for; see `StoreMaintenance.recount`."""
        return []

    async def restore(self, path: str) -> BackupReport:
        """Fill this empty store from a backup file; see `StoreMaintenance.restore`."""
        now = self._tables.now
        beside = (now.pins, now.capsules, now.candidates, now.merges, now.conflicts)
        if any((now.rows, now.sessions, now.exchanges, *beside)):
            raise StoreError("the store is not empty; restore into a fresh data directory")
        filled, report = await asyncio.to_thread(_read, Path(path), now)
        self._tables.now = filled
        return report


def _entries(now: State) -> Iterator[Entry]:
    yield from sorted(now.rows.values(), key=lambda row: row.seq)
    yield from now.vectors.values()
    yield from now.tombstones.values()
    yield from now.sessions.values()
    yield from now.exchanges.values()
    yield from now.metrics
    yield from now.pins.values()
    yield from now.capsules.values()
    yield from now.candidates.values()
    yield from now.merges.values()
    yield from now.conflicts.values()


def _write(path: Path, now: State) -> BackupReport:
    header = Header(store_id=now.store_id, last_seq=now.seq, schema=(), counts=count_by_kind(_entries(now)))
    with replacing(path) as file:
        writer = BackupWriter(file, header)
        writer.add(_entries(now))
        writer.finish()
        check_backup(file, path.name)
        return report_of(path, file, header)


def _read(path: Path, now: State) -> tuple[State, BackupReport]:
    with open_to_read(path) as file:
        header = check_backup(file, str(path))
        filled = State(store_id=now.store_id, seq=header.last_seq)
        for entry in read_entries(file, str(path)):
            _put(filled, entry)
        report = report_of(path, file, header)
    for tombstone in sorted(now.tombstones.values(), key=lambda tombstone: tombstone.seq):
        filled.rows.pop(tombstone.row_id, None)
        filled.vectors.pop(tombstone.row_id, None)
        filled.tombstones[tombstone.row_id] = replace(tombstone, seq=filled.next_seq())
    return filled, report


def _put(filled: State, entry: Entry) -> None:
    if isinstance(entry, VectorRow):
        filled.vectors[entry.row_id] = entry
    elif isinstance(entry, Tombstone):
        filled.tombstones[entry.row_id] = entry
    elif isinstance(entry, InnerVoiceSession):
        filled.sessions[entry.id] = entry
    elif isinstance(entry, DialogueExchange):
        filled.exchanges[entry.id] = entry
    elif isinstance(entry, Metric):
        filled.metrics.append(entry)
    elif isinstance(entry, Pin | Capsule | Candidate | Merge | ConflictRecord):
        _put_beside_rows(filled, entry)
    else:
        filled.rows[entry.id] = entry


def _put_beside_rows(filled: State, entry: Pin | Capsule | Candidate | Merge | ConflictRecord) -> None:
    match entry:
        case Pin():
            filled.pins[entry.id] = entry
        case Capsule():
            filled.capsules[entry.id] = entry
        case Candidate():
            filled.candidates[entry.id] = entry
        case Merge():
            filled.merges[entry.id] = entry
        case ConflictRecord():
            filled.conflicts[entry.id] = entry

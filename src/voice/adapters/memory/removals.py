"""Removal of rows, sessions and words of turns, backup and restore, in memory."""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
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
from voice.adapters.disk.values_json import Metric, from_json, row_from_json, row_to_json, to_json
from voice.adapters.memory.rows import State, TransientStore
from voice.adapters.memory.sessions import list_item, newest_first
from voice.core.errors import InvalidParams, SessionConflict, UnknownId
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.core.graph.entities.merge import Merge
from voice.core.graph.review.candidates import Candidate
from voice.core.graph.row_display import named_by
from voice.core.messages import memory as messages
from voice.core.recall.values import Capsule, Pin, summary_id
from voice.core.records import (
    EmbeddingStatus,
    Observation,
    Relation,
    Row,
    RowStatus,
    Thought,
    Tombstone,
    VectorRow,
    table_of,
)
from voice.core.session.lifecycle import SessionTally, lineage_faults
from voice.core.session.turn_traces import stub_faults, turn_stub
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.vouch import Vouch
from voice.ports.stores import BackupReport, SessionListItem


class TransientRemovedRows(TransientStore):
    """`RemovedRows` and `RestingRows` in memory."""

    async def marked(self) -> list[Thought]:
        """Return the thoughts that are marked; see `RemovedRows.marked`."""
        rows = self._tables.now.rows.values()
        found = [row for row in rows if isinstance(row, Thought) and row.status is RowStatus.REMOVAL]
        return sorted(found, key=lambda row: (row.removal_marked_at or datetime.min.replace(tzinfo=UTC), row.id))

    async def vectors_of(self, row_ids: Sequence[str]) -> dict[str, VectorRow]:
        """Return the vectors that exist; see `RemovedRows.vectors_of`."""
        vectors = self._tables.now.vectors
        return {row_id: vectors[row_id] for row_id in row_ids if row_id in vectors}

    async def resting_on(self, thought_ids: Sequence[str]) -> list[Row]:
        """Return the rows that rest on thoughts; see `RestingRows.resting_on`."""
        asked = set(thought_ids)
        return [row for row in self._tables.sorted_rows() if asked.intersection(_thoughts_behind(row))]

    async def naming(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return the rows that name entities; see `RestingRows.naming`."""
        asked = set(entity_ids)
        rows = (row for row in self._tables.sorted_rows() if isinstance(row, Observation | Relation))
        return [row for row in rows if asked.intersection(named_by(row))]

    async def finalise(self, tombstones: Sequence[Tombstone], revisions: Mapping[str, int]) -> None:
        """Remove rows; see `RemovedRows.finalise`."""
        with self._tables.transaction() as draft:
            for stone in tombstones:
                row = draft.rows.pop(stone.row_id, None)
                if row is None or row.revision != revisions[stone.row_id]:
                    raise InvalidParams(f"{stone.row_id} was changed or removed meanwhile; look again")
                draft.vectors.pop(stone.row_id, None)
                draft.tombstones[stone.row_id] = replace(stone, seq=draft.next_seq())

    async def bring_back(self, rows: Sequence[Row], vectors: Sequence[VectorRow]) -> None:
        """Bring rows back; see `RemovedRows.bring_back`."""
        new_vectors = {vector.row_id: vector for vector in vectors}
        with self._tables.transaction() as draft:
            for row in rows:
                stone = draft.tombstones.pop(row.id, None)
                if row.id in draft.rows:
                    raise InvalidParams(f"{row.id} already exists")
                if stone is not None and stone.reason != "finalised":
                    raise InvalidParams("you forgot one of the rows, so voice does not restore it")
                state = EmbeddingStatus.READY if row.id in new_vectors else EmbeddingStatus.PENDING
                plain = row_from_json(table_of(row.id), row_to_json(row))
                draft.rows[row.id] = replace(plain, seq=draft.next_seq(), embedding_status=state)
            draft.vectors |= new_vectors


def _thoughts_behind(row: Row) -> tuple[str, ...]:
    return row.summary_of if isinstance(row, Thought) else tuple(span.thought_id for span in row.provenance)


class TransientSessionRemoval(TransientStore):
    """`SessionRemoval` in memory."""

    async def forks(self, session_id: str) -> list[SessionListItem]:
        """Return the sessions that share its turns; see `SessionRemoval.forks`."""
        found = [
            each
            for each in self._tables.now.sessions.values()
            if session_id in {point.session_id for point in each.lineage}
        ]
        return [list_item(each) for each in newest_first(found)]

    async def delete(self, revisions: Mapping[str, int]) -> int:
        """Delete sessions with their turns' words; see `SessionRemoval.delete`."""
        with self._tables.transaction() as draft:
            stored = {each: draft.sessions[each].revision for each in revisions if each in draft.sessions}
            if stored != dict(revisions):
                raise SessionConflict("a session was changed or deleted meanwhile; nothing was deleted")
            for session_id in revisions:
                del draft.sessions[session_id]
            shared = {point.session_id for each in draft.sessions.values() for point in each.lineage}
            if shared.intersection(revisions):
                raise SessionConflict("one of them was forked meanwhile; nothing was deleted")
            turns = [each for each in draft.exchanges.values() if each.session_id in revisions]
            draft.exchanges |= {each.id: turn_stub(each) for each in turns}
            pinned = {summary_id(session_id) for session_id in revisions}
            draft.pins = {each.id: each for each in draft.pins.values() if each.target_id not in pinned}
        return len(turns)


class TransientExchangeWords(TransientStore):
    """`ExchangeWords` in memory."""

    async def take_away(self, exchanges: Sequence[DialogueExchange]) -> None:
        """Replace stored turns by the same without words; see `ExchangeWords.take_away`."""
        with self._tables.transaction() as draft:
            for bare in exchanges:
                stored = draft.exchanges.get(bare.id)
                if stored is None:
                    raise UnknownId(f"{bare.id} is not stored")
                is_same = (stored.session_id, stored.index, stored.link) == (bare.session_id, bare.index, bare.link)
                if not is_same or stored.deleted:
                    raise SessionConflict(f"{bare.id} was changed meanwhile; nothing was deleted")
                copy = from_json(DialogueExchange, to_json(DialogueExchange, bare))
                draft.exchanges[bare.id] = replace(copy, seq=stored.seq)


class TransientNotedRows(TransientStore):
    """`NotedRows` in memory."""

    async def noted(self, states: Collection[Vouch]) -> list[str]:
        """Return their ids; see `NotedRows.noted`."""
        rows = self._tables.now.rows
        return sorted(
            row_id for row_id, row in rows.items() if isinstance(row, Thought) and row.vouched in frozenset(states)
        )


class TransientTornRows(TransientStore):
    """`TornRows` in memory."""

    async def torn(self) -> list[str]:
        """Return the ids of rows whose thoughts were never stored; see `TornRows.torn`."""
        now = self._tables.now
        known = now.rows.keys() | now.tombstones.keys()
        derived = (row for row in now.rows.values() if not isinstance(row, Thought) and row.provenance)
        return sorted(row.id for row in derived if not any(span.thought_id in known for span in row.provenance))

    async def take_back(self, revisions: Mapping[str, int]) -> None:
        """Remove rows; see `TornRows.take_back`."""
        with self._tables.transaction() as draft:
            for row_id, revision in revisions.items():
                row = draft.rows.pop(row_id, None)
                if row is None or row.revision != revision:
                    raise InvalidParams(f"{row_id} was changed or removed meanwhile; look again")
                draft.vectors.pop(row_id, None)


class TransientMaintenance(TransientStore):
    """`StoreMaintenance` in memory."""

    async def backup(self, path: str) -> BackupReport:
        """Write everything to one file; see `StoreMaintenance.backup`."""
        return await asyncio.to_thread(_write, Path(path), self._tables.now)

    async def verify(self, progress: Callable[[int, int], None] | None = None) -> list[str]:  # noqa: ARG002 - too quick
        """Return a sentence for each fault; see `StoreMaintenance.verify`."""
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
        progress: Callable[[int, int], None] | None = None,  # noqa: ARG002 - too quick
    ) -> list[str]:
        """Return nothing, since every sum is computed when it is read; see `StoreMaintenance.recount`."""
        return []

    async def restore(self, path: str) -> BackupReport:
        """Fill this empty store from a backup file; see `StoreMaintenance.restore`."""
        now = self._tables.now
        others = (now.pins, now.capsules, now.candidates, now.merges, now.conflicts)
        if any((now.rows, now.sessions, now.exchanges, *others)):
            raise InvalidParams(messages.STORE_NOT_EMPTY)
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

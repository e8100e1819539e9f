"""Reading a whole store: in pages for a backup, and for its faults.

Law: everything that can be computed is computed again: hashes of the stored texts, counts, numbers, totals. A fault is
a sentence with ids and counts and never text. A row that was lost together with its stamp cannot be noticed here; for
that the index remembers the last `seq` it saw (ruling H).
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar, cast

from voice.adapters.disk.backup_file import Entry
from voice.adapters.surreal.codec import (
    Record,
    Stamp,
    decode_count,
    decode_row,
    decode_stamp,
    decode_tombstone,
    decode_vector,
)
from voice.adapters.surreal.connection import PAGE, Connection, key_of, records, row_id_of, row_record
from voice.adapters.surreal.stores.candidates import CANDIDATE_TABLES, TABLE_OF_KIND, decode_candidate
from voice.adapters.surreal.stores.decision_logs import CONFLICTS, MERGES, decode_conflict, decode_merge
from voice.adapters.surreal.stores.reading import read_stored, record_pages, session_pages
from voice.adapters.surreal.stores.recall import decode_capsule, decode_pin
from voice.adapters.surreal.stores.session_codec import decode_exchange, decode_metric, decode_session
from voice.core.errors import StoreDamaged
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.core.graph.entities.merge import Merge
from voice.core.recall.values import summary_id
from voice.core.records import Scope, Table, table_of
from voice.core.session.lifecycle import SessionTally, lineage_faults
from voice.core.session.turn_traces import stub_faults
from voice.core.session.values import InnerVoiceSession

_T = TypeVar("_T")
_DECODERS: dict[str, Callable[[Record], Entry]] = {
    "exchanges": decode_exchange,
    "metrics": decode_metric,
    "pins": decode_pin,
    "capsules": decode_capsule,
    **dict.fromkeys(CANDIDATE_TABLES, decode_candidate),
    MERGES: decode_merge,
    CONFLICTS: decode_conflict,
}
TABLES: Final = (*(str(table) for table in Table), "vectors", "tombstones", "sessions", *_DECODERS)
"""The tables of what a backup holds."""
_PROGRESS_EVERY = 100  # records, so that progress costs nothing beside the checks


async def census(connection: Connection) -> dict[str, int]:
    """Return the number of records of each kind that a backup holds."""
    counts: dict[str, int] = {}
    for table in TABLES:
        counts[table] = await count(connection, table)
    candidates = sum(counts.pop(kept) for kept in CANDIDATE_TABLES)
    return counts | {"candidates": candidates, "merges": counts.pop(MERGES), "conflicts": counts.pop(CONFLICTS)}


async def count(connection: Connection, table: str) -> int:
    """Return the number of records in a table of ours."""
    text = f"SELECT count() FROM {table} GROUP ALL"  # noqa: S608 - tables of ours
    return decode_count(await connection.run("count rows", text))


async def find_faults(
    connection: Connection, last_seq: int, progress: Callable[[int, int], None] | None = None
) -> list[str]:
    """Return a sentence for each fault of a store; `progress` gets the number of records checked, and of all."""
    check = _Check(connection, last_seq)
    if progress is not None:
        counts = await census(connection)
        total = sum(counts.values()) - counts["vectors"] - counts["metrics"]  # these two have no numbers
        # `max`, because a fault or another writer may make `done` exceed the census.
        check.tell = lambda done: progress(done, max(done, total))
    await check.rows()
    await check.sessions()
    await check.pins()
    await check.capsules()
    await check.candidates()
    await check.decisions(MERGES, decode_merge)
    await check.decisions(CONFLICTS, decode_conflict)
    return [*check.faults, *_miscounts(await census(connection), check.expected)]


class _Check:
    """One pass over a store that collects faults."""

    def __init__(self, connection: Connection, last_seq: int) -> None:
        self.faults: list[str] = []
        self.expected: Counter[str] = Counter()  # number of records of each table, by the stamps
        self.tell: Callable[[int], None] = lambda _: None  # called with the number of numbered records checked so far
        self._connection = connection
        self._last_seq = last_seq
        self._owner: dict[int, str] = {}

    async def rows(self) -> None:
        async for stamps in stamp_pages(self._connection):
            ids = [stamp.row_id for stamp in stamps]
            rows = {row_id_of(each["id"]): each for each in await self._read([row_record(row_id) for row_id in ids])}
            vectors = {key_of(each["id"]): each for each in await self._read(records("vectors", ids))}
            tombstones = {key_of(each["id"]) for each in await self._read(records("tombstones", ids))}
            for stamp in stamps:
                self._number(stamp.row_id, stamp.seq)
                self.expected.update(_expected_tables(stamp))
                self.faults.extend(_row_faults(stamp, rows.get(stamp.row_id), vectors.get(stamp.row_id)))
                if (stamp.embedding == "gone") != (stamp.row_id in tombstones):
                    self.faults.append(f"{stamp.row_id}: its tombstone and its change log do not agree")

    async def sessions(self) -> None:
        tallies: dict[str, SessionTally] = {}
        async for exchange in self._decoded("exchanges", decode_exchange):
            self._number(exchange.id, exchange.seq)
            if exchange.deleted:
                self.faults.extend(stub_faults(exchange))
            else:  # the others count in their session's totals
                tallies.setdefault(exchange.session_id, SessionTally()).add(exchange)
        summaries = 0
        turns: dict[str, int] = {}
        forks: list[InnerVoiceSession] = []
        async for page in session_pages(self._connection):
            for found, summary in page:
                summaries += summary is not None
                tally = tallies.pop(key_of(found["id"]), SessionTally())
                try:
                    session = decode_session(found, summary)
                except StoreDamaged as damage:
                    self.faults.append(damage.message)
                    continue
                self._number(session.id, session.seq)
                self.faults.extend(tally.faults(session))
                turns[session.id] = session.total_exchanges
                forks += [session] if session.lineage else []
        # After all sessions: a fork may be read before the session that it began from.
        self.faults.extend(fault for fork in forks for fault in lineage_faults(fork, turns))
        # What no session has taken out.
        self.faults.extend(f"{session_id}: it has exchanges but is not stored" for session_id in sorted(tallies))
        if orphans := await count(self._connection, "summaries") - summaries:
            self.faults.append(f"summaries: {orphans} are stored of sessions that are not")

    async def pins(self) -> None:
        owner: dict[tuple[str, Scope], str] = {}
        async for pin in self._decoded("pins", decode_pin):
            self._number(pin.id, pin.seq)
            first = owner.setdefault((pin.target_id, pin.scope), pin.id)
            if first != pin.id:
                self.faults.append(f"{pin.id}: its target has the pin {first} in the same scope")

    async def capsules(self) -> None:
        async for capsule in self._decoded("capsules", decode_capsule):
            self._number(capsule.id, capsule.seq)
            if capsule.summary is not None and capsule.summary.id != summary_id(capsule.id):
                self.faults.append(f"{capsule.id}: its summary is another capsule's")

    async def candidates(self) -> None:
        for name in CANDIDATE_TABLES:
            async for candidate in self._decoded(name, decode_candidate):
                self._number(candidate.id, candidate.seq)
                if TABLE_OF_KIND[candidate.kind] != name:
                    self.faults.append(f"{candidate.id}: it is stored among candidates of another kind")

    async def decisions(self, table: str, decode: Callable[[Record], Merge | ConflictRecord]) -> None:
        async for decision in self._decoded(table, decode):
            self._number(decision.id, decision.seq)

    async def _decoded(self, table: str, decode: Callable[[Record], _T]) -> AsyncIterator[_T]:
        async for page in record_pages(self._connection, table):
            for found in page:
                try:
                    yield decode(found)
                except StoreDamaged as damage:
                    self.faults.append(damage.message)

    def _number(self, owner: str, seq: int) -> None:
        if not 1 <= seq <= self._last_seq:
            self.faults.append(f"{owner}: its number {seq} was never given out; the last number is {self._last_seq}")
        elif seq in self._owner:
            self.faults.append(f"{owner}: its number {seq} also belongs to {self._owner[seq]}")
        self._owner[seq] = owner
        if len(self._owner) % _PROGRESS_EVERY == 0:
            self.tell(len(self._owner))

    async def _read(self, ids: Sequence[object]) -> list[Record]:
        return cast("list[Record]", await self._connection.run("read rows", "SELECT * FROM $ids", {"ids": ids}))


def _expected_tables(stamp: Stamp) -> list[str]:
    if stamp.embedding == "gone":
        return ["tombstones"]
    return [str(table_of(stamp.row_id)), *(["vectors"] if stamp.embedding == "ready" else [])]


def _row_faults(stamp: Stamp, found: Record | None, vector: Record | None) -> Iterator[str]:
    if (vector is not None) != (stamp.embedding == "ready"):
        yield f"{stamp.row_id}: its vector is {'there' if vector else 'missing'} but its state is {stamp.embedding}"
    if (found is None) != (stamp.embedding == "gone"):
        yield f"{stamp.row_id}: the row is {'missing' if found is None else 'still there'}"
    try:
        if vector is not None:
            decode_vector(vector)
        if found is not None:
            yield from _stamp_faults(stamp, found)
    except StoreDamaged as damage:
        yield damage.message


def _stamp_faults(stamp: Stamp, found: Record) -> Iterator[str]:
    row = decode_row(found, stamp)
    if row.revision != stamp.revision:
        yield f"{row.id}: its revision is {row.revision} but its change log says {stamp.revision}"
    if row.scope.is_empty == stamp.scoped:  # both must not be true or false at once
        yield f"{row.id}: its scope and its change log do not agree"


def _miscounts(counts: Mapping[str, int], expected: Mapping[str, int]) -> Iterator[str]:
    for table in (*(str(table) for table in Table), "vectors", "tombstones"):
        if counts[table] != expected.get(table, 0):
            yield f"{table}: {counts[table]} are stored but the change log knows {expected.get(table, 0)}"


_STAMPS = "SELECT * FROM stamps WHERE seq > $after ORDER BY seq LIMIT $limit"


async def dump(connection: Connection) -> AsyncIterator[list[Entry]]:
    """Yield all entries of the store in pages. Raises StoreDamaged: a record cannot be read."""
    async for stamps in stamp_pages(connection):
        yield await _row_entries(connection, stamps)
    async for sessions in session_pages(connection):
        yield [decode_session(*each) for each in sessions]
    for table, decode in _DECODERS.items():
        async for found in record_pages(connection, table):
            yield [decode(each) for each in found]


async def stamp_pages(connection: Connection) -> AsyncIterator[list[Stamp]]:
    """Yield all stamps by `seq`."""
    after = -1  # before the first number, which is 1
    while True:
        result = await connection.run("read changes", _STAMPS, {"after": after, "limit": PAGE})
        stamps = [decode_stamp(each) for each in cast("list[Record]", result)]
        if not stamps:
            return
        yield stamps
        after = stamps[-1].seq


async def _row_entries(connection: Connection, stamps: list[Stamp]) -> list[Entry]:
    stored = await read_stored(connection, [stamp.row_id for stamp in stamps], vectors=True)
    gone = {stamp.row_id: stamp.seq for stamp in stamps if stamp.embedding == "gone"}
    ids = {"ids": records("tombstones", gone)}
    found = cast("list[Record]", await connection.run("read tombstones", "SELECT * FROM $ids", ids))
    entries: list[Entry] = [each.row for each in stored.values() if each.row is not None]
    entries.extend(each.vector for each in stored.values() if each.vector is not None)
    entries.extend(decode_tombstone(each, gone[str(getattr(each["id"], "id", ""))]) for each in found)
    return entries

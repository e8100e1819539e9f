"""The search index of one store, in memory or on disk; implements `SearchIndex`.

Law: the index folds the store's changes; a store that lost changes the index has seen is an alarm (ruling H). Folding
and long searches run in worker threads on immutable snapshots. Up to `YOUNG_ROWS` changes stay in memory. One process
commits at a time; the others reload and fold the rest.

Source: DESIGN 4, 5 and 8; rulings C1, H.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

import anyio
import anyio.to_thread
import numpy as np

from voice.adapters.disk.private_files import FULL
from voice.adapters.index.columns import MAX_COUNT, Entry, Facts, Key
from voice.adapters.index.directory import CommitConflict, IndexDirectory, IndexIdentity, StorePosition
from voice.adapters.index.part import Part
from voice.adapters.index.searching import search
from voice.adapters.index.segment import Segment, build_segment
from voice.adapters.index.snapshot import Snapshot
from voice.adapters.index.top_k import DEFAULT_EFFORT, SearchEffort
from voice.adapters.index.updating import (
    YOUNG_ROWS,
    Batch,
    PendingChanges,
    fold,
    merge_parts,
    require_not_shorter,
    require_same_store,
)
from voice.core.errors import StoreError, StoreUnavailable
from voice.core.records import Table
from voice.ports.search_index import Advance, IndexAnswer, IndexQuery, IndexStatus, ignore_progress
from voice.ports.stores import Change, MemoryStore, StoreStatus

_PAGE_ROWS: Final = 1_000
_SAMPLES: Final = 16
_SAMPLED_ROWS: Final = 16  # rows per sample; samples are spread evenly over the changes, plus the newest
_BATCH_ROWS: Final = 8_000  # changes folded at a time; bounds the memory of a rebuild
_AT_ONCE_ROWS: Final = 1 << 17  # up to this many rows a search runs inline, since a thread costs more than it takes
_OVERTAKEN: Final = 20  # retries after commits of other processes
_UNQUIET: Final = 20  # retries of counting while other processes write

Result = TypeVar("Result")


class IndexDiskFull(StoreUnavailable):
    """The disk is full."""


class FoldedIndex:
    """Vectors and postings of one store, for one embedding model."""

    def __init__(
        self, store: MemoryStore, directory: Path | None, *, model: str, dim: int, effort: SearchEffort = DEFAULT_EFFORT
    ) -> None:
        """Create an index, in memory where `directory` is None; nothing is read yet. Vectors of other models than
        `model` are skipped and counted; `effort` affects time only, not results."""
        self._effort = effort
        self._store = store
        self._directory = directory
        self._model = model
        self._dim = dim
        self._lock = anyio.Lock()
        self._shelf: IndexDirectory | None = None
        self._store_id: str | None = None
        self._snapshot = Snapshot()
        self._committed = Snapshot()
        # Searched while another process's index is loaded and caught up with, so that no row seen before vanishes.
        self._shown: Snapshot | None = None
        self._uncommitted = 0
        # The store's last `seq` when everything was folded; sessions have numbers too, so a row's may be lower.
        self._caught_up_to: int | None = None

    async def refresh(self) -> int:
        """Fold new changes; return the folded `seq`. Raises StoreDamaged: the store has lost changes the index has
        seen; StoreError: store unreadable, or directory not writable."""
        async with self._lock:
            await self._open()
            await self._follow()
            return self._snapshot.folded_seq

    async def search(self, query: IndexQuery) -> IndexAnswer:
        """Return the best folded rows; the first search folds everything. Raises InvalidParams: wrong dimension of the
        query's vector."""
        if self._store_id is None:
            await self.refresh()
        snapshot = self._shown or self._snapshot
        # Otherwise the search computes the timeline first.
        if snapshot.has_line and snapshot.offsets[-1] <= _AT_ONCE_ROWS:
            return search(snapshot, query, self._dim, self._effort)
        return await anyio.to_thread.run_sync(search, snapshot, query, self._dim, self._effort)

    async def rebuild(self, advance: Advance = ignore_progress) -> IndexStatus:
        """Discard the index and fold the store from the start; see `SearchIndex.rebuild`. Raises IndexDiskFull: the
        folded rows remain searchable in memory."""
        async with self._lock:
            await self._open(anew=True)
            self._uncommitted, self._caught_up_to = 0, None
            await self._follow(advance)
            if self._uncommitted >= YOUNG_ROWS:  # what a commit would have reset
                raise self._no_room()
        return await self.status()  # takes the lock itself

    async def status(self) -> IndexStatus:
        """Return counts of what is folded."""
        async with self._lock:
            await self._open()
        snapshot, shelf = self._snapshot, self._shelf
        built_at = None if shelf is None else await self._on_disk(shelf.built_at)
        return IndexStatus(
            store_id=self._store_id or "",
            folded_seq=snapshot.folded_seq,
            rows={table: sum(part.rows_of[table] for part in snapshot.parts) for table in Table},
            vectors=sum(part.live_vectors for part in snapshot.parts),
            bytes_on_disk=0 if shelf is None else await self._on_disk(shelf.bytes_on_disk),
            built_at=None if built_at is None else datetime.fromtimestamp(built_at, UTC),
        )

    async def behind(self) -> int | None:
        """Return the number of unfolded changes, up to one page; see `VerifiableIndex.behind`."""
        if self._store_id is None:
            return None
        async with self._lock:
            await require_same_store(self._store, self._snapshot)
            require_not_shorter(await self._store.head(), await self._seen())
            return len(await self._store.changes(self._snapshot.folded_seq, _PAGE_ROWS))

    async def faults(self) -> list[str]:
        """Return one sentence per difference from the store; empty means sound. Call `refresh` first."""
        mine, truth = await self._counted()
        torn = [] if self._shelf is None else await self._on_disk(self._shelf.faults)
        found = [f"the index file {name} is damaged; run: voice maintain rebuild" for name in torn]
        if mine.folded_seq > truth.last_seq:
            found.append(f"the index is at change {mine.folded_seq}, but the store ends at change {truth.last_seq}")
        counts = [(table, mine.rows[table], truth.rows.get(table, 0)) for table in Table]
        found += [
            f"{name}: the index has {here} rows, but the store has {there}"
            for name, here, there in counts
            if here != there
        ]
        return found + await self._faults_of_samples(truth.last_seq)

    async def _counted(self) -> tuple[IndexStatus, StoreStatus]:
        """Return the status of index and store at the same change."""
        truth = await self._store.status()
        for _ in range(_UNQUIET):
            before, mine = truth.last_seq, await self.status()
            truth = await self._store.status()
            if truth.last_seq == before:  # nothing was written in between
                return mine, truth
            await self.refresh()
        raise StoreUnavailable("other processes keep writing to the store; try again")

    async def _faults_of_samples(self, last_seq: int) -> list[str]:
        gathering = PendingChanges(self._store, model=self._model, dim=self._dim)
        spread = [last_seq * number // _SAMPLES for number in range(_SAMPLES)]
        for after in sorted({*spread, max(last_seq - _SAMPLED_ROWS, 0)}):
            page = await self._store.changes(after, _SAMPLED_ROWS)
            # Against an empty snapshot, in which no entity was mentioned, so that nothing counts as renamed.
            await gathering.add([change for change in page if change.seq <= self._snapshot.folded_seq], Snapshot())
        batch = gathering.take()
        unsound = await anyio.to_thread.run_sync(unsound_rows, self._snapshot, batch, self._dim)
        if not unsound:
            return []
        differs = f"{len(unsound)} of {len(batch.keys)} sampled rows differ between the index and the store"
        return [f"{differs}; run: voice maintain rebuild"]

    async def _open(self, *, anew: bool = False) -> None:
        """Load what is on disk, once; `anew` discards it unread."""
        if self._store_id is not None and not anew:
            return
        store_id = (await self._store.head()).store_id
        snapshot = Snapshot()
        if self._directory is not None:
            shelf = IndexDirectory(self._directory, IndexIdentity(store_id=store_id, model=self._model, dim=self._dim))
            snapshot = await self._on_disk(shelf.clear if anew else shelf.load)
            if anew:
                await self._on_disk(shelf.unmark)
            self._shelf = shelf
        self._snapshot = self._committed = snapshot
        self._store_id = store_id

    async def _follow(self, advance: Advance = ignore_progress) -> None:
        for _ in range(_OVERTAKEN):
            try:
                await self._catch_up(advance)
            except CommitConflict:
                await self._adopt()
            else:
                self._shown = None
                return
        raise StoreUnavailable("other processes keep writing to the search index; try again")

    async def _adopt(self) -> None:
        """Replace uncommitted folds with what another process committed."""
        assert self._shelf is not None  # only what is on disk is overtaken
        self._shown = self._shown or self._snapshot
        self._snapshot = self._committed = await self._on_disk(self._shelf.load)
        self._uncommitted, self._caught_up_to = 0, None

    async def _seen(self) -> StorePosition | None:
        return None if self._shelf is None else await self._on_disk(self._shelf.seen)

    async def _catch_up(self, advance: Advance = ignore_progress) -> None:
        # The mark is read before the store's end: another process may write, follow and mark in between.
        is_first = self._caught_up_to is None
        seen = await self._seen() if is_first else None
        head = await self._store.head()
        last_seq = head.last_seq
        if last_seq == self._caught_up_to:
            return
        # Checked when it first catches up, and whenever the store got shorter.
        if self._caught_up_to is None or last_seq < self._caught_up_to:
            await require_same_store(self._store, self._snapshot)
            require_not_shorter(head, seen if is_first else await self._seen())
        gathering = PendingChanges(self._store, model=self._model, dim=self._dim)
        async for page in self._pages():
            advance(page[-1].seq, last_seq)
            await gathering.add(page, self._snapshot)
            if gathering.changes >= _BATCH_ROWS or gathering.has_renames:
                await self._fold(gathering)
        await self._fold(gathering)
        self._caught_up_to = last_seq
        if self._shelf is not None:
            await anyio.to_thread.run_sync(self._shelf.mark, last_seq)  # never raises

    async def _pages(self) -> AsyncIterator[list[Change]]:
        page = await self._store.changes(self._snapshot.folded_seq, _PAGE_ROWS)
        while page:
            yield page
            # A short page is the last.
            page = await self._store.changes(page[-1].seq, _PAGE_ROWS) if len(page) == _PAGE_ROWS else []

    async def _fold(self, gathering: PendingChanges) -> None:
        """Publish the gathered changes with the rows affected by renames."""
        # They are published together, because `folded_seq` implies that renames were applied; after a cancellation the
        # old snapshot is still consistent.
        snapshot, folded = self._snapshot, 0
        while gathering.changes:
            batch = gathering.take()
            snapshot = await anyio.to_thread.run_sync(fold, snapshot, batch, self._dim)
            folded += len(batch.keys)
            await gathering.add_renamed(snapshot)
        self._snapshot = snapshot
        self._uncommitted += folded
        if self._uncommitted >= YOUNG_ROWS:
            self._snapshot = await anyio.to_thread.run_sync(merge_parts, self._snapshot)
            await self._commit()

    async def _commit(self) -> None:
        """Commit; on a full disk the rows stay in memory and a later commit retries."""
        if self._shelf is not None:
            shelf, before, now = self._shelf, self._committed, self._snapshot
            try:
                self._snapshot = self._committed = await self._on_disk(lambda: shelf.commit(before, now))
            except IndexDiskFull:
                return  # still counted, so that the next fold tries again
        self._uncommitted = 0

    def _no_room(self) -> IndexDiskFull:
        return IndexDiskFull(
            f"the disk is full, so voice did not write the search index in {self._directory}; free some space"
        )

    async def _on_disk(self, act: Callable[[], Result]) -> Result:
        try:
            return await anyio.to_thread.run_sync(act)
        except FileExistsError as error:
            raise StoreError(f"{self._directory} is not a directory; run: voice maintain rebuild") from error
        except OSError as error:
            if error.errno in FULL:
                raise self._no_room() from error
            reason = error.strerror or type(error).__name__
            raise StoreError(
                f"voice cannot use the search index in {self._directory} ({reason}); free space or fix its permissions"
            ) from error


def unsound_rows(snapshot: Snapshot, batch: Batch, dim: int) -> list[Key]:
    """Return the keys of batch rows that differ in the snapshot."""
    standing = {entry.key: entry for entry in batch.entries}
    return [key for key in batch.keys if not _is_sound(snapshot.live_row(key), standing.get(key), dim)]


def _is_sound(place: tuple[Part, int] | None, entry: Entry | None, dim: int) -> bool:
    if place is None or entry is None:
        return place is None and entry is None
    part, row = place
    return _is_same(part.segment, row, build_segment([entry], dim)) and _has_words(part.segment, row, entry)


def _is_same(segment: Segment, row: int, alone: Segment) -> bool:
    facts = (
        np.array_equal(getattr(segment.facts, field.name)[..., row], getattr(alone.facts, field.name)[..., 0])
        for field in fields(Facts)
    )
    pairs = ((segment.tags, alone.tags), (segment.mentions, alone.mentions), (segment.spoken, alone.spoken))
    lists = (np.array_equal(there.of(row), here.of(0)) for there, here in pairs)
    is_named = segment.row_id(row) == alone.row_id(0)
    return is_named and segment.vector_of(row) == alone.vector_of(0) and all(facts) and all(lists)


def _has_words(segment: Segment, row: int, entry: Entry) -> bool:
    """Return whether the row has the entry's terms; equal `length` excludes others."""
    return all(min(count, MAX_COUNT) in _counts(segment, row, term) for term, count in entry.terms.items())


def _counts(segment: Segment, row: int, term: int) -> Iterable[int]:
    rows, counts = segment.postings.of(term)
    place = np.searchsorted(rows, np.uint32(row))
    return counts[place : place + 1][rows[place : place + 1] == row].tolist()

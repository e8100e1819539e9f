"""Fold the store's changes into the next snapshot.

Law: folding one by one or at once gives equal answers. A newer row kills the older one; young rows share one in-memory
part, and a part is merged with the younger ones once these are a fourth of it. Renaming an entity rebuilds all rows
that mention it. A store reset behind the index, or replaced by a shorter one, is an alarm (ruling H), checked at each
open by the last change and the newest rows.

Source: DESIGN 4 ("the index is a fold over changes").
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import anyio.to_thread
import numpy as np

from voice.adapters.index.columns import Entry, Key, entry_of, key_of, name_key
from voice.adapters.index.directory import StorePosition
from voice.adapters.index.part import Part, merged
from voice.adapters.index.segment import build_segment
from voice.adapters.index.snapshot import Snapshot
from voice.core.errors import StoreDamaged
from voice.core.records import TABLE_OF_PREFIX, Entity, Row, Table, VectorRow
from voice.core.retrieval.searchable_text import mentioned_entities
from voice.ports.stores import Change, MemoryStore, StoreHead

YOUNG_ROWS: Final = 128
"""Changes up to this number are refolded at each open instead of written to disk."""
MERGE_FACTOR: Final = 4
"""A part is merged if it has at most this many times the younger rows."""
MAX_MERGED_ROWS: Final = 1 << 18
_DEAD_SHARE: Final = 0.3  # from which a part is rewritten


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Changes ready to fold: the newest entry of each existing row, and the keys of all changed rows."""

    entries: Sequence[Entry]
    keys: Sequence[Key]
    last_seq: int


def fold(snapshot: Snapshot, batch: Batch, dim: int) -> Snapshot:
    """Return the snapshot with the batch applied."""
    keys = np.array(batch.keys, dtype=np.uint64)
    # A part without a live row goes.
    parts = [part for part in (part.without(keys) for part in snapshot.parts) if part.live_rows]
    if batch.entries:
        parts.append(Part.of(build_segment(batch.entries, dim)))
    return snapshot.followed_by(_with_one_young_part(parts), max(snapshot.folded_seq, batch.last_seq))


def merge_parts(snapshot: Snapshot) -> Snapshot:
    """Merge young parts into older ones and rewrite wasteful parts."""
    parts = [
        merged([part]) if part.segment.size - part.live_rows > _DEAD_SHARE * part.segment.size else part
        for part in snapshot.parts
    ]
    first = _first_to_merge(parts)
    if first < len(parts) - 1:
        parts = [*parts[:first], merged(parts[first:])]
    return snapshot.followed_by(parts, snapshot.folded_seq)


def _with_one_young_part(parts: Sequence[Part]) -> tuple[Part, ...]:
    settled = [part for part in parts if part.name is not None or part.live_rows > YOUNG_ROWS]
    young = [part for part in parts if part.name is None and part.live_rows <= YOUNG_ROWS]
    return (*settled, *([merged(young)] if len(young) > 1 else young))


def _first_to_merge(parts: Sequence[Part]) -> int:
    """Return the first part to merge with all later ones; the last if none."""
    first = len(parts) - 1
    younger = 0
    for number in range(len(parts) - 1, 0, -1):
        younger += parts[number].live_rows
        older = parts[number - 1].live_rows
        if MERGE_FACTOR * younger >= older and younger + older <= MAX_MERGED_ROWS:
            first = number - 1
    return first


_FETCHED_ROWS: Final = 1_000


class PendingChanges:
    """Changes gathered but not folded; the last one per row wins."""

    def __init__(self, store: MemoryStore, *, model: str, dim: int) -> None:
        self._store = store
        self._model = model
        self._dim = dim
        self._entries: dict[str, Entry] = {}
        self._keys: set[Key] = set()
        self._last_seq = 0
        self._used_names: dict[str, Key] = {}  # names that rows were given in this catching-up, by entity id
        self._renamed: set[str] = set()

    @property
    def changes(self) -> int:
        """Number of rows changed since the last `take`."""
        return len(self._keys)

    @property
    def has_renames(self) -> bool:
        """Whether folded rows must be rebuilt for a new name."""
        return bool(self._renamed)

    async def add(self, changes: Sequence[Change], snapshot: Snapshot) -> None:
        """Add changes that follow those gathered before."""
        for change in changes:
            self._last_seq = max(self._last_seq, change.seq)
            self._keys.add(key_of(change.row_id))
            self._entries.pop(change.row_id, None)  # a removed row has none
        # By id, since a removed entity has no row any more.
        entities = (each for each in changes if TABLE_OF_PREFIX.get(each.row_id.partition(":")[0]) is Table.ENTITIES)
        self._note_names(entities, snapshot)
        await self._add_entries([(change, change.row) for change in changes if change.row is not None])

    async def add_renamed(self, snapshot: Snapshot) -> None:
        """Add the rows of the snapshot that mention a renamed entity."""
        if not self._renamed:
            return
        entities = np.array([key_of(entity_id) for entity_id in self._renamed], dtype=np.uint64)
        self._renamed.clear()
        stale = [(part, row) for part in snapshot.parts for row in _live_mentions(part, entities)]
        for start in range(0, len(stale), _FETCHED_ROWS):
            await self._rebuild(stale[start : start + _FETCHED_ROWS])

    def take(self) -> Batch:
        """Return what was gathered, and reset."""
        batch = Batch(entries=tuple(self._entries.values()), keys=tuple(self._keys), last_seq=self._last_seq)
        self._entries, self._keys = {}, set()
        return batch

    def _note_names(self, changes: Iterable[Change], snapshot: Snapshot) -> None:
        for change in changes:
            now = name_key(change.row if isinstance(change.row, Entity) else None)
            known = self._used_names.get(change.row_id)
            if known is None and _is_mentioned(snapshot, change.row_id):  # mentions are compared first, which is cheap
                known = _folded_name(snapshot, change.row_id)
            if known is not None and known != now:
                self._renamed.add(change.row_id)
            self._used_names[change.row_id] = now

    async def _rebuild(self, stale: Sequence[tuple[Part, int]]) -> None:
        places = {part.segment.row_id(row): (part, row) for part, row in stale}
        rows = await self._store.fetch(list(places))
        again = [(self._as_folded(row_id, row, *places[row_id]), row) for row_id, row in rows.items()]
        self._keys.update(key_of(row_id) for row_id in rows)
        await self._add_entries(again)

    def _as_folded(self, row_id: str, row: Row, part: Part, place: int) -> Change:
        data = part.segment.vector_of(place)
        vector = None if data is None else VectorRow(row_id=row_id, model=self._model, dim=self._dim, data=data)
        # Under the folded number: a later change of the row comes with its own.
        return Change(seq=int(part.segment.facts.seq[place]), row_id=row_id, row=row, vector=vector)

    async def _add_entries(self, changed: Sequence[tuple[Change, Row]]) -> None:
        entities = await self._entities(row for _, row in changed)
        entries = await anyio.to_thread.run_sync(self._build_entries, changed, entities)
        self._entries.update((entry.row_id, entry) for entry in entries)

    async def _entities(self, rows: Iterable[Row]) -> dict[str, Entity]:
        wanted = sorted({entity_id for row in rows for entity_id in mentioned_entities(row)})
        entities: dict[str, Entity] = {}
        for start in range(0, len(wanted), _FETCHED_ROWS):
            fetched = await self._store.fetch(wanted[start : start + _FETCHED_ROWS])
            entities.update((row.id, row) for row in fetched.values() if isinstance(row, Entity))
        # 0 for those that do not exist.
        self._used_names.update((entity_id, name_key(entities.get(entity_id))) for entity_id in wanted)
        return entities

    def _build_entries(self, changed: Sequence[tuple[Change, Row]], entities: dict[str, Entity]) -> list[Entry]:
        return [
            entry_of(
                change,
                row,
                {name: entities[name] for name in mentioned_entities(row) if name in entities},
                model=self._model,
                dim=self._dim,
            )
            for change, row in changed
        ]


def _is_mentioned(snapshot: Snapshot, entity_id: str) -> bool:
    key = np.uint64(key_of(entity_id))
    return any(bool((part.segment.mentions.values == key).any()) for part in snapshot.parts)


def _live_mentions(part: Part, entities: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> list[int]:
    mentions = part.segment.mentions
    rows = np.unique(mentions.owners(np.flatnonzero(np.isin(mentions.values, entities))))
    return rows[part.live[rows]].tolist()


def _folded_name(snapshot: Snapshot, entity_id: str) -> Key:
    place = snapshot.live_row(key_of(entity_id))
    return 0 if place is None else int(place[0].segment.facts.name[place[1]])


NEWEST_ROWS: Final = 16
_PAGE_ROWS: Final = 1_000
_ADVICE: Final = "restore a backup, or accept the loss with: voice maintain rebuild"


def require_not_shorter(head: StoreHead, seen: StorePosition | None) -> None:
    """Check that the store is not shorter than what was seen of it or its predecessor. Raises StoreDamaged: it is."""
    if seen is None or head.last_seq >= seen.seq:
        return
    if head.store_id == seen.store_id:
        what = f"ends at change {head.last_seq}, but the search index has seen change {seen.seq}: writes were lost"
    else:
        what = f"is not the store of which the search index has seen {seen.seq} changes: it was emptied or replaced"
    raise StoreDamaged(f"the store {what}; {_ADVICE}")


async def require_same_store(store: MemoryStore, snapshot: Snapshot) -> None:
    """Check by the newest rows that the store still has what the snapshot folded. Raises StoreDamaged: it ends earlier,
    or was reset and written again."""
    folded = snapshot.folded_seq
    if not folded:
        return
    since = await store.changes(folded - 1, 1)
    if not since:
        raise StoreDamaged(
            f"the store ends before change {folded}, which the search index has seen: writes were lost; {_ADVICE}"
        )
    newest = await anyio.to_thread.run_sync(_newest_rows, snapshot)
    rows = await store.fetch(list(newest))
    is_unchanged = all(row.seq == newest[row_id] or row.seq > folded for row_id, row in rows.items())
    stands = _ends_alike(newest, since[0], folded) and is_unchanged
    missing = newest.keys() - rows.keys()
    if not stands or not await _were_removed(store, missing, folded):
        raise StoreDamaged(
            f"the store's rows up to change {folded} differ from what the search index has seen: the store was set "
            f"back to an older state and written again, and writes were lost; {_ADVICE}"
        )


def _newest_rows(snapshot: Snapshot) -> dict[str, int]:
    found: list[tuple[int, str]] = []
    for part in snapshot.parts:
        rows = np.flatnonzero(part.live)
        numbers = part.segment.facts.seq[rows]
        last = max(len(rows) - NEWEST_ROWS, 0)
        places = rows[np.argpartition(numbers, last)[last:]] if last else rows
        found += [(int(part.segment.facts.seq[row]), part.segment.row_id(row)) for row in places.tolist()]
    return {row_id: seq for seq, row_id in sorted(found, reverse=True)[:NEWEST_ROWS]}


def _ends_alike(newest: Mapping[str, int], change: Change, folded: int) -> bool:
    """Return whether the last folded change is the store's, if the store still has one with its number."""
    if change.seq != folded:
        return True
    last = next((row_id for row_id, seq in newest.items() if seq == folded), None)
    return last == (None if change.row is None else change.row_id)


async def _were_removed(store: MemoryStore, missing: set[str], folded: int) -> bool:
    """Return whether every missing row was removed after all that was folded."""
    page: list[Change] = []
    while missing:
        page = await store.changes(page[-1].seq if page else folded, _PAGE_ROWS)
        if not page:
            return False
        missing = missing - {change.row_id for change in page}
    return True

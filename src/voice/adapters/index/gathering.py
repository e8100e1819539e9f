"""From the store's changes to what is folded: entries, with the names they mention.

Law: a row's entry holds the names of its entities as the store has them now. When a name changes, every row that
mentions it is made again; so a fold that saw the old name and a rebuild that did not give the same entries.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import anyio.to_thread
import numpy as np

from voice.adapters.index.entries import Entry, Key, entry_of, key_of, name_key
from voice.adapters.index.folding import Batch
from voice.adapters.index.part import Part
from voice.adapters.index.snapshot import Snapshot
from voice.core.records import TABLE_OF_PREFIX, Entity, Row, Table, VectorRow
from voice.core.retrieval.indexed_text import mentioned_entities
from voice.ports.stores import Change, MemoryStore

_FETCHED_ROWS: Final = 1_000


class Gathering:
    """Changes read in one catching-up and not yet folded; the last one of a row wins."""

    def __init__(self, store: MemoryStore, *, model: str, dim: int) -> None:
        self._store = store
        self._model = model
        self._dim = dim
        self._entries: dict[str, Entry] = {}
        self._keys: set[Key] = set()
        self._last_seq = 0
        self._used_names: dict[str, Key] = {}
        """The names that rows were given in this catching-up, by entity id."""
        self._renamed: set[str] = set()

    @property
    def changes(self) -> int:
        """How many rows have changed since the last `take`."""
        return len(self._keys)

    @property
    def has_renames(self) -> bool:
        """Whether rows that are folded already must be made again."""
        return bool(self._renamed)

    async def add(self, changes: Sequence[Change], snapshot: Snapshot) -> None:
        """Gather the changes, which follow those gathered before."""
        for change in changes:
            self._last_seq = max(self._last_seq, change.seq)
            self._keys.add(key_of(change.row_id))
            self._entries.pop(change.row_id, None)
        self._note_names([change for change in changes if _is_entity(change)], snapshot)
        await self._add_entries([(change, change.row) for change in changes if change.row is not None])

    async def add_renamed(self, snapshot: Snapshot) -> None:
        """Gather the rows of the snapshot that mention an entity whose name has changed since they were made."""
        if not self._renamed:
            return
        entities = np.array([key_of(entity_id) for entity_id in self._renamed], dtype=np.uint64)
        self._renamed.clear()
        stale = [(part, row) for part in snapshot.parts for row in _live_mentions(part, entities)]
        for start in range(0, len(stale), _FETCHED_ROWS):
            await self._make_again(stale[start : start + _FETCHED_ROWS])

    def take(self) -> Batch:
        """Return what was gathered and begin anew."""
        batch = Batch(entries=tuple(self._entries.values()), keys=tuple(self._keys), last_seq=self._last_seq)
        self._entries, self._keys = {}, set()
        return batch

    def _note_names(self, changes: Sequence[Change], snapshot: Snapshot) -> None:
        """Note the entities whose name is not the one their mentions were made with, if there are mentions."""
        for change in changes:
            now = name_key(change.row if isinstance(change.row, Entity) else None)
            known = self._used_names.get(change.row_id)
            if known is None and _is_mentioned(snapshot, change.row_id):
                known = _folded_name(snapshot, change.row_id)
            if known is not None and known != now:
                self._renamed.add(change.row_id)
            self._used_names[change.row_id] = now

    async def _make_again(self, stale: Sequence[tuple[Part, int]]) -> None:
        places = {part.segment.row_id(row): (part, row) for part, row in stale}
        rows = await self._store.fetch(list(places))
        again = [(self._as_folded(row_id, row, *places[row_id]), row) for row_id, row in rows.items()]
        self._keys.update(key_of(row_id) for row_id in rows)
        await self._add_entries(again)

    def _as_folded(self, row_id: str, row: Row, part: Part, place: int) -> Change:
        data = part.segment.vector_of(place)
        vector = None if data is None else VectorRow(row_id=row_id, model=self._model, dim=self._dim, data=data)
        return Change(seq=int(part.segment.facts.seq[place]), row_id=row_id, row=row, vector=vector)

    async def _add_entries(self, changed: Sequence[tuple[Change, Row]]) -> None:
        entities = await self._entities(row for _, row in changed)
        made = await anyio.to_thread.run_sync(self._made, changed, entities)
        self._entries.update((entry.row_id, entry) for entry in made)

    async def _entities(self, rows: Iterable[Row]) -> dict[str, Entity]:
        wanted = sorted({entity_id for row in rows for entity_id in mentioned_entities(row)})
        entities: dict[str, Entity] = {}
        for start in range(0, len(wanted), _FETCHED_ROWS):
            fetched = await self._store.fetch(wanted[start : start + _FETCHED_ROWS])
            entities.update((row.id, row) for row in fetched.values() if isinstance(row, Entity))
        self._used_names.update((entity_id, name_key(entities.get(entity_id))) for entity_id in wanted)
        return entities

    def _made(self, changed: Sequence[tuple[Change, Row]], entities: dict[str, Entity]) -> list[Entry]:
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


def _is_entity(change: Change) -> bool:
    return TABLE_OF_PREFIX.get(change.row_id.partition(":")[0]) is Table.ENTITIES


def _is_mentioned(snapshot: Snapshot, entity_id: str) -> bool:
    key = np.uint64(key_of(entity_id))
    return any(bool((part.segment.mentions.values == key).any()) for part in snapshot.parts)


def _live_mentions(part: Part, entities: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> list[int]:
    rows = part.segment.rows_mentioning(entities)
    return rows[part.live[rows]].tolist()


def _folded_name(snapshot: Snapshot, entity_id: str) -> Key:
    place = snapshot.live_row(key_of(entity_id))
    return 0 if place is None else int(place[0].segment.facts.name[place[1]])

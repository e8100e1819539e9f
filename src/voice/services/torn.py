"""Finding what a killed command left half stored, and putting it right.

Law: what is found is shown before anything is done. A note that its sentences become is stored before they are taken
back, so whoever is interrupted asks for the same again and nothing is lost or doubled by it.

Source: rulings F, H, I8; docs/store.md.
"""

from dataclasses import dataclass

from voice.core.graph.torn import HalfNote, half_notes, named_by, said_by
from voice.core.records import Row, Thought
from voice.ports.search_index import SearchIndex
from voice.ports.stores import MemoryStore, WriteBatch
from voice.ports.torn_rows import TornRows
from voice.services.ingest import Ingest

_PAGE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Torn:
    """Looks for half stored notes in one memory, and mends them."""

    rows: TornRows
    store: MemoryStore
    ingest: Ingest
    index: SearchIndex

    async def found(self) -> list[HalfNote]:
        """Return what is left of notes that were stored in part; changes nothing.

        Raises:
            StoreError: the store cannot be read.
        """
        ids = await self.rows.torn()
        if not ids:
            return []
        torn = await self.store.fetch(ids)
        said, named = set[str](), set[str]()
        for row in await self._others(frozenset(torn)):
            said.add(said_by(row))
            named.update(named_by(row))
        return half_notes([row for row in torn.values() if not isinstance(row, Thought)], said, named)

    async def mend(self) -> list[HalfNote]:
        """Put right what is found, and return it; a second time it is nothing.

        Raises:
            InvalidParams: a row was changed meanwhile; ask for the same again.
            StoreError: not all of it is right; ask for the same again.
        """
        notes = await self.found()
        for note in notes:
            thought = note.note(self.ingest.ids.new_id("t"))
            if thought is not None:
                await self.ingest.store_thoughts([thought])
            if note.kept:
                await self.store.write(WriteBatch(rows=note.kept))
            await self.rows.take_back({row.id: row.revision for row in note.going})
        if notes:
            await self.index.rebuild()
        return notes

    async def _others(self, torn: frozenset[str]) -> list[Row]:
        """Return every row but these."""
        rows: dict[str, Row] = {}
        seq = 0
        while changes := await self.store.changes(seq, _PAGE):
            rows |= {each.row_id: each.row for each in changes if each.row is not None and each.row_id not in torn}
            seq = changes[-1].seq
        return list(rows.values())

"""The rows of one call, each fetched once.

Law: one call sees one state of a row: what was fetched is not fetched again, and what a later look needs is added.
With an entity come the edges that leave it, and with an edge its two ends, because their texts name them (ruling C19).
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from voice.core.records import Row, Table, table_of
from voice.core.retrieval.candidates import successors
from voice.ports.stores import GraphStore, MemoryStore
from voice.services.surroundings import fetch_surroundings


@dataclass(slots=True, kw_only=True)
class FetchedRows:
    """Rows by id, growing."""

    store: MemoryStore
    graph: GraphStore
    rows: dict[str, Row] = field(default_factory=dict[str, Row])
    _surrounded: set[str] = field(default_factory=set[str])
    """The entities whose edges are there."""

    async def fetch(self, row_ids: Iterable[str]) -> None:
        """Add the rows that exist.

        Raises:
            StoreError: they cannot be read.
        """
        missing = [row_id for row_id in row_ids if row_id not in self.rows]
        if missing:
            self.rows.update(await self.store.fetch(missing))

    async def fetch_successors(self, row_ids: Iterable[str]) -> None:
        """Add the rows that exist, with all that took their places, one after the other.

        Raises:
            StoreError: they cannot be read.
        """
        asked = set(row_ids)
        wanted = asked
        while wanted:
            await self.fetch(wanted)
            heirs = {heir for row_id in wanted for heir in successors(row_id, self.rows)}
            wanted = heirs - asked
            asked |= heirs

    async def fetch_texts(self, row_ids: Collection[str]) -> None:
        """Add the rows that exist, with all that their texts name.

        Raises:
            StoreError: they cannot be read.
        """
        await self.fetch(row_ids)
        entities = {row_id for row_id in row_ids if table_of(row_id) is Table.ENTITIES} - self._surrounded
        self._surrounded |= entities
        around = await fetch_surroundings(self.store, self.graph, entities, self.rows)
        self.rows = {**around, **self.rows}

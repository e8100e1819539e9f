"""The names of the graph's entities, and row vectors made of texts that hold them.

Law: what is returned is never older than the store: each call asks what has changed since the last one, which costs one
small read when nothing has. The entities themselves are not decoded for their names.

The vectors of rows. A row's vector is that of the text that is indexed of it, in which names of private entities stand
only where the row is private itself (promise 6). What no search finds, a bare link or title, costs no encoding.

Source: DESIGN 4 (`seq`); rulings A21, E.
"""

from collections.abc import Sequence
from typing import Final

import anyio

from voice.core.graph.entity_names import KnownNames, is_bare_note, zero_vector
from voice.core.records import TABLE_OF_PREFIX, Entity, EntityName, Row, RowStatus, Table, VectorRow
from voice.core.retrieval.indexed_text import indexed_text
from voice.ports.search_index import Embedder
from voice.ports.stores import Change, GraphStore, MemoryStore, WriteBatch

_FEW: Final = 64
"""Changes that are folded one by one; of more than these the names are read afresh, which costs less."""


class Names:
    """Reads the names when they are first needed, and again when they have changed."""

    def __init__(self, store: MemoryStore, graph: GraphStore) -> None:
        self._store = store
        self._graph = graph
        self._lock = anyio.Lock()
        self._seq: int | None = None
        self._known = KnownNames()

    async def known(self) -> KnownNames:
        """Return the names of the live entities as the store has them now.

        Raises:
            StoreError: they cannot be read.
        """
        async with self._lock:
            changes = [] if self._seq is None else await self._store.changes(self._seq, _FEW)
            if self._seq is None or len(changes) == _FEW:
                # An empty batch writes nothing and tells the number that the reading after it is not older than.
                seq = await self._store.write(WriteBatch())
                self._known, self._seq = KnownNames(nodes=tuple(await self._graph.names())), seq
            elif changes:
                self._known, self._seq = _folded(self._known, changes), changes[-1].seq
            return self._known


def _folded(known: KnownNames, changes: Sequence[Change]) -> KnownNames:
    changed = {
        change.row_id: _name(change)
        for change in changes
        if TABLE_OF_PREFIX.get(change.row_id.partition(":")[0]) is Table.ENTITIES
    }
    return known.with_(changed) if changed else known


def _name(change: Change) -> EntityName | None:
    row = change.row
    return EntityName.of(row) if isinstance(row, Entity) and row.status is RowStatus.ACTIVE else None


async def embed_rows(rows: Sequence[Row], names: KnownNames, embedder: Embedder) -> list[VectorRow]:
    """Return a vector of each row.

    Args:
        rows: new ones, or such as say something new.
        names: what texts may name; entities among the rows are added to it.

    Raises:
        EmbedderUnavailable: it fails.
    """
    told = [row for row in rows if not is_bare_note(row)]
    blank = [zero_vector(row.id, embedder.model, embedder.dim) for row in rows if is_bare_note(row)]
    if not told:
        return blank
    known = names.with_({row.id: EntityName.of(row) for row in told if isinstance(row, Entity)})
    made = await embedder.embed([text_to_embed(row, known) for row in told])
    found = zip(told, made, strict=True)
    return [
        *(VectorRow(row_id=row.id, model=embedder.model, dim=embedder.dim, data=data) for row, data in found),
        *blank,
    ]


def text_to_embed(row: Row, names: KnownNames) -> str:
    """Return the text of a row that its vector is made of."""
    return indexed_text(row, (names if row.is_private else names.public).name_of)

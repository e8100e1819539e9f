"""A store that only tells its changes: what an index needs, and nothing else to measure by accident."""

from collections import Counter
from collections.abc import Sequence

from voice.core.errors import StoreError
from voice.core.records import Row, VectorRow, table_of
from voice.ports.stores import Change, StoreHead, StoreStatus, WriteBatch


class Feed:
    """`MemoryStore` over fixed rows and vectors; change `n` is row `n`."""

    def __init__(self, rows: Sequence[Row], vectors: Sequence[VectorRow | None]) -> None:
        self._changes = [
            Change(seq=number, row_id=row.id, row=row, vector=vector)
            for number, (row, vector) in enumerate(zip(rows, vectors, strict=True), 1)
        ]
        self._rows = {row.id: row for row in rows}

    async def write(self, batch: WriteBatch) -> int:
        """Refuse: the rows are fixed."""
        raise StoreError(f"this store holds fixed rows and cannot take {len(batch.rows)} more")

    async def fetch(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that exist."""
        return {row_id: self._rows[row_id] for row_id in ids if row_id in self._rows}

    async def changes(self, after_seq: int, limit: int) -> list[Change]:
        """Return the changes after `after_seq`."""
        return self._changes[after_seq : after_seq + limit]

    async def head(self) -> StoreHead:
        """Return what a read asks first."""
        return await self.status()

    async def status(self) -> StoreStatus:
        """Return counts of the fixed rows."""
        return StoreStatus(
            store_id="feed",
            last_seq=len(self._changes),
            rows=Counter(table_of(row_id) for row_id in self._rows),
            encodings=Counter(
                (change.vector.model, change.vector.dim) for change in self._changes if change.vector is not None
            ),
            pending_embeddings=sum(change.vector is None for change in self._changes),
            sessions=0,
            exchanges=0,
            has_scoped_rows=False,
        )

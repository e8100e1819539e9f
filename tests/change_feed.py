"""A store that keeps rows in a dictionary and tells their changes: what an index sees of any store, and no more."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np

from voice.adapters.index.index import FoldedIndex
from voice.core.records import Entity, Observation, Origin, Row, Table, Thought, Tombstone, VectorRow
from voice.core.retrieval.values import RowFilter
from voice.ports.search_index import IndexAnswer, IndexQuery
from voice.ports.stores import MAX_BATCH, Change, WriteBatch
from voice.testing.corpus import RowsInMemory

MODEL = "test-model"
DIM = 4
AT = datetime(2025, 3, 5, 9, tzinfo=UTC)
ALL_TABLES = RowFilter(tables=frozenset(Table))


class ChangeFeed(RowsInMemory):
    """`MemoryStore`, by the letter of its contract."""

    def __init__(self, store_id: str = "store-1") -> None:
        super().__init__(store_id)
        self.asked: list[int] = []
        """The `after_seq` of every call of `changes`."""

    async def changes(self, after_seq: int, limit: int) -> list[Change]:
        self.asked.append(after_seq)
        return await super().changes(after_seq, limit)

    async def put(self, *rows: Row, vectors: Iterable[VectorRow] = ()) -> None:
        """Write rows, then vectors."""
        for start in range(0, len(rows), MAX_BATCH):
            await self.write(WriteBatch(rows=rows[start : start + MAX_BATCH]))
        await self.write(WriteBatch(vectors=tuple(vectors)))

    async def drop(self, row_id: str) -> None:
        """Leave a tombstone in the place of a row."""
        await self.write(WriteBatch(tombstones=(Tombstone(row_id=row_id, keyed_hash="k", reason="forgotten", at=AT),)))


def thought(key: str, content: str, *, days: float = 0, speaker: str | None = None) -> Thought:
    """Return a thought said `days` after `AT`."""
    moment = AT + timedelta(days=days)
    return Thought(
        id=f"t:{key}", created_at=moment, recorded_at=moment, origin=Origin.HUMAN, content=content, speaker=speaker
    )


def observation(key: str, text: str, *entity_ids: str) -> Observation:
    """Return an observation made at `AT` about some entities."""
    return Observation(
        id=f"o:{key}", created_at=AT, recorded_at=AT, origin=Origin.HUMAN, text=text, entity_ids=entity_ids
    )


def vector_of(row_id: str, *numbers: float, model: str = MODEL) -> VectorRow:
    """Return a vector of a row."""
    return VectorRow(row_id=row_id, model=model, dim=len(numbers), data=packed(*numbers))


def packed(*numbers: float) -> bytes:
    """Return little-endian float32."""
    return np.array(numbers, dtype="<f4").tobytes()


def ask(
    text: str = "",
    *,
    vector: bytes | None = None,
    row_filter: RowFilter = ALL_TABLES,
    limit: int = 10,
    weights: tuple[float, float] = (0.5, 0.5),
    speaker: str | None = None,
    speaker_weight: float = 0.0,
    neighbour_weight: float = 0.0,
    exclude_ids: frozenset[str] = frozenset(),
) -> IndexQuery:
    """Return a query with everything else left plain."""
    return IndexQuery(
        filter=row_filter,
        vector=vector,
        text=text,
        weights=weights,
        limit=limit,
        speaker=speaker,
        speaker_weight=speaker_weight,
        neighbour_weight=neighbour_weight,
        exclude_ids=exclude_ids,
    )


Opened = Callable[[ChangeFeed], FoldedIndex]
"""Opens an index over a store."""


def ids(answer: IndexAnswer) -> list[str]:
    return [hit.row_id for hit in answer.hits]


def entity(key: str, name: str, **more: object) -> Entity:
    return replace(
        Entity(id=f"e:{key}", created_at=AT, recorded_at=AT, origin=Origin.HUMAN, name=name),
        **more,  # pyright: ignore[reportArgumentType]
    )

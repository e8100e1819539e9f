"""Rows that go and come back in memory, and what rests on them; implements `RemovedRows` and `RestingRows`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from voice.adapters.disk.values_json import row_from_json, row_to_json
from voice.adapters.memory.state import Tables
from voice.core.errors import InvalidParams
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


class TransientRemovedRows:
    """Both in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

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
        """Return what rests on thoughts; see `RestingRows.resting_on`."""
        asked = set(thought_ids)
        return [row for row in self._sorted() if asked.intersection(_behind(row))]

    async def naming(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return what names entities; see `RestingRows.naming`."""
        asked = set(entity_ids)
        rows = (row for row in self._sorted() if isinstance(row, Observation | Relation))
        return [row for row in rows if asked.intersection(_named_by(row))]

    def _sorted(self) -> list[Row]:
        rows = self._tables.now.rows
        return [rows[row_id] for row_id in sorted(rows)]

    async def finalise(self, tombstones: Sequence[Tombstone], revisions: Mapping[str, int]) -> None:
        """Take rows away; see `RemovedRows.finalise`."""
        with self._tables.transaction() as draft:
            for stone in tombstones:
                held = draft.rows.pop(stone.row_id, None)
                if held is None or held.revision != revisions[stone.row_id]:
                    raise InvalidParams(f"{stone.row_id} was changed or removed meanwhile; look again")
                draft.vectors.pop(stone.row_id, None)
                draft.tombstones[stone.row_id] = replace(stone, seq=draft.next_seq())

    async def bring_back(self, rows: Sequence[Row], vectors: Sequence[VectorRow]) -> None:
        """Bring rows back; see `RemovedRows.bring_back`."""
        given = {vector.row_id: vector for vector in vectors}
        with self._tables.transaction() as draft:
            for row in rows:
                stone = draft.tombstones.pop(row.id, None)
                if row.id in draft.rows:
                    raise InvalidParams(f"{row.id} is there already")
                if stone is not None and stone.reason != "finalised":
                    raise InvalidParams("one of the rows was forgotten and does not come back")
                state = EmbeddingStatus.READY if row.id in given else EmbeddingStatus.PENDING
                plain = row_from_json(table_of(row.id), row_to_json(row))
                draft.rows[row.id] = replace(plain, seq=draft.next_seq(), embedding_status=state)
            draft.vectors |= given


def _behind(row: Row) -> tuple[str, ...]:
    return row.summary_of if isinstance(row, Thought) else tuple(span.thought_id for span in row.provenance)


def _named_by(row: Observation | Relation) -> tuple[str, ...]:
    return row.entity_ids if isinstance(row, Observation) else (row.source_id, row.target_id)

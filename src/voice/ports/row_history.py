"""What the memory held before: rows that were superseded, and entities that were merged.

Law: nothing here is lost by a correction (ruling F); what was forgotten or redacted is no history and is not told here.

Which entities were made one, and what is needed to make them two again. As of every store: one transaction a write, on
disk when it returns. A merge is in the log exactly when its rows are in the graph (ruling F). The log names rows and
spans and holds no words: what was said stands in rows.

Source: ruling F; DESIGN 4 (`recorded_at`); rulings C10, F.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from voice.core.graph.entities.merge import Merge
from voice.core.records import Observation, Relation, Row, Thought
from voice.ports.stores import WriteBatch


class HistoryStore(Protocol):
    """Reads what was superseded."""

    async def replaced_by(self, row_ids: Sequence[str]) -> list[Row]:
        """Return the superseded rows whose place one of these took, directly, by id."""
        ...

    async def past_of(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return the rows that were superseded, or left with their notes, and name or touch an entity, by id."""
        ...

    async def not_held_at(self, moment: datetime) -> set[str]:
        """Return the ids of the rows that the memory did not hold then: recorded later, superseded or left by then, or
        away then, and back since.

        A superseded row of which it was not kept when that happened counts as superseded by then.
        """
        ...

    async def found_at(self, source_refs: Sequence[str]) -> list[Thought]:
        """Return the live thoughts that an import found at any of these places, by id."""
        ...


class MergeLog(Protocol):
    """Merges, those that were taken back too."""

    async def record(self, merge: Merge, *, rows: WriteBatch) -> Merge:
        """Write a merge, or that it was taken back, with its rows in one transaction; return it with its `seq`.

        Raises:
            InvalidParams: a row was changed by somebody else meanwhile, or cannot be written (`MemoryStore.write`).
            StoreError: nothing was written.
        """
        ...

    async def merge(self, merge_id: str) -> Merge | None:
        """Return the merge, or None."""
        ...

    async def merges(self) -> list[Merge]:
        """Return all of them, the latest first, then by id."""
        ...

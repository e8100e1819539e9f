"""Which entities were made one, and what is needed to make them two again.

Law: as of every store: one transaction a write, on disk when it returns. A merge is in the log exactly when its rows
are in the graph (ruling F). The log names rows and spans and holds no words: what was said stands in rows.

Source: rulings C10, F.
"""

from typing import Protocol

from voice.core.graph.entities.merge import Merge
from voice.ports.stores import WriteBatch


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

"""Rows that are marked for removal, go, and come back.

Law: a row goes, with its vector, in the transaction that leaves its tombstone, and only in the revision that was
decided on; it comes back in the transaction that takes its tombstone away, and only where that one says `finalised`:
what was forgotten or redacted never does (rulings F, H).
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from voice.core.records import Row, Thought, Tombstone, VectorRow


class RemovedRows(Protocol):
    """Takes rows away, and brings them back."""

    async def marked(self) -> list[Thought]:
        """Return the thoughts that are marked for removal, by the day of marking (none first), then id."""
        ...

    async def vectors_of(self, row_ids: Sequence[str]) -> dict[str, VectorRow]:
        """Return the vectors that exist, by row id."""
        ...

    async def finalise(self, tombstones: Sequence[Tombstone], revisions: Mapping[str, int]) -> None:
        """Take the rows of the tombstones away in one transaction.

        Args:
            tombstones: one for each row, with the reason `finalised`.
            revisions: of each row, the revision it was looked at in.

        Raises:
            InvalidParams: a row is not there, or in another revision; nothing was taken away.
            StoreError: nothing was taken away.
        """
        ...

    async def bring_back(self, rows: Sequence[Row], vectors: Sequence[VectorRow]) -> None:
        """Store rows whose id nothing bears but, at most, a tombstone with the reason `finalised`; one transaction.

        A row without a vector among `vectors` waits for one.

        Raises:
            InvalidParams: a row is there, or was forgotten or redacted; nothing was stored.
            StoreError: nothing was stored.
        """
        ...


class UndecidedCandidates(Protocol):
    """Says of which thoughts candidates wait for a human: those thoughts may not go (ruling F)."""

    async def undecided(self, thought_ids: Sequence[str]) -> Mapping[str, int]:
        """Return, for each of the thoughts that has any, how many candidates from it no human has decided."""
        ...

"""Rows of the graph whose thoughts were never stored.

Law: what rests on a thought that is stored, or was and is gone, is no such row: only one of whose thoughts nothing is
known. Versions that stored a long thought in several transactions left such rows behind where they were killed
(ruling I8). Taking one back leaves no tombstone: it was never acknowledged, and may be brought in again.

Source: rulings H, I8; docs/store.md.
"""

from collections.abc import Mapping
from typing import Protocol


class TornRows(Protocol):
    """Finds what rests on nothing, and takes it back."""

    async def torn(self) -> list[str]:
        """Return the ids of the graph's rows that rest on thoughts, none of which is stored or gone, in order."""
        ...

    async def take_back(self, revisions: Mapping[str, int]) -> None:
        """Remove rows with their vectors in one transaction, as if they had never been stored.

        An index does not hear of it and is made anew.

        Args:
            revisions: of each row, the revision it was looked at in.

        Raises:
            InvalidParams: a row is not there, or in another revision; nothing was removed.
            StoreError: nothing was removed.
        """
        ...

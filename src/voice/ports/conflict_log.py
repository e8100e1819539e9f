"""What somebody said of conflicts, and which of them wait for review.

Law: as of every store: one transaction a write, on disk when it returns. The log names rows and places and holds no
words: what they say stands in rows.

Source: ruling F.
"""

from collections.abc import Sequence
from typing import Protocol

from voice.core.errors import InvalidParams
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.ports.stores import MAX_WRITE, check_id


class ConflictLog(Protocol):
    """Records of conflicts, one for each."""

    async def save(self, records: Sequence[ConflictRecord]) -> list[ConflictRecord]:
        """Write records, each over the one of its id, in one transaction; return them with their `seq`, in order.

        Raises:
            InvalidParams: two of them have one id, or one cannot be stored.
            StoreError: nothing was written.
        """
        ...

    async def records(self) -> list[ConflictRecord]:
        """Return all of them, the latest first, then by id."""
        ...

    async def remove(self, ids: Sequence[str]) -> None:
        """Remove records for good; what is not there is passed over.

        Raises:
            StoreError: nothing was removed.
        """
        ...


def check_records(records: Sequence[ConflictRecord]) -> None:
    """Check what `ConflictLog.save` is given, the same for every store.

    Raises:
        InvalidParams: there are more than `MAX_WRITE`, two of them have one id, or one cannot be stored.
    """
    ids = [each.id for each in records]
    if len(ids) > MAX_WRITE:
        raise InvalidParams(f"a batch holds at most {MAX_WRITE:,} conflicts; write several")
    if len(set(ids)) != len(ids):
        raise InvalidParams("a batch names the same conflict twice")
    for each in ids:
        check_id(each)

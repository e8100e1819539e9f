"""Whether the store is still the one that the index followed.

Law: what an index has seen stands in its store under the same `seq`, or was written or removed after all that the index
has seen. A store that was set back and written on has other rows under those numbers; what is new in it would never be
folded and what is gone never dropped, so that is an alarm, not a reason to forget (ruling H). So is a store that was
made anew in the place of one that held more. It costs two short reads at each open: the change folded last, and the
newest rows of the index.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import anyio.to_thread
import numpy as np

from voice.adapters.index.shelf import Seen
from voice.adapters.index.snapshot import Snapshot
from voice.core.errors import StoreDamaged
from voice.ports.stores import Change, MemoryStore, StoreHead

NEWEST_ROWS: Final = 16
_PAGE_ROWS: Final = 1_000
_ADVICE: Final = "restore a backup, or accept the loss with: voice maintain reindex"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """A row as the index has it."""

    row_id: str
    seq: int


def require_no_less(head: StoreHead, seen: Seen | None) -> None:
    """Check that the store does not end before what was seen of it, or of the one that was in its place.

    Raises:
        StoreDamaged: it does.
    """
    if seen is None or head.last_seq >= seen.seq:
        return
    if head.store_id == seen.store_id:
        what = f"ends at change {head.last_seq}, and the search index has seen change {seen.seq}: writes were lost"
    else:
        what = f"is another one than the search index has seen {seen.seq} changes of: it was emptied or replaced"
    raise StoreDamaged(f"the store {what}; {_ADVICE}")


async def require_followed(store: MemoryStore, snapshot: Snapshot) -> None:
    """Check that the store holds what was folded into the snapshot, by its newest rows.

    Raises:
        StoreDamaged: it ends before, or was set back and written again.
    """
    folded = snapshot.folded_seq
    if not folded:
        return
    since = await store.changes(folded - 1, 1)
    if not since:
        raise StoreDamaged(
            f"the store ends before change {folded}, which the search index has seen: writes were lost; {_ADVICE}"
        )
    newest = await anyio.to_thread.run_sync(_newest_rows, snapshot)
    rows = await store.fetch([seen.row_id for seen in newest])
    stands = _ends_alike(newest, since[0], folded) and _stand(
        newest, {key: row.seq for key, row in rows.items()}, folded
    )
    missing = {seen.row_id for seen in newest} - rows.keys()
    if not stands or not await _were_removed(store, missing, folded):
        raise StoreDamaged(
            f"the store holds other rows up to change {folded} than the search index has seen: it was set back to an "
            f"older state and written again, and writes were lost; {_ADVICE}"
        )


def _newest_rows(snapshot: Snapshot) -> list[_Seen]:
    """Return the live rows with the highest `seq`, newest first."""
    found: list[_Seen] = []
    for part in snapshot.parts:
        rows = np.flatnonzero(part.live)
        numbers = part.segment.facts.seq[rows]
        last = max(len(rows) - NEWEST_ROWS, 0)
        places = rows[np.argpartition(numbers, last)[last:]] if last else rows
        found += [
            _Seen(row_id=part.segment.row_id(row), seq=int(part.segment.facts.seq[row])) for row in places.tolist()
        ]
    return sorted(found, key=lambda seen: seen.seq, reverse=True)[:NEWEST_ROWS]


def _ends_alike(newest: Sequence[_Seen], change: Change, folded: int) -> bool:
    """Return whether the change folded last is the store's, where the store still has one under its number."""
    if change.seq != folded:
        return True
    last = next((seen.row_id for seen in newest if seen.seq == folded), None)
    return last == (None if change.row is None else change.row_id)


def _stand(newest: Sequence[_Seen], numbers: Mapping[str, int], folded: int) -> bool:
    return all(numbers.get(seen.row_id, seen.seq) == seen.seq or numbers[seen.row_id] > folded for seen in newest)


async def _were_removed(store: MemoryStore, missing: set[str], folded: int) -> bool:
    """Return whether every missing row was removed after all that was folded."""
    page: list[Change] = []
    while missing:
        page = await store.changes(page[-1].seq if page else folded, _PAGE_ROWS)
        if not page:
            return False
        missing = missing - {change.row_id for change in page}
    return True

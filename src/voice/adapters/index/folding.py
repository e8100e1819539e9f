"""From changes to the next snapshot, and when to merge.

Law: folding changes one by one or all at once gives snapshots that answer alike. A row lives in one place: a newer
version makes the older one dead. New rows gather in one young part in memory; a part is merged with all younger ones
when these are a fourth of it. So a search reads few parts, and the more rows a part has, the more seldom it is written.

Source: DESIGN 4 ("the index is a fold over changes").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from voice.adapters.index.entries import Entry, Key
from voice.adapters.index.part import Part, merged
from voice.adapters.index.segment import build_segment
from voice.adapters.index.snapshot import Snapshot

YOUNG_ROWS: Final = 128
"""Rows, and changes, that are folded again at every open rather than written to disk."""
MERGE_FACTOR: Final = 4
"""A part is merged with those after it when it has no more than so many times their rows."""
MAX_MERGED_ROWS: Final = 1 << 18
_DEAD_SHARE: Final = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Changes ready to be folded: the newest entry of each row that stands, and the keys of all rows that changed."""

    entries: Sequence[Entry]
    keys: Sequence[Key]
    last_seq: int


def fold(snapshot: Snapshot, batch: Batch, dim: int) -> Snapshot:
    """Return the snapshot with the batch in it."""
    keys = np.array(batch.keys, dtype=np.uint64)
    parts = [part for part in (part.without(keys) for part in snapshot.parts) if part.live_rows]
    if batch.entries:
        parts.append(Part.of(build_segment(batch.entries, dim)))
    return snapshot.followed_by(_with_one_young_part(parts), max(snapshot.folded_seq, batch.last_seq))


def tidy(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with its young parts merged into older ones and half-dead parts rewritten."""
    parts = [merged([part]) if _is_wasteful(part) else part for part in snapshot.parts]
    first = _first_to_merge(parts)
    if first < len(parts) - 1:
        parts = [*parts[:first], merged(parts[first:])]
    return snapshot.followed_by(parts, snapshot.folded_seq)


def _with_one_young_part(parts: Sequence[Part]) -> tuple[Part, ...]:
    settled = [part for part in parts if part.name is not None or part.live_rows > YOUNG_ROWS]
    young = [part for part in parts if part.name is None and part.live_rows <= YOUNG_ROWS]
    return (*settled, *([merged(young)] if len(young) > 1 else young))


def _is_wasteful(part: Part) -> bool:
    return part.segment.size - part.live_rows > _DEAD_SHARE * part.segment.size


def _first_to_merge(parts: Sequence[Part]) -> int:
    """Return the oldest part that those after it have outgrown; all from there on become one. The last if none is."""
    first = len(parts) - 1
    younger = 0
    for number in range(len(parts) - 1, 0, -1):
        younger += parts[number].live_rows
        older = parts[number - 1].live_rows
        if MERGE_FACTOR * younger >= older and younger + older <= MAX_MERGED_ROWS:
            first = number - 1
    return first

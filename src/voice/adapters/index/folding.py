"""From changes to the next snapshot, and when to merge.

Law: folding changes one by one or all at once gives snapshots that answer alike. A row lives in one place: a newer
version makes the older one dead. New rows gather in one young part in memory; parts of like size are merged, so that
adding a row costs the same however many there are.

Source: DESIGN 4 ("the index is a fold over changes").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from voice.adapters.index.entries import Entry, Key
from voice.adapters.index.part import Part, live_rows, merged
from voice.adapters.index.segment import build_segment
from voice.adapters.index.snapshot import Snapshot

YOUNG_ROWS: Final = 128
"""Rows, and changes, that are folded again at every open rather than written to disk."""
MERGE_FACTOR: Final = 4
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
    """Return the snapshot with parts of like size merged and half-dead parts rewritten."""
    parts = [merged([part]) if _is_wasteful(part) else part for part in snapshot.parts]
    while (alike := _parts_to_merge(parts)) is not None:
        parts = [part for part in parts if part not in alike]
        parts.append(merged(alike))
    return snapshot.followed_by(parts, snapshot.folded_seq)


def _with_one_young_part(parts: Sequence[Part]) -> tuple[Part, ...]:
    settled = [part for part in parts if part.name is not None or part.live_rows > YOUNG_ROWS]
    young = [part for part in parts if part.name is None and part.live_rows <= YOUNG_ROWS]
    return (*settled, *([merged(young)] if len(young) > 1 else young))


def _is_wasteful(part: Part) -> bool:
    return part.segment.size - part.live_rows > _DEAD_SHARE * part.segment.size


def _parts_to_merge(parts: Sequence[Part]) -> list[Part] | None:
    tiers: dict[int, list[Part]] = {}
    for part in parts:
        tiers.setdefault(_tier(part), []).append(part)
    for _, alike in sorted(tiers.items()):
        if len(alike) >= MERGE_FACTOR and live_rows(alike[:MERGE_FACTOR]) <= MAX_MERGED_ROWS:
            return alike[:MERGE_FACTOR]
    return None


def _tier(part: Part) -> int:
    return int(log(max(part.live_rows / YOUNG_ROWS, 1.0), MERGE_FACTOR))

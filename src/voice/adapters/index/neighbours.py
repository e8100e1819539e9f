"""What was said just before and just after.

Law: the neighbours of a row are the live rows of its table next to it in its thread, by (time, id), in whatever part
they stand; one that the read does not admit lends nothing and is not skipped over.

Source: DESIGN 5 ("neighbouring items smoothed in").
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.scoring import Scores
from voice.adapters.index.segment import THREAD_KEY
from voice.adapters.index.snapshot import Part

Places = NDArray[np.intp]
"""Rows numbered through all parts; -1 for none."""
_OWNER_BYTES = 8


@dataclass(frozen=True, slots=True, eq=False)
class Adjacent:
    """The neighbours of some rows."""

    before: Places
    after: Places


def adjacent(parts: Sequence[Part], offsets: Sequence[int], places: Places) -> Adjacent:
    """Return the neighbours of the rows at `places`, each of which must belong to a thread.

    Args:
        parts: all parts.
        offsets: the place of each part's first row.
        places: ascending.
    """
    keys = _thread_keys(parts, offsets, places)
    before_key, after_key = np.zeros(len(keys), THREAD_KEY), np.full(len(keys), b"\xff" * THREAD_KEY.itemsize)
    before, after = np.full(len(keys), -1), np.full(len(keys), -1)
    for part, offset in zip(parts, offsets, strict=True):
        threads = part.threads
        if not len(threads.keys):
            continue
        left = np.searchsorted(threads.keys, keys, "left")
        right = np.searchsorted(threads.keys, keys, "right")
        for place, best_key, best, is_better in (
            (left - 1, before_key, before, np.greater),
            (right, after_key, after, np.less),
        ):
            inside = np.flatnonzero((place >= 0) & (place < len(threads.keys)))
            found = threads.keys[place[inside]]
            wins = is_better(found, best_key[inside]) & _same_owner(found, keys[inside])
            best_key[inside[wins]] = found[wins]
            best[inside[wins]] = offset + threads.rows[place[inside[wins]]]
    return Adjacent(before, after)


def in_threads(parts: Sequence[Part]) -> NDArray[np.bool_]:
    """Return, per row of all parts, whether it is live and belongs to a thread."""
    return np.concatenate([part.thread_places >= 0 for part in parts])


def better_neighbour(own: Scores, places: Places, neighbours: Adjacent) -> Scores:
    """Return, per row of all parts, the better own score next to it, as far as the rows at `places` tell.

    Exact for the rows at `places`; for the others it is exact if one of their neighbours is among `places` and the
    other scores no higher, which holds when `places` are all rows above some score.
    """
    best = np.zeros(len(own))
    padded = np.append(own, 0.0)
    best[places] = np.maximum(padded[neighbours.before], padded[neighbours.after])
    for side in (neighbours.before, neighbours.after):
        there = side >= 0
        np.maximum.at(best, side[there], own[places[there]])
    return best


def _thread_keys(parts: Sequence[Part], offsets: Sequence[int], places: Places) -> NDArray[np.bytes_]:
    bounds = np.searchsorted(places, [*offsets, np.iinfo(np.intp).max])
    return np.concatenate(
        [
            part.threads.keys[part.thread_places[places[start:end] - offset]]
            for part, offset, start, end in zip(parts, offsets, bounds[:-1], bounds[1:], strict=True)
        ]
    )


def _same_owner(found: NDArray[np.bytes_], keys: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    return _owner(found) == _owner(keys)


def _owner(keys: NDArray[np.bytes_]) -> NDArray[np.uint64]:
    raw = np.ascontiguousarray(keys).view(np.uint8).reshape(-1, THREAD_KEY.itemsize)
    return np.ascontiguousarray(raw[:, :_OWNER_BYTES]).view(np.uint64).ravel()

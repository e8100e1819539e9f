"""What was said just before and just after.

Law: the neighbours of a row are the `REACH` live rows before it and after it on the timeline of its table and scope, by
(time, id), in whatever part they stand and at most `MAX_GAP` away. A neighbour that the read does not admit lends
nothing and is not skipped over. Conversation, diary and calendar alike put what belongs together next to one another in
time; following threads instead did no better on dialogue, and worse on a person's year of notes and messages.

Source: DESIGN 5 ("neighbouring items smoothed in").
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.scoring import Scores
from voice.adapters.index.segment import MOMENT_KEY
from voice.adapters.index.snapshot import Part

REACH: Final = 2
MAX_GAP: Final = timedelta(days=1)

Places = NDArray[np.intp]
"""Rows numbered through all parts; -1 for none."""
Keys = NDArray[np.bytes_]
_NONE: Final = -1
_GAP_US: Final = MAX_GAP // timedelta(microseconds=1)


def better_neighbour(parts: Sequence[Part], offsets: Sequence[int], own: Scores, places: Places) -> Scores:
    """Return, per row of all parts, the best own score among its neighbours, as far as the rows at `places` tell.

    Exact for the rows at `places`, and for every row whose best neighbour is among them.

    Args:
        parts: all parts.
        offsets: the place of each part's first row.
        own: the rows' own scores; 0.0 for those that may not lend any.
        places: live rows on the timeline, ascending.
    """
    best = np.zeros(len(own))
    lent = np.append(own, 0.0)  # place -1 lends nothing
    keys = _keys_at(parts, offsets, places)
    for forward in (False, True):
        reached = keys
        for _ in range(REACH):
            reached, step = _step(parts, offsets, reached, forward=forward)
            near = np.where(_is_near(reached, keys), step, _NONE)
            best[places] = np.maximum(best[places], lent[near])
            there = near != _NONE
            np.maximum.at(best, near[there], own[places[there]])
    return best


def _step(parts: Sequence[Part], offsets: Sequence[int], keys: Keys, *, forward: bool) -> tuple[Keys, Places]:
    """Return the key and place of the next row on the timeline, or of the one before; where there is none, place -1."""
    best_keys, best = keys.copy(), np.full(len(keys), _NONE, dtype=np.intp)
    for part, offset in zip(parts, offsets, strict=True):
        timeline = part.timeline
        side = np.searchsorted(timeline.keys, keys, "right" if forward else "left")
        place = side if forward else side - 1
        inside = np.flatnonzero((place >= 0) & (place < len(timeline.keys)))
        found = timeline.keys[place[inside]]
        closer = found < best_keys[inside] if forward else found > best_keys[inside]
        wins = (best[inside] == _NONE) | closer
        best_keys[inside[wins]] = found[wins]
        best[inside[wins]] = offset + timeline.rows[place[inside[wins]]].astype(np.intp)
    return best_keys, best


def _keys_at(parts: Sequence[Part], offsets: Sequence[int], places: Places) -> Keys:
    bounds = np.searchsorted(places, [*offsets, np.iinfo(np.intp).max])
    keys = [
        part.timeline.keys[part.moment_places[places[start:end] - offset]]
        for part, offset, start, end in zip(parts, offsets, bounds[:-1], bounds[1:], strict=True)
    ]
    return np.concatenate(keys)


def _is_near(found: Keys, keys: Keys) -> NDArray[np.bool_]:
    """Return whether both are of one table and scope, and not too far apart in time."""
    there, here = _owner_and_moment(found), _owner_and_moment(keys)
    apart = np.maximum(there[:, 1], here[:, 1]) - np.minimum(there[:, 1], here[:, 1])
    return (there[:, 0] == here[:, 0]) & (apart <= _GAP_US)


def _owner_and_moment(keys: Keys) -> NDArray[np.uint64]:
    raw = np.ascontiguousarray(keys).view(np.uint8).reshape(-1, MOMENT_KEY.itemsize)
    return np.ascontiguousarray(raw[:, :16]).view(">u8").astype(np.uint64)

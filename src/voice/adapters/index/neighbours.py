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
    keys = _keys_at(parts, offsets, places)
    for forward in (False, True):
        here, reached, reached_keys = places, places, keys
        for _ in range(REACH):
            step, step_keys = _step(parts, offsets, reached, reached_keys, forward=forward)
            near = step != _NONE
            near[near] = _is_near(step_keys[near], keys[np.searchsorted(places, here[near])])
            here, reached, reached_keys = here[near], step[near], step_keys[near]
            best[here] = np.maximum(best[here], own[reached])
            np.maximum.at(best, reached, own[here])
    return best


def _step(
    parts: Sequence[Part], offsets: Sequence[int], places: Places, keys: Keys, *, forward: bool
) -> tuple[Places, Keys]:
    """Return the place and key of the next row on the timeline, or of the one before; where there is none, place -1."""
    best, best_keys = np.full(len(keys), _NONE, dtype=np.intp), keys.copy()
    for part, offset in zip(parts, offsets, strict=True):
        timeline = part.timeline
        beside = _beside(part, offset, places, keys, forward=forward)
        inside = np.flatnonzero((beside >= 0) & (beside < len(timeline.keys)))
        found = timeline.keys[beside[inside]]
        closer = found < best_keys[inside] if forward else found > best_keys[inside]
        wins = (best[inside] == _NONE) | closer
        best_keys[inside[wins]] = found[wins]
        best[inside[wins]] = offset + timeline.rows[beside[inside[wins]]].astype(np.intp)
    return best, best_keys


def _beside(part: Part, offset: int, places: Places, keys: Keys, *, forward: bool) -> Places:
    """Return the place on the part's timeline just after each key, or just before; it may lie off either end.

    Rows of the part itself need no search, and most keys of others lie before or after all of it.
    """
    timeline = part.timeline.keys
    beside = np.full(len(keys), _NONE, dtype=np.intp)
    if not len(timeline):
        return beside
    mine = (places >= offset) & (places < offset + part.segment.size)
    beside[mine] = part.moment_places[places[mine] - offset] + (1 if forward else -1)
    later, earlier = ~mine & (keys > timeline[-1]), ~mine & (keys < timeline[0])
    beside[later] = len(timeline) if forward else len(timeline) - 1
    beside[earlier] = 0 if forward else _NONE
    among = ~(mine | later | earlier)
    beside[among] = np.searchsorted(timeline, keys[among]) - (0 if forward else 1)
    return beside


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

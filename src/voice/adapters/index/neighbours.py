"""What was said just before and just after.

Law: the neighbours of a row are the `REACH` live rows before it and after it on the line of its table and scope, by
(time, id), in whatever part they stand and at most `MAX_GAP` away. A neighbour that the read does not admit lends
nothing and is not skipped over. What follows a question may be its answer, whatever its words: a row that ends in a
question lends the next one more than itself. What is long says by itself what it is about: a row of more than
`ENOUGH_TERMS` terms takes the less of what its neighbours lend the longer it is. Conversation, diary and calendar alike
put what belongs together next to one another in time; following threads instead did no better on dialogue, and worse on
a person's year of notes and messages.

Source: DESIGN 5 ("neighbouring items smoothed in").
"""

from datetime import timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.line import Places, moments_at
from voice.adapters.index.snapshot import Snapshot

REACH: Final = 2
AROUND: Final = 4
"""How far words count together (`coverage`)."""
MAX_GAP: Final = timedelta(days=1)
NOBODY: Final = -1
ANSWERED: Final = 1.5
"""How often over a row that ends in a question lends its score to the row after it."""
ENOUGH_TERMS: Final = 120
"""About sixty words."""
_GAP_US: Final = MAX_GAP // timedelta(microseconds=1)
_MERE_QUESTION: Final = 30
"""Terms up to which a row that ends in a question is nothing else."""
_STEPS: Final = [step for step in range(-AROUND, AROUND + 1) if step]
NEIGHBOURS: Final = slice(AROUND - REACH, AROUND + REACH)
"""The columns of `rows_around` that lend their scores."""
JUST_BEFORE: Final = _STEPS[NEIGHBOURS].index(-1)
"""The column among these that holds the row just before."""


def rows_around(snapshot: Snapshot, positions: Places) -> NDArray[np.intp]:
    """Return the positions up to `AROUND` from each position, one row each; `NOBODY` where there is none."""
    line = snapshot.line
    beside = positions[:, None] + np.array(_STEPS)
    inside = np.clip(beside, 0, len(line.places) - 1)
    here, there = line.owner_numbers(positions)[:, None], line.owner_numbers(inside)
    moments = moments_at(snapshot.parts, line.places[np.hstack([positions[:, None], inside]).ravel()])
    moments = moments.reshape(len(positions), -1)
    apart = np.abs(moments[:, 1:] - moments[:, :1])
    return np.where((inside == beside) & (here == there) & (apart <= _GAP_US), beside, NOBODY)


def best_bound_beside(own: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return per position the most that those up to `REACH` away lend, near in time or not: never too little."""
    best = np.zeros(len(own), dtype=np.float32)
    best[1:] = own[:-1]
    best *= np.float32(ANSWERED)
    np.maximum(best[:-1], own[1:], out=best[:-1])
    for step in range(2, REACH + 1):
        np.maximum(best[step:], own[:-step], out=best[step:])
        np.maximum(best[:-step], own[step:], out=best[:-step])
    return best


def share_taken(lengths: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return which share of what its neighbours lend a row takes, given how many terms it has."""
    return ENOUGH_TERMS / np.maximum(lengths.astype(np.float64), ENOUGH_TERMS)


def mere_question(lengths: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return how much of a mere question a row that ends in one is, given how many terms it has."""
    return _MERE_QUESTION / np.maximum(lengths.astype(np.float64), _MERE_QUESTION)

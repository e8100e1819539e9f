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

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.picked import Picked, Places
from voice.adapters.index.ragged import Mask
from voice.adapters.index.scoring import Holders
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
_REACHED: Final = np.array([0, *_STEPS])
NEIGHBOURS: Final = slice(AROUND - REACH, AROUND + REACH)
"""The columns of `Surroundings.beside` that lend their scores."""
JUST_BEFORE: Final = _STEPS[NEIGHBOURS].index(-1)
"""The column among these that holds the row just before."""


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """Some rows, each with those up to `AROUND` from it on the line."""

    beside: Places
    """Their positions, one line a row; `NOBODY` where there is none."""
    places: Places
    """Per row its own place, then theirs; that of nobody is any."""
    picked: Picked
    """All these places, line after line."""
    lengths: NDArray[np.uint32]
    """Terms of each."""

    @property
    def own_lengths(self) -> NDArray[np.uint32]:
        """How many terms each of the rows themselves has."""
        return self.lengths[:, 0]

    def hold(self, holders: Holders) -> Mask:
        """Return whether each row, and then each beside it, holds a term, given who holds it."""
        return holders.hold(self.picked.places).reshape(self.places.shape)


def surroundings(snapshot: Snapshot, positions: Places) -> Surroundings:
    """Return the rows at the positions and around them."""
    line = snapshot.line
    beside = positions[:, None] + _REACHED
    inside = np.minimum(np.maximum(beside, 0), max(len(line.places) - 1, 0))  # `np.clip` takes twice as long
    places = line.places[inside]
    picked = snapshot.picked(places.ravel())
    moments = picked.created_us().reshape(places.shape)
    owners = line.owner_numbers(inside)
    near = (inside == beside) & (owners == owners[:, :1]) & (np.abs(moments - moments[:, :1]) <= _GAP_US)
    lengths = picked.lengths().reshape(places.shape)
    return Surroundings(np.where(near, beside, NOBODY)[:, 1:], places, picked, lengths)


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

"""Bringing one encoder's cosines to the scale of another's.

Law: only what encoders give to strangers counts, questions with rows of other memories, which need no answers: the mean
and the spread of these become those of the other encoder.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.core.retrieval.ranking import FusionProfile

_STRANGERS: Final = 150
"""Questions and rows of each memory that are looked at, spread evenly over it."""
Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Vectors:
    """What an encoder makes of one memory; each line has length 1."""

    rows: Matrix
    questions: Matrix


@dataclass(frozen=True, slots=True)
class Scale:
    """How cosines are brought to those of the default encoder: what counts as 0, and what a cosine from there on."""

    zero: float = 0.0
    unit: float = 1.0

    @classmethod
    def of(cls, noise: Matrix, default: Matrix) -> "Scale":
        """Return the scale on which strangers have the mean and the spread that they have for the default."""
        unit = float(default.std() / noise.std())
        return cls(max(0.0, float(noise.mean() - default.mean() / unit)), unit)

    def lifted(self, vectors: Matrix, sign: float) -> Matrix:
        """Return unit vectors of one dimension more whose cosine with those of the other sign is 0 at `zero`."""
        share = 1.0 / (1.0 + self.zero)
        extra = np.full((len(vectors), 1), sign * np.sqrt(1.0 - share), dtype=np.float32)
        return np.hstack([np.float32(np.sqrt(share)) * vectors, extra])

    def constants(self, profile: FusionProfile) -> FusionProfile:
        """Return a profile that is meant for the default's cosines, for those of lifted vectors."""
        return replace(profile, vector=profile.vector * self.unit * (1.0 + self.zero))


def strangers(memories: Sequence[Vectors]) -> Matrix:
    """Return the cosines of questions with rows of other memories."""
    pairs = permutations(memories, 2)
    return np.concatenate([(_spread(other.rows) @ _spread(one.questions).T).ravel() for one, other in pairs])


def _spread(vectors: Matrix) -> Matrix:
    return vectors[:: max(1, -(-len(vectors) // _STRANGERS))]

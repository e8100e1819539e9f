"""A byte per number of each vector, and how far that can mislead.

Law: a bound from a sketch is never below the true cosine. A vector `x` is kept as `scale * codes`, with the length of
what that leaves out as its error; by Cauchy and Schwarz the cosine with a question `q`, sketched likewise, is at most
`scale * q.scale * (codes . q.codes) + error + q.error * (1 + error)`. So whatever could win is looked up in full, and a
sketch decides nothing but what is not looked at. A scan reads a quarter of the bytes of the vectors themselves.

Source: DESIGN 5; docs/adr/0003-search-index.md (measured against other ways).
"""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import simsimd
from numpy.typing import NDArray

_LEVELS: Final = 127
_SLACK: Final = 1e-6
"""What float32 arithmetic may lose on the way, on top of the error of a sketch."""
_CHUNK: Final = 4_096

Numbers = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """Unit vectors to the nearest of 255 steps; one row each."""

    codes: NDArray[np.int8]
    scales: Numbers
    errors: Numbers
    """The length of the difference between each vector and `scale * codes`, rounded up."""

    @classmethod
    def of(cls, matrix: Numbers) -> Self:
        """Return the sketch of unit vectors."""
        codes = np.empty(matrix.shape, dtype=np.int8)
        scales = np.empty(len(matrix), dtype=np.float32)
        errors = np.empty(len(matrix), dtype=np.float32)
        for start in range(0, len(matrix), _CHUNK):
            part = slice(start, start + _CHUNK)
            _fill(matrix[part], codes[part], scales[part], errors[part])
        return cls(codes, scales, errors)

    def taken(self, places: NDArray[np.intp]) -> Self:
        """Return the sketch of the vectors at `places`."""
        return type(self)(self.codes[places], self.scales[places], self.errors[places])

    def bounds(self, question: "Sketch", out: Numbers) -> None:
        """Put into `out` a number per row that its cosine with the one vector of `question` does not exceed."""
        if not len(out):
            return
        # Never with `out`: then cdist takes a reference to None away, and Python 3.11 ends when none is left.
        products = np.asarray(simsimd.cdist(question.codes, self.codes, metric="dot", out_dtype="float32"))
        error = question.errors[0]
        np.multiply(products[0], self.scales, out=out)
        np.multiply(out, question.scales[0], out=out)
        np.add(out, self.errors * (np.float32(1.0) + error), out=out)
        np.add(out, error + np.float32(_SLACK), out=out)


def _fill(matrix: Numbers, codes: NDArray[np.int8], scales: Numbers, errors: Numbers) -> None:
    scales[:] = np.abs(matrix).max(axis=1, initial=0.0) / _LEVELS
    steps = np.where(scales > 0.0, scales, np.float32(1.0))[:, None]
    rounded = np.rint(matrix / steps)
    codes[:] = rounded
    left = matrix - rounded * scales[:, None]
    errors[:] = np.sqrt(np.vecdot(left, left)) * np.float32(1.0 + 1e-5) + np.float32(1e-7)

"""Lists of different lengths in two flat arrays."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", bound=np.generic)
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Ragged(Generic[Value]):
    """List `i` is `values[starts[i]:starts[i + 1]]`."""

    starts: NDArray[np.uint64]
    values: NDArray[Value]

    def of(self, number: int) -> NDArray[Value]:
        """Return list `number`."""
        return self.values[int(self.starts[number]) : int(self.starts[number + 1])]

    def owners(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return, per place in `values`, the list it belongs to."""
        return np.searchsorted(self.starts, places.astype(np.uint64), "right") - 1

    def kept(self, mask: Mask) -> "Ragged[Value]":
        """Return the lists that `mask` keeps."""
        lengths = np.diff(self.starts.astype(np.int64))
        return Ragged(starts_of(lengths[mask]), self.values[np.repeat(mask, lengths)])


def ragged(lists: Sequence[Sequence[int]], dtype: type[Value]) -> Ragged[Value]:
    """Return the lists as two arrays."""
    flat = [value for values in lists for value in values]
    return Ragged(starts_of([len(values) for values in lists]), np.array(flat, dtype=dtype))


def joined(parts: Iterable[Ragged[Value]]) -> Ragged[Value]:
    """Return all lists of all parts, in order; there must be at least one part."""
    several = list(parts)
    lengths = np.concatenate([np.diff(part.starts.astype(np.int64)) for part in several])
    return Ragged(starts_of(lengths), np.concatenate([part.values for part in several]))


def starts_of(lengths: Sequence[int] | NDArray[Any]) -> NDArray[np.uint64]:
    """Return where each list starts, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, dtype=np.uint64)
    np.cumsum(lengths, out=starts[1:])
    return starts

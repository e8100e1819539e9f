"""The live rows of one part in the order of time.

Law: rows are ordered by (owner, time, id); an id is read only where the rest ties.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.facts import Facts, Keys

RowId = Callable[[int], bytes]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Rows in order; those of owner `i` begin at `starts[i]`, and the last of these is the end."""

    rows: Rows
    created_us: NDArray[np.int64]
    owners: Keys
    starts: Rows

    @classmethod
    def of(cls, rows: Rows, facts: Facts) -> Self:
        """Return the moments of rows that are in order."""
        owner = facts.owner[rows]
        starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1])) if len(rows) else rows
        return cls(rows, facts.created_us[rows], owner[starts], np.append(starts, len(rows)))

    def ranks_of(self, others: Self, my_id: RowId, their_id: RowId) -> Rows:
        """Return how many rows here come before each of the others."""
        ranks = np.empty(len(others.rows), dtype=np.intp)
        for owner, (begin, end) in zip(others.owners, pairwise(others.starts.tolist()), strict=True):
            start, stop = self._owned(owner)
            created, wanted = self.created_us[start:stop], others.created_us[begin:end]
            left, right = np.searchsorted(created, wanted, "left"), np.searchsorted(created, wanted, "right")
            ranks[begin:end] = start + left
            for tied in np.flatnonzero(left < right).tolist():
                ids = _Ids(my_id, self.rows[start + left[tied] : start + right[tied]])
                ranks[begin + tied] += bisect_left(ids, their_id(int(others.rows[begin + tied])))
        return ranks

    def _owned(self, owner: np.uint64) -> tuple[int, int]:
        number = int(np.searchsorted(self.owners, owner))
        if number == len(self.owners) or self.owners[number] != owner:
            return int(self.starts[number]), int(self.starts[number])
        return int(self.starts[number]), int(self.starts[number + 1])


class _Ids(Sequence[bytes]):
    """The ids of some rows, read one by one."""

    def __init__(self, id_of: RowId, rows: Rows) -> None:
        self._id_of, self._rows = id_of, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> bytes:  # pyright: ignore[reportIncompatibleMethodOverride] - no slices
        return self._id_of(int(self._rows[number]))

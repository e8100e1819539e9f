"""A segment with the flags of its rows as they stand now.

Law: a part never changes; what kills a row makes the next one. What is counted over live rows is counted once a part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Self

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.entries import FLAG_OF_TABLE, Flag
from voice.adapters.index.moments import Moments
from voice.adapters.index.ragged import Mask
from voice.adapters.index.segment import Segment, merge_segments
from voice.core.records import Table


@dataclass(frozen=True, eq=False)
class Part:
    """A segment and which of its rows are still live."""

    segment: Segment
    flags: NDArray[np.uint8]
    name: str | None = None
    """Its file; None while it is only in memory."""

    @classmethod
    def of(cls, segment: Segment, *, name: str | None = None, dead: Mask | None = None) -> Self:
        """Return the part of a segment whose rows in `dead` are dead."""
        flags = segment.facts.flags
        if dead is not None:
            flags = flags | (dead * np.uint8(Flag.DEAD))
        return cls(segment, flags, name)

    @cached_property
    def live(self) -> Mask:
        """True per row that is neither replaced nor gone."""
        return (self.flags & Flag.DEAD) == 0

    @cached_property
    def live_rows(self) -> int:
        """How many rows are live."""
        return int(self.live.sum())

    @cached_property
    def documents(self) -> int:
        """Live rows that words can find."""
        return int(np.count_nonzero(self.live & (self.segment.facts.length > 0)))

    @cached_property
    def total_length(self) -> int:
        """Terms in live rows, with repetitions."""
        return int(self.segment.facts.length[self.live].sum(dtype=np.int64))

    @cached_property
    def live_vectors(self) -> int:
        """How many live rows have a vector."""
        return int(np.count_nonzero(self.live[self.segment.vectors.rows]))

    @cached_property
    def lengths(self) -> NDArray[np.float32]:
        """Terms per row, roughly."""
        return self.segment.facts.length.astype(np.float32)

    @cached_property
    def has_vector(self) -> Mask:
        """True per row that has a vector."""
        mask = np.zeros(self.segment.size, dtype=np.bool_)
        mask[self.segment.vectors.rows] = True
        return mask

    @cached_property
    def moments(self) -> Moments:
        """The live rows that can be found, in the order of time."""
        rows = self.segment.moments
        return Moments.of(rows[self.live[rows]].astype(np.intp), self.segment.facts)

    def ranks_of(self, other: Self) -> NDArray[np.intp]:
        """Return how many of these moments come before each of the other part's."""
        return self.moments.ranks_of(other.moments, self.segment.id_bytes, other.segment.id_bytes)

    @cached_property
    def id_ranks(self) -> NDArray[np.int64]:
        """Per row its place in the order of ids; made only when many rows tie."""
        order = sorted(range(self.segment.size), key=self.segment.id_bytes)
        ranks = np.empty(self.segment.size, dtype=np.int64)
        ranks[order] = np.arange(self.segment.size)
        return ranks

    @cached_property
    def rows_of(self) -> Mapping[Table, int]:
        """How many live rows each table has here."""
        return {
            table: int(np.count_nonzero((self.flags & np.uint8(flag | Flag.DEAD)) == np.uint8(flag)))
            for table, flag in FLAG_OF_TABLE.items()
        }

    def without(self, keys: NDArray[np.uint64]) -> "Part":
        """Return this part with the rows of `keys` dead; itself if it has none of them."""
        rows = self.segment.keys.find(keys)
        rows = rows[self.live[rows]]
        if not len(rows):
            return self
        flags = self.flags.copy()
        flags[rows] |= np.uint8(Flag.DEAD)
        return Part(self.segment, flags, self.name)


def merged(parts: Sequence[Part]) -> Part:
    """Return one part, in memory, with the live rows of several."""
    return Part.of(merge_segments([part.segment for part in parts], [part.flags for part in parts]))


def offsets_of(parts: Sequence[Part]) -> list[int]:
    """Return the place of each part's first row, and the number of all rows."""
    return list(accumulate((part.segment.size for part in parts), initial=0))

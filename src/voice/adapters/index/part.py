"""A segment with the flags of its rows as they stand now, and rows selected through several.

Law: a part never changes; what kills a row makes the next one. What is counted over live rows is counted once a part.

Some rows, each part's together. Rows are numbered through all parts by their places; whatever is read of some of them
is read part by part, once split for all that is asked of them, and stands in the order in which they were asked for.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.columns import Facts, Keys, Mask
from voice.adapters.index.entries import FLAG_OF_TABLE, Flag
from voice.adapters.index.segment import Segment, merge_segments
from voice.core.records import Table

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


Places = NDArray[np.intp]
"""Rows numbered through all parts."""
Value = TypeVar("Value", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class PartRows:
    """What of some rows lies in one part."""

    number: int
    part: Part
    mine: Places
    """Which of the rows these are."""
    rows: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class RowSelection:
    """Rows at some places, in pieces."""

    places: NDArray[np.uint32]
    pieces: tuple[PartRows, ...]

    @classmethod
    def of(cls, parts: Sequence[Part], offsets: Places, places: Places) -> Self:
        """Return the rows at `places`, in any order; `offsets` are the places of the parts' first rows and the end."""
        return cls(places.astype(np.uint32), tuple(_pieces(parts, offsets, places)))

    @property
    def size(self) -> int:
        """How many rows these are."""
        return len(self.places)

    def column(self, read: Callable[[Part], NDArray[Value]], dtype: type[Value]) -> NDArray[Value]:
        """Return the rows' values of a column of each part."""
        found = np.empty(self.size, dtype=dtype)
        for piece in self.pieces:
            found[piece.mine] = read(piece.part)[piece.rows]
        return found

    def lengths(self) -> NDArray[np.uint32]:
        """Return how many terms each row has."""
        return self.column(lambda part: part.segment.facts.length, np.uint32)

    def created_us(self) -> NDArray[np.int64]:
        """Return when each row was made."""
        return self.column(lambda part: part.segment.facts.created_us, np.int64)

    def says(self) -> NDArray[np.uint64]:
        """Return the key of what each row says."""
        return self.column(lambda part: part.segment.facts.says, np.uint64)

    def trust(self) -> NDArray[np.uint8]:
        """Return how far each row can be trusted."""
        return self.column(lambda part: part.segment.facts.trust, np.uint8)

    def ids(self) -> list[str]:
        """Return the rows' ids."""
        found = [""] * self.size
        for piece in self.pieces:
            for place, row_id in zip(piece.mine.tolist(), piece.part.segment.row_ids(piece.rows), strict=True):
                found[place] = row_id
        return found


def _pieces(parts: Sequence[Part], offsets: Places, places: Places) -> Iterator[PartRows]:
    if not len(places):
        return
    if len(parts) == 1:
        yield PartRows(0, parts[0], np.arange(len(places)), places.astype(np.uint32))
        return
    numbers = offsets.searchsorted(places, "right") - 1
    order = numbers.argsort(kind="stable")
    edges = numbers.take(order).searchsorted(np.arange(len(parts) + 1)).tolist()
    for number, part in enumerate(parts):
        start, end = edges[number], edges[number + 1]
        if start < end:
            mine = order[start:end]
            yield PartRows(number, part, mine, (places.take(mine) - offsets[number]).astype(np.uint32))

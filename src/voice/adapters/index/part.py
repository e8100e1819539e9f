"""A segment with the current flags of its rows, and row selections across segments.

Law: a part is immutable; a deletion creates the next one. Live-row statistics are computed once per part. Rows are
numbered through all parts by place; a selection is split by part once and keeps the requested order.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.columns import FLAG_OF_TABLE, Facts, Flag, Keys, Mask
from voice.adapters.index.segment import Segment, merge_segments, ranks_by
from voice.core.records import Table

RowId = Callable[[int], bytes]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Rows in timeline order; owner `i` starts at `starts[i]`, the last entry is the end."""

    rows: Rows
    created_us: NDArray[np.int64]
    owners: Keys
    starts: Rows

    @classmethod
    def of(cls, rows: Rows, facts: Facts) -> Self:
        """Build from ordered rows."""
        owner = facts.owner[rows]
        starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1])) if len(rows) else rows
        return cls(rows, facts.created_us[rows], owner[starts], np.append(starts, len(rows)))

    def ranks_of(self, others: Self, my_id: RowId, their_id: RowId) -> Rows:
        """Return for each of the other rows how many rows here precede it."""
        ranks = np.empty(len(others.rows), dtype=np.intp)
        for owner, (begin, end) in zip(others.owners, pairwise(others.starts.tolist()), strict=True):
            start, stop = self._owned(owner)
            created, wanted = self.created_us[start:stop], others.created_us[begin:end]
            left, right = np.searchsorted(created, wanted, "left"), np.searchsorted(created, wanted, "right")
            ranks[begin:end] = start + left
            for tied in np.flatnonzero(left < right).tolist():  # at the same time: the id decides
                ids = _Ids(my_id, self.rows[start + left[tied] : start + right[tied]])
                ranks[begin + tied] += bisect_left(ids, their_id(int(others.rows[begin + tied])))
        return ranks

    def _owned(self, owner: np.uint64) -> tuple[int, int]:
        number = int(np.searchsorted(self.owners, owner))
        if number == len(self.owners) or self.owners[number] != owner:
            return int(self.starts[number]), int(self.starts[number])
        return int(self.starts[number]), int(self.starts[number + 1])


class _Ids(Sequence[bytes]):
    """Lazy sequence of row ids, for bisection."""

    def __init__(self, id_of: RowId, rows: Rows) -> None:
        self._id_of, self._rows = id_of, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> bytes:  # pyright: ignore[reportIncompatibleMethodOverride] - no slices
        return self._id_of(int(self._rows[number]))


@dataclass(frozen=True, eq=False)
class Part:
    """A segment with the live state of its rows."""

    segment: Segment
    flags: NDArray[np.uint8]
    name: str | None = None
    """File name; None while only in memory."""

    @classmethod
    def of(cls, segment: Segment, *, name: str | None = None, dead: Mask | None = None) -> Self:
        """Build from a segment and a mask of dead rows."""
        flags = segment.facts.flags
        if dead is not None:
            flags = flags | (dead * np.uint8(Flag.DEAD))
        return cls(segment, flags, name)

    @cached_property
    def live(self) -> Mask:
        """Mask of live rows."""
        return (self.flags & Flag.DEAD) == 0

    @cached_property
    def live_rows(self) -> int:
        """Number of live rows."""
        return int(self.live.sum())

    @cached_property
    def documents(self) -> int:
        """Live rows searchable by words."""
        return int(np.count_nonzero(self.live & (self.segment.facts.length > 0)))

    @cached_property
    def total_length(self) -> int:
        """Terms in live rows, with repetitions."""
        return int(self.segment.facts.length[self.live].sum(dtype=np.int64))

    @cached_property
    def live_vectors(self) -> int:
        """Live rows with a vector."""
        return int(np.count_nonzero(self.live[self.segment.vectors.rows]))

    @cached_property
    def lengths(self) -> NDArray[np.float32]:
        """Terms per row, as float32."""
        return self.segment.facts.length.astype(np.float32)

    @cached_property
    def has_vector(self) -> Mask:
        """Mask of rows with a vector."""
        mask = np.zeros(self.segment.size, dtype=np.bool_)
        mask[self.segment.vectors.rows] = True
        return mask

    @cached_property
    def moments(self) -> Moments:
        """Live searchable rows in timeline order."""
        rows = self.segment.moments
        return Moments.of(rows[self.live[rows]].astype(np.intp), self.segment.facts)

    def ranks_of(self, other: Self) -> NDArray[np.intp]:
        """Return for each of the other part's moments how many here precede it."""
        return self.moments.ranks_of(other.moments, self.segment.id_bytes, other.segment.id_bytes)

    @cached_property
    def id_ranks(self) -> NDArray[np.int64]:
        """Rank by id per row; computed only if many rows tie."""
        return ranks_by(self.segment.id_bytes, self.segment.size)

    @cached_property
    def rows_of(self) -> Mapping[Table, int]:
        """Live rows per table."""
        return {
            # Of that table, and not dead.
            table: int(np.count_nonzero((self.flags & np.uint8(flag | Flag.DEAD)) == np.uint8(flag)))
            for table, flag in FLAG_OF_TABLE.items()
        }

    def without(self, keys: NDArray[np.uint64]) -> "Part":
        """Return the part with these keys dead; self if it has none."""
        rows = self.segment.keys.find(keys)
        rows = rows[self.live[rows]]  # earlier rows of the key are dead already
        if not len(rows):
            return self
        flags = self.flags.copy()
        flags[rows] |= np.uint8(Flag.DEAD)
        return Part(self.segment, flags, self.name)


def merged(parts: Sequence[Part]) -> Part:
    """Merge the live rows of several parts in memory."""
    return Part.of(merge_segments([part.segment for part in parts], [part.flags for part in parts]))


def offsets_of(parts: Sequence[Part]) -> list[int]:
    """Return the first place of each part, and the total."""
    return list(accumulate((part.segment.size for part in parts), initial=0))


Places = NDArray[np.intp]
"""Row numbers through all parts."""
Value = TypeVar("Value", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class PartRows:
    """The selected rows in one part."""

    number: int
    part: Part
    mine: Places
    """Their indexes in the selection."""
    rows: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class RowSelection:
    """Rows at given places, split by part."""

    places: NDArray[np.uint32]
    pieces: tuple[PartRows, ...]

    @classmethod
    def of(cls, parts: Sequence[Part], offsets: Places, places: Places) -> Self:
        """Select `places`, in any order; `offsets` are the parts' first places and the end."""
        return cls(places.astype(np.uint32), tuple(_pieces(parts, offsets, places)))

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.places)

    def column(self, read: Callable[[Part], NDArray[Value]], dtype: type[Value]) -> NDArray[Value]:
        """Gather a column from the parts."""
        found = np.empty(self.size, dtype=dtype)
        for piece in self.pieces:
            found[piece.mine] = read(piece.part)[piece.rows]
        return found

    def lengths(self) -> NDArray[np.uint32]:
        """Return the number of terms per row."""
        return self.column(lambda part: part.segment.facts.length, np.uint32)

    def created_us(self) -> NDArray[np.int64]:
        """Return the creation time per row."""
        return self.column(lambda part: part.segment.facts.created_us, np.int64)

    def ids(self) -> list[str]:
        """Return the row ids."""
        found = [""] * self.size
        for piece in self.pieces:
            for place, row_id in zip(piece.mine.tolist(), piece.part.segment.row_ids(piece.rows), strict=True):
                found[place] = row_id
        return found


def _pieces(parts: Sequence[Part], offsets: Places, places: Places) -> Iterator[PartRows]:
    if not len(places):
        return
    if len(parts) == 1:  # the usual case
        yield PartRows(0, parts[0], np.arange(len(places)), places.astype(np.uint32))
        return
    numbers = offsets.searchsorted(places, "right") - 1
    order = numbers.argsort(kind="stable")  # stable: keeps the selection's order within a part
    edges = numbers.take(order).searchsorted(np.arange(len(parts) + 1)).tolist()
    for number, part in enumerate(parts):
        start, end = edges[number], edges[number + 1]
        if start < end:
            mine = order[start:end]
            yield PartRows(number, part, mine, (places.take(mine) - offsets[number]).astype(np.uint32))

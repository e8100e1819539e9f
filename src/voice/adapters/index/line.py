"""Who stands beside whom in time, through all parts.

Law: the line holds every live row that can be found, by (table, scope, time, id), in whatever part it stands; so it is
a function of the rows alone. The rows of a table follow one another. What changes at a fold is taken out and put in;
the rest is copied as it stands.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.entries import OWNER_BASE, OWNERS_OF_A_TABLE, Flag
from voice.adapters.index.facts import Keys
from voice.adapters.index.part import Part, offsets_of
from voice.adapters.index.segment import id_bytes
from voice.core.records import Table

Places = NDArray[np.intp]
"""Rows numbered through all parts."""
_FEW: Final = 1_024
"""Cuts up to which copying what lies between them beats copying by mask."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Places and moments in order; the rows of owner `i` begin at `starts[i]`, and the last of these is the end."""

    places: Places
    created_us: NDArray[np.int64]
    owners: Keys
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Self:
        """Return the line of all live rows of the parts."""
        empty = cls(
            np.empty(0, dtype=np.intp),
            np.empty(0, dtype=np.int64),
            np.empty(0, dtype=np.uint64),
            np.zeros(1, dtype=np.intp),
        )
        return empty._with_parts(parts, 0)

    def after(self, before: Sequence[Part], now: Sequence[Part]) -> Self:
        """Return the line of `now`, given that this one is that of `before`."""
        same = _same_segments(before, now)
        offsets = offsets_of(before)
        gone = np.zeros(offsets[-1], dtype=np.bool_)
        gone[offsets[same] :] = True
        for old, new, offset in zip(before[:same], now[:same], offsets, strict=False):
            if old is not new:
                gone[offset : offset + old.segment.size] = new.flags & Flag.DEAD
        kept = self._without(np.flatnonzero(gone[self.places]))
        return kept._with_parts(now, same)  # noqa: SLF001 - a line like this one

    def span(self, table: Table) -> slice:
        """Return where the rows of the table stand."""
        first = np.uint64(OWNER_BASE[table])
        last = np.uint64(OWNER_BASE[table] + (OWNERS_OF_A_TABLE - 1))
        begin, end = np.searchsorted(self.owners, first), np.searchsorted(self.owners, last, "right")
        return slice(int(self.starts[begin]), int(self.starts[end]))

    def owner_numbers(self, positions: Places) -> Places:
        """Return which owner stands at each position."""
        return np.searchsorted(self.starts, positions, "right") - 1

    def _without(self, positions: Places) -> Self:
        if not len(positions):
            return self
        lost = np.bincount(self.owner_numbers(positions), minlength=len(self.owners))
        return self._counted(
            _cut(self.places, positions), _cut(self.created_us, positions), self.owners, np.diff(self.starts) - lost
        )

    def _with_parts(self, parts: Sequence[Part], first: int) -> Self:
        line = self
        for number in range(first, len(parts)):
            line = line._with_part(parts, number)
        return line

    def _with_part(self, parts: Sequence[Part], number: int) -> Self:
        part, offset = parts[number], offsets_of(parts)[number]
        rows = part.segment.moments[part.live[part.segment.moments]].astype(np.intp)
        if not len(rows):
            return self
        facts = part.segment.facts
        owner, moment = facts.owner[rows], facts.created_us[rows]
        where = self._positions(parts, part, rows, owner, moment)
        mine, counts = np.unique(owner, return_counts=True)
        owners = np.union1d(self.owners, mine)
        sizes = np.zeros(len(owners), dtype=np.intp)
        sizes[np.searchsorted(owners, self.owners)] = np.diff(self.starts)
        sizes[np.searchsorted(owners, mine)] += counts
        return self._counted(
            _spliced(self.places, where, rows + offset), _spliced(self.created_us, where, moment), owners, sizes
        )

    def _positions(
        self, parts: Sequence[Part], part: Part, rows: Places, owner: Keys, moment: NDArray[np.int64]
    ) -> Places:
        """Return before which position each row goes; rows are in order."""
        where = np.empty(len(rows), dtype=np.intp)
        bounds = np.append(np.flatnonzero(np.append(True, owner[1:] != owner[:-1])), len(rows))
        for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            start, stop = self._owned(owner[begin : begin + 1])
            owned = self.created_us[start:stop]
            left = start + np.searchsorted(owned, moment[begin:end], "left")
            right = start + np.searchsorted(owned, moment[begin:end], "right")
            where[begin:end] = left
            for tied in np.flatnonzero(left < right).tolist():
                wanted = id_bytes(part.segment.row_id(int(rows[begin + tied])))
                ids = _Ids(parts, self.places[left[tied] : right[tied]])
                where[begin + tied] = left[tied] + bisect_left(ids, wanted)
        return where

    def _owned(self, owner: Keys) -> tuple[int, int]:
        """Return where the rows of the one owner begin and end."""
        number = int(np.searchsorted(self.owners, owner)[0])
        if number == len(self.owners) or self.owners[number] != owner[0]:
            return int(self.starts[number]), int(self.starts[number])
        return int(self.starts[number]), int(self.starts[number + 1])

    def _counted(self, places: Places, created_us: NDArray[np.int64], owners: Keys, sizes: NDArray[np.intp]) -> Self:
        there = sizes > 0
        return type(self)(places, created_us, owners[there], np.append(0, np.cumsum(sizes[there])))


class _Ids(Sequence[bytes]):
    """The ids of rows at places, read one by one."""

    def __init__(self, parts: Sequence[Part], places: Places) -> None:
        self._parts, self._places, self._offsets = parts, places, offsets_of(parts)

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, number: int) -> bytes:  # pyright: ignore[reportIncompatibleMethodOverride] - no slices
        place = int(self._places[number])
        of = int(np.searchsorted(self._offsets, place, "right")) - 1
        return id_bytes(self._parts[of].segment.row_id(place - self._offsets[of]))


def _same_segments(before: Sequence[Part], now: Sequence[Part]) -> int:
    same = 0
    for old, new in zip(before, now, strict=False):
        if old.segment is not new.segment:
            break
        same += 1
    return same


def _cut(array: NDArray[np.int64], positions: Places) -> NDArray[np.int64]:
    """Return the array without what stands at the positions, which ascend."""
    if len(positions) > _FEW:
        return np.delete(array, positions)
    edges = [-1, *positions.tolist(), len(array)]
    return np.concatenate([array[low + 1 : high] for low, high in pairwise(edges)])


def _spliced(array: NDArray[np.int64], where: Places, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the array with each value put before the position `where` says; these ascend."""
    cuts = np.append(np.flatnonzero(np.append(True, where[1:] != where[:-1])), len(where))
    if len(cuts) > _FEW:
        return np.insert(array, where, values)
    pieces: list[NDArray[np.int64]] = []
    before = 0
    for low, high in pairwise(cuts.tolist()):
        at = int(where[low])
        pieces += [array[before:at], values[low:high]]
        before = at
    return np.concatenate([*pieces, array[before:]])

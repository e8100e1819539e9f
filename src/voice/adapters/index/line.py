"""Who stands beside whom in time, through all parts.

Law: the line holds every live row that can be found, by (table, scope, time, id), in whatever part it stands; so it is
a function of the rows alone. The rows of a table follow one another. A row's position is the sum of its ranks in the
parts; so a fold cuts out and puts in what changed, and the rest is copied as it stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Self

import numpy as np

from voice.adapters.index.entries import OWNER_BASE, OWNERS_OF_A_TABLE, Flag
from voice.adapters.index.facts import Keys
from voice.adapters.index.part import Part, offsets_of
from voice.adapters.index.picked import Places
from voice.core.records import Table

_FEW: Final = 1_024
"""Cuts up to which copying what lies between them beats copying by mask."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Places in order; the rows of owner `i` begin at `starts[i]`, and the last of these is the end."""

    places: Places
    owners: Keys
    starts: Places

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Self:
        """Return the line of all live rows of the parts."""
        nothing = np.empty(0, dtype=np.intp)
        return cls(nothing, np.empty(0, dtype=np.uint64), np.zeros(1, dtype=np.intp)).extended(parts, 0)

    def after(self, before: Sequence[Part], now: Sequence[Part]) -> Self:
        """Return the line of `now`, given that this one is that of `before`."""
        same = _same_segments(before, now)
        offsets = offsets_of(before)
        gone = np.zeros(offsets[-1], dtype=np.bool_)
        gone[offsets[same] :] = True
        for old, new, offset in zip(before[:same], now[:same], offsets, strict=False):
            if old is not new:
                gone[offset : offset + old.segment.size] = new.flags & Flag.DEAD
        return self._without(np.flatnonzero(gone[self.places])).extended(now, same)

    def extended(self, parts: Sequence[Part], number: int) -> Self:
        """Return the line of `parts`, given that this one is that of those before part `number`."""
        line = self
        for following in range(number, len(parts)):
            line = line.with_part(parts[: following + 1])
        return line

    def with_part(self, parts: Sequence[Part]) -> Self:
        """Return the line of `parts`, given that this one is that of all but the last of them."""
        *others, part = parts
        moments = part.moments
        if not len(moments.rows):
            return self
        where = np.zeros(len(moments.rows), dtype=np.intp)
        for other in others:
            where += other.ranks_of(part)
        owners = np.union1d(self.owners, moments.owners)
        sizes = np.zeros(len(owners), dtype=np.intp)
        sizes[np.searchsorted(owners, self.owners)] = np.diff(self.starts)
        sizes[np.searchsorted(owners, moments.owners)] += np.diff(moments.starts)
        return self._counted(_spliced(self.places, where, moments.rows + offsets_of(others)[-1]), owners, sizes)

    def span(self, table: Table) -> slice:
        """Return where the rows of the table stand."""
        first, last = OWNER_BASE[table], OWNER_BASE[table] + (OWNERS_OF_A_TABLE - 1)
        begin = np.searchsorted(self.owners, np.uint64(first))
        end = np.searchsorted(self.owners, np.uint64(last), "right")
        return slice(int(self.starts[begin]), int(self.starts[end]))

    def owner_numbers(self, positions: Places) -> Places:
        """Return which owner stands at each position."""
        return np.searchsorted(self.starts, positions, "right") - 1

    def _without(self, positions: Places) -> Self:
        if not len(positions):
            return self
        lost = np.bincount(self.owner_numbers(positions), minlength=len(self.owners))
        return self._counted(_cut(self.places, positions), self.owners, np.diff(self.starts) - lost)

    def _counted(self, places: Places, owners: Keys, sizes: Places) -> Self:
        there = sizes > 0
        return type(self)(places, owners[there], np.append(0, np.cumsum(sizes[there])))


def _same_segments(before: Sequence[Part], now: Sequence[Part]) -> int:
    same = 0
    for old, new in zip(before, now, strict=False):
        if old.segment is not new.segment:
            break
        same += 1
    return same


def _cut(places: Places, positions: Places) -> Places:
    """Return the places without those at the positions, which ascend."""
    if len(positions) > _FEW:
        return np.delete(places, positions)
    edges = [-1, *positions.tolist(), len(places)]
    return np.concatenate([places[low + 1 : high] for low, high in pairwise(edges)])


def _spliced(places: Places, where: Places, new: Places) -> Places:
    """Return the places with each new one put before the position `where` says; these ascend."""
    cuts = np.append(np.flatnonzero(np.append(True, where[1:] != where[:-1])), len(where))
    if len(cuts) > _FEW:
        return np.insert(places, where, new)
    pieces: list[Places] = []
    before = 0
    for low, high in pairwise(cuts.tolist()):
        at = int(where[low])
        pieces += [places[before:at], new[low:high]]
        before = at
    return np.concatenate([*pieces, places[before:]])

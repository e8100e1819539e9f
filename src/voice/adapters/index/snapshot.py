"""An immutable view of all parts, with their rows in timeline order.

Law: a fold makes a new snapshot, so searches need no lock. The timeline has every live searchable row by (table, scope,
time, id), independent of parts; it is updated incrementally by splicing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.columns import OWNER_BASE, OWNERS_OF_A_TABLE, Flag, Keys, Mask
from voice.adapters.index.part import Part, Places, RowSelection, offsets_of
from voice.core.records import Table

_FEW: Final = 1_024  # maximum number of cuts for which copying slices beats masks


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Places in order; rows of owner `i` start at `starts[i]`, the last entry is the end."""

    places: Places
    owners: Keys
    starts: Places

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Self:
        """Build the timeline of the parts."""
        nothing = np.empty(0, dtype=np.intp)
        return cls(nothing, np.empty(0, dtype=np.uint64), np.zeros(1, dtype=np.intp)).extended(parts, 0)

    def after(self, before: Sequence[Part], now: Sequence[Part]) -> Self:
        """Return the timeline of `now`, from this one of `before`."""
        pairs = zip(before, now, strict=False)
        same = len(list(takewhile(lambda pair: pair[0].segment is pair[1].segment, pairs)))
        offsets = offsets_of(before)
        gone = np.zeros(offsets[-1], dtype=np.bool_)
        gone[offsets[same] :] = True
        for old, new, offset in zip(before[:same], now[:same], offsets, strict=False):
            if old is not new:
                gone[offset : offset + old.segment.size] = new.flags & Flag.DEAD
        return self._without(np.flatnonzero(gone[self.places])).extended(now, same)

    def extended(self, parts: Sequence[Part], number: int) -> Self:
        """Return the timeline of `parts`, from this one of those before `number`."""
        line = self
        for following in range(number, len(parts)):
            line = line.with_part(parts[: following + 1])
        return line

    def with_part(self, parts: Sequence[Part]) -> Self:
        """Return the timeline of `parts`, from this one of all but the last."""
        *others, part = parts
        moments = part.moments
        if not len(moments.rows):
            return self
        where = np.zeros(len(moments.rows), dtype=np.intp)
        for other in others:
            # A row's position is the number of rows before it, in all parts.
            where += other.ranks_of(part)
        owners = np.union1d(self.owners, moments.owners)
        sizes = np.zeros(len(owners), dtype=np.intp)
        sizes[np.searchsorted(owners, self.owners)] = np.diff(self.starts)
        sizes[np.searchsorted(owners, moments.owners)] += np.diff(moments.starts)
        return self._counted(_spliced(self.places, where, moments.rows + offsets_of(others)[-1]), owners, sizes)

    def span(self, table: Table) -> slice:
        """Return the positions of a table."""
        first, last = OWNER_BASE[table], OWNER_BASE[table] + (OWNERS_OF_A_TABLE - 1)
        begin = np.searchsorted(self.owners, np.uint64(first))
        end = np.searchsorted(self.owners, np.uint64(last), "right")
        return slice(int(self.starts[begin]), int(self.starts[end]))

    def owner_numbers(self, positions: Places) -> Places:
        """Return the owner index at each position."""
        return np.searchsorted(self.starts, positions, "right") - 1

    def _without(self, positions: Places) -> Self:
        if not len(positions):
            return self
        lost = np.bincount(self.owner_numbers(positions), minlength=len(self.owners))
        return self._counted(_cut(self.places, positions), self.owners, np.diff(self.starts) - lost)

    def _counted(self, places: Places, owners: Keys, sizes: Places) -> Self:
        there = sizes > 0  # an owner without rows is left out
        return type(self)(places, owners[there], np.append(0, np.cumsum(sizes[there])))


def _cut(places: Places, positions: Places) -> Places:
    if len(positions) > _FEW:
        return np.delete(places, positions)
    edges = [-1, *positions.tolist(), len(places)]
    return np.concatenate([places[low + 1 : high] for low, high in pairwise(edges)])


def _spliced(places: Places, where: Places, new: Places) -> Places:
    """Insert each new place before its ascending position in `where`."""
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


class TimelineParts(NamedTuple):
    """Parts with their computed timeline."""

    parts: tuple[Part, ...]
    line: Timeline


@dataclass(frozen=True, kw_only=True, eq=False)
class Snapshot:
    """All parts, and the change sequence they represent."""

    parts: tuple[Part, ...] = ()
    folded_seq: int = 0
    lined: TimelineParts | None = None
    """The last parts with a computed timeline, from which this one's is derived."""

    @cached_property
    def line(self) -> Timeline:
        """Every live row in timeline order; lazy, so that folds between queries pay once."""
        if self.lined is None:
            return Timeline.of(self.parts)
        return self.lined.line.after(self.lined.parts, self.parts)

    @property
    def has_line(self) -> bool:
        """Whether the timeline is computed."""
        return "line" in self.__dict__  # where `cached_property` keeps it

    @cached_property
    def offsets(self) -> Places:
        """First place of each part, and the total."""
        return np.array(offsets_of(self.parts), dtype=np.intp)

    @cached_property
    def live(self) -> Mask:
        """Mask of live rows by place."""
        return np.concatenate([part.live for part in self.parts])

    @cached_property
    def dead(self) -> NDArray[np.uint32]:
        """Ascending places of dead rows."""
        found = [
            span.start + np.flatnonzero(~part.live) for part, span in self.spans() if part.live_rows < len(part.live)
        ]
        return np.concatenate(found).astype(np.uint32) if found else np.empty(0, dtype=np.uint32)

    def spans(self) -> Iterator[tuple[Part, slice]]:
        """Yield each part with its places."""
        offsets = self.offsets.tolist()
        return ((part, slice(*span)) for part, span in zip(self.parts, pairwise(offsets), strict=True))

    def picked(self, places: Places) -> RowSelection:
        """Select rows at places, in any order."""
        return RowSelection.of(self.parts, self.offsets, places)

    def followed_by(self, parts: Sequence[Part], folded_seq: int) -> "Snapshot":
        """Return the next snapshot, or this one with parts reloaded."""
        lined = TimelineParts(self.parts, self.line) if self.has_line else self.lined
        return Snapshot(parts=tuple(parts), folded_seq=folded_seq, lined=lined)

    def live_row(self, key: int) -> tuple[Part, int] | None:
        """Return the part and row of a live key; None if there is none."""
        for part in self.parts:
            rows = part.segment.keys.find(np.array([key], dtype=np.uint64))
            for row in rows[part.live[rows]].tolist():
                return part, row
        return None

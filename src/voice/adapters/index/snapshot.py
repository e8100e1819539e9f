"""What a search sees: segments with the flags of their rows as they stand now.

Law: a snapshot never changes; a fold makes the next one. So a search needs no lock and is never torn.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.entries import FLAG_OF_TABLE, Flag
from voice.adapters.index.ragged import Mask
from voice.adapters.index.segment import Segment, Timeline, merge_segments
from voice.core.records import Table

_FEW_TIES: Final = 4


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
        flags = np.ascontiguousarray(segment.facts["flags"])
        if dead is not None:
            flags[dead] |= np.uint8(Flag.DEAD)
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
        return int(np.count_nonzero(self.live & (self.segment.facts["length"] > 0)))

    @cached_property
    def total_length(self) -> int:
        """Terms in live rows, with repetitions."""
        return int(self.segment.facts["length"][self.live].sum(dtype=np.int64))

    @cached_property
    def live_vectors(self) -> int:
        """How many live rows have a vector."""
        return int(np.count_nonzero(self.live[self.segment.vectors.rows]))

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Terms per row."""
        return self.segment.facts["length"].astype(np.float64)

    @cached_property
    def timeline(self) -> Timeline:
        """The timeline of live rows."""
        timeline = self.segment.timeline
        if self.live_rows == self.segment.size:
            return timeline
        keep = self.live[timeline.rows]
        return Timeline(timeline.keys[keep], timeline.rows[keep])

    @cached_property
    def moment_places(self) -> NDArray[np.int32]:
        """Per row its place in `timeline`; -1 for a row that is dead or hidden."""
        places = np.full(self.segment.size, -1, dtype=np.int32)
        places[self.timeline.rows] = np.arange(len(self.timeline.rows), dtype=np.int32)
        return places

    @cached_property
    def id_ranks(self) -> NDArray[np.int64]:
        """Per row its place in the order of ids; made only when many rows tie."""
        order = sorted(range(self.segment.size), key=self.segment.row_id)
        ranks = np.empty(self.segment.size, dtype=np.int64)
        ranks[order] = np.arange(self.segment.size)
        return ranks

    def first_by_id(self, rows: NDArray[np.intp], most: int) -> NDArray[np.intp]:
        """Return the `most` rows whose ids come first, in no order; all of them when sorting would not pay."""
        if len(rows) <= _FEW_TIES * most:
            return rows
        return rows[np.argpartition(self.id_ranks[rows], most)[:most]]

    def rows_in(self, table: Table) -> int:
        """Return how many live rows the table has here."""
        flag = np.uint8(FLAG_OF_TABLE[table])
        return int(np.count_nonzero((self.flags & (flag | np.uint8(Flag.DEAD))) == flag))

    def without(self, keys: NDArray[np.uint64]) -> "Part":
        """Return this part with the rows of `keys` dead; itself if it has none of them."""
        rows = self.segment.rows_of_keys(keys)
        rows = rows[self.live[rows]]
        if not len(rows):
            return self
        flags = self.flags.copy()
        flags[rows] |= np.uint8(Flag.DEAD)
        return Part(self.segment, flags, self.name)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Snapshot:
    """All parts, and the change sequence they stand for."""

    parts: tuple[Part, ...] = ()
    folded_seq: int = 0

    def without(self, keys: NDArray[np.uint64]) -> "Snapshot":
        """Return the snapshot with the rows of `keys` dead."""
        return replace(self, parts=tuple(part.without(keys) for part in self.parts))

    def live_row(self, key: int) -> tuple[Part, int] | None:
        """Return where the live row of `key` stands."""
        for part in self.parts:
            rows = part.segment.rows_of_keys(np.array([key], dtype=np.uint64))
            for row in rows[part.live[rows]].tolist():
                return part, row
        return None


def merged(parts: Sequence[Part]) -> Part:
    """Return one part, in memory, with the live rows of several."""
    return Part.of(merge_segments([part.segment for part in parts], [part.flags for part in parts]))


def live_rows(parts: Iterable[Part]) -> int:
    """Return how many live rows the parts have together."""
    return sum(part.live_rows for part in parts)
